#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/base/refuse.h>
#include <selvage/kernel/failures.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/lower/proof.h>
#include <selvage/lower/specialised.h>
#include <selvage/runtime/executable.h>
#include <selvage/runtime/gpu_device.h>
#include <selvage/runtime/kept_plans.h>
#include <selvage/runtime/loaded_kernels.h>
#include <selvage/runtime/scratch.h>
#include <selvage/scheduler/automatic.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <future>
#include <shared_mutex>
#include <unordered_map>

namespace selvage {

namespace {

// Conditions depend on addresses modulo this only: no access is wider, and no tensor is declared to
// be aligned to more.
constexpr std::int64_t kAddressModulus = 256;

// Shapes, strides, alignments and named sizes of a call, in a row.
using Key = std::vector<std::int64_t>;

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = 0x9E3779B97F4A7C15;
    for (std::int64_t k : key) h = (h ^ std::uint64_t(k)) * 0xff51afd7ed558ccd ^ h >> 29;
    return std::size_t(h ^ h >> 32);
  }
};

// A name that is no size of the fusion gets the number -1; signature_.bind() refuses it later.
void write_key(std::span<const Argument> arguments, const NamedSizes& named,
               const std::vector<Expr>& sizes, Key& key) {
  key.clear();
  for (const Argument& a : arguments) {
    const auto address = std::int64_t(reinterpret_cast<std::uintptr_t>(a.data));
    key.push_back(std::int64_t(a.is_const) << 40 | std::int64_t(a.type) << 32 |
                  std::int64_t(a.shape.size()) << 16 | std::int64_t(a.strides.size()));
    key.push_back(a.data == nullptr ? -1 : address % kAddressModulus);
    key.insert(key.end(), a.shape.begin(), a.shape.end());
    key.insert(key.end(), a.strides.begin(), a.strides.end());
  }
  for (const auto& [name, value] : named) {
    const auto n =
        std::find_if(sizes.begin(), sizes.end(), [&](Expr s) { return s.name() == name; });
    key.push_back(n == sizes.end() ? -1 : n - sizes.begin());
    key.push_back(value);
  }
}

// The launches of all calls with one key.
struct Plan {
  std::vector<ReadyKernel> launches;
  std::vector<ScratchPool::Wanted> scratch;
  std::vector<ArgumentBytes> bytes;  // by argument
  SizeValues sizes;
  // If there is a program for these sizes: it takes the call as it is.
  std::optional<Executable> sized;
  // If a size or an extent is 0: another executable, and the arguments that it takes.
  std::optional<Executable> instead;
  std::vector<std::size_t> kept_arguments;
};

}  // namespace

std::string_view to_string(Target target) {
  switch (target) {
    case Target::Gpu: return "gpu";
    case Target::Virtual: return "virtual";
  }
  return {};
}

Target default_target() { return Driver::instance() != nullptr ? Target::Gpu : Target::Virtual; }

class Executable::State {
 public:
  State(const Program& program, const CompileOptions& options, const Driver* driver)
      : options_(options),
        driver_(driver),
        fusion_(program.schedule->original()),
        steps_(program.steps),
        checks_(program.checks),
        buffers_(program.buffers),
        signature_(program.schedule->fusion(), program.schedule->graph(), program.buffers),
        by_size_(program.by_size),
        kernels_(driver,
                 driver == nullptr || options.cache != nullptr ? options.cache
                                                               : &CompileCache::instance(),
                 options.fmad),
        scratch_(driver) {
    std::vector<const Kernel*> first;
    for (const ProgramStep& step : steps_) first.push_back(&step.variants.front());
    std::future<ProgramProof> proof =
        std::async(std::launch::async, [this] { return prove(steps_); });
    kernels_.load(first);
    taken_on_trust_ = check_proved(proof.get(), options_.is_trusted);
  }

  void call(std::span<const Argument> arguments, const CallOptions& call) {
    thread_local Key key;
    write_key(arguments, call.sizes, fusion_.sizes(), key);
    run(plan_for(key, arguments, call.sizes), arguments, call);
  }

  const Signature& signature() const { return signature_; }
  Target target() const { return driver_ == nullptr ? Target::Virtual : Target::Gpu; }
  const std::vector<std::string>& taken_on_trust() const { return taken_on_trust_; }
  std::vector<KernelResources> resources() {
    std::vector<KernelResources> all = kernels_.resources();
    const std::scoped_lock guard(sized_lock_);
    for (const auto& [program, sized] : sized_) {
      if (!sized) continue;
      for (KernelResources& r : sized->resources()) all.push_back(std::move(r));
    }
    return all;
  }
  std::size_t kept() const {
    const std::shared_lock guard(lock_);
    return plans_.size();
  }

 private:
  const Plan& plan_for(const Key& key, std::span<const Argument> arguments,
                       const NamedSizes& named) {
    {
      const std::shared_lock guard(lock_);
      if (const auto it = plans_.find(key); it != plans_.end()) return *it->second;
    }
    // Made without the lock: of two threads with the same key, the second one's plan is dropped.
    auto plan = std::make_unique<const Plan>(make_plan(arguments, named));
    const std::unique_lock guard(lock_);
    return *plans_.try_emplace(key, std::move(plan)).first->second;
  }

  Plan make_plan(std::span<const Argument> arguments, const NamedSizes& named) {
    const SizeValues sizes = signature_.bind(arguments, named);
    if (have_zero_extent(fusion_, sizes)) return plan_instead(sizes);
    Plan plan;
    plan.sizes = sizes;
    plan.sized = executable_for(sizes);
    if (plan.sized) return plan;
    check_launch_conditions(fusion_, checks_, sizes);
    std::vector<std::int64_t> addresses;
    for (const Argument& a : arguments) {
      addresses.push_back(std::int64_t(reinterpret_cast<std::uintptr_t>(a.data)) % kAddressModulus);
    }
    addresses.resize(buffers_.size(), 0);
    std::vector<std::size_t> bytes;
    std::vector<bool> is_filled;
    for (const ProgramBuffer& b : buffers_) {
      bytes.push_back(bytes_of(b, sizes));
      is_filled.push_back(b.role == ProgramBuffer::Role::Input);
    }
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      plan.bytes.push_back(signature_.bytes(k, sizes));
    }
    for (std::size_t b = arguments.size(); b < buffers_.size(); ++b) {
      plan.scratch.push_back({bytes[b], buffers_[b].begins_at_zero});
    }
    for (BoundKernel& bound : launches_of(steps_, buffers_, sizes, addresses)) {
      const LoadedKernel loaded = kernels_[bound.kernel()];
      check_launch(bound.shape());
      check_alignment(bound, addresses);
      ReadyKernel& launch = plan.launches.emplace_back(ReadyKernel{std::move(bound), loaded});
      if (options_.checks) launch.bounds = launch.bound.take_bounds(bytes, is_filled);
    }
    return plan;
  }

  static std::size_t bytes_of(const ProgramBuffer& buffer, const SizeValues& sizes) {
    const auto elements = sizes(buffer.elements);
    const auto bytes = elements ? checked_mul(*elements, size_of(buffer.type)) : elements;
    if (bytes) return std::size_t(*bytes);
    refuse<BadInput>("E601", buffer.name + " is too large for this machine at these sizes",
                     "choose smaller sizes");
  }

  // Kernels presuppose that inputs are not written but by outputs that take their place, and that
  // each other output has memory of its own.
  void check_apart(const Plan& plan, std::span<const std::uint64_t> addresses) const {
    for (std::size_t k = 0; k < plan.bytes.size(); ++k) {
      if (!signature_.is_output(k)) continue;
      const std::optional<std::size_t> place = buffers_[k].in_place_of;
      if (place && addresses[k] != addresses[*place]) {
        refuse<BadInput>("E633",
                         "the output " + signature_.name(k) + " takes the place of " +
                             signature_.name(*place) + ", and is given other memory",
                         "pass the memory of " + signature_.name(*place) + " for both");
      }
      for (std::size_t j = 0; j < plan.bytes.size(); ++j) {
        if (j == k || j == place) continue;
        if (!may_overlap(addresses[k], plan.bytes[k], addresses[j], plan.bytes[j])) continue;
        refuse<BadInput>("E631",
                         "the output " + signature_.name(k) + " lies where " + signature_.name(j) +
                             " does, or partly",
                         "give " + signature_.name(k) + " memory of its own");
      }
    }
  }

  // A tensor may be declared to be aligned to more than its elements; then vectors count on it.
  static void check_alignment(const BoundKernel& bound, std::span<const std::int64_t> addresses) {
    for (BufferId b = 0; b < bound.kernel().buffers.size(); ++b) {
      const std::optional<std::size_t> memory = bound.memory_of(b);
      const std::int64_t bytes = bound.alignment(b);
      if (!memory || addresses[*memory] % bytes == 0) continue;
      const std::int64_t address = addresses[*memory];
      const std::string& name = bound.kernel().buffers[b].name;
      refuse<BadInput>("E629",
                       "the address of the argument " + name + " is " +
                           std::to_string(address % bytes) + " bytes past a multiple of " +
                           std::to_string(bytes) + ", which " + bound.kernel().name +
                           " takes at once",
                       "align it, or declare the alignment that " + name +
                           " has, align: " + std::to_string(address & -address));
    }
  }

  Plan plan_instead(const SizeValues& sizes) {
    const Specialised specialised = lower_specialised(fusion_, sizes);
    Plan plan;
    plan.instead = compile(specialised.program, options_);
    for (std::size_t k = 0; k < plan.instead->signature().size(); ++k) {
      const TensorId t = specialised.program.buffers[k].holds.tensor;
      const TensorPart origin{specialised.origins[index_of(t)]};
      const auto at = std::ranges::find(buffers_, origin, &ProgramBuffer::holds);
      plan.kept_arguments.push_back(std::size_t(at - buffers_.begin()));
    }
    return plan;
  }

  // That of the program for these sizes, if there is one and it is proved as this one is.
  std::optional<Executable> executable_for(const SizeValues& sizes) {
    const auto program = by_size_ == nullptr ? nullptr : by_size_->of_sizes(sizes);
    if (program == nullptr) return std::nullopt;
    const std::scoped_lock guard(sized_lock_);
    const auto [known, is_new] = sized_.try_emplace(program.get());
    if (is_new) refusal_of([&] { known->second = compile(*program, options_); });
    return known->second;
  }

  void run(const Plan& plan, std::span<const Argument> arguments, const CallOptions& call) {
    if (plan.sized) return (*plan.sized)(arguments, call);
    if (plan.instead) {
      std::vector<Argument> kept;
      for (std::size_t k : plan.kept_arguments) kept.push_back(arguments[k]);
      return (*plan.instead)(kept, {.sizes = {}, .stream = call.stream});
    }
    thread_local std::vector<std::uint64_t> addresses;
    addresses.clear();
    for (const Argument& a : arguments) {
      addresses.push_back(reinterpret_cast<std::uintptr_t>(a.data));
    }
    check_apart(plan, addresses);
    const ScratchPool::Lease lease = scratch_.take(plan.scratch, call.stream, addresses);
    for (const ReadyKernel& launch : plan.launches) {
      launch.launch(driver_, addresses, call.stream, options_.order_seed);
    }
    take_failures(plan, addresses, call.stream);
  }

  // Throws what checks of values have recorded.
  void take_failures(const Plan& plan, std::span<const std::uint64_t> addresses,
                     StreamHandle stream) const {
    if (fusion_.checks().empty()) return;
    const auto at = std::ranges::find_if(
        buffers_, [](const ProgramBuffer& b) { return b.holds.number == kFailures; });
    const std::uint64_t address = addresses[std::size_t(at - buffers_.begin())];
    std::vector<std::int64_t> recorded(std::size_t{kFailureElements});
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(recorded));
    if (driver_ == nullptr) {
      std::memcpy(bytes.data(), reinterpret_cast<const void*>(address), bytes.size());
    } else {
      driver_->copy_out(bytes, address, stream);
      driver_->synchronize(stream);
    }
    if (recorded[0] == 0) return;
    Diagnostic d{.code = "E724", .place = {}, .message = {}, .help = {}};
    for (const std::string& text : failures_in(recorded, fusion_.checks(), plan.sizes)) {
      d.message += (d.message.empty() ? "" : "; ") + text;
    }
    d.help =
        "correct the indices, the data or what is asserted; outputs have 0 for what is outside";
    recorded.assign(recorded.size(), 0);
    if (driver_ == nullptr) {
      std::memcpy(reinterpret_cast<void*>(address), bytes.data(), bytes.size());
    } else {
      driver_->copy_in(address, bytes, stream);
      driver_->synchronize(stream);
    }
    throw Error(std::move(d));
  }

  const CompileOptions options_;
  const Driver* const driver_;  // null: the virtual device
  const Fusion fusion_;         // as it was built
  const std::vector<ProgramStep> steps_;
  const std::vector<LaunchCheck> checks_;
  const std::vector<ProgramBuffer> buffers_;  // arguments, then scratch
  const Signature signature_;
  const std::shared_ptr<const ProgramsBySize> by_size_;  // null: none
  LoadedKernels kernels_;
  ScratchPool scratch_;
  std::vector<std::string> taken_on_trust_;
  mutable std::mutex sized_lock_;
  std::map<const Program*, std::optional<Executable>> sized_;  // empty: refused
  mutable std::shared_mutex lock_;
  std::unordered_map<Key, std::unique_ptr<const Plan>, KeyHash> plans_;
};

void Executable::operator()(std::span<const Argument> arguments, const CallOptions& call) const {
  state_->call(arguments, call);
}

const Signature& Executable::signature() const { return state_->signature(); }
Target Executable::target() const { return state_->target(); }
const std::vector<std::string>& Executable::taken_on_trust() const {
  return state_->taken_on_trust();
}
std::size_t Executable::kept() const { return state_->kept(); }
std::vector<KernelResources> Executable::resources() const { return state_->resources(); }

Executable compile(const Program& program, const CompileOptions& options) {
  const Target target =
      options.target.value_or(options.driver != nullptr ? Target::Gpu : default_target());
  const Driver* driver = nullptr;
  if (target == Target::Gpu) {
    driver = options.driver != nullptr ? options.driver : Driver::instance();
    if (driver == nullptr) {
      refuse<BadInput>("E623", "there is no GPU to run on: " + Driver::why_absent(),
                       "run on the virtual device");
    }
  }
  return Executable(std::make_shared<Executable::State>(program, options, driver));
}

Executable compile(const Fusion& fusion, const CompileOptions& options,
                   const std::map<std::string, std::int64_t>& sizes) {
  const Driver* driver = options.driver;
  const Device device =
      driver != nullptr ? gpu_device(driver->calls(), driver->ordinal()) : default_device();
  const PlanChoices plans = kept_plans(fusion, sizes, device);
  return compile(lower_automatically(fusion, sizes, device, plans), options);
}

}  // namespace selvage
