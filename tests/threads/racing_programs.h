// Random thread programs of which many race: two arrays, statements at one element or another, in
// inner levels and beside them. Written on one line.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/threads/draws.h"

namespace selvage::threads {

// The codes of all errors in what is said of a program.
inline std::string codes(const std::string& text) {
  std::string out;
  for (std::size_t at = text.find("error["); at != text.npos; at = text.find("error[", at + 1)) {
    out += text.substr(at + 6, 4) + " ";
  }
  return out;
}

// A bit of a program: a statement, or what stands around others.
struct Part {
  std::string text;  // of a statement; of others with @ for the body
  bool is_inner = false;
  std::vector<Part> body = {};

  bool is_statement() const { return text.find('@') == text.npos; }
};
inline std::string yaml(const std::vector<Part>& body) {
  std::string out;
  for (const Part& part : body) {
    std::string own = part.text;
    if (!part.is_statement()) own.replace(own.find('@'), 1, yaml(part.body));
    out += (out.empty() ? "" : ", ") + own;
  }
  return out;
}

class RandomProgram {
 public:
  // `is_async`: of regions that run side by side, most of them.
  explicit RandomProgram(std::uint64_t seed, bool is_async = false)
      : draws_(seed), is_async_(is_async) {
    body_ = beside(0);
  }

  std::string text() const {
    return "arrays: {A: {shape: [64], dtype: int32}, B: {shape: [64], dtype: int32}, U: {shape: "
           "[64], dtype: int32}, V: {shape: [64], dtype: int32}}\nparallel: [{warp: {w: 2}}]\n"
           "body: [" +
           yaml(body_) + "]\n";
  }
  // Adds statements of U and V, of which the rest knows nothing.
  void add_bystanders() {
    for (std::int64_t n = draws_.between(1, 3); n > 0; --n) add_bystander(body_, false);
  }

 private:
  std::string subscript(bool is_inner) {
    static constexpr std::array<const char*, 4> kBeside = {"w", "1 - w", "w * 32 + 5", "0"};
    static constexpr std::array<const char*, 6> kInner = {
        "w * 32 + l", "w * 32 + 31 - l", "63 - w * 32 - l", "w * 32 + l", "w", "w * 32 + 5"};
    return is_inner ? kInner[std::size_t(draws_.between(0, 5))]
                    : kBeside[std::size_t(draws_.between(0, 3))];
  }
  Part statement(bool is_inner, const char* one, const char* other) {
    const std::string to = draws_.one_in(2) ? one : other, from = draws_.one_in(2) ? one : other;
    const std::string value = draws_.one_in(2) ? "3" : from + "[" + subscript(is_inner) + "] + 3";
    const std::string own = is_inner ? "w * 32 + l" : "w * 32";
    const std::string at = draws_.one_in(8) ? subscript(is_inner) : own;
    return {"\"" + to + "[" + at + "] = " + value + "\"", is_inner};
  }
  std::vector<Part> inside() {
    std::vector<Part> body;
    for (std::int64_t n = draws_.between(1, 3); n > 0; --n) {
      body.push_back(statement(true, "A", "B"));
      if (draws_.one_in(5)) body.push_back({"sync: warp", true});
    }
    return body;
  }
  std::vector<Part> beside(int depth) {
    std::vector<Part> body;
    for (std::int64_t n = draws_.between(1, 3); n > 0; --n) {
      const std::int64_t drawn = draws_.between(0, depth < 2 ? 5 : 3);
      const std::int64_t kind = is_async_ && depth == 0 && !draws_.one_in(3) ? 5 : drawn;
      if (kind == 0) body.push_back({"{do: [@]}", false, {statement(false, "A", "B")}});
      if (kind == 4) {
        const std::string loop = "i" + std::to_string(loops_++);
        body.push_back({"{for: {index: " + loop + ", in: 2, do: [@]}}", false, beside(depth + 1)});
      }
      if (kind == 5) {
        const std::string when = is_async_ && draws_.one_in(2) ? "w == 1" : "w == 0";
        const std::string async = is_async_ || draws_.one_in(2) ? "async: true, " : "";
        body.push_back(
            {"{inthreads: {when: " + when + ", " + (depth == 0 ? async : "") + "do: [@]}}", false,
             beside(2)});
      }
      if (kind > 0 && kind < 4) {
        body.push_back({"{parallel: {levels: [{thread: {l: 32}}], do: [@]}}", true, inside()});
      }
    }
    return body;
  }
  void add_bystander(std::vector<Part>& body, bool is_inner) {
    const std::size_t at = std::size_t(draws_.between(0, std::int64_t(body.size()) - 1));
    Part& part = body[at];
    if (!part.is_statement() && !draws_.one_in(3)) return add_bystander(part.body, part.is_inner);
    Part own = statement(is_inner, "U", "V");
    if (!is_inner) own = {"{do: [@]}", false, {own}};
    body.insert(body.begin() + std::ptrdiff_t(at), own);
  }

  thread_oracle::Draws draws_;
  std::vector<Part> body_;
  int loops_ = 0;
  bool is_async_;
};

}  // namespace selvage::threads
