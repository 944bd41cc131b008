#include <selvage/base/words.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/statements.h>
#include <selvage/threads/steps.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

class StepWalk {
 public:
  StepWalk(const Kernel& kernel, const std::vector<ThreadOrigin>& origins,
           const LoweredThreads& lowered)
      : kernel_(kernel), origins_(origins), lowered_(lowered) {}

  std::vector<ThreadStep> take() {
    const ThreadMask::Levels levels = mask_levels(lowered_.tree.chains.front().levels);
    if (levels.empty()) return {};
    const auto is_alike = [&](const LevelChain& chain) {
      const ThreadMask::Levels other = mask_levels(chain.levels);
      return std::equal(levels.begin(), levels.end(), other.begin(), other.end(),
                        [](const MaskLevel& a, const MaskLevel& b) {
                          return a.extent() == b.extent() && a.is_in_block == b.is_in_block;
                        });
    };
    const auto& chains = lowered_.tree.chains;
    if (!std::all_of(chains.begin(), chains.end(), is_alike)) return {};
    walk(kernel_.body, ThreadMask::all(levels), 0);
    return std::move(steps_);
  }

 private:
  void walk(const Body& body, const ThreadMask& here, int depth) {
    for (const Statement& s : body) {
      if (const auto* loop = std::get_if<Loop>(&s.node)) {
        walk(*loop, here, depth);
      } else if (const auto* guard = std::get_if<Guard>(&s.node)) {
        walk(s, *guard, here, depth);
      } else if (const auto* leave = std::get_if<Leave>(&s.node)) {
        const std::string word = leave->is_next ? "continue " : "break ";
        code(word + to_string(leave->loop), here, depth);
      } else if (const auto* barrier = std::get_if<Barrier>(&s.node)) {
        const std::string& what = origin(s).what;
        add({.kind = ThreadStep::Kind::Barrier,
             .label = (what.empty() ? "between levels" : what) + ", " + members_of(*barrier),
             .threads = here,
             .depth = depth});
      } else {
        const StatementParts parts = parts_of(s);
        for (const StatementAccess& a : parts.accesses) {
          if (writes(a.kind)) code(kernel_.buffers[a.buffer].name, here, depth);
        }
        for (const Body* inner : parts.bodies) walk(*inner, here, depth);
      }
    }
  }

  void walk(const Loop& loop, const ThreadMask& here, int depth) {
    if (is_index(loop.parallel)) return walk(loop.body, here, depth);
    add({.kind = ThreadStep::Kind::Loop,
         .label = "for " + to_string(loop.variable) + " in " + to_string(loop.extent),
         .threads = here,
         .depth = depth});
    walk(loop.body, here, depth + 1);
  }

  void walk(const Statement& s, const Guard& guard, const ThreadMask& here, int depth) {
    ThreadStep step{.kind = ThreadStep::Kind::Region,
                    .label = "if " + to_string(guard.condition),
                    .threads = here,
                    .depth = depth};
    const ThreadOrigin& from = origin(s);
    if (from.region && !guard.remark.empty()) {
      const ThreadRegion& region = lowered_.regions[*from.region];
      step.label = region.when;
      step.is_async = region.is_async;
      if (region.who.mask) step.threads = *region.who.mask;
      if (!region.who.iterations.empty()) {
        step.threads = region.who.iterations[0];
        for (const ThreadMask& m : region.who.iterations) step.threads = step.threads | m;
      }
      if (region.who.is_dynamic()) step.label += " (dynamic)";
    }
    const ThreadMask inside = step.threads;
    add(std::move(step));
    walk(guard.body, inside, depth + 1);
  }

  // Statements with nothing between are one step, which names each array once, and so many of them.
  void code(const std::string& what, const ThreadMask& here, int depth) {
    constexpr std::size_t kMostNamed = 6;
    if (steps_.empty() || steps_.back().kind != ThreadStep::Kind::Code ||
        steps_.back().depth != depth) {
      add({.kind = ThreadStep::Kind::Code, .label = what, .threads = here, .depth = depth});
      named_ = {what};
      return;
    }
    if (std::find(named_.begin(), named_.end(), what) != named_.end()) return;
    named_.push_back(what);
    if (named_.size() > kMostNamed + 1) return;
    steps_.back().label += named_.size() <= kMostNamed ? ", " + what : ", ...";
  }

  static std::string members_of(const Barrier& barrier) {
    switch (barrier.scope) {
      case Barrier::Scope::Block: return "the block";
      case Barrier::Scope::Threads: return counted(barrier.warps(), "warp");
      case Barrier::Scope::Rank: return "the block of the cluster";
      case Barrier::Scope::Warpgroup: return "the warpgroup";
      case Barrier::Scope::Warp: break;
    }
    return barrier.is_partial() ? counted(std::popcount(barrier.lanes), "thread") + " of a warp"
                                : "each warp";
  }

  void add(ThreadStep step) { steps_.push_back(std::move(step)); }

  const ThreadOrigin& origin(const Statement& s) const {
    static const ThreadOrigin kNone;
    return s.origin == 0 ? kNone : origins_[s.origin - 1];
  }

  const Kernel& kernel_;
  const std::vector<ThreadOrigin>& origins_;
  const LoweredThreads& lowered_;
  std::vector<ThreadStep> steps_;
  std::vector<std::string> named_;  // by the step of code at hand
};

}  // namespace

std::vector<ThreadStep> steps_of(const Kernel& kernel, const std::vector<ThreadOrigin>& origins,
                                 const LoweredThreads& lowered) {
  return StepWalk(kernel, origins, lowered).take();
}

}  // namespace selvage
