#pragma once

#include <cstddef>

namespace selvage {

// A call that can be left half-way and taken up again, on a stack of its own. The code it runs must
// throw nothing, and own nothing that a destructor would have to free: a fiber may be dropped
// while suspended. A stack holds kStackBytes; going past it faults.
class Fiber {
 public:
  static constexpr std::size_t kStackBytes = 128 << 10;

  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes the next resume() begin entry(); whatever was suspended is dropped.
  void start(void (*entry)());
  // Runs until suspend() or until entry returns. Not from within a fiber.
  void resume();
  bool finished() const { return finished_; }
  // Leaves the fiber that runs now on this thread.
  static void suspend();

 private:
  [[noreturn]] static void run();
  void leave(bool for_good);

  char* stack_;            // its lowest address, above a page that faults
  void* here_ = nullptr;   // where the fiber goes on
  void* there_ = nullptr;  // where resume() goes on
  void (*entry_)() = nullptr;
  bool finished_ = true;
  // What AddressSanitizer wants to know of the stack that resume() was called on.
  void* fake_here_ = nullptr;
  const void* bottom_there_ = nullptr;
  std::size_t size_there_ = 0;
};

}  // namespace selvage
