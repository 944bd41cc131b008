#pragma once

#include <selvage/expr/substitute.h>
#include <selvage/ir/schedule.h>

#include <string>
#include <utility>
#include <vector>

namespace selvage {

// A read that is not proved to be in bounds on one axis.
struct OpenRead {
  const Fusion& fusion;
  const DomainGraph& graph;
  const TensorInfo& reader;
  const ValueNode& read;
  std::size_t axis = 0;
  Expr claim;  // that it is in bounds
  Facts here;  // all that holds where it is made
};

// The help for an open read: a multiple or a relation of sizes under which it is proved, and
// another way to read. A multiple or relation is tried before it is named.
std::string mend_read(const OpenRead& open);

// "idx[i + 1]" for a subscript that is a value, its indices being called so; "at" for what is made
// of no element.
std::string load_text(const Fusion& fusion, ValueId index, const Environment& names);

// The indices of a definition, those that are folded over last, each with its extent.
std::vector<std::pair<Expr, Expr>> own_indices(const TensorInfo& reader, const DomainGraph& graph);

}  // namespace selvage
