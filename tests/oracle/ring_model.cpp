#include "tests/oracle/ring_model.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace selvage::oracle {

bool PhaseBarrier::arrive(int arrivals, int announced, int arrivals_of_a_phase) {
  bytes = static_cast<std::int8_t>(bytes + announced);
  if (arrivals == 0) return true;
  pending = static_cast<std::int8_t>(pending - arrivals);
  if (pending < 0) return false;
  end_phase_if_complete(arrivals_of_a_phase);
  return true;
}

void PhaseBarrier::complete(int completed, int arrivals_of_a_phase) {
  bytes = static_cast<std::int8_t>(bytes - completed);
  end_phase_if_complete(arrivals_of_a_phase);
}

void PhaseBarrier::end_phase_if_complete(int arrivals_of_a_phase) {
  if (pending != 0 || bytes != 0) return;
  ++phase;
  pending = static_cast<std::int8_t>(arrivals_of_a_phase);
}

namespace {

// A state without padding is equal to another iff its bytes are.
static_assert(sizeof(RingState) == 64 && std::has_unique_object_representations_v<RingState>);

// All states found so far, in that order, and how each was found first.
class FoundStates {
 public:
  struct Step {
    std::uint32_t from = 0;
    char who = 0;  // as in RingRuns::shortest: ' ' for an agent
    std::uint8_t number = 0;
  };

  std::size_t size() const { return states_.size(); }
  const RingState& operator[](std::size_t k) const { return states_[k]; }

  void insert(const RingState& state, Step step) {
    if (states_.size() * 2 >= table_.size()) grow();
    std::uint32_t& place = place_of(state);
    if (place != kNone) return;
    if (states_.size() == kMostStates) throw std::runtime_error("too many states");
    place = static_cast<std::uint32_t>(states_.size());
    states_.push_back(state);
    steps_.push_back(step);
  }

  std::string steps_to(std::size_t k) const {
    std::string steps;
    for (; k != 0; k = steps_[k].from) steps = name(steps_[k]) + (steps.empty() ? "" : " ") + steps;
    return steps;
  }
  static std::string name(const Step& step) {
    return (step.who == ' ' ? "" : std::string(1, step.who)) + std::to_string(step.number);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::size_t kMostStates = std::size_t{1} << 22;

  std::uint32_t& place_of(const RingState& state) {
    std::array<std::uint64_t, 8> words;
    std::memcpy(words.data(), &state, sizeof state);
    std::uint64_t hash = 0;
    for (std::uint64_t word : words) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    }
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash & mask;
    while (table_[at] != kNone && std::memcmp(&states_[table_[at]], &state, sizeof state) != 0)
      at = (at + 1) & mask;
    return table_[at];
  }

  void grow() {
    table_.assign(std::max<std::size_t>(1024, table_.size() * 2), kNone);
    for (std::uint32_t k = 0; k < states_.size(); ++k) place_of(states_[k]) = k;
  }

  std::vector<RingState> states_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> table_;
};

class Explorer {
 public:
  explicit Explorer(const Agents& agents) : agents_(agents) {
    if (agents.programs.size() > kMostAgents || agents.arrivals_of_phase.size() > kMostBarriers ||
        agents.copies.size() > 64)
      throw std::invalid_argument("too many agents, barriers or copies");
    begun_by_.resize(agents.copies.size());
    for (std::size_t a = 0; a < agents.programs.size(); ++a) look_at_program(a);
    for (const Agents::Copy& copy : agents.copies) look_at_copy(copy);
  }

  RingRuns run(const std::function<void(const RingState&)>& visit) {
    RingState first;
    first.held.fill(-1);
    for (std::size_t b = 0; b < agents_.arrivals_of_phase.size(); ++b)
      first.barriers[b].pending = static_cast<std::int8_t>(agents_.arrivals_of_phase[b]);
    found_.insert(first, {});
    for (here_ = 0; here_ < found_.size(); ++here_) {
      const RingState state = found_[here_];
      if (visit) visit(state);
      can_move_ = false;
      bool is_finished = true;
      for (std::size_t a = 0; a < agents_.programs.size(); ++a) {
        is_finished = is_finished && state.at[a] == agents_.programs[a].size();
        run_agent(state, a);
        if (state.reads[a] < reads_begun_[a][state.at[a]]) {
          RingState next = state;
          ++next.reads[a];
          move(next, {here_, 'r', static_cast<std::uint8_t>(a)});
        }
      }
      for (std::size_t c = 0; c < agents_.copies.size(); ++c)
        if (is_on_its_way(state, c)) end_copy(state, c);
      if (!can_move_ && !is_finished) note(RingFault::Deadlock);
    }
    runs_.states = found_.size();
    return std::move(runs_);
  }

 private:
  void look_at_program(std::size_t a) {
    const std::vector<AgentOp>& program = agents_.programs[a];
    if (program.size() > 255) throw std::invalid_argument("an agent does too much");
    std::vector<std::uint8_t> begun = {0};
    for (std::size_t k = 0; k < program.size(); ++k) {
      const AgentOp& op = program[k];
      const bool reads = op.kind == AgentOp::Kind::Read || op.kind == AgentOp::Kind::ReadAtOnce;
      begun.push_back(static_cast<std::uint8_t>(begun.back() + reads));
      if (op.kind == AgentOp::Kind::Copy)
        begun_by_[op.number] = {a, static_cast<std::uint8_t>(k + 1)};
    }
    reads_begun_.push_back(std::move(begun));
  }

  // All reads of earlier tiles in its slot have to end before a copy begins.
  void look_at_copy(const Agents::Copy& copy) {
    std::array<std::uint8_t, kMostAgents> needed{};
    for (std::size_t a = 0; a < agents_.programs.size(); ++a) {
      std::uint8_t reads = 0;
      for (const AgentOp& op : agents_.programs[a]) {
        if (op.kind != AgentOp::Kind::Read && op.kind != AgentOp::Kind::ReadAtOnce) continue;
        ++reads;
        if (op.slot == copy.slot && op.number < copy.tile) needed[a] = reads;
      }
    }
    reads_before_.push_back(needed);
    if (copy.slot * agents_.parts + copy.part >= kMostParts)
      throw std::invalid_argument("too many slots");
  }

  bool is_on_its_way(const RingState& state, std::size_t c) const {
    return (state.ended >> c & 1) == 0 && state.at[begun_by_[c].agent] >= begun_by_[c].at;
  }

  void run_agent(const RingState& state, std::size_t a) {
    const std::vector<AgentOp>& program = agents_.programs[a];
    if (state.at[a] == program.size()) return;
    const AgentOp& op = program[state.at[a]];
    RingState next = state;
    ++next.at[a];
    switch (op.kind) {
      case AgentOp::Kind::Wait: {
        const PhaseBarrier& barrier = state.barriers[op.barrier];
        const bool has_ended = barrier.phase > op.number;
        if (!barrier.passes(op.parity)) {
          if (has_ended) note(RingFault::Late);
          return;
        }
        if (!has_ended) note(RingFault::Early, a);
        break;
      }
      case AgentOp::Kind::Arrive:
        if (!next.barriers[op.barrier].arrive(op.number, op.bytes,
                                              agents_.arrivals_of_phase[op.barrier])) {
          note(RingFault::Underflow, a);
          can_move_ = true;
          return;
        }
        break;
      case AgentOp::Kind::Copy:
        for (std::size_t b = 0; b < agents_.programs.size(); ++b) {
          if (state.reads[b] >= reads_before_[op.number][b]) continue;
          note(RingFault::Overwritten, a);
          break;
        }
        break;
      case AgentOp::Kind::WaitCopies:
        if ((state.ended & op.copies) != op.copies) return;
        break;
      case AgentOp::Kind::Read:
      case AgentOp::Kind::ReadAtOnce:
        if (!holds(state, op.slot, op.number)) note(RingFault::Stale, a);
        if (op.kind == AgentOp::Kind::ReadAtOnce) ++next.reads[a];
        break;
      case AgentOp::Kind::WaitReads:
        if (state.reads[a] < op.number) return;
        break;
    }
    move(next, {here_, ' ', static_cast<std::uint8_t>(a)});
  }

  bool holds(const RingState& state, int slot, int tile) const {
    for (int part = 0; part < agents_.parts; ++part)
      if (state.held[slot * agents_.parts + part] != tile) return false;
    return true;
  }

  void end_copy(const RingState& state, std::size_t c) {
    const Agents::Copy& copy = agents_.copies[c];
    RingState next = state;
    next.ended |= std::uint64_t{1} << c;
    next.held[copy.slot * agents_.parts + copy.part] = static_cast<std::int8_t>(copy.tile);
    if (copy.barrier >= 0)
      next.barriers[copy.barrier].complete(copy.bytes, agents_.arrivals_of_phase[copy.barrier]);
    move(next, {here_, 'c', static_cast<std::uint8_t>(c)});
  }

  void move(const RingState& next, FoundStates::Step step) {
    can_move_ = true;
    found_.insert(next, step);
  }

  // States are looked at in the order of their distance, so the first is one of the nearest.
  void note(RingFault fault, std::optional<std::size_t> agent = {}) {
    const int k = static_cast<int>(fault);
    if (++runs_.counts[k] > 1) return;
    runs_.shortest[k] = found_.steps_to(here_);
    if (agent) runs_.shortest[k] += " " + std::to_string(*agent);
  }

  struct Begun {
    std::size_t agent = 0;
    std::uint8_t at = 0;  // the agent has begun it if it has come so far
  };

  const Agents& agents_;
  std::vector<Begun> begun_by_;                         // by copy
  std::vector<std::vector<std::uint8_t>> reads_begun_;  // by agent and operation: those before it
  std::vector<std::array<std::uint8_t, kMostAgents>> reads_before_;  // by copy: have to have ended
  FoundStates found_;
  RingRuns runs_;
  std::uint32_t here_ = 0;
  bool can_move_ = false;
};

// Writes down what each agent of a ring with barriers does.
class RingPrograms {
 public:
  explicit RingPrograms(const Ring& ring) : r_(ring), uses_(ring.slots, 0) {
    const bool has_producer = !r_.prefetch;
    agents_.parts = r_.copies;
    agents_.programs.resize(r_.consumers + has_producer);
    first_consumer_ = has_producer ? 1 : 0;
    int releases = 0;
    for (int c = 0; c < r_.consumers; ++c) releases += r_.released_by >> c & 1;
    agents_.arrivals_of_phase.assign(2 * r_.slots, 1);
    for (int s = 0; s < r_.slots; ++s) agents_.arrivals_of_phase[empty(s)] = releases;
    agents_.arrivals_of_phase.push_back(r_.consumers);  // where consumers meet
    for (int n = 0; n < tiles(); ++n) {
      const int i = r_.restarts ? n % r_.trips : n;
      places_.push_back({i % r_.slots, i / r_.slots % 2, uses_[i % r_.slots]++});
    }
  }

  Agents run() {
    if (r_.has_credits) give_credits();
    if (!r_.prefetch) {
      for (int n = 0; n < tiles(); ++n) fill(n);
      for (int c = 0; c < r_.consumers; ++c)
        for (int n = 0; n < tiles(); ++n) consume(c, n);
      return std::move(agents_);
    }
    for (int n = 0; n < std::min(*r_.prefetch, tiles()); ++n) fill(n);
    for (int n = 0; n < tiles(); ++n) {
      const int next = n + *r_.prefetch;
      if (!r_.copies_last && next < tiles()) fill(next);
      for (int c = 0; c < r_.consumers; ++c) consume(c, n);
      if (r_.copies_last && next < tiles()) fill(next);
    }
    return std::move(agents_);
  }

 private:
  using Kind = AgentOp::Kind;
  struct Place {
    int slot = 0;
    int parity = 0;  // of the index, divided by the slots
    int use = 0;     // how many tiles were in this slot before: the phase that is really meant
  };

  int tiles() const { return r_.trips * r_.outer; }
  int full(int slot) const { return slot; }
  int empty(int slot) const { return r_.slots + slot; }
  int meeting() const { return 2 * r_.slots; }
  std::vector<AgentOp>& consumer(int c) { return agents_.programs[first_consumer_ + c]; }

  static AgentOp wait(int barrier, int phase, int parity) {
    return {.kind = Kind::Wait, .number = phase, .barrier = barrier, .parity = parity};
  }
  static AgentOp arrive(int barrier, int arrivals = 1, int bytes = 0) {
    return {.kind = Kind::Arrive, .number = arrivals, .barrier = barrier, .bytes = bytes};
  }

  void give_credits() {
    for (int c = 0; c < r_.consumers; ++c)
      for (int s = 0; s < r_.slots; ++s) consumer(c).push_back(arrive(empty(s)));
  }

  void fill(int n) {
    std::vector<AgentOp>& producer = agents_.programs[0];
    const Place& place = places_[n];
    const int full_barrier = full(place.slot);
    producer.push_back(r_.has_credits ? wait(empty(place.slot), place.use, place.parity)
                                      : wait(empty(place.slot), place.use - 1, place.parity ^ 1));
    producer.push_back(arrive(full_barrier, r_.more_filled < 0 ? 0 : 1,
                              r_.copies * r_.copy_bytes + r_.more_bytes));
    for (int part = 0; part < r_.copies; ++part) {
      producer.push_back({.kind = Kind::Copy, .number = static_cast<int>(agents_.copies.size())});
      agents_.copies.push_back({0, n, place.slot, part, full_barrier, r_.copy_bytes});
    }
    for (int k = 0; k < r_.more_filled; ++k) producer.push_back(arrive(full_barrier));
  }

  void consume(int c, int n) {
    const Place& place = places_[n];
    consumer(c).push_back(wait(full(place.slot), place.use, place.parity));
    consumer(c).push_back({.kind = Kind::Read, .number = n, .slot = place.slot});
    const int i = n % r_.trips;
    if (i >= r_.lag) release(c, n - r_.lag);
    if (i < r_.trips - 1) return;
    for (int last = n - std::min(r_.lag, r_.trips) + 1; last <= n; ++last) release(c, last);
  }

  void release(int c, int n) {
    std::vector<AgentOp>& program = consumer(c);
    program.push_back({.kind = Kind::WaitReads, .number = n + 1});
    if (r_.meets) {
      program.push_back(arrive(meeting()));
      program.push_back(wait(meeting(), n, n % 2));
    }
    if ((r_.released_by >> c & 1) == 0) return;
    const int arrivals = c == 0 ? 1 + r_.more_released : 1;
    for (int k = 0; k < arrivals; ++k) program.push_back(arrive(empty(places_[n].slot)));
  }

  const Ring& r_;
  Agents agents_;
  int first_consumer_ = 0;
  std::vector<int> uses_;      // by slot
  std::vector<Place> places_;  // by tile
};

}  // namespace

RingRuns explore(const Agents& agents, const std::function<void(const RingState&)>& visit) {
  return Explorer(agents).run(visit);
}

std::string RingRuns::faults() const {
  static constexpr std::array<const char*, kRingFaults> names = {
      "deadlock", "overwritten", "stale", "early", "late", "underflow"};
  std::string r;
  for (int k = 0; k < kRingFaults; ++k)
    if (counts[k] > 0) r += (r.empty() ? "" : ", ") + std::string(names[k]);
  return r;
}

Agents agents_of(const Ring& ring) { return RingPrograms(ring).run(); }

std::string to_string(const Ring& r) {
  const auto item = [](const char* name, int value) {
    return std::string(name) + " " + std::to_string(value) + ", ";
  };
  return item("slots", r.slots) + item("consumers", r.consumers) + item("lag", r.lag) +
         item("trips", r.trips) + item("outer", r.outer) +
         item("prefetch", r.prefetch.value_or(-1)) + item("copies last", r.copies_last) +
         item("released by", static_cast<int>(r.released_by & ((1u << r.consumers) - 1))) +
         item("meets", r.meets) + item("restarts", r.restarts) + item("credits", r.has_credits) +
         item("copies", r.copies) + item("of bytes", r.copy_bytes) +
         item("more bytes", r.more_bytes) + item("more filled", r.more_filled) + "more released " +
         std::to_string(r.more_released);
}

bool GroupRing::is_before(Part one, Part other) const {
  return std::find(body.begin(), body.end(), one) < std::find(body.begin(), body.end(), other);
}

Agents agents_of(const GroupRing& r) {
  using Kind = AgentOp::Kind;
  Agents agents;
  agents.parts = r.threads;
  agents.arrivals_of_phase = {r.threads};
  agents.programs.resize(r.threads);
  for (int t = 0; t < r.threads; ++t) {
    std::vector<AgentOp>& program = agents.programs[t];
    std::vector<std::uint64_t> groups;  // closed ones
    std::uint64_t open = 0;
    int meetings = 0;
    for (int k = 0; k < r.tiles + r.ahead; ++k) {
      for (GroupRing::Part part : r.body) {
        switch (part) {
          case GroupRing::Part::Wait: {
            AgentOp wait{.kind = Kind::WaitCopies};
            for (int g = 0; g < static_cast<int>(groups.size()) - r.pending; ++g)
              wait.copies |= groups[g];
            program.push_back(wait);
            break;
          }
          case GroupRing::Part::Meet:
            program.push_back({.kind = Kind::Arrive, .number = 1});
            program.push_back({.kind = Kind::Wait, .number = meetings, .parity = meetings % 2});
            ++meetings;
            break;
          case GroupRing::Part::Copy:
            if (k >= r.tiles) break;
            open |= std::uint64_t{1} << agents.copies.size();
            program.push_back(
                {.kind = Kind::Copy, .number = static_cast<int>(agents.copies.size())});
            agents.copies.push_back({t, k, k % r.slots, t});
            break;
          case GroupRing::Part::Close: groups.push_back(std::exchange(open, 0)); break;
          case GroupRing::Part::Use: {
            const int tile = k - r.ahead;
            if (tile < 0) break;
            program.push_back({.kind = Kind::ReadAtOnce, .number = tile, .slot = tile % r.slots});
            break;
          }
        }
      }
    }
  }
  return agents;
}

std::string to_string(const GroupRing& r) {
  std::string body;
  for (GroupRing::Part part : r.body) body += std::string("WMCEU").at(static_cast<int>(part));
  return body + ", slots " + std::to_string(r.slots) + ", threads " + std::to_string(r.threads) +
         ", tiles " + std::to_string(r.tiles) + ", ahead " + std::to_string(r.ahead) +
         ", pending " + std::to_string(r.pending);
}

}  // namespace selvage::oracle
