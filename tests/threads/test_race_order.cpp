// Whether a program races is told by the order that it asks for itself, never by a barrier that is
// there for somebody else.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "checked.h"
#include "tests/support/counts.h"
#include "tests/threads/draws.h"

namespace selvage {

namespace {

using namespace threads;

std::string codes(const std::string& text) {
  std::string out;
  for (std::size_t at = text.find("error["); at != text.npos; at = text.find("error[", at + 1)) {
    out += text.substr(at + 6, 4) + " ";
  }
  return out;
}

// Lane 0 reads an element of G that lane 5 writes: that wants a barrier, and the one of the race
// has no right to it.
TEST(RaceOrder, ABarrierForSomebodyElseHidesNoRace) {
  const std::string program = R"(arrays:
  A: {shape: [32], dtype: int32}
  S: {shape: [4], dtype: int32, memory: shared}
  G: {shape: [32], dtype: int32}
parallel: [{warp: {w: 1}}]
body:
  - do: ["S[0] = G[5] + 3"]
  - parallel: {levels: [{thread: {lane: 32}}], do: ["A[lane] += 4", "G[lane] = A[31 - lane] + 3"]}
)";
  const auto message = [](const char* line) {
    return std::string("a.yaml:") + line +
           ":69: error[E818]: A[31] is read by one thread and accessed by another with no barrier "
           "between: block (0, 0, 0), thread (31, 0, 0); and block (0, 0, 0), thread (0, 0, 0); "
           "help: give each thread elements of its own, or put sync: shared between the two";
  };
  const Mend mend{"+= 4\", \"G", "+= 4\", sync: shared, \"G"};
  expect_mended(program, message("8"), mend);
  expect_mended(Mend{"  - do: [\"S[0] = G[5] + 3\"]\n", ""}(program), message("7"), mend);
}

// All threads that run the code around come together where an inner level begins and ends: what is
// done before it is done, whether or not the level has to do with it.
TEST(RaceOrder, AnInnerLevelPartsWhatStandsBeforeItFromWhatStandsBehind) {
  const auto program = [](const char* inner) {
    return std::string(R"(arrays: {S: {shape: [2], dtype: int32}, B: {shape: [2, 32], dtype: int32}}
parallel: [{warp: {w: 2}}]
body:
- S[w] = 1
)") + inner +
           "- S[1 - w] = 2\n";
  };
  const auto level = [](const char* body) {
    return "- parallel: {levels: [{thread: {l: 32}}], do: [" + std::string(body) + "]}\n";
  };
  EXPECT_EQ(said(program(level("\"B[w, l] = 1\"").c_str())), "accepted");
  EXPECT_EQ(said(program(level("\"B[w, l] = S[1 - w]\"").c_str())), "accepted");
  EXPECT_EQ(said(program(level("").c_str())), "accepted") << "nothing is run there";
  EXPECT_EQ(codes(said(program("- B[w, 0] = 1\n") + level("\"B[w, l] = 1\""))), "E818 ")
      << "both before it";
}

// A bit of a program: a statement, or what stands around others.
struct Part {
  std::string text;  // of a statement; of others with @ for the body
  bool is_inner = false;
  std::vector<Part> body = {};

  bool is_statement() const { return text.find('@') == text.npos; }
};
std::string yaml(const std::vector<Part>& body) {
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
  explicit RandomProgram(std::uint64_t seed) : draws_(seed) { body_ = beside(0); }

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
      const std::int64_t kind = draws_.between(0, depth < 2 ? 5 : 3);
      if (kind == 0) body.push_back({"{do: [@]}", false, {statement(false, "A", "B")}});
      if (kind == 4) {
        const std::string loop = "i" + std::to_string(loops_++);
        body.push_back({"{for: {index: " + loop + ", in: 2, do: [@]}}", false, beside(depth + 1)});
      }
      if (kind == 5) {
        const std::string async = draws_.one_in(2) ? "async: true, " : "";
        body.push_back({"{inthreads: {when: w == 0, " + (depth == 0 ? async : "") + "do: [@]}}",
                        false, beside(2)});
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
};

TEST(RaceOrder, StatementsOfOtherArraysChangeNothing) {
  std::map<std::string, int> seen;
  for (int k = 0; k < count(400, 20000); ++k) {
    RandomProgram program(std::uint64_t(k) + 1);
    const std::string before = program.text(), alone = said(before);
    program.add_bystanders();
    const std::string after = program.text(), together = said(after);
    SCOPED_TRACE("seed " + std::to_string(k + 1) + "\n" + before + alone + "\n" + after + together);
    const bool is_refused = !codes(alone).empty(), stays_refused = !codes(together).empty();
    ASSERT_TRUE(!is_refused || stays_refused);
    const bool is_of_bystanders =
        together.find(": U[") != together.npos || together.find(": V[") != together.npos;
    ASSERT_TRUE(is_refused || !stays_refused || is_of_bystanders);
    ++seen[!is_refused ? (stays_refused ? "bystanders race" : "accepted")
                       : codes(alone).substr(0, 4)];
  }
  std::string line;
  for (const auto& [what, n] : seen) line += " " + what + ": " + std::to_string(n);
  printf("[FIGURE] thread programs with bystanders:%s\n", line.c_str());
  EXPECT_GT(seen["accepted"], more_than(20));
  EXPECT_GT(seen["E818"], more_than(20));
}

}  // namespace

}  // namespace selvage
