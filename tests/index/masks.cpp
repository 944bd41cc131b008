#include "masks.h"

namespace selvage::test {

namespace {

// Of what stands between `at` and the closing parenthesis, or the end.
std::string spell(const std::string& bits, std::size_t& at) {
  std::string out;
  while (at < bits.size() && bits[at] != ')') {
    std::string part(1, bits[at]);
    if (bits[at++] == '(') {
      part = spell(bits, at);
      ++at;
    }
    std::int64_t times = 1;
    if (at < bits.size() && bits[at] == '{') {
      const std::size_t end = bits.find('}', at);
      times = std::stoll(bits.substr(at + 1, end - at - 1));
      at = end + 1;
    }
    for (; times > 0; --times) out += part;
  }
  return out;
}

}  // namespace

std::string spelled_out(const std::string& bits) {
  std::size_t at = 0;
  return spell(bits, at);
}

std::set<std::int64_t> read_product(const std::string& text) {
  std::set<std::int64_t> threads = {0};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('-', begin), text.size());
    const std::string bits = spelled_out(text.substr(begin, end - begin));
    const auto n = std::int64_t(bits.size());
    std::set<std::int64_t> more;
    for (std::int64_t outer : threads) {
      for (std::int64_t x = 0; x < n; ++x) {
        if (bits[std::size_t(n - 1 - x)] == '1') more.insert(outer * n + x);
      }
    }
    threads = std::move(more);
    begin = end + 1;
  }
  return threads;
}

}  // namespace selvage::test
