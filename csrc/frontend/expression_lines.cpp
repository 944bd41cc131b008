#include <selvage/base/names.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/expression_lines.h>
#include <selvage/frontend/readers.h>
#include <selvage/simplifier/simplifier.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unordered_set>

namespace selvage {

namespace {

constexpr std::size_t kLongestField = 10'000;

[[noreturn]] void fail(const std::string& why) { refuse("E301", {}, why, ""); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

std::int64_t integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    fail(shown(text) + " is no integer of 64 bits");
  }
  return value;
}

// One line's names and what is known of them.
class Line {
 public:
  void declare_parameters(std::string_view field) {
    for (const std::string_view item : items(field)) {
      const std::vector<std::string_view> parts = split(item, ':');
      if (parts.size() != 3) fail("a parameter is name:min:max, not " + shown(item));
      const std::int64_t lo = integer(parts[1]), hi = integer(parts[2]);
      if (lo > hi) fail(shown(item) + " has no values");
      facts_.bound(declare(parts[0]), pool_.constant(lo), pool_.constant(hi));
    }
  }

  void declare_loops(std::string_view field) {
    for (const std::string_view item : items(field)) {
      const std::vector<std::string_view> parts = split(item, ':');
      if (parts.size() != 2) fail("a loop variable is name:extent, not " + shown(item));
      const Expr extent = parse(parts[1], Result::Int);
      if (extent.is(Op::Const) && extent.value() < 1) fail(shown(item) + " has no values");
      facts_.loop(declare(parts[0]), extent);
    }
  }

  void assume(std::string_view field) { facts_.assume(parse(field, Result::Truth)); }

  Expr parse(std::string_view field) { return parse_any(field); }

  std::string simplified(Expr e, std::int64_t& nanoseconds) {
    const auto start = std::chrono::steady_clock::now();
    Simplifier simplifier(facts_);
    const Expr result = simplifier.simplify(e);
    nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::steady_clock::now() - start)
                      .count();
    return to_string(result);
  }

 private:
  static std::vector<std::string_view> items(std::string_view field) {
    if (field.empty()) return {};
    return split(field, ';');
  }

  Expr declare(std::string_view name) {
    if (!is_identifier(name)) fail(shown(name) + " is no name");
    const Expr symbol = pool_.symbol(name);
    if (!known_.insert(symbol.id()).second) fail(shown(name) + " is declared twice");
    return symbol;
  }

  Expr parse_any(std::string_view field) {
    if (field.size() > kLongestField) fail("a field is longer than 10000 characters");
    return parse_expr(pool_, field, [&](std::string_view name) {
      const Expr symbol = pool_.symbol(name);
      return known_.count(symbol.id()) ? symbol : Expr();
    });
  }
  Expr parse(std::string_view field, Result wanted) {
    const Expr e = parse_any(field);
    if (info(e.op()).result != wanted) {
      fail(shown(field) + (wanted == Result::Int ? " is no number" : " is no condition"));
    }
    return e;
  }

  ExprPool pool_;
  Facts facts_{pool_};
  std::unordered_set<std::uint32_t> known_;
};

std::string simplify_line(const std::vector<std::string_view>& fields) {
  if (fields.size() < 5 || fields.size() > 6) {
    fail("a line has 5 or 6 fields, not " + std::to_string(fields.size()));
  }
  Line line;
  line.declare_parameters(fields[3]);
  line.declare_loops(fields[2]);
  if (fields.size() == 6 && !fields[5].empty()) line.assume(fields[5]);
  std::int64_t nanoseconds = 0;
  const std::string text = line.simplified(line.parse(fields[4]), nanoseconds);
  return std::to_string(nanoseconds) + '\t' + text;
}

}  // namespace

bool simplify_lines(std::istream& in, std::ostream& out) {
  bool all_read = true;
  for (std::string text; std::getline(in, text);) {
    if (!text.empty() && text.back() == '\r') text.pop_back();
    if (text.empty()) continue;
    const std::vector<std::string_view> fields = split(text, '\t');
    out << fields[0] << '\t';
    try {
      out << simplify_line(fields) << '\n';
    } catch (const BadInput& e) {
      out << "error\t" << e.diagnostic().message << '\n';
      all_read = false;
    }
  }
  return all_read;
}

bool simplify_file(const std::string& path, std::ostream& out) {
  if (path == "-") return simplify_lines(std::cin, out);
  const auto fail_to_read = [&](const std::string& why) {
    refuse("E101", {path, 0, 0}, "cannot read the file: " + why,
           "name a file that can be read, or - for standard input");
  };
  std::error_code ignored;  // the file says why it cannot be read
  if (std::filesystem::is_directory(path, ignored)) fail_to_read("it is a directory");
  std::ifstream in(path);
  if (!in) fail_to_read(std::strerror(errno));
  return simplify_lines(in, out);
}

}  // namespace selvage
