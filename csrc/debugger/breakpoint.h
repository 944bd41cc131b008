#pragma once

#include <selvage/debugger/kernel_names.h>

#include <cstdint>
#include <optional>
#include <string>

namespace selvage {

// A breakpoint as it is written:
//   store y[17, 3]   load x   y[17, 3]     stores and loads, all of a memory or of one element
//   line 7           barrier               a statement; any barrier that threads have met at
//   thread 5         thread 5,0,0          the thread of each block, where it begins to run
//   block 2          block 2,0,0           the block, where its first thread begins to run
// each perhaps followed by `if` and a condition on the variables of the loops, or `if nan`: the
// value that is stored or loaded is none.
class Breakpoint {
 public:
  // Throws BadCommand for a text that is none for the kernel that runs.
  Breakpoint(std::string text, const RunView& view, const KernelNames& names);
  // For a kernel that does not run yet.
  explicit Breakpoint(std::string text) : text_(std::move(text)) {}
  // The name of the memory whose loads or stores a text is about; "line" of line 7, and the like.
  static std::string memory_of(const std::string& text);

  const std::string& text() const { return text_; }
  // Finds what it is about in another kernel; in one that has no such thing it never stops. Returns
  // what is wrong with it, if the kernel has the memory that it names; else "".
  std::string begin_kernel(const RunView& view, const KernelNames& names);

  bool stops_at_statement(const RunView& view) const;
  bool stops_at_access(const RunView& view, bool is_store, BufferId b, std::int64_t address,
                       Scalar value) const;
  bool stops_at_meeting(const RunView& view) const;
  // The thread begins to run, the first of its block or not.
  bool stops_at_thread(const RunView& view, bool is_first) const;

 private:
  enum class Kind : std::uint8_t { Store, Load, Access, Line, Barrier, Thread, Block };

  void resolve(const RunView& view, const KernelNames& names);
  bool holds(const RunView& view) const;

  std::string text_;
  Kind kind_ = Kind::Access;
  bool is_known_ = false;  // in the kernel that runs
  KernelNames::Element element_;
  PlaceId place_ = kTop;
  std::int64_t number_ = 0;  // of the thread or the block
  Expr condition_;           // invalid: none
  bool wants_nan_ = false;
};

// A number, or x,y,z within the extents, as the number of a block or thread. Throws BadCommand.
std::int64_t number_in(const std::string& text, const Index3& extents, const char* what);
// An expression over the variables and the sizes of the kernel that runs. Throws BadCommand.
Expr read_expression(const RunView& view, const std::string& text);

}  // namespace selvage
