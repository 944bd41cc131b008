#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/frontend/sections.h>

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace selvage {

// `schedule` of a fusion as the file says it: names resolved, nothing made yet.
//
// What the items of a list mean depends on other lists at three points only: a tensor that a cache
// or an rfactor makes has its own list carried out after the one that makes it; `like: y` after
// that of y; and where tensors are computed is settled when all are cut up.
//
// After `like`, the loops that came out shared go by the names of the tensor that was replayed;
// which those are is known once the fusion is built. A name of the list that nothing has made is
// looked for then.
struct ScheduleDraft {
  struct Reorder {
    std::vector<std::size_t> loops;
  };
  struct Cache {
    std::string name;
    Memory memory = Memory::Global;
    std::int64_t stages = 1;
  };
  struct Rfactor {
    std::string name;
    std::vector<std::size_t> in;
  };
  struct Like {
    std::string tensor;
    std::vector<std::size_t> late;  // names to be looked for after it
  };
  struct AtomicBlocks {};
  struct Layout {
    std::vector<FileTransform> transforms;
    std::vector<std::size_t> order;
  };
  struct Stages {
    std::int64_t copies = 1;
  };
  using Action = std::variant<FileTransform, Reorder, FileBinding, Cache, Rfactor, Like, Memory,
                              AtomicBlocks, Layout, Stages>;
  struct Item {
    Action action;
    Place place;
  };
  // `inline: {into, at}`, or `at` of a cache, whose reader has that loop.
  struct Site {
    std::optional<std::string> into, at;
    Place place;  // of the whole, and of the name of the loop
    Place at_place;
  };
  struct Tensor {
    std::string name;
    DomainNames names;  // the indices of its statement come first
    Place place;
    std::string maker = {};   // whose list makes it
    bool is_inlined = false;  // in every reader
    bool is_listed = false;   // or only made by another list
    std::optional<Site> site = {};
    std::vector<Item> items = {};
  };
  bool is_automatic = true;
  std::vector<Tensor> tensors;                // makers before what they make
  std::map<std::string, std::string> makers;  // whose list makes a tensor that no statement does
  Place place;

  // The tensor of that name, or null.
  Tensor* find(const std::string& name);
};

struct NamedInput {
  std::string name;
  std::vector<std::string> axes;  // as the file's statements call them
};

// What the tensor of a statement folds over, by the names there; these are its iterdomains behind
// the indices on the left.
std::vector<Formula::Index> folded_indices(const Formula& formula);

// Only names are looked at: sizes are read, and to be declared after that.
ScheduleDraft read_schedule_draft(const Node& schedule, std::span<const Formula> statements,
                                  std::span<const NamedInput> inputs, SizeScope& sizes,
                                  FileContext& context);

// After the sizes are declared: refuses amounts that have no value.
void check_amounts(ScheduleDraft& draft, SizeScope& sizes, Diagnostics& errors);

// The schedule of a fusion that is built. Throws Illegal at its place, and BadInput where a name
// means nothing (E205), or lists wait for each other (E330).
Schedule build_schedule(const ScheduleDraft& draft, const Fusion& fusion,
                        std::span<const Formula> statements);

}  // namespace selvage
