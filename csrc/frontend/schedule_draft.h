#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/frontend/sections.h>
#include <selvage/ir/schedule.h>

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace selvage {

// `schedule` of a fusion as the file says it: names are resolved, and nothing is made yet.
//
// The items of a list depend on other lists in three ways only: the list of a tensor that a cache,
// an rfactor, a scan_in_parts or a two_pass makes is carried out after the list that makes it, and
// so is what names the tensor; `like: y` after the list of y; and the places where tensors are
// computed are set when all lists are carried out.
//
// After `like`, loops shared with the replayed tensor have the names that they have there. Which
// loops these are is known only once the fusion is built; so names after `like` that no item has
// made are resolved then.
struct ScheduleDraft {
  struct Reorder {
    std::vector<std::size_t> loops;
  };
  struct Cache {
    std::string name;
    Memory memory = Memory::Global;
    std::int64_t stages = 1;
    CopyBy by = CopyBy::LoadStore;
    std::optional<std::int64_t> ahead = {};
    std::optional<CopyRole> role = {};
  };
  struct Rfactor {
    std::string name;
    std::vector<std::size_t> in;
  };
  struct ScanInParts {
    std::size_t in;
    Schedule::ScanNames names;
  };
  struct TwoPass {
    std::string mean;
    bool is_made = false;
  };
  struct Like {
    std::string tensor;
    std::vector<std::size_t> late;  // names to resolve after it
  };
  struct AtomicBlocks {};
  struct LastBlockOf {
    std::string host;
  };
  struct Layout {
    std::vector<FileTransform> transforms;
    std::vector<std::size_t> order;
  };
  struct Copies {  // how it is copied
    CopyBy by = CopyBy::LoadStore;
    std::optional<std::int64_t> ahead = {};
    std::optional<CopyRole> role = {};
  };
  struct Stages {
    std::int64_t copies = 1;
  };
  using Action =
      std::variant<FileTransform, Reorder, FileBinding, Cache, Rfactor, ScanInParts, TwoPass, Like,
                   Memory, AtomicBlocks, Layout, Stages, Copies, LastBlockOf>;
  struct Item {
    Action action;
    Place place;
  };
  // `inline: {into, at}`, or `at` of a cache, whose reader has that loop.
  struct Site {
    std::optional<std::string> into, at;
    Place place;  // of the whole, and of the name of the loop
    Place at_place;
    bool accumulates = false;
  };
  struct Tensor {
    std::string name;
    DomainNames names;  // the indices of its statement come first
    Place place;
    std::string maker = {};   // the tensor whose list makes it
    bool is_inlined = false;  // in every reader
    bool is_listed = false;   // it has a list of its own
    std::optional<Site> site = {};
    std::vector<Item> items = {};
  };
  bool is_automatic = true;     // there are no lists: the fusion is scheduled automatically
  std::vector<Tensor> tensors;  // makers before what they make
  std::map<std::string, std::string> makers;  // by made tensor: the one whose list makes it
  Place place;

  // The tensor of that name, or null.
  Tensor* find(const std::string& name);
};

struct NamedInput {
  std::string name;
  std::vector<std::string> axes;  // as the file's statements call them
};

// The indices that the tensor of a statement folds over: its iterdomains after the indices on the
// left.
std::vector<Formula::Index> folded_indices(const Formula& formula);

// Resolves names only. Sizes are read; the caller must declare them afterwards.
ScheduleDraft read_schedule_draft(const Node& schedule, std::span<const Formula> statements,
                                  std::span<const NamedInput> inputs, SizeScope& sizes,
                                  FileContext& context);

// After the sizes are declared: refuses amounts that have no value.
void check_amounts(ScheduleDraft& draft, SizeScope& sizes, Diagnostics& errors);

// Carries the draft out on a fusion that is built. Throws Illegal at its place, and BadInput for an
// unknown name (E205), or if lists wait for each other (E330).
Schedule build_schedule(const ScheduleDraft& draft, const Fusion& fusion,
                        std::span<const Formula> statements);

}  // namespace selvage
