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

// What compiles on a miss: NVRTC, or what a test puts in its place.
struct KernelCompiler {
  // None: there is no compiler, and `compile` throws. The first call of either opens it.
  std::function<std::optional<Toolkit>()> toolkit;
  std::function<CompiledKernels(std::span<const KernelSource>, const NvrtcOptions&)> compile;
  // The program of CompileHelper that compiles the same elsewhere; empty: none.
  std::string helper = {};

  // Without NVRTC, `compile` throws Error (E713), which says where it was looked for.
  static KernelCompiler nvrtc();
};

// Compiled kernels by what they come from: in memory first, then on disk, then compiled. The key is
// the whole text of the kernels in their order, the architecture, every option, the toolkit's
// version and that of this cache. (A toolkit that is patched keeps its version, and its entries.)
// Text that includes a header, and options that name a file, are compiled each time: what stands in
// files is in no key.
//
// NVRTC is opened at the first kernel that is not on disk: until then the toolkit is the one that
// wrote there last, as long as its library is the same file and LD_LIBRARY_PATH the same. Without
// NVRTC an entry that any toolkit has written is used, the one of the toolkit seen last first.
// Neither is ever wrong: an entry is what a toolkit makes of this very text with these options, so
// it computes the same; a driver too old for it refuses to load it, it never runs it wrongly.
//
// Every call may come from any thread. Threads that ask for one key at once share one compilation;
// if it fails, each gets its Error, and the next call tries again.
class CompileCache {
 public:
  using Kernels = std::shared_ptr<const CompiledKernels>;
  // Of kernels, logs and keys together. What goes past it is dropped from memory, longest unused
  // first; who holds it keeps it.
  static constexpr std::uint64_t kDefaultMemoryBound = std::uint64_t{64} << 20;

  // The disk cache outlives this one.
  explicit CompileCache(DiskCache& disk, KernelCompiler compiler = KernelCompiler::nvrtc(),
                        std::uint64_t memory_bound = kDefaultMemoryBound);
  // With DiskCache::instance().
  static CompileCache& instance();

  // Throws Error: E704 as Nvrtc::compile does, E713 where there is no NVRTC.
  Kernels compile(std::span<const KernelSource> sources, const NvrtcOptions& options = {});
  Kernels compile(const KernelSource& source, const NvrtcOptions& options = {});
  // The kernels of each request. Of those that are to be compiled, helper processes take a share
  // where that is faster (compile_helpers_for). Throws the Error of the first request that has one,
  // when all are done.
  std::vector<Kernels> compile(std::span<const CompileRequest> requests);

  // Since the cache was made, but for `held` and `held_bytes`, which are in memory now.
  struct Counts {
    std::uint64_t memory_hits = 0;
    std::uint64_t disk_hits = 0;
    std::uint64_t waits = 0;         // for another thread's compilation
    std::uint64_t compilations = 0;  // also those that failed
    std::uint64_t held = 0;
    std::uint64_t held_bytes = 0;
  };
  Counts counts() const;
  // Drops what is in memory; what is on disk stays.
  void clear_memory();

 private:
  struct Held {
    std::string key;
    Kernels kernels;
    std::uint64_t bytes;
  };
  using Compile = std::function<CompiledKernels()>;
  // Empty for what is not to be kept.
  static std::string key_of(std::span<const KernelSource> sources, const NvrtcOptions& options);
  // Null where it is neither in memory nor on disk.
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
  bool noted_ = false;          // the toolkit, on disk
  bool assumed_known_ = false;  // has the disk been asked for the toolkit?
  std::optional<int> assumed_;
};

// How many helper processes pay for compiling `requests` on this machine's cores.
std::size_t compile_helpers_for(std::size_t requests, std::size_t cores);

}  // namespace selvage
