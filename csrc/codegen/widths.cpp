#include <selvage/codegen/widths.h>

#include <algorithm>

namespace selvage {

namespace {

// <begin>int<between>long long<end>; no C text has these.
constexpr char kBegin = '\1', kBetween = '\2', kEnd = '\3';

}  // namespace

std::string either(std::string narrow, const std::string& wide) {
  if (narrow == wide) return narrow;
  return kBegin + std::move(narrow) + kBetween + wide + kEnd;
}

std::string of_width(std::string_view text, IndexType type) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    const std::size_t begin = std::min(text.find(kBegin), text.size());
    out += text.substr(0, begin);
    if (begin == text.size()) return out;
    const std::size_t between = text.find(kBetween, begin), end = text.find(kEnd, between);
    out += type == IndexType::Int32 ? text.substr(begin + 1, between - begin - 1)
                                    : text.substr(between + 1, end - between - 1);
    text.remove_prefix(end + 1);
  }
}

}  // namespace selvage
