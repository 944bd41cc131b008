#include <selvage/base/diagnostic.h>
#include <selvage/base/refuse.h>
#include <selvage/runtime/virtual_pool.h>

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

namespace selvage {

int virtual_threads() {
  const char* variable = std::getenv("SELVAGE_VIRTUAL_THREADS");
  if (variable == nullptr || *variable == '\0') {
    // Asked for once: the system takes 10 us to say.
    static const int cores = int(std::thread::hardware_concurrency());
    return std::clamp(cores, 1, kMaxVirtualThreads);
  }
  int n = 0;
  const char* end = variable + std::strlen(variable);
  const auto [stop, failed] = std::from_chars(variable, end, n);
  if (failed != std::errc() || stop != end || n < 1 || n > kMaxVirtualThreads) {
    refuse<Error>("E723",
                  fmt::format("SELVAGE_VIRTUAL_THREADS is '{}', not a number from 1 to {}",
                              variable, kMaxVirtualThreads),
                  "unset it, or set it to 1: one core");
  }
  return n;
}

// What one launch asks for. Guarded by the pool's lock.
struct VirtualCrew::Job {
  std::function<void()> work;
  int wanted = 0;   // have not begun
  int working = 0;  // have
  std::condition_variable done;
};

class VirtualPool {
 public:
  using Job = VirtualCrew::Job;

  // Never freed: its threads wait on it until the process ends. A forked child has none of them.
  static VirtualPool& instance() {
    static const bool handled = [] {
      pool() = new VirtualPool;
      pthread_atfork([] { pool()->lock_.lock(); }, [] { pool()->lock_.unlock(); },
                     [] { pool() = new VirtualPool; });
      return true;
    }();
    static_cast<void>(handled);
    return *pool();
  }

  void call(Job& job, int helpers) {
    std::unique_lock guard(lock_);
    job.wanted = helpers;
    jobs_.push_back(&job);
    for (; threads_ < helpers; ++threads_) {
      try {
        std::thread([this] { help(); }).detach();
      } catch (const std::system_error&) {
        break;  // those that there are do the work
      }
    }
    guard.unlock();
    called_.notify_all();
  }

  void dismiss(Job& job) {
    std::unique_lock guard(lock_);
    job.wanted = 0;
    jobs_.remove(&job);
    job.done.wait(guard, [&] { return job.working == 0; });
  }

 private:
  static VirtualPool*& pool() {
    static VirtualPool* pool = nullptr;
    return pool;
  }

  void help() {
    std::unique_lock guard(lock_);
    for (;;) {
      called_.wait(guard, [&] { return !jobs_.empty(); });
      Job& job = *jobs_.front();
      ++job.working;
      if (--job.wanted == 0) jobs_.pop_front();
      guard.unlock();
      job.work();
      guard.lock();
      if (--job.working == 0) job.done.notify_all();
    }
  }

  std::mutex lock_;
  std::condition_variable called_;
  std::list<Job*> jobs_;  // that want someone
  int threads_ = 0;
};

VirtualCrew::VirtualCrew() = default;
VirtualCrew::~VirtualCrew() { dismiss(); }

void VirtualCrew::call(int helpers, std::function<void()> work) {
  if (helpers < 1 || job_ != nullptr) return;
  job_ = std::make_unique<Job>();
  job_->work = std::move(work);
  VirtualPool::instance().call(*job_, helpers);
}

void VirtualCrew::dismiss() {
  if (job_ == nullptr) return;
  VirtualPool::instance().dismiss(*job_);
  job_.reset();
}

}  // namespace selvage
