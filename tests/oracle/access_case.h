// The subject of the property tests of legality: a tensor, its layout in memory, and the loops that
// access it. Random ones are in random_access_case.h.
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

// The allocation iterdomains are logical ones, those of a view, or results of the first base_steps
// steps, which start from the logical ones in a graph without view.
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

// Whether both graphs are well formed with the same base, the logical iterdomains follow from the
// allocation ones, the bindings are of loops, and each graph has at most max_points loop points and
// items.
bool is_well_formed(const AccessCase& access, std::int64_t max_points = 60'000);

// Whether the reader repeats a step of the base. The engine then takes the results for the same
// iterdomains. Where one is out of bounds, the engine reads the buffer by the index of the reader,
// but the judge computes that of the base from the logical index.
bool repeats_base(const AccessCase& access);

// The judges, applied to a case. The first needs a loop bound to Vector.
VectorAccess vector_access(const AccessCase& access);
// The block has the threads that writer and reader need together. Nothing if no access is as wide
// as the vector.
std::optional<BankConflicts> store_conflicts(const AccessCase& access);
std::optional<BankConflicts> load_conflicts(const AccessCase& access);  // no reader: as the store
Fills fills(const AccessCase& access);                                  // needs a reader
TmaCopy tma_copy(const AccessCase& access);
TensorMap tensor_map(const AccessCase& access);

// The case as a schedule file with the one tensor T0, for printing and for the engine. The own
// iterdomains of a reader are R0, R1, ... by their ids, open strides are symbols S0, ...
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
// The case with another value for the number. Extents follow, and so do other strides, so that what
// was contiguous stays so. Nothing if the result is not well formed.
std::optional<AccessCase> with(AccessCase access, const Number& number, std::int64_t value);

// The smallest case still failing that one-step reductions reach. Loops bound to Vector or Bulk
// stay bound.
AccessCase shrink(AccessCase access, const std::function<bool(const AccessCase&)>& still_fails);

}  // namespace selvage::oracle
