#pragma once

#include <selvage/codegen/buffer_text.h>
#include <selvage/codegen/index_text.h>
#include <selvage/kernel/kernel.h>

#include <set>
#include <string>
#include <vector>

namespace selvage {

// The lines of C that matrix multiplications are (wgmma, sm_90a).
class MmaText {
 public:
  MmaText(const Kernel& kernel, const BufferText& buffers, IndexText& index)
      : kernel_(kernel), buffers_(buffers), index_(index) {}

  std::vector<std::string> multiply(const Mma& mma);
  // Where all have ended: from here on the compiler may move what uses sums. It does not know that
  // they change after the instruction that names them.
  std::vector<std::string> results() const;
  // The macros that the lines so far need.
  std::vector<std::string> head() const;

 private:
  // A pointer to the element that is so much further than an address.
  std::string place(BufferId b, Expr address, std::int64_t further) const;

  const Kernel& kernel_;
  const BufferText& buffers_;
  IndexText& index_;
  struct Shape {
    DataType type;
    std::int64_t columns;
    bool is_a_shared;
    auto operator<=>(const Shape&) const = default;
  };
  std::set<Shape> shapes_;
  int loaded_ = 0;  // names of registers so far
};

}  // namespace selvage
