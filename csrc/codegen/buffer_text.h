#pragma once

#include <selvage/codegen/helpers.h>
#include <selvage/codegen/names.h>
#include <selvage/kernel/expressions.h>
#include <selvage/kernel/kernel.h>

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace selvage {

// How the buffers of a kernel are written in C.
//   Global  a pointer, the kernel's parameter
//   Shared  an array; those whose place in shared memory is given, pointers into one pool. It is
//           the launch's where that asks for shared memory, else static
//   Local   what a Transfer moves as a whole, a struct, which is copied as one: float_x4 y_lanes;
//           else one element is a variable, float acc; several are an array, float acc[8];
class BufferText {
 public:
  BufferText(const Kernel& kernel, Names& names, Helpers& helpers);

  struct Parameter {
    std::string type, text;  // "const float*", "const float* __restrict__ a"
  };
  const std::vector<Parameter>& parameters() const { return parameters_; }
  // The lines that declare all others, first in the kernel.
  const std::vector<std::string>& declarations() const { return declarations_; }
  // Is the pool one that the launch asks for?
  bool is_dynamic() const { return is_dynamic_; }

  // y[at], y_lanes.at[at], acc.
  std::string element(BufferId b, const std::string& at) const;
  // The same as a value; from a buffer that is read once, evicted first: __ldcs(&x[at]).
  std::string read(BufferId b, const std::string& at) const;
  // A pointer to element 0.
  std::string pointer(BufferId b) const {
    return forms_[b] == Form::Lanes ? names_[b] + ".at" : names_[b];
  }
  // A struct that a Transfer of `width` elements moves as a whole; empty if it is none.
  std::string whole(BufferId b, std::int64_t width) const;

 private:
  enum class Form : std::uint8_t { Pointer, Lanes, Variable, Array };
  struct Moved {
    bool as_a_whole = false;
    std::int64_t alignment = 0;  // bytes; 0: not moved
  };
  void note_moves();
  Form form(std::size_t b) const;
  void declare_pool(Names& names);
  void declare(std::size_t b, Helpers& helpers);

  const Kernel& kernel_;
  std::vector<Moved> moved_;
  std::vector<Form> forms_;
  std::vector<std::string> names_;
  std::string pool_;
  bool is_dynamic_ = false;
  std::vector<Parameter> parameters_;
  std::vector<std::string> declarations_;
};

// The variables of loops, by id, that choose an element of a local array, by way of definitions as
// well: unless these loops are unrolled, the array does not become registers. None of arrays that
// would not fit.
std::unordered_set<std::uint32_t> choosers_of_local_elements(const Kernel& kernel,
                                                             const ComputedExpressions& computed);

}  // namespace selvage
