#pragma once

#include <selvage/runtime/disk_cache.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/runtime/toolkit_notes.h>

#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace selvage {

// The compiler to call on a miss: NVRTC, or a test's replacement.
struct KernelCompiler {
  // nullopt: there is no compiler, and `compile` throws. The first call of either opens it.
  std::function<std::optional<Toolkit>()> toolkit;
  std::function<CompiledKernels(std::span<const KernelSource>, const NvrtcOptions&)> compile;
  // The program of CompileHelper that compiles the same in another process; empty: none.
  std::string helper = {};

  // Without NVRTC, `compile` throws Error (E713), which lists the places that were searched.
  static KernelCompiler nvrtc();
};

// A cache of compiled kernels by their sources: looks in memory, then on disk, then compiles. The
// key is the whole text of the kernels in their order, the architecture, every option, the version
// of the toolkit and that of this cache. (A toolkit that is patched keeps its version, and so its
// entries.) Text that includes a header, and options that name a file, are compiled each time,
// since no key has the contents of files.
//
// NVRTC is opened at the first kernel that is not on disk. Until then the toolkit is taken to be
// the one that wrote there last, if its library is still the same file and LD_LIBRARY_PATH the
// same. Without NVRTC an entry of any toolkit is used, the toolkit seen last first. Both are
// correct: an entry is a toolkit's result for this very text with these options, so it computes the
// same; a driver too old for it refuses to load it, and never runs it wrongly.
//
// Any thread may make any call. Threads that need one key at the same time share one compilation;
// if it fails, each gets its Error, and the next call tries again.
class CompileCache {
 public:
  using Kernels = std::shared_ptr<const CompiledKernels>;
  // Bytes of kernels, logs and keys together. Past this, entries are dropped from memory, longest
  // unused first; a caller's shared_ptr stays valid.
  static constexpr std::uint64_t kDefaultMemoryBound = std::uint64_t{64} << 20;

  // The disk cache outlives this one.
  explicit CompileCache(DiskCache& disk, KernelCompiler compiler = KernelCompiler::nvrtc(),
                        std::uint64_t memory_bound = kDefaultMemoryBound);
  // With DiskCache::instance().
  static CompileCache& instance();

  // Throws Error: E704 as Nvrtc::compile does, E713 if there is no NVRTC.
  Kernels compile(std::span<const KernelSource> sources, const NvrtcOptions& options = {});
  Kernels compile(const KernelSource& source, const NvrtcOptions& options = {});
  // The kernels of each request. Helper processes compile a share of them where that is faster
  // (compile_helpers_for). When all are done, throws the Error of the first request that failed.
  std::vector<Kernels> compile(std::span<const CompileRequest> requests);

  // Counts since the cache was made; `held` and `held_bytes`: in memory now.
  struct Counts {
    std::uint64_t memory_hits = 0;
    std::uint64_t disk_hits = 0;
    std::uint64_t waits = 0;         // for another thread's compilation
    std::uint64_t compilations = 0;  // also those that failed
    std::uint64_t held = 0;
    std::uint64_t held_bytes = 0;
  };
  Counts counts() const;
  // Drops the entries in memory; those on disk stay.
  void clear_memory();

 private:
  struct Held {
    std::string key;
    Kernels kernels;
    std::uint64_t bytes;
  };
  using Compile = std::function<CompiledKernels()>;
  // Empty for sources that must not be kept.
  static std::string key_of(std::span<const KernelSource> sources, const NvrtcOptions& options);
  // Null if the key is neither in memory nor on disk.
  Kernels find(const std::string& key);
  Kernels find_in_memory(const std::string& key);
  void hold(const std::string& key, const Kernels& kernels);
  Kernels find_or(const std::string& key, const Compile& compile);
  Kernels find_on_disk_or(const std::string& key, const Compile& compile);
  Kernels counted(const Compile& compile);
  Kernels find_on_disk(const std::string& key);
  Kernels read(int toolkit, const std::string& key);
  std::optional<int> assumed_toolkit();
  void note(const Toolkit& toolkit);

  DiskCache& disk_;
  KernelCompiler compiler_;
  std::uint64_t memory_bound_;
  mutable std::mutex mutex_;  // over what follows
  std::list<Held> held_;      // used last first
  std::unordered_map<std::string_view, std::list<Held>::iterator> by_key_;
  std::unordered_map<std::string, std::shared_future<Kernels>> under_way_;
  Counts counts_;
  bool noted_ = false;          // the toolkit is noted on disk
  bool assumed_known_ = false;  // `assumed_` has been looked up on disk
  std::optional<int> assumed_;
};

// The number of helper processes worth starting for `requests` requests on `cores` cores.
std::size_t compile_helpers_for(std::size_t requests, std::size_t cores);

}  // namespace selvage
