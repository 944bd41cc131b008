#pragma once

#include <selvage/expr/substitute.h>
#include <selvage/index/access.h>
#include <selvage/ir/schedule.h>
#include <selvage/legality/analysis.h>

#include <map>
#include <memory>
#include <vector>

namespace selvage {

// The reads of a definition at the points of one nest, and whether they are in bounds.
//
// A reader is computed only where its own indices are within their extents, those of a fold and of
// the root of a partial tensor included. So a subscript is first asked about over these indices,
// which is the cheapest question and the same in every schedule. What stays open, and every
// subscript of a view (whose items say less about its root), is asked about the coordinates under
// the nest's guard. A read that has a fill is made only where its subscripts are in bounds, which
// is then its condition; reads below such a condition, in inlined definitions, are asked about
// under it.
class DefinitionReads {
 public:
  enum class Rules : std::uint8_t { Unnamed, Named };  // whether proofs name the rules used
  DefinitionReads(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                  Rules rules = Rules::Unnamed)
      : fusion_(fusion), schedule_(schedule), analysis_(analysis), rules_(rules) {}

  // The access of a read of `reader`, whose indices, and numbers that are loaded, have these
  // values.
  Access access(const ValueNode& read, TensorId reader, const Environment& indices);

  // Whether a subscript that is a loaded number keeps to its axis, and why.
  Verdict by_promise(const LoadedIndex& loaded, Expr extent) const;

  // Until leave(), reads are needed only where `holds` is true. `is_read`: it is the condition of a
  // read that is made there, past which no vector is loaded.
  void enter(Expr holds, bool is_read) { conditions_.push_back({holds, is_read}); }
  void leave() { conditions_.pop_back(); }
  std::size_t depth() const { return conditions_.size(); }
  Expr condition(std::size_t k) const { return conditions_[k].holds; }
  // Whether the proof for the last access used these conditions.
  bool has_used_conditions() const { return has_used_conditions_; }

 private:
  struct Condition {
    Expr holds;
    bool is_read;
  };
  struct Reader {
    std::vector<std::pair<Expr, Expr>> indices;  // with their extents
    std::unique_ptr<Simplifier> ranges;          // of them; made when it is asked
  };
  Expr subscript_here(const ValueNode& read, std::size_t k, Expr extent, const Environment& indices,
                      std::vector<Access::Mode>& modes);
  Verdict over_indices(Expr subscript, TensorId reader, Expr extent);
  Verdict over_items(Expr subscript, const TensorInfo& reader, Expr extent) const;
  Verdict at_points(Expr claim);
  Verdict under_conditions(Expr claim, Access::Open& open);
  Verdict asked(Simplifier& under, Expr claim) const;
  Facts facts_here(bool with_all) const;

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  Rules rules_;
  std::map<TensorId, Reader> readers_;
  std::vector<Condition> conditions_;
  std::vector<std::pair<Expr, Expr>> loaded_;  // numbers, and the most that each may be
  bool has_used_conditions_ = false;
};

// All reads in the definition of the analysed tensor, those of inlined definitions included, in the
// order of the definition.
std::vector<Access> reads_of(const Fusion& fusion, const Schedule& schedule,
                             const TensorAnalysis& analysis);

}  // namespace selvage
