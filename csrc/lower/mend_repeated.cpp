#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/lower/mend_repeated.h>
#include <selvage/scheduler/automatic.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace selvage {

namespace {

class MendRepeated {
 public:
  MendRepeated(const Schedule& schedule, const Program& program, const RepeatedWork& work)
      : written_(schedule), settled_(*program.schedule), work_(work), t_(work.tensor) {}

  RepeatedMend run() const {
    if (const auto text = further_out()) return {*text};
    for (const RepeatedWork::By& by : work_.by) {
      if (!is_index(by.parallel)) continue;
      for (DomainId loop : own_loops()) {
        if (const auto text = bound(loop, by)) return {*text};
      }
    }
    return {automatic(), false};
  }

 private:
  using Change = std::function<bool(Schedule&)>;  // false: it cannot be made

  // What is still repeated under a changed schedule; nothing where it is refused.
  static std::optional<std::vector<RepeatedWork>> left_by(Schedule trial, const Change& change) {
    std::vector<RepeatedWork> left;
    bool is_made = false;
    const auto refusal = refusal_of([&] {
      is_made = change(trial);
      if (is_made) left = repeated_work(lower(trial));
    });
    return refusal || !is_made ? std::nullopt : std::optional(std::move(left));
  }
  bool mends(const Schedule& from, const Change& change) const {
    const auto left = left_by(from, change);
    return left && std::ranges::find(*left, t_, &RepeatedWork::tensor) == left->end();
  }

  const std::string& name(TensorId t) const { return settled_.fusion()[t].name; }
  std::string name_of(ScheduledLoop l) const { return settled_.name(l.tensor, l.domain); }

  // A place before the first loop around that it does not have.
  std::optional<std::string> further_out() const {
    const auto first = std::ranges::find_if(
        work_.by, [](const RepeatedWork::By& by) { return !is_index(by.parallel); });
    if (first == work_.by.end()) return std::nullopt;
    const ScheduledLoop loop = first->loop;
    const std::vector<DomainId>& loops = settled_.loop_domains(loop.tensor);
    const auto at = std::ranges::find(loops, loop.domain);
    std::string place = "inline: {into: " + name(loop.tensor);
    Change change;
    if (at == loops.begin()) {
      change = [=, this](Schedule& s) {
        s.compute_in(t_, loop.tensor);
        return true;
      };
    } else {
      const ScheduledLoop before{loop.tensor, *(at - 1)};
      place += ", at: " + name_of(before);
      change = [=, this](Schedule& s) { return compute_at(s, before); };
    }
    if (!mends(written_, change)) return std::nullopt;
    return "compute " + name(t_) + " further out, before the loop " + name_of(loop) + ": " + place +
           "}";
  }

  // Its serial loops that it does not share: folded ones first, long ones first.
  std::vector<DomainId> own_loops() const {
    const TypicalSizes sizes(settled_.fusion(), {});
    std::vector<DomainId> own;
    for (DomainId d : settled_.loop_domains(t_)) {
      if (settled_.parallel(t_, d) == ParallelType::Serial) own.push_back(d);
    }
    std::ranges::stable_sort(own, std::greater<>(), [&](DomainId d) {
      return std::pair(settled_.is_folded(t_, d), sizes(settled_.graph()[d].extent));
    });
    return own;
  }

  // The loop of a tensor in another version of the schedule; nothing where there is none.
  std::optional<ScheduledLoop> called(const Schedule& s, ScheduledLoop loop) const {
    for (ScheduledLoop l : s.loops(loop.tensor)) {
      if (s.name(l.tensor, l.domain) == name_of(loop)) return l;
    }
    return std::nullopt;
  }

  bool compute_at(Schedule& s, ScheduledLoop loop) const {
    const auto own = called(s, loop);
    if (own) s.compute_at(t_, *own);
    return own.has_value();
  }

  // A loop of the tensor, or the inner part of it, bound to the index that repeats the tensor.
  std::optional<std::string> bound(DomainId loop, const RepeatedWork::By& by) const {
    const Expr own = settled_.graph()[loop].extent;
    const Expr wanted = settled_.graph()[by.loop.domain].extent;
    const bool is_whole = same(own, wanted) || (own.is(Op::Const) && wanted.is(Op::Const) &&
                                                own.value() <= wanted.value());
    if (!is_whole && !wanted.is(Op::Const)) return std::nullopt;
    const std::string n = settled_.name(t_, loop), outer = n + "_o", inner = n + "_i";
    const std::string type(to_string(by.parallel));
    const bool follows = written_.follows(t_) && settled_.site(t_).has_value();
    const Schedule::Site site = settled_.site(t_).value_or(Schedule::Site{});
    Schedule alike = written_;
    bool is_alike = false;
    if (follows && refusal_of([&] { is_alike = alike.like_if_shared(t_, site.tensor); })) {
      return std::nullopt;
    }
    const Change change = [&](Schedule& s) {
      std::optional<ScheduledLoop> l = called(s, {t_, loop});
      if (!l) return false;
      if (!is_whole) l = s.split(*l, wanted, {.outer = outer, .inner = inner}).second;
      s.bind(*l, by.parallel);
      if (!follows) return true;
      if (site.loop) return compute_at(s, {site.tensor, *site.loop});
      s.compute_in(t_, site.tensor);
      return true;
    };
    if (!mends(alike, change)) return std::nullopt;
    std::vector<std::string> items;
    if (is_alike) items.push_back("{like: " + name(site.tensor) + "}");
    if (!is_whole) {
      items.push_back("{split: {in: " + n + ", factor: " + std::to_string(wanted.value()) +
                      ", out: [" + outer + ", " + inner + "]}}");
    }
    items.push_back("{bind: {" + (is_whole ? n : inner) + ": " + type + "}}");
    if (!follows) return "add to the list of " + name(t_) + ": " + joined(items);
    items.push_back("{inline: {into: " + name(site.tensor) +
                    (site.loop ? ", at: " + name_of({site.tensor, *site.loop}) : "") + "}}");
    return std::string("share it among the ") +
           (is_thread(by.parallel) ? "threads: " : "blocks: ") + name(t_) + ": " + bracketed(items);
  }

  std::string automatic() const {
    const auto left = left_by(auto_schedule(written_.original()), [](Schedule&) { return true; });
    if (!left || !left->empty()) return {};
    return "leave the schedule out, or write schedule: auto (auto_schedule() in C++), which "
           "computes it once";
  }

  const Schedule& written_;
  const Schedule& settled_;
  const RepeatedWork& work_;
  const TensorId t_;
};

}  // namespace

RepeatedMend mend_repeated(const Schedule& schedule, const Program& program,
                           const RepeatedWork& work) {
  return MendRepeated(schedule, program, work).run();
}

}  // namespace selvage
