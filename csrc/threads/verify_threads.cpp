#include <selvage/expr/tape.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify.h>
#include <selvage/kernel/verify_parts.h>
#include <selvage/threads/verify_threads.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace selvage {

namespace {

class FindingReader {
 public:
  FindingReader(const std::vector<ThreadOrigin>& origins, const Kernel& kernel, LoweredThreads& out)
      : origins_(origins), kernel_(kernel), out_(out) {}

  void add(const KernelFinding& finding) {
    const std::uint32_t number = finding.statement == nullptr ? 0 : finding.statement->origin;
    // One of each kind at a place is enough.
    if (!said_.insert({number, finding.hazard}).second) return;
    // That nothing is there yet where a copy may not have ended is said by its race.
    const bool is_of_race =
        finding.hazard == Hazard::Lifetime && said_.contains({number, Hazard::Race});
    if (is_of_race && finding.buffer && is_copied_into(kernel_, *finding.buffer)) return;
    const ThreadOrigin origin =
        number == 0 ? beside(kernel_.body, finding.statement) : origins_[number - 1];
    Diagnostic d{.code = {}, .place = origin.place, .message = finding.text};
    if (finding.buffer) d.tensors = {*finding.buffer};
    if (!is_refuted(finding.verdict)) d.cause = kNotProved;
    switch (finding.hazard) {
      case Hazard::Divergence: divergence(finding, origin, d); break;
      case Hazard::Race: race(finding, origin, d); break;
      case Hazard::Bounds:
        d.code = "E819";
        d.help = enough(finding) + "or mask the threads that have no element with inthreads";
        break;
      case Hazard::Lifetime:
        d.code = "E824";
        d.help = is_local(finding)
                     ? "write the element before it is read, by every thread that reads it"
                     : "write the element before it is read";
        break;
    }
    out_.diagnostics.push_back(std::move(d));
  }

 private:
  // What makes arrays hold all that the statement may ask of them.
  std::string enough(const KernelFinding& finding) {
    constexpr std::int64_t kMost = std::int64_t{1} << 32;
    if (!map_) map_.emplace(kernel_);
    std::map<BufferId, Interval> asked;
    for (std::size_t k = 0; k < map_->accesses().size(); ++k) {
      const KernelAccess& a = map_->accesses()[k];
      if (map_->places()[a.place].statement != finding.statement) continue;
      const Interval all = map_->at(a.scope).interval(map_->address(k));
      if (!all.within(-kMost, kMost)) return "keep the subscripts in the array, ";
      const auto [it, is_new] = asked.try_emplace(a.buffer, all);
      if (!is_new) it->second = hull(it->second, all);
    }
    std::string text;
    for (const auto& [buffer, all] : asked) {
      const Buffer& b = kernel_.buffers[buffer];
      const std::int64_t has = b.elements.is(Op::Const) ? b.elements.value() : 0;
      const std::int64_t more = all.lo < 0 ? -all.lo : 0, needed = all.hi + more + 1;
      if (more == 0 && needed <= has) continue;
      if (more > 0)
        text += "add " + std::to_string(more) + " to the subscripts of " + b.name + " and ";
      text += "give " + b.name + " " + std::to_string(std::max(has, needed)) + " elements, ";
    }
    return text;
  }

  bool is_local(const KernelFinding& finding) const {
    return finding.buffer && kernel_.buffers.at(*finding.buffer).memory == Memory::Local;
  }

  // The origin to report for a barrier that is not written in the program: that of the statement
  // after it, or else before it.
  ThreadOrigin beside(const Body& body, const Statement* barrier) const {
    for (std::size_t k = 0; k < body.size(); ++k) {
      if (&body[k] == barrier) {
        const bool is_before = k + 1 < body.size() && body[k + 1].origin != 0;
        if (!is_before && (k == 0 || body[k - 1].origin == 0)) return {};
        ThreadOrigin origin = origins_[body[is_before ? k + 1 : k - 1].origin - 1];
        origin.what = is_before ? "in front of this" : "behind this";
        return origin;
      }
      for (const Body* in : bodies(body[k])) {
        if (ThreadOrigin origin = beside(*in, barrier); !origin.what.empty()) return origin;
      }
    }
    return {};
  }

  static void divergence(const KernelFinding& finding, const ThreadOrigin& origin, Diagnostic& d) {
    if (is_of_event(finding.statement)) return event(finding, origin, d);
    const Statement* s = finding.statement;
    if (s != nullptr && std::holds_alternative<Region>(s->node)) {
      d.code = "E830";
      d.message = "the role " + std::get<Region>(s->node).role + ": " + finding.text;
      d.help =
          "let roles with registers be whole warpgroups, 128 threads each, and have no more "
          "of them together than all begin with";
      return;
    }
    constexpr ThreadQueue kMma = ThreadQueue::Products;
    if (s != nullptr &&
        (queue_of(*s) == kMma || closes_group(*s, kMma) || wait_for_groups(*s, kMma) != nullptr)) {
      d.code = "E831";
      d.message = "a matrix multiplication is of whole warpgroups: " + finding.text;
      d.help =
          "let all 128 threads of each warpgroup get there together, in a block of a multiple of "
          "128 threads";
      return;
    }
    const std::string what = origin.what.empty() ? "here" : origin.what;
    d.code = "E814";
    d.message = what + " is a barrier that part of its threads cannot reach: " + finding.text;
    if (finding.first && finding.second) {
      d.message =
          what + " is a barrier that part of its threads cannot reach: " + to_text(*finding.first) +
          " comes there, and " + to_text(*finding.second) + " does not";
      if (!finding.sizes.empty()) d.message += "; " + to_text(finding.sizes);
    }
    const bool is_written = finding.statement == nullptr || finding.statement->origin != 0;
    d.help = is_written ? "move it out of what only some threads run or leave"
                        : "levels inside wait for one another there: let the threads leave the "
                          "loop together, or mask what they do with inthreads instead";
    if (what == kEndOfInThreads) d.help += ", or make the inthreads asynchronous";
  }

  static bool is_of_event(const Statement* s) {
    if (s == nullptr) return false;
    const auto* arrive = std::get_if<Arrive>(&s->node);
    const auto* wait = std::get_if<Wait>(&s->node);
    return (arrive != nullptr && arrive->object) || (wait != nullptr && wait->object);
  }
  static void event(const KernelFinding& finding, const ThreadOrigin& origin, Diagnostic& d) {
    d.code = "E829";
    d.message = origin.what + ": " + finding.text;
    d.help = is_refuted(finding.verdict)
                 ? "let as many threads arrive in each phase as the event counts, and each wait "
                   "for the phase before in front"
                 : "make loops and levels smaller, or give symbols values: what is small is gone "
                   "through step by step";
  }

  void race(const KernelFinding& finding, const ThreadOrigin& origin, Diagnostic& d) const {
    const bool is_of_blocks =
        finding.first && finding.second && finding.first->block != finding.second->block;
    if (is_of_blocks) {
      d.code = "E815";
      d.message = "no barrier crosses blocks, and " + d.message;
      d.help = "give each block elements of its own, or make two kernels of it";
      return;
    }
    const auto second = out_.async_around(origin.region);
    const auto first = second && finding.first ? partner(finding, *second) : std::nullopt;
    d.code = first ? "E817" : "E818";
    if (first) {
      d.message = "the asynchronous regions " + out_.regions[*first].when + " and " +
                  out_.regions[*second].when + " meet with no sync " +
                  (has_events() ? "or event " : "") + "between: " + finding.text;
    }
    if (!finding.first) {
      d.help =
          "give each thread elements of its own, or make loops and levels smaller: what is small "
          "is "
          "gone through step by step";
      return;
    }
    const bool is_inside = !first && origin.region && !out_.regions[*origin.region].is_implicit;
    const std::string sync = is_inside ? "region" : "shared";
    d.help = "give each thread elements of its own, or put sync: " + sync + " between the two";
  }

  bool has_events() const {
    return std::ranges::any_of(kernel_.buffers, [](const Buffer& b) { return !!b.arrivals; });
  }

  // Another region of the same group in which the first thread is.
  std::optional<std::size_t> partner(const KernelFinding& finding, std::size_t second) const {
    const auto thread = finding.first ? number_of(*finding.first) : std::nullopt;
    if (!thread) return std::nullopt;
    for (const AsyncGroup& group : out_.groups) {
      const auto& all = group.regions;
      if (std::find(all.begin(), all.end(), second) == all.end()) continue;
      for (std::size_t other : all) {
        if (other != second && runs(out_.regions[other], *thread, finding)) return other;
      }
    }
    return std::nullopt;
  }
  // Is the region run by the finding's first thread, which has this number?
  static bool runs(const ThreadRegion& region, std::int64_t thread, const KernelFinding& finding) {
    if (region.who.mask) return region.who.mask->contains(thread);
    Point point = finding.sizes;
    const Point& loops = finding.first->variables;
    point.insert(point.end(), loops.begin(), loops.end());
    const Point indices = instance_at(region.levels, thread);
    point.insert(point.end(), indices.begin(), indices.end());
    const std::vector<Expr> needed = symbols_of(region.condition);
    const bool is_known = std::all_of(needed.begin(), needed.end(),
                                      [&](Expr s) { return value_of(s, point).has_value(); });
    return is_known && value_at(region.condition, point) == 1;
  }
  // As masks number it; where there is one device.
  std::optional<std::int64_t> number_of(const ThreadAt& at) const {
    const auto flat = [](const std::array<std::int64_t, 3>& index,
                         const std::array<Expr, 3>& extents) {
      return (index[2] * extents[1].value() + index[1]) * extents[0].value() + index[0];
    };
    if (out_.tree.chains.front().extent(LevelKind::Device) != 1) return std::nullopt;
    return flat(at.block, kernel_.launch.grid) * out_.tree.chains.front().threads() +
           flat(at.thread, kernel_.launch.block);
  }

  const std::vector<ThreadOrigin>& origins_;
  const Kernel& kernel_;
  LoweredThreads& out_;
  std::set<std::pair<std::uint32_t, Hazard>> said_;
  std::optional<AccessMap> map_;  // once it is asked for
};

}  // namespace

void verify_threads(const std::vector<ThreadOrigin>& origins, const Kernel& kernel,
                    LoweredThreads& out) {
  const Verification verification = verify(kernel);
  FindingReader reader(origins, kernel, out);
  for (const KernelFinding& finding : verification.findings) reader.add(finding);
}

void verify_order(const std::vector<ThreadOrigin>& origins, const Kernel& kernel,
                  LoweredThreads& out) {
  const Verification verification = verify(kernel);
  FindingReader reader(origins, kernel, out);
  for (const KernelFinding& finding : verification.findings) {
    if (finding.hazard == Hazard::Race) reader.add(finding);
  }
}

}  // namespace selvage
