#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// A position in what the user wrote. Line and column count from 1; 0 is unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

enum class Severity { Error, Warning };

// One thing to tell the user: what is wrong, where, at which point, and what would mend it.
//   code     stable and documented in doc/diagnostics.md, e.g. "E201"
//   message  what is wrong, in one sentence that names the thing
//   notes    further facts: the point at which it goes wrong, the other place involved
//   help     the smallest change that mends it
//   tensors  what a refusal of a schedule is about, by TensorId, the one to look at first comes
//   first;
//            of a thread program its arrays, by number
//   cause    tells cases of one code apart, for code that mends them: "both sides", "always"
struct Diagnostic {
  std::string code;
  Severity severity = Severity::Error;
  Place place;
  std::string message;
  std::vector<std::string> notes = {};
  std::string help = {};
  std::vector<std::uint32_t> tensors = {};
  std::string cause = {};
};

// FILE:LINE:COLUMN: error[E123]: message; note; help: what would mend it
std::string to_text(const Diagnostic& diagnostic);
// The text for standard error: at most `limit` lines, then how many were left out. In a longer list
// nobody sees what would mend the errors.
inline constexpr std::size_t kMostErrors = 20;
std::string to_text(const std::vector<Diagnostic>& diagnostics, std::size_t limit = kMostErrors);

// A refusal that carries its diagnostic; what() is its text.
class Error : public std::runtime_error {
 public:
  explicit Error(Diagnostic diagnostic);
  const Diagnostic& diagnostic() const { return diagnostic_; }
  // Sets the tensors that the error is about, unless they are set.
  void about(std::vector<std::uint32_t> tensors) {
    if (diagnostic_.tensors.empty()) diagnostic_.tensors = std::move(tensors);
  }

 private:
  Diagnostic diagnostic_;
};

// The file, the command line or an argument is wrong (exit status 2).
class BadInput : public Error {
 public:
  using Error::Error;
};

// What is asked for is well formed but illegal, e.g. a schedule that loses items (exit status 1).
class Illegal : public Error {
 public:
  using Error::Error;
};

}  // namespace selvage
