// Programs of two roles with one thing wrong: every wait, arrival and copy's event left out,
// doubled, moved by one, at the next slot or for the other phase. What is accepted is right in
// every order of threads and copies that is drawn; what is refused is a fault of the emulator's run
// in every order.
#include <selvage/threads/event_slots.h>

#include "event_programs.h"
#include "program_judge.h"

namespace selvage {
namespace {

using namespace threads;

// All of one item, the n-th of those of events; none: there is no n-th.
std::vector<Mutant> mutants_of(const ThreadProgram& program, std::size_t n) {
  std::vector<Mutant> list;
  const auto add = [&](const std::string& what, const Change& change) {
    const auto is_one = [](const ThreadItem& item) { return slot_of(item) != nullptr; };
    if (auto made = with_changed(program, n, is_one, change)) list.push_back({what, *made});
  };
  add("left out", leave_out);
  add("without its event", [](ThreadBody& body, std::size_t i) {
    auto* copies = std::get_if<CopyLater>(&body[i].node);
    if (copies != nullptr) copies->at.reset();
    return copies != nullptr;
  });
  add("doubled", double_it);
  add("moved up", move_up);
  add("moved down", move_down);
  add("at the next slot", [&](ThreadBody& body, std::size_t i) {
    EventSlot& at = *slot_of(body[i]);
    if (program.events[at.event].slots == 1) return false;
    at.slot = (at.slot + 1) % program.events[at.event].slots;
    return true;
  });
  add("for the other phase", [](ThreadBody& body, std::size_t i) {
    auto* wait = std::get_if<WaitFor>(&body[i].node);
    if (wait != nullptr) wait->phase = wait->phase + 1;
    return wait != nullptr;
  });
  for (std::int64_t by : {-1, 1, 32}) {
    add("with " + std::to_string(by) + " arrivals more", [&](ThreadBody& body, std::size_t i) {
      const std::uint32_t event = slot_of(body[i])->event;
      list.push_back({"of an event with " + std::to_string(by) + " arrivals more", program});
      list.back().program.events[event].arrivals += by;
      if (list.back().program.events[event].arrivals < 1) list.pop_back();
      return false;
    });
  }
  return list;
}

std::vector<Mutant> all_mutants_of(const ThreadProgram& program) {
  std::vector<Mutant> all;
  for (std::size_t n = 0;; ++n) {
    std::vector<Mutant> some = mutants_of(program, n);
    if (some.empty()) return all;
    for (Mutant& m : some) {
      all.push_back({"item " + std::to_string(n) + " " + m.what, std::move(m.program)});
    }
  }
}

void expect_found(const std::string& name, const std::string& text) {
  Judge judge("events, " + name, text);
  for (const Mutant& mutant : all_mutants_of(judge.program())) {
    judge.look_at(mutant, count(40, 4'000));
  }
  judge.tell();
}

// Two things wrong may make up for one another.
void expect_pairs_found(const std::string& name, const std::string& text) {
  Judge judge("events, " + name + ", pairs", text);
  SplitMix64 random(7);
  const std::vector<Mutant> first = all_mutants_of(judge.program());
  for (int pair = 0; pair < count(150, 20'000); ++pair) {
    const Mutant& one = first[random.next() % first.size()];
    const std::vector<Mutant> second = all_mutants_of(one.program);
    if (second.empty()) continue;
    const Mutant& both = second[random.next() % second.size()];
    judge.look_at({one.what + ", " + both.what, both.program}, count(10, 400));
  }
  judge.tell();
}

TEST(ThreadEventMutants, OfARingOfTwoRolesAreFound) {
  expect_found("two slots", kRoles);
  expect_pairs_found("two slots", kRoles);
}

// By stores and arrivals alone.
const std::string kOneSlot = R"(arrays:
  x: {shape: [3, 32], dtype: int32}
  y: {shape: [3, 32], dtype: int32}
  S: {shape: [32], dtype: int32, memory: shared}
events: {full: {arrivals: 32}, empty: {arrivals: 32}}
parallel: [{t: 64}]
body:
- inthreads:
    when: t < 32
    role: load
    do:
    - for:
        index: k
        in: 3
        do:
        - wait: {event: empty, phase: k + 1}
        - "S[t] = x[k, t] * 2"
        - arrive: {event: full}
- inthreads:
    when: t >= 32
    role: use
    do:
    - for:
        index: j
        in: 3
        do:
        - wait: {event: full, phase: j}
        - "y[j, t - 32] = S[63 - t]"
        - arrive: {event: empty}
)";
TEST(ThreadEventMutants, OfARingOfOneSlotAreFound) {
  expect_found("one slot", kOneSlot);
  expect_pairs_found("one slot", kOneSlot);
}

// All threads arrive, do something else, and wait: a barrier in two halves.
const std::string kTwoHalves = R"(arrays:
  x: {shape: [4, 64], dtype: int32}
  y: {shape: [4, 64], dtype: int32}
  S: {shape: [2, 64], dtype: int32, memory: shared}
events: {done: {arrivals: 64}}
parallel: [{t: 64}]
body:
- for:
    index: k
    in: 4
    do:
    - "S[k % 2, t] = x[k, t]"
    - arrive: {event: done}
    - wait: {event: done, phase: k}
    - "y[k, t] = S[k % 2, 63 - t]"
)";
TEST(ThreadEventMutants, OfABarrierInTwoHalvesAreFound) {
  expect_found("a barrier", kTwoHalves);
  expect_pairs_found("a barrier", kTwoHalves);
}

}  // namespace
}  // namespace selvage
