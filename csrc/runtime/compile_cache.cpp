#include <selvage/base/refuse.h>
#include <selvage/runtime/compile_cache.h>
#include <selvage/runtime/compile_helper.h>
#include <selvage/runtime/packed_kernels.h>

#include <algorithm>
#include <utility>

namespace selvage {

namespace {

// Of what the key covers and of how kernels are packed: a new one makes all older entries absent.
constexpr std::uint64_t kCacheVersion = 1;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string disk_key(int toolkit, std::string_view rest) {
  Packer head;
  head.put("kernels", kCacheVersion, toolkit);
  return std::string(text_of(head.take())).append(rest);
}

// #include, # include, #include_next
bool includes(std::string_view text) {
  for (auto at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    const auto word = text.find_first_not_of(" \t\\\r\n", at + 1);
    if (word != text.npos && text.substr(word).starts_with("include")) return true;
  }
  return text.find("__has_include") != text.npos;
}

// Options that name files: headers, precompiled ones, files of options, traces.
bool names_file(std::string_view option) {
  if (option.starts_with("-I") || option.starts_with('@')) return true;
  for (const char* word : {"include", "pch", "file", "-optf", "trace"}) {
    if (option.find(word) != option.npos) return true;
  }
  return false;
}

std::uint64_t bytes_of(const std::string& key, const CompiledKernels& kernels) {
  std::uint64_t bytes = sizeof(CompiledKernels) + key.size() + kernels.cubin.size() +
                        kernels.ptx.size() + kernels.log.size();
  for (const KernelResources& used : kernels.kernels) bytes += sizeof used + used.name.size();
  return bytes;
}

std::optional<Toolkit> toolkit_of_nvrtc() {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) return std::nullopt;
  return Toolkit{nvrtc->version(), nvrtc->library()};
}

CompiledKernels compile_by_nvrtc(std::span<const KernelSource> sources,
                                 const NvrtcOptions& options) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) {
    refuse<Error>("E713", "there is no NVRTC to compile for the GPU: " + Nvrtc::why_absent(),
                  "install the CUDA toolkit's NVRTC where the loader finds it (LD_LIBRARY_PATH), "
                  "or run on the virtual device");
  }
  return nvrtc->compile(sources, options);
}

}  // namespace

KernelCompiler KernelCompiler::nvrtc() {
  return {toolkit_of_nvrtc, compile_by_nvrtc, CompileHelper::path()};
}

// The key in memory; on disk the toolkit comes before it. Every part behind its length, so that no
// two lists of parts are alike; the parameter types are left out, nothing is compiled from them.
std::string CompileCache::key_of(std::span<const KernelSource> sources,
                                 const NvrtcOptions& options) {
  if (std::ranges::any_of(options.more, names_file)) return {};
  for (const KernelSource& source : sources) {
    if (includes(source.text)) return {};
  }
  Packer key;
  key.put(options, sources.size());
  for (const KernelSource& source : sources) key.put(source.name, source.text);
  return std::string(text_of(key.take()));
}

CompileCache::CompileCache(DiskCache& disk, KernelCompiler compiler, std::uint64_t memory_bound)
    : disk_(disk), compiler_(std::move(compiler)), memory_bound_(memory_bound) {}

CompileCache& CompileCache::instance() {
  // Never freed: kernels may be compiled while the process ends.
  static CompileCache& cache = *new CompileCache(DiskCache::instance());
  return cache;
}

CompileCache::Kernels CompileCache::compile(const KernelSource& source,
                                            const NvrtcOptions& options) {
  return compile({&source, 1}, options);
}

CompileCache::Kernels CompileCache::compile(std::span<const KernelSource> sources,
                                            const NvrtcOptions& options) {
  return find_or(key_of(sources, options), [&] { return compiler_.compile(sources, options); });
}

CompileCache::Kernels CompileCache::find(const std::string& key) {
  if (key.empty()) return nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (Kernels found = find_in_memory(key)) return found;
  }
  Kernels found = find_on_disk(key);
  if (found) {
    const std::lock_guard lock(mutex_);
    hold(key, found);
  }
  return found;
}

CompileCache::Kernels CompileCache::find_or(const std::string& key, const Compile& compile) {
  if (key.empty()) return counted(compile);
  std::promise<Kernels> promise;
  {
    std::unique_lock lock(mutex_);
    if (Kernels found = find_in_memory(key)) return found;
    if (const auto at = under_way_.find(key); at != under_way_.end()) {
      const std::shared_future<Kernels> future = at->second;
      ++counts_.waits;
      lock.unlock();
      return future.get();
    }
    under_way_.emplace(key, promise.get_future().share());
  }
  try {
    Kernels kernels = find_on_disk_or(key, compile);
    {
      const std::lock_guard lock(mutex_);
      hold(key, kernels);
      under_way_.erase(key);
    }
    promise.set_value(kernels);
    return kernels;
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      under_way_.erase(key);
    }
    promise.set_exception(std::current_exception());
    throw;
  }
}

CompileCache::Kernels CompileCache::find_on_disk_or(const std::string& key,
                                                    const Compile& compile) {
  if (Kernels found = find_on_disk(key)) return found;
  Kernels kernels = counted(compile);
  if (const auto toolkit = compiler_.toolkit()) {
    disk_.put(disk_key(toolkit->version, key), packed(*kernels));
    note(*toolkit);
  }
  return kernels;
}

CompileCache::Kernels CompileCache::counted(const Compile& compile) {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.compilations;
  }
  return std::make_shared<const CompiledKernels>(compile());
}

CompileCache::Kernels CompileCache::find_on_disk(const std::string& key) {
  const std::optional<int> assumed = assumed_toolkit();
  if (assumed) {
    if (Kernels found = read(*assumed, key)) return found;
  }
  if (const auto toolkit = compiler_.toolkit()) {
    if (toolkit->version == assumed) return nullptr;
    Kernels found = read(toolkit->version, key);
    if (found) note(*toolkit);
    return found;
  }
  for (const ToolkitNote& note : toolkits_on(disk_)) {
    if (Kernels found = read(note.toolkit.version, key)) return found;
  }
  return nullptr;
}

CompileCache::Kernels CompileCache::read(int toolkit, const std::string& key) {
  const auto bytes = disk_.get(disk_key(toolkit, key));
  if (!bytes) return nullptr;
  auto kernels = unpacked<CompiledKernels>(*bytes);
  if (!kernels) return nullptr;
  const std::lock_guard lock(mutex_);
  ++counts_.disk_hits;
  return std::make_shared<const CompiledKernels>(std::move(*kernels));
}

// The version that NVRTC has, most likely, while it is not open.
std::optional<int> CompileCache::assumed_toolkit() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(assumed_known_, true)) return assumed_;
  for (const ToolkitNote& note : toolkits_on(disk_)) {
    if (note.state.empty() || note.state != state_of(note.toolkit.library)) continue;
    assumed_ = note.toolkit.version;
    break;
  }
  return assumed_;
}

void CompileCache::note(const Toolkit& toolkit) {
  {
    const std::lock_guard lock(mutex_);
    assumed_ = toolkit.version;  // known by now
    if (std::exchange(noted_, true)) return;
  }
  note_toolkit(disk_, toolkit);
}

CompileCache::Kernels CompileCache::find_in_memory(const std::string& key) {
  const auto at = by_key_.find(key);
  if (at == by_key_.end()) return nullptr;
  held_.splice(held_.begin(), held_, at->second);
  ++counts_.memory_hits;
  return at->second->kernels;
}

void CompileCache::hold(const std::string& key, const Kernels& kernels) {
  if (by_key_.contains(key)) return;
  held_.push_front({key, kernels, bytes_of(key, *kernels)});
  by_key_.emplace(held_.front().key, held_.begin());
  counts_.held_bytes += held_.front().bytes;
  while (counts_.held_bytes > memory_bound_) {
    counts_.held_bytes -= held_.back().bytes;
    by_key_.erase(held_.back().key);
    held_.pop_back();
  }
}

CompileCache::Counts CompileCache::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  counts.held = held_.size();
  return counts;
}

void CompileCache::clear_memory() {
  const std::lock_guard lock(mutex_);
  by_key_.clear();
  held_.clear();
  counts_.held_bytes = 0;
}

}  // namespace selvage
