// A tensor, how it lies in memory, and how loops access it: what the property tests of legality are
// about. Random ones are in random_access_case.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/oracle/bank_conflicts.h"
#include "tests/oracle/fills.h"
#include "tests/oracle/graph.h"
#include "tests/oracle/layout.h"
#include "tests/oracle/tma_copy.h"
#include "tests/oracle/vector_access.h"

namespace selvage::oracle {

// The allocation iterdomains are logical ones, those of a view, or what the first base_steps steps
// of a graph without view make of the logical ones.
struct AccessCase {
  // Another loop domain that reads the tensor. Its first view_steps = base_steps steps are those of
  // the writer, with the same ids; the others start from logical or from allocation iterdomains.
  struct Reader {
    Graph graph;
    Binding binding;
    bool guarded = true;
  };
  Graph graph;  // of the writer, or of the only access
  int base_steps = 0;
  Layout layout;
  std::uint64_t open_strides = 0;  // bit k: stride k is a symbol in the file, with any value
  Binding binding;
  bool is_shared = false;  // the memory: global otherwise
  std::optional<Reader> reader;
  bool asks_fill = false;   // of 0
  std::vector<TmaDim> tma;  // outer to inner; empty: no TMA copy
};

// Graphs as they must be, the same base in both, allocation iterdomains from which the logical ones
// follow, bindings of loops, at most max_points loop points and items of each graph.
bool is_well_formed(const AccessCase& access, std::int64_t max_points = 60'000);

// Does the reader repeat a step of the base? The engine takes the results for the same iterdomains:
// where one is out of bounds it is the reader's index that the buffer is read by, while the judge
// computes the base's own from the logical one.
bool repeats_base(const AccessCase& access);

// The judges, on a case. The first wants a loop bound to Vector.
VectorAccess vector_access(const AccessCase& access);
// The block is as large as writer and reader need together. Nothing where no access has the width
// of the vector.
std::optional<BankConflicts> store_conflicts(const AccessCase& access);
std::optional<BankConflicts> load_conflicts(const AccessCase& access);  // no reader: as the store
Fills fills(const AccessCase& access);                                  // wants a reader
TmaCopy tma_copy(const AccessCase& access);
TensorMap tensor_map(const AccessCase& access);

// A schedule file with the one tensor T0, which prints a failing case and hands it to the engine.
// A reader's own iterdomains are called R0, R1, ... by their ids. Symbols of open strides: S0, ...
std::string to_yaml(const AccessCase& access);
std::string name_in_reader(const AccessCase& access, int iterdomain);

// The numbers that define a case, to change one at a time.
struct Number {
  enum Kind { Extent, Factor, Left, Right, Stride, Align } kind = Extent;
  int index = 0;           // iterdomain, step, position among strides
  bool of_reader = false;  // a step that only the reader has
};
std::vector<Number> numbers(const AccessCase& access);
std::int64_t get(const AccessCase& access, const Number& number);
// With another value and all extents that follow. Other strides follow so that what was contiguous
// stays so. Nothing where the result is not well formed.
std::optional<AccessCase> with(AccessCase access, const Number& number, std::int64_t value);

// The smallest case that one-step reductions reach while it still fails; what is bound to Vector or
// Bulk stays bound.
AccessCase shrink(AccessCase access, const std::function<bool(const AccessCase&)>& still_fails);

}  // namespace selvage::oracle
