#include <tests/support/static_counts.h>

#include <charconv>
#include <vector>

namespace selvage {

namespace {

std::string_view without_indent(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r{";
  const std::size_t first = line.find_first_not_of(kBlank);
  return first == std::string_view::npos ? std::string_view{} : line.substr(first);
}

// ld.global.nc.v4.f32: ld, global, nc, v4, f32.
std::vector<std::string_view> parts(std::string_view operation) {
  std::vector<std::string_view> list;
  for (std::size_t at = 0; at <= operation.size();) {
    const std::size_t dot = std::min(operation.find('.', at), operation.size());
    list.push_back(operation.substr(at, dot - at));
    at = dot + 1;
  }
  return list;
}

int number(std::string_view digits) {
  int n = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return n;
}

// The bytes of all elements: v2, v4 or v8 of b16, f32, u64, ...
int bytes_of(const std::vector<std::string_view>& operation) {
  int vector = 1;
  for (std::string_view p : operation) {
    if (p.size() == 2 && p[0] == 'v') vector = number(p.substr(1));
  }
  return vector * number(operation.back().substr(1)) / 8;
}

void count(std::string_view operation, bool is_predicated, StaticCounts& counts) {
  ++counts.instructions;
  if (is_predicated) ++counts.predicated;
  const std::vector<std::string_view> p = parts(operation);
  const auto is = [&](std::size_t k, std::string_view word) {
    return k < p.size() && p[k] == word;
  };
  if (is(0, "bra") && is_predicated) ++counts.branches;
  if (is(0, "setp") && p.back().size() > 1 && p.back()[0] != 'f') ++counts.comparisons;
  if (is(0, "bar") || is(0, "barrier")) {
    ++(is(1, "warp") ? counts.warp_barriers : counts.barriers);
  }
  if (is(0, "shfl")) ++counts.shuffles;
  if (is(0, "cp") && is(1, "async") && is(2, "commit_group")) ++counts.copy_groups;
  if (is(0, "atom") || is(0, "red")) ++counts.atomics;
  const bool loads = is(0, "ld"), stores = is(0, "st");
  if (!loads && !stores) return;
  if (is(1, "global")) ++(loads ? counts.global_loads : counts.global_stores)[bytes_of(p)];
  if (is(1, "shared")) ++(loads ? counts.shared_loads : counts.shared_stores)[bytes_of(p)];
  if (is(1, "local")) ++(loads ? counts.local_loads : counts.local_stores);
}

StaticCounts count_body(std::string_view body) {
  StaticCounts counts;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = std::min(body.find('\n', at), body.size());
    std::string_view line = without_indent(body.substr(at, end - at));
    at = end + 1;
    const bool is_predicated = line.starts_with('@');
    if (is_predicated) line = without_indent(line.substr(std::min(line.find(' '), line.size())));
    const bool is_label = line.find(':') != std::string_view::npos;
    if (line.empty() || line[0] == '.' || line[0] == '/' || line[0] == '}' || line[0] == '$' ||
        is_label) {
      continue;
    }
    count(line.substr(0, line.find_first_of(" \t;")), is_predicated, counts);
  }
  return counts;
}

// From an opening brace to behind the one that closes it: inline assembly has braces of its own.
std::string_view braced(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return text.substr(1, at - 1);
  }
  return text;
}

}  // namespace

std::map<std::string, StaticCounts> count_ptx(std::string_view ptx) {
  constexpr std::string_view kEntry = ".entry ";
  std::map<std::string, StaticCounts> kernels;
  for (std::size_t at = ptx.find(kEntry); at != std::string_view::npos; at = ptx.find(kEntry, at)) {
    at += kEntry.size();
    const std::size_t end = ptx.find_first_of("( \n", at);
    const std::size_t body = ptx.find("\n{", at);
    if (end == std::string_view::npos || body == std::string_view::npos) break;
    kernels[std::string(ptx.substr(at, end - at))] = count_body(braced(ptx.substr(body + 1)));
  }
  return kernels;
}

}  // namespace selvage
