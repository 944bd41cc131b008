#pragma once

#include <selvage/codegen/helpers.h>
#include <selvage/codegen/index_text.h>
#include <selvage/codegen/names.h>
#include <selvage/kernel/kernel.h>
#include <selvage/kernel/launch_limits.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// How the buffers of a kernel are written in C.
//   Global  a pointer, a parameter of the kernel
//   Shared  an array. If it has an offset, a pointer into one pool: the shared memory that the
//           launch asks for, if it does, else a static array. Two or more small arrays lie in the
//           static pool as well, so that one address serves them all
//   Local   if a Transfer moves the buffer as a whole, a struct: float_x4 y_lanes; else a variable
//           for one element: float acc; or an array for several: float acc[8];
class BufferText {
 public:
  BufferText(const Kernel& kernel, Names& names, Helpers& helpers);

  struct Parameter {
    std::string type, text;  // "const float*", "const float* __restrict__ a"
  };
  const std::vector<Parameter>& parameters() const { return parameters_; }
  // The lines at the head of the kernel that declare all other buffers.
  const std::vector<std::string>& declarations() const { return declarations_; }
  // The macro of head_text.h by which the pool is the shared memory that the launch asks for; empty
  // where it is not.
  const char* dynamic_head() const;

  // y[at], y_lanes.at[at], acc.
  std::string element(BufferId b, const std::string& at) const;
  // The same as a value. A buffer that is read once is loaded as __ldcs(&x[at]), so that caches
  // evict it first.
  std::string read(BufferId b, const std::string& at) const;
  // A value that another block of the cluster, number `rank`, has in its shared memory.
  std::string read_in_rank(BufferId b, const std::string& at, const std::string& rank) const;
  // A pointer to element 0.
  std::string pointer(BufferId b) const {
    return forms_[b] == Form::Lanes ? names_[b] + ".at" : names_[b];
  }
  // A pointer to an element: (y + t0).
  std::string place(BufferId b, const CText& at) const {
    return "(" + pointer(b) + " + " + inside(at, info(Op::Add).precedence) + ")";
  }
  // The struct that a Transfer of `width` elements moves as a whole; empty if the buffer is none.
  std::string whole(BufferId b, std::int64_t width) const;

 private:
  enum class Form : std::uint8_t { Pointer, Lanes, Variable, Array };
  struct Moved {
    bool as_a_whole = false;
    std::int64_t alignment = 0;  // bytes; 0: not moved
  };
  bool is_left(std::size_t b) const;
  void note_moves();
  void place_in_pool();
  Form form(std::size_t b) const;
  void declare_pool(Names& names);
  bool is_aligned_dynamic() const { return is_dynamic_ && pool_alignment_ > kSharedAlignment; }
  void declare(std::size_t b, Helpers& helpers);
  bool is_alone(std::size_t b) const;

  const Kernel& kernel_;
  std::vector<Moved> moved_;
  std::vector<bool> is_accessed_;
  std::vector<std::int64_t> alignments_;              // in shared memory
  std::vector<std::optional<std::int64_t>> offsets_;  // in the pool
  std::int64_t pool_bytes_ = 0, pool_alignment_ = kSharedAlignment;
  std::vector<Form> forms_;
  std::vector<std::string> names_;
  std::string pool_;
  bool is_dynamic_ = false;
  std::vector<Parameter> parameters_;
  std::vector<std::string> declarations_;
};

}  // namespace selvage
