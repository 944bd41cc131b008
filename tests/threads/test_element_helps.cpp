// What the help of E819 says is done to the file, and no element is missing.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <set>

#include "checked.h"
#include "tests/support/counts.h"
#include "tests/threads/draws.h"

namespace selvage {

namespace {

using namespace threads;

// A[..] = B[..] + 1, one array of one axis and one of two, where p < 6, q < 4, i < 3 and n <= 5.
class Elements {
 public:
  explicit Elements(std::uint64_t seed) : draws_(seed) {
    for (std::int64_t k = draws_.between(1, 2); k > 0; --k) {
      statements_.push_back({subscript("p * 4 + q", 2), {subscript("p", 1), subscript("q", 1)}});
    }
  }

  std::string text() const {
    std::string out = "symbols: {n: {min: 0, max: 5}}\narrays: {A: {shape: [" + std::to_string(a_) +
                      "], dtype: int32}, B: {shape: [" + std::to_string(b_[0]) + ", " +
                      std::to_string(b_[1]) +
                      "], dtype: int32}}\nparallel: [{p: 6}, {q: 4}]\nbody:\n";
    for (const Statement& s : statements_) {
      out += "- for: {index: i" + std::to_string(&s - statements_.data()) + ", in: 3, do: [\"A[" +
             s.a + "] = B[" + s.b[0] + ", " + s.b[1] + "] + 1\"]}\n";
    }
    return out;
  }
  // Lines count from 1, and the first statement stands in the fifth.
  bool mend(const Diagnostic& d) {
    Statement& s = statements_.at(std::size_t(d.place.line) - 5);
    const std::string mask = "or mask the threads that have no element with inthreads";
    std::string help = d.help;
    if (!help.ends_with(mask)) return false;
    help.erase(help.size() - mask.size());
    std::int64_t more = 0;
    while (!help.empty()) {
      char rest[256] = "";
      std::int64_t n = 0, axis = 0;
      const auto is = [&](const char* form, auto... to) {
        rest[0] = 0;
        return std::sscanf(help.c_str(), form, to..., rest) >= int(sizeof...(to));
      };
      if (help.starts_with("add ")) {
        if (!is("add %ld to the subscript", &more)) return false;
        help.erase(0, help.find(" and ") + 5);
      } else if (is("give axis %ld of B the extent %ld, ", &axis, &n)) {
        b_[axis] = std::max(b_[axis], n);
        if (more > 0) s.b[axis] += " + " + std::to_string(more);
        help.erase(0, help.find(", ") + 2);
        more = 0;
      } else if (is("give A %ld elements, ", &n)) {
        a_ = std::max(a_, n);
        if (more > 0) s.a += " + " + std::to_string(more);
        help.erase(0, help.find(", ") + 2);
        more = 0;
      } else {
        return false;
      }
    }
    return true;
  }

 private:
  struct Statement {
    std::string a;
    std::array<std::string, 2> b;
  };
  std::string subscript(const std::string& own, int one_in) {
    std::string text = own;
    if (!draws_.one_in(one_in)) return text;
    const std::vector<std::string> more = {" + 1", " - 1", " + n", " - n", " + 3 - n", " * 2 - 5"};
    return text + draws_.of(more);
  }

  thread_oracle::Draws draws_;
  std::vector<Statement> statements_;
  std::int64_t a_ = 24;
  std::array<std::int64_t, 2> b_ = {6, 4};
};

TEST(ElementHelps, WhatAHelpSaysMends) {
  int done = 0;
  for (int k = 0; done < count(60, 600); ++k) {
    Elements program(std::uint64_t(k) + 1);
    // Axes are looked at first, then elements: what is told of first does not come again.
    std::set<std::string> told;
    for (bool is_any = true; is_any;) {
      const std::string before = program.text();
      const Report report = report_on(before);
      SCOPED_TRACE(before + to_text(report.diagnostics));
      is_any = false;
      for (const Diagnostic& d : report.diagnostics) {
        if (d.code != "E819") continue;
        is_any = true;
        const std::size_t axis = d.message.find("axis ");
        const std::string what = axis == d.message.npos ? "A" : d.message.substr(axis, 6);
        ASSERT_TRUE(told.insert(std::to_string(d.place.line) + " " + what).second);
        ASSERT_TRUE(program.mend(d));
      }
    }
    done += told.empty() ? 0 : 1;
  }
}

}  // namespace

}  // namespace selvage
