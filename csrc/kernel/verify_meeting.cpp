#include <selvage/kernel/verify_meeting.h>

namespace selvage {

namespace {

constexpr std::size_t kSamples = 8;

void add(Expr e, std::vector<std::uint64_t>& key) { key.push_back(e.valid() ? e.id() + 1 : 0); }

// The launch, and what is known of sizes.
std::vector<std::uint64_t> surroundings_of(const AccessMap& map) {
  std::vector<std::uint64_t> key;
  const Launch& launch = map.kernel().launch;
  for (const auto& extents : {launch.grid, launch.block}) {
    for (Expr e : extents) add(e, key);
  }
  key.push_back(launch.is_cluster);
  for (Expr e : map.sizes()) add(e, key);
  const Facts& facts = map.size_facts();
  key.insert(key.end(), {facts.symbols().size(), facts.assumptions().size()});
  for (const Facts::Symbol& s : facts.symbols()) {
    for (Expr e : {s.symbol, s.lo, s.hi}) add(e, key);
    key.insert(key.end(),
               {std::uint64_t(s.range.lo), std::uint64_t(s.range.hi),
                std::uint64_t(s.congruence.modulus), std::uint64_t(s.congruence.residue)});
  }
  for (Expr e : facts.assumptions()) add(e, key);
  return key;
}

}  // namespace

MeetingJudge::MeetingJudge(const AccessMap& map, KnownMeetings* known)
    : map_(map), answers_(known != nullptr ? *known : own_) {
  if (known != nullptr) surroundings_ = surroundings_of(map);
}

const std::vector<Point>& MeetingJudge::samples() {
  if (!samples_) samples_ = sample_points(map_.size_facts(), map_.sizes(), kSamples);
  return *samples_;
}

// Everything that an answer depends on: meetings with equal keys have the same answer. Empty: an
// access has an item, on which the answer depends, too; it is not remembered.
std::vector<std::uint64_t> MeetingJudge::key(const Meeting& m, bool is_refuting) const {
  std::vector<std::uint64_t> all = surroundings_;
  all.insert(all.end(), {m.equal, std::uint64_t(m.relation), std::uint64_t(m.where), m.is_exact,
                         std::uint64_t(m.distance), is_refuting, m.first == m.second});
  for (std::size_t number : {m.first, m.second}) {
    const KernelAccess& access = map_.accesses()[number];
    if (access.item != nullptr) return {};
    const Buffer& buffer = map_.kernel().buffers[access.buffer];
    const bool is_other = map_.accesses()[m.first].buffer != map_.accesses()[m.second].buffer;
    all.push_back(is_other ? access.buffer + 1 : 0);
    if (is_other) {
      all.push_back(std::uint64_t(buffer.offset.value_or(-1)));
      all.push_back(buffer.replaces ? 1 + *buffer.replaces : 0);
      add(buffer.elements, all);
    }
    all.push_back(std::uint64_t(size_of(buffer.type)));
    all.push_back(std::uint64_t(access.width));
    if (map_.kernel().launch.is_cluster) add(buffer.elements, all);
    all.push_back(std::uint64_t(access.kind));
    all.push_back(access.is_certain());
    add(access.address, all);
    const AccessScope& scope = map_.scope(access.scope);
    all.push_back(scope.conditions.size());
    for (Expr c : scope.conditions) add(c, all);
    all.push_back(scope.numbers.size());
    all.insert(all.end(), scope.numbers.begin(), scope.numbers.end());
    all.push_back(scope.loops.size());
    for (PlaceId id : scope.loops) {
      const StatementPlace& loop = map_.places()[id];
      for (Expr e : {loop.variable, loop.begin, loop.extent}) add(e, all);
    }
  }
  return all;
}

Ordering MeetingJudge::ask(const Meeting& meeting, bool is_refuting) {
  const auto answer = [&] { return answer_of(map_, meeting, is_refuting ? &samples() : nullptr); };
  std::vector<std::uint64_t> own = key(meeting, is_refuting);
  if (own.empty()) return answer();
  // Numbers from memory are the kernel's own.
  const auto has_numbers = [&](std::size_t access) {
    return !map_.scope(map_.accesses()[access].scope).numbers.empty();
  };
  const bool is_own = has_numbers(meeting.first) || has_numbers(meeting.second);
  KnownMeetings& answers = is_own ? own_ : answers_;
  const auto [known, is_new] = answers.try_emplace(std::move(own));
  if (is_new) known->second = answer();
  return known->second;
}

}  // namespace selvage
