#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/legality/analysis.h>
#include <selvage/legality/values.h>
#include <selvage/lower/narrow.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

namespace selvage {

// Warps of a block that copy tiles for the others: those from `computing` threads on, which begin
// at index `first` of an axis.
struct RoleWarps {
  std::string name;
  ParallelType axis = ParallelType::TIDx;
  std::int64_t first = 0, computing = 0, warps = 1;
  // Of a thread that copies, of one that computes, and of each before; 0: nothing is said.
  std::int64_t registers = 0, others = 0, usual = 0;
};
// A loop that is to become a ring of two roles.
struct RoleRing {
  Expr loop, iteration, tiles;  // its variable, that of what it was made of, and the extent of that
  Expr before;                  // the iterations of all its runs before
  BufferId tile = 0;            // one of those that are copied
  BufferId copied = 0, free = 0;  // barrier objects
  std::int64_t stages = 0;
  std::optional<BufferId> ready = {};  // where one rank of a cluster copies for all: more objects
};

// A kernel while its body is put together.
struct KernelDraft {
  Kernel& kernel;
  std::map<BufferId, const Storage*> storages = {};  // of tensors that the fusion does not lay out
  std::vector<Expr> computed = {};                   // index expressions of the body
  std::vector<Expr> conditions = {};                 // launch conditions, besides index widths
  std::size_t named = 0;           // so many of its definitions are called t.0, t.1, ...
  std::vector<Expr> uniform = {};  // conditions of guards that all threads of a block pass, or none
  bool is_vectorised = true;
  std::optional<RoleWarps> role = {};
  std::vector<RoleRing> roles = {};
  std::set<BufferId> of_cluster = {};    // shared memory that all blocks of a cluster access
  std::size_t settled_values = 0;        // the index expressions of so many first values are named
  std::vector<ReadNumber> numbers = {};  // that are read from memory
  std::size_t settled_numbers = 0;       // so many first ones have been defined
  std::unique_ptr<NarrowForms> forms = {};       // under the facts at the last call of form()
  std::unordered_set<std::uint32_t> noted = {};  // ids of results of form(), all in `computed`

  // The extent of the launch along a thread axis, without warps that only copy.
  Expr computing(ParallelType axis) const;

  // The index expression in a form that fits the narrowest type. Appends it to `computed`.
  Expr form(Expr e);

  // The kernel's buffer that holds the same part of a tensor as `wanted`; adds `wanted` if the
  // kernel has none.
  BufferId buffer_of(Buffer wanted, const Storage* storage);
  BufferId add_local(std::string name, DataType type, std::int64_t elements);
  BufferId add_shared(std::string name, DataType type, std::int64_t elements);
};

}  // namespace selvage
