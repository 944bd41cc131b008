// Thread programs with one thing changed, and their trial: what is accepted is right in every order
// of threads, copies and multiplications that is drawn; what is refused is a fault of the
// emulator's run in every order.
#pragma once

#include <selvage/base/random.h>
#include <selvage/codegen/cuda.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/threads/bodies.h>
#include <selvage/threads/lower_threads.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../codegen/run.h"
#include "../support/counts.h"

namespace selvage::threads {

using namespace test;

struct Mutant {
  std::string what;
  ThreadProgram program;
};

// Changes the item `i` of a body; false: it cannot.
using Change = std::function<bool(ThreadBody& body, std::size_t i)>;

// The program with the n-th item of some changed; nullopt: there is none, or it cannot be.
inline std::optional<ThreadProgram> with_changed(
    const ThreadProgram& program, std::size_t n,
    const std::function<bool(const ThreadItem&)>& is_one, const Change& change) {
  ThreadProgram other = program;
  std::size_t left = n;
  bool is_made = false;
  const std::function<bool(ThreadBody&)> visit = [&](ThreadBody& body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (is_one(body[i]) && left-- == 0) {
        is_made = change(body, i);
        return true;
      }
      auto* inside = const_cast<ThreadBody*>(body_of(body[i]));
      if (inside != nullptr && visit(*inside)) return true;
    }
    return false;
  };
  visit(other.outermost.body);
  return is_made ? std::optional(std::move(other)) : std::nullopt;
}

inline bool leave_out(ThreadBody& body, std::size_t i) {
  body.erase(body.begin() + std::ptrdiff_t(i));
  return true;
}
inline bool double_it(ThreadBody& body, std::size_t i) {
  body.insert(body.begin() + std::ptrdiff_t(i), ThreadItem(body[i]));
  return true;
}
inline bool move_up(ThreadBody& body, std::size_t i) {
  if (i > 0) std::swap(body[i - 1], body[i]);
  return i > 0;
}
inline bool move_down(ThreadBody& body, std::size_t i) {
  if (i + 1 < body.size()) std::swap(body[i], body[i + 1]);
  return i + 1 < body.size();
}

inline Array result_of(const Kernel& kernel, VirtualOrder order) {
  std::vector<Array> arrays = arrays_for(kernel, {});
  run_text(kernel, {}, arrays, default_virtual_compiler(), order);
  return arrays[1];
}
// The virtual device waits for ever.
inline bool goes_wrong_in(const Kernel& kernel, VirtualOrder order, const Array& right) {
  try {
    return result_of(kernel, order).bytes != right.bytes;
  } catch (const Error&) {
    return true;
  }
}
inline bool has_errors(const LoweredThreads& lowered) {
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
  // `shows_most`: more than half of what is refused goes wrong on the virtual device.
  void tell(bool shows_most = true) const {
    std::printf("[FIGURE] mutants of %s: %d, %d accepted, %d refused, %d of these go wrong\n",
                name_.c_str(), all_, accepted_, all_ - accepted_, shown_);
    EXPECT_GT(all_, 10);
    if (shows_most) {
      EXPECT_GT(shown_, (all_ - accepted_) / 2);
    }
  }

 private:
  std::string name_;
  std::shared_ptr<ThreadProgram> program_;
  Array right_;
  SplitMix64 random_{20261129};
  int all_ = 0, accepted_ = 0, shown_ = 0;
};

}  // namespace selvage::threads
