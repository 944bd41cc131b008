#pragma once

#include <selvage/runtime/fiber_switch.h>

#include <cstddef>

namespace selvage {

// A call with a stack of its own that can be suspended and resumed. The code that it runs must
// throw nothing, and own nothing that a destructor would have to free: a fiber may be dropped while
// suspended. A stack holds kStackBytes; going past it faults.
class Fiber {
 public:
  static constexpr std::size_t kStackBytes = 128 << 10;

  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes the next resume() begin entry(); a suspended call is dropped.
  void start(void (*entry)());
  // Runs until suspend() or until entry returns. Must not be called from within a fiber, nor if
  // finished().
  void resume();
  bool finished() const { return finished_; }
  // Suspends the fiber that runs now on this thread.
  static void suspend();
  // The same, and runs `next`, which must not be finished, in one switch: resume() returns when
  // `next`, or a fiber that it passes to, suspends or ends. Not to be used if kPasses is false.
#if defined(SELVAGE_FIBERS_BY_UCONTEXT) || defined(SELVAGE_FIBERS_UNDER_ASAN)
  static constexpr bool kPasses = false;
#else
  static constexpr bool kPasses = true;
#endif
  static void pass_to(Fiber& next);
  // Whether the address is on this fiber's stack.
  bool holds(const void* place) const {
    const auto* p = static_cast<const char*>(place);
    return p >= stack_ && p < stack_ + kStackBytes;
  }

 private:
  static void run();

  static constinit thread_local Fiber* running_;
  char* stack_;                   // its lowest address, above a page that faults
  fiber::Place here_ = nullptr;   // where the fiber goes on
  fiber::Place there_ = nullptr;  // where resume() goes on
  void (*entry_)() = nullptr;
  bool finished_ = true;
  void* fake_ = nullptr;  // for AddressSanitizer: this stack's shadow, and where resume() stood
  const void* bottom_there_ = nullptr;
  std::size_t bytes_there_ = 0;
};

__attribute__((always_inline)) inline void Fiber::resume() {
  running_ = this;
  void* fake = nullptr;
  fiber::before_switch(&fake, stack_, kStackBytes);
  fiber::switch_to(there_, here_);
  fiber::after_switch(fake, nullptr, nullptr);
}

__attribute__((always_inline)) inline void Fiber::suspend() {
  Fiber* self = running_;
  fiber::before_switch(&self->fake_, self->bottom_there_, self->bytes_there_);
  fiber::switch_to(self->here_, self->there_);
  fiber::after_switch(self->fake_, &self->bottom_there_, &self->bytes_there_);
}

__attribute__((always_inline)) inline void Fiber::pass_to(Fiber& next) {
  Fiber* self = running_;
  next.there_ = self->there_;
  running_ = &next;
  fiber::switch_to(self->here_, next.here_);
}

}  // namespace selvage
