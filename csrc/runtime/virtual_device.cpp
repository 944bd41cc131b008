#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/runtime/virtual_device.h>
#include <selvage/runtime/virtual_run.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

namespace selvage {

namespace {

// Whether the text has barriers, shuffles or copies that end later; whether threads wait by
// themselves, at partial barriers or barrier objects.
VirtualMeets meets(const std::string& text) {
  const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
  for (const char* word :
       {"sync_threads(", "sync_members(", "sync_cluster(", "__syncwarp(0x", "wait_for_phase("}) {
    if (has(word)) return VirtualMeets::InParts;
  }
  for (const char* word :
       {"__syncthreads", "__syncwarp", "__shfl_xor_sync", "begin_copy", "begin_mma", "store_box_",
        "combine_box_", "store_bytes(", "combine_bytes("}) {
    if (has(word)) return VirtualMeets::Together;
  }
  return VirtualMeets::Never;
}

// More cores pay once a launch has run that long and has that much left, by what it has done: a
// core that joins compiles the unit (0.3 ms) or loads it, and is woken.
constexpr std::chrono::nanoseconds kBegun = std::chrono::microseconds(100);
constexpr std::chrono::nanoseconds kLeft = std::chrono::microseconds(800);

bool pays(std::chrono::nanoseconds elapsed, std::uint64_t done, std::uint64_t left) {
  return elapsed >= kBegun &&
         double(elapsed.count()) * double(left) >= double(kLeft.count()) * double(done);
}

}  // namespace

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

VirtualCompiler default_virtual_compiler() {
  return has_tcc() ? VirtualCompiler::Tcc : VirtualCompiler::Gcc;
}

// The instances of one kernel. A launch takes one and gives it back.
struct VirtualKernel::State {
  State(KernelSource text, VirtualCompiler compiler)
      : source(std::move(text)),
        meets(selvage::meets(source.text)),
        is_atomic(source.text.find("atomic_") != std::string::npos),
        first(compiler == VirtualCompiler::Tcc ? compile_by_tcc(source) : compile_by_gcc(source)) {
    free.push_back(&first);
  }

  struct GiveBack {
    State* state;
    void operator()(VirtualInstance* instance) const { state->give_back(instance); }
  };
  using Taken = std::unique_ptr<VirtualInstance, GiveBack>;

  // A free instance or, while there are fewer than `most`, a new one; null if not to wait for one.
  Taken take(int most, bool waits) {
    std::unique_lock guard(lock);
    if (process != getpid()) {  // whoever held one did not come along when this process was forked
      process = getpid();
      held = 0;
    }
    for (;;) {
      if (!free.empty()) {
        Taken instance(free.back(), {this});
        free.pop_back();
        ++held;
        return instance;
      }
      if (held < most) break;
      if (!waits) return Taken(nullptr, {this});
      given.wait(guard);
    }
    ++held;
    guard.unlock();
    try {
      auto instance = std::make_unique<VirtualInstance>(first.unit->again());
      guard.lock();
      return Taken(more.emplace_back(std::move(instance)).get(), {this});
    } catch (...) {
      if (!guard.owns_lock()) guard.lock();
      --held;
      given.notify_one();
      throw;
    }
  }
  void give_back(VirtualInstance* instance) {
    {
      const std::lock_guard guard(lock);
      free.push_back(instance);
      --held;
    }
    given.notify_one();
  }

  const KernelSource source;
  const VirtualMeets meets;
  const bool is_atomic;
  VirtualInstance first;
  std::mutex lock;
  std::condition_variable given;
  std::vector<VirtualInstance*> free;
  std::vector<std::unique_ptr<VirtualInstance>> more;
  int held = 0;
  pid_t process = getpid();
  std::mutex check_lock;  // held by a checked launch
  std::unique_ptr<VirtualInstance> checked;
};

VirtualKernel::VirtualKernel(KernelSource source, VirtualCompiler compiler)
    : state_(std::make_unique<State>(std::move(source), compiler)) {}
VirtualKernel::~VirtualKernel() = default;
VirtualKernel::VirtualKernel(VirtualKernel&&) noexcept = default;
VirtualKernel& VirtualKernel::operator=(VirtualKernel&&) noexcept = default;

void VirtualKernel::launch(const LaunchShape& shape, std::span<void* const> arguments,
                           VirtualOrder order) {
  check_launch(shape);
  State& state = *state_;
  SELVAGE_CHECK(arguments.size() == state.source.parameter_types.size());
  SELVAGE_CHECK(order.threads >= 0 && order.threads <= kMaxVirtualThreads);
  if (is_empty(shape)) return;
  const int most = order.threads > 0 ? order.threads : virtual_threads();
  VirtualRun run(state.source, shape, arguments, state.meets);
  const State::Taken own = state.take(most, true);
  if (order.seed != 0) {
    SplitMix64 random(order.seed);
    VirtualShared shared(shape.shared_bytes * shape.ranks);
    run.work_alone(*own, &random, shared);
    return;
  }

  const int helpers =
      state.is_atomic ? 0 : int(std::min<std::uint64_t>(std::uint64_t(most), run.blocks())) - 1;
  // Threads that help as soon as the system runs them; one that is too late finds no block left.
  std::vector<std::jthread> crew;
  const auto help = [&] {
    try {
      if (run.begun() == run.blocks()) return;
      const State::Taken more = state.take(most, false);
      if (more != nullptr) run.work(*more);
    } catch (...) {
      // One helper fewer: no memory for its stacks, or no room for its unit. It has begun no block.
    }
  };
  bool asks = helpers > 0;
  const auto call = [&] {
    asks = false;
    try {
      while (int(crew.size()) < helpers) crew.emplace_back(help);
    } catch (const std::system_error&) {
      // As many as the system allows.
    }
  };
  if (asks && order.threads > 0) call();
  const auto start = std::chrono::steady_clock::now();
  run.work(*own, [&] {
    if (!asks) return;
    const std::uint64_t done = run.begun();
    if (pays(std::chrono::steady_clock::now() - start, done, run.blocks() - done)) call();
  });
  crew.clear();
  run.finish();
}

void VirtualKernel::launch_checked(const LaunchShape& shape, std::span<void* const> arguments,
                                   std::span<const std::optional<VirtualBound>> bounds,
                                   std::uint64_t order_seed) {
  check_launch(shape);
  State& state = *state_;
  SELVAGE_CHECK(arguments.size() == state.source.parameter_types.size());
  if (is_empty(shape)) return;
  const std::lock_guard guard(state.check_lock);
  if (state.checked == nullptr) {
    state.checked = std::make_unique<VirtualInstance>(compile_by_gcc(state.source, true));
  }
  char* image[4] = {};
  reinterpret_cast<VirtualImage>(state.checked->unit->symbol(kVirtualImage))(image);
  VirtualShared shared(shape.shared_bytes * shape.ranks);
  VirtualCheck check(state.source, arguments, bounds, shared.bytes(), image);
  VirtualRun run(state.source, shape, check.arguments(), state.meets);
  SplitMix64 random(order_seed);
  run.work_alone(*state.checked, order_seed == 0 ? nullptr : &random, shared, &check);
}

}  // namespace selvage
