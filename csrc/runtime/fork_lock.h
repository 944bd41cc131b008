#pragma once

#include <pthread.h>

#include <mutex>

namespace selvage {

// A lock of the process, one for each `Of`. It is held while the process forks, so that the child
// does not find it taken by a thread that it lacks.
template <class Of>
std::mutex& fork_lock() {
  static std::mutex& lock = *[] {
    auto* made = new std::mutex;
    pthread_atfork([] { fork_lock<Of>().lock(); }, [] { fork_lock<Of>().unlock(); },
                   [] { fork_lock<Of>().unlock(); });
    return made;
  }();
  return lock;
}

}  // namespace selvage
