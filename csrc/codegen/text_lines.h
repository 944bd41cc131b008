#pragma once

#include <selvage/kernel/kernel.h>

#include <algorithm>
#include <string>
#include <vector>

namespace selvage {

// Lines of C, indented by the braces around, each with the buffer that it helps to compute.
class TextLines {
 public:
  void line(const std::string& text) {
    text_.append(2 * std::size_t(std::min(depth_, kDeepestIndent)), ' ');
    text_ += text;
    text_ += '\n';
    origins_.push_back(origin_);
  }
  void open(const std::string& head, const std::string& remark = {}) {
    line((head.empty() ? "{" : head + " {") + (remark.empty() ? "" : "  // " + remark));
    ++depth_;
  }
  void close() {
    --depth_;
    line("}");
  }
  // Of the next lines; null: of none.
  void set_origin(const Buffer* origin) { origin_ = origin; }

  const std::string& text() const { return text_; }
  const std::vector<const Buffer*>& origins() const { return origins_; }

 private:
  static constexpr int kDeepestIndent = 40;  // levels

  std::string text_;
  std::vector<const Buffer*> origins_;  // by line
  const Buffer* origin_ = nullptr;
  int depth_ = 1;
};

}  // namespace selvage
