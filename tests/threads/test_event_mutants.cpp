// Programs of two roles with one thing wrong: every wait, arrival and copy's event left out,
// doubled, moved by one, at the next slot or for the other phase. What is accepted is right in
// every order of threads and copies that is drawn; what is refused is a fault of the emulator's run
// in every order.
#include <selvage/base/random.h>
#include <selvage/codegen/cuda.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/threads/bodies.h>
#include <selvage/threads/event_slots.h>
#include <selvage/threads/lower_threads.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "../codegen/run.h"
#include "../support/counts.h"
#include "event_programs.h"

namespace selvage {
namespace {

using namespace test;
using threads::kRoles;

struct Mutant {
  std::string what;
  ThreadProgram program;
};

// All of one item, the n-th of those of events; none: there is no n-th.
std::vector<Mutant> mutants_of(const ThreadProgram& program, std::size_t n) {
  std::vector<Mutant> list;
  using Change = std::function<bool(ThreadBody&, std::size_t)>;  // false: it cannot be made
  const auto add = [&](const std::string& what, const Change& change) {
    ThreadProgram other = program;
    std::size_t left = n;
    bool is_made = false;
    const std::function<bool(ThreadBody&)> visit = [&](ThreadBody& body) {
      for (std::size_t i = 0; i < body.size(); ++i) {
        if (slot_of(body[i]) != nullptr && left-- == 0) {
          is_made = change(body, i);
          return true;
        }
        auto* inside = const_cast<ThreadBody*>(body_of(body[i]));
        if (inside != nullptr && visit(*inside)) return true;
      }
      return false;
    };
    visit(other.outermost.body);
    if (is_made) list.push_back({what, std::move(other)});
  };
  add("left out", [](ThreadBody& body, std::size_t i) {
    body.erase(body.begin() + std::ptrdiff_t(i));
    return true;
  });
  add("without its event", [](ThreadBody& body, std::size_t i) {
    auto* copies = std::get_if<CopyLater>(&body[i].node);
    if (copies != nullptr) copies->at.reset();
    return copies != nullptr;
  });
  add("doubled", [](ThreadBody& body, std::size_t i) {
    body.insert(body.begin() + std::ptrdiff_t(i), ThreadItem(body[i]));
    return true;
  });
  add("moved up", [](ThreadBody& body, std::size_t i) {
    if (i > 0) std::swap(body[i - 1], body[i]);
    return i > 0;
  });
  add("moved down", [](ThreadBody& body, std::size_t i) {
    if (i + 1 < body.size()) std::swap(body[i], body[i + 1]);
    return i + 1 < body.size();
  });
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

Array result_of(const Kernel& kernel, VirtualOrder order) {
  std::vector<Array> arrays = arrays_for(kernel, {});
  run_text(kernel, {}, arrays, default_virtual_compiler(), order);
  return arrays[1];
}
// The virtual device waits for ever.
bool goes_wrong_in(const Kernel& kernel, VirtualOrder order, const Array& right) {
  try {
    return result_of(kernel, order).bytes != right.bytes;
  } catch (const Error&) {
    return true;
  }
}
bool has_errors(const LoweredThreads& lowered) {
  return std::ranges::any_of(lowered.diagnostics,
                             [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

class Judge {
 public:
  Judge(const std::string& name, const std::string& text) : name_(name) {
    const auto file = read_schedule_text(text, "a.yaml", {});
    program_ = file.threads;
    const LoweredThreads lowered = lower_threads(*program_);
    EXPECT_FALSE(has_errors(lowered)) << to_text(lowered.diagnostics);
    if (lowered.kernel) right_ = result_of(*lowered.kernel, {});
  }
  const ThreadProgram& program() const { return *program_; }

  // `orders`: of the virtual device.
  void look_at(const Mutant& mutant, int orders) {
    const std::string what = name_ + ", " + mutant.what;
    const LoweredThreads judged = lower_threads(mutant.program, {.checks_helps = false});
    const bool is_legal = !has_errors(judged);
    const LoweredThreads unseen =
        lower_threads(mutant.program, {.verifies = false, .checks_helps = false});
    ASSERT_TRUE(unseen.kernel) << what << "\n" << to_text(unseen.diagnostics);
    // Its clocks know of every order, so that which one is drawn makes no difference.
    for (int order = 0; order <= count(4, 100); ++order) {
      std::vector<Array> arrays = arrays_for(*unseen.kernel, {});
      const auto run =
          run_emulated(*unseen.kernel, {}, arrays, order == 0 ? 0 : random_.next() | 1);
      EXPECT_EQ(is_legal, run.fault_count == 0)
          << what << (run.faults.empty() ? "" : ": " + run.faults.front().text) << "\n"
          << to_text(judged.diagnostics);
    }
    bool goes_wrong = false;
    for (int order = 0; order <= orders && !goes_wrong; ++order) {
      const VirtualOrder drawn = order == 0 ? VirtualOrder{} : VirtualOrder{random_.next()};
      goes_wrong = goes_wrong_in(*unseen.kernel, drawn, right_);
    }
    EXPECT_FALSE(is_legal && goes_wrong) << what;
    ++all_;
    accepted_ += is_legal;
    shown_ += !is_legal && goes_wrong;
  }
  void tell() const {
    std::printf(
        "[FIGURE] mutants of events, %s: %d, %d accepted, %d refused, %d of these go wrong\n",
        name_.c_str(), all_, accepted_, all_ - accepted_, shown_);
    EXPECT_GT(all_, 10);
    EXPECT_GT(shown_, (all_ - accepted_) / 2);
  }

 private:
  std::string name_;
  std::shared_ptr<ThreadProgram> program_;
  Array right_;
  SplitMix64 random_{20261129};
  int all_ = 0, accepted_ = 0, shown_ = 0;
};

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
  Judge judge(name, text);
  for (const Mutant& mutant : all_mutants_of(judge.program())) {
    judge.look_at(mutant, count(40, 4'000));
  }
  judge.tell();
}

// Two things wrong may make up for one another.
void expect_pairs_found(const std::string& name, const std::string& text) {
  Judge judge(name + ", pairs", text);
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
