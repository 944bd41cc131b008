#include <selvage/base/refuse.h>
#include <selvage/runtime/cache_entry.h>
#include <selvage/runtime/compile_cache.h>
#include <selvage/runtime/toolkit_notes.h>
#include <tests/support/child_process.h>
#include <tests/support/refusal.h>
#include <tests/support/temporary_folder.h>
#include <tests/support/text_files.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "kernels.h"

namespace selvage {
namespace {

using namespace test;

KernelSource kernel(int i) { return {"text " + std::to_string(i), "k" + std::to_string(i), {}}; }

// A compiler whose cubin is the text and the toolkit's number, and that counts its calls.
class CompileCacheTest : public testing::Test {
 protected:
  KernelCompiler compiler(std::optional<int> version) {
    const auto toolkit = [this, version]() -> std::optional<Toolkit> {
      ++openings;
      if (!version) return std::nullopt;
      return Toolkit{*version, library};
    };
    return {toolkit,
            [this, version](std::span<const KernelSource> sources, const NvrtcOptions& options) {
              ++compilations;
              if (!version) refuse<Error>("E713", "no compiler", "install one");
              if (fails) refuse<Error>("E704", "it fails", "mend it");
              std::string text = options.arch + std::to_string(*version);
              for (const KernelSource& source : sources) text += source.text;
              CompiledKernels kernels;
              const auto bytes = std::as_bytes(std::span(text));
              kernels.cubin.assign(bytes.begin(), bytes.end());
              kernels.log = "log";
              for (const KernelSource& source : sources) kernels.kernels.push_back({source.name});
              return kernels;
            },
            {}};
  }
  static std::string text_of(const CompileCache::Kernels& kernels) {
    return {reinterpret_cast<const char*>(kernels->cubin.data()), kernels->cubin.size()};
  }

  TemporaryFolder folder;
  DiskCache disk{folder.path()};
  std::string library;  // of the compiler
  std::atomic<int> openings = 0;
  std::atomic<int> compilations = 0;
  std::atomic<bool> fails = false;
};

TEST_F(CompileCacheTest, AKernelIsCompiledOnceThenInMemoryThenOnDisk) {
  CompileCache cache(disk, compiler(13000));
  const auto first = cache.compile(kernel(1));
  EXPECT_EQ(text_of(first), "sm_90a13000text 1");
  EXPECT_EQ(cache.compile(kernel(1)), first);
  cache.clear_memory();
  const auto from_disk = cache.compile(kernel(1));
  EXPECT_EQ(text_of(from_disk), text_of(first));
  EXPECT_EQ(from_disk->log, "log");
  EXPECT_EQ(from_disk->kernel("k1").registers, 0);
  CompileCache next_process(disk, compiler(13000));
  EXPECT_EQ(text_of(next_process.compile(kernel(1))), text_of(first));
  EXPECT_EQ(compilations, 1);
  const auto counts = cache.counts();
  EXPECT_EQ(counts.memory_hits, 1u);
  EXPECT_EQ(counts.disk_hits, 1u);
  EXPECT_EQ(counts.compilations, 1u);
  EXPECT_EQ(counts.held, 1u);
  EXPECT_GT(counts.held_bytes, 17u);
}

TEST_F(CompileCacheTest, EveryPartOfWhatIsCompiledIsInTheKey) {
  CompileCache cache(disk, compiler(13000));
  const KernelSource one = kernel(1), other = kernel(2);
  const std::vector<CompileRequest> different = {
      {{one}},
      {{other}},
      {{one, other}},
      {{other, one}},
      {{{"text 1", "k2", {}}}},
      {{{"text 1k", "1", {}}}},
      {{one}, {.arch = "sm_80"}},
      {{one}, {.fmad = true}},
      {{one}, {.ptx = true}},
      {{one}, {.more = {"--more"}}},
      {{one}, {.more = {"--mo", "re"}}},
      {{one}, {.more = {"--more", ""}}},
      {{}},
  };
  for (int round = 0; round < 3; ++round) {
    for (const CompileRequest& r : different) cache.compile(r.sources, r.options);
    EXPECT_EQ(compilations, std::ssize(different));
    if (round == 1) cache.clear_memory();
  }
  CompileCache other_toolkit(disk, compiler(13001));
  EXPECT_EQ(text_of(other_toolkit.compile(one)), "sm_90a13001text 1");
  EXPECT_EQ(text_of(cache.compile(one)), "sm_90a13000text 1");
}

TEST_F(CompileCacheTest, WhatReadsFilesIsCompiledEachTime) {
  CompileCache cache(disk, compiler(13000));
  std::vector<CompileRequest> requests;
  for (const char* text : {"#include \"x.h\"", "  #  include <x>", "#\\\ninclude <x>",
                           "#\tinclude_next <x>", "#if __has_include(<x>)"}) {
    requests.push_back({{kernel(1), {text, "k", {}}}});
  }
  for (const char* option : {"-I/x", "--include-path=/x", "--pre-include=x.h", "-pch",
                             "--options-file=x", "@x", "-optf=x", "--fdevice-time-trace=x"}) {
    requests.push_back({{kernel(1)}, {.more = {"--maxrregcount=32", option}}});
  }
  int asked = 0;
  for (int round = 0; round < 2; ++round) {
    for (const CompileRequest& r : requests) {
      cache.compile(r.sources, r.options);
      EXPECT_EQ(compilations, ++asked);
    }
    cache.compile(requests);
    asked += static_cast<int>(requests.size());
    EXPECT_EQ(compilations, asked);
  }
  EXPECT_EQ(cache.counts().held, 0u);
  EXPECT_EQ(disk.contents().entries, 0u);
  // These words do no harm elsewhere.
  for (int i = 0; i < 2; ++i) {
    cache.compile({"#define KERNEL\n// it may include no header\n#pragma unroll", "k", {}});
  }
  EXPECT_EQ(compilations, asked + 1);
}

TEST_F(CompileCacheTest, ADamagedEntryIsCompiledAgainAndReplaced) {
  CompileCache(disk, compiler(13000)).compile(kernel(1));
  int damaged = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    std::ofstream(file.path(), std::ios::app) << "x";
    ++damaged;
  }
  EXPECT_EQ(damaged, 2);  // the kernel, and the list of toolkits
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(text_of(CompileCache(disk, compiler(13000)).compile(kernel(1))), "sm_90a13000text 1");
  }
  EXPECT_EQ(compilations, 2);
}

TEST_F(CompileCacheTest, WithoutACompilerTheEntryOfTheToolkitSeenLastIsUsed) {
  CompileCache(disk, compiler(12040)).compile(kernel(1));
  CompileCache(disk, compiler(12040)).compile(kernel(2));
  CompileCache(disk, compiler(13000)).compile(kernel(1));
  CompileCache cache(disk, compiler(std::nullopt));
  EXPECT_EQ(text_of(cache.compile(kernel(1))), "sm_90a13000text 1");
  EXPECT_EQ(text_of(cache.compile(kernel(2))), "sm_90a12040text 2");
  EXPECT_EQ(refusal_by<Error>([&] { cache.compile(kernel(3)); }),
            "selvage: error[E713]: no compiler; help: install one");
  CompileCache(disk, compiler(12040)).compile(kernel(3));
  EXPECT_EQ(text_of(cache.compile(kernel(3))), "sm_90a12040text 3");
}

TEST_F(CompileCacheTest, TheCompilerIsNotOpenedForWhatIsOnDiskWhileItsLibraryIsTheSame) {
  const TemporaryFolder elsewhere;
  library = elsewhere / "libnvrtc.so";
  std::ofstream(library) << "one";
  CompileCache(disk, compiler(13000)).compile(kernel(1));
  openings = 0;
  EXPECT_EQ(text_of(CompileCache(disk, compiler(13000)).compile(kernel(1))), "sm_90a13000text 1");
  EXPECT_EQ(openings, 0);

  // A new toolkit in its place has entries of its own.
  std::ofstream(library) << "a new one";
  EXPECT_EQ(text_of(CompileCache(disk, compiler(13001)).compile(kernel(1))), "sm_90a13001text 1");
  EXPECT_GT(openings, 0);
  // The same where LD_LIBRARY_PATH leads the loader elsewhere.
  const std::string before = state_of(library);
  const char* variable = std::getenv("LD_LIBRARY_PATH");
  const std::string path = variable == nullptr ? "" : variable;
  setenv("LD_LIBRARY_PATH", "/elsewhere", 1);
  EXPECT_NE(state_of(library), before);
  openings = 0;
  CompileCache(disk, compiler(13001)).compile(kernel(1));
  EXPECT_GT(openings, 0);
  variable == nullptr ? unsetenv("LD_LIBRARY_PATH") : setenv("LD_LIBRARY_PATH", path.c_str(), 1);
  EXPECT_EQ(compilations, 2);
}

TEST_F(CompileCacheTest, AToolkitThatIsAssumedAndIsNotThereAnyMoreGivesWayToTheOneThatIs) {
  const TemporaryFolder elsewhere;
  library = elsewhere / "libnvrtc.so";
  std::ofstream(library) << "one";
  CompileCache(disk, compiler(13000)).compile(kernel(1));
  library.clear();  // the loader finds another first; the old file is still there
  CompileCache cache(disk, compiler(12040));
  EXPECT_EQ(text_of(cache.compile(kernel(1))), "sm_90a13000text 1");
  EXPECT_EQ(text_of(cache.compile(kernel(2))), "sm_90a12040text 2");
  cache.clear_memory();
  EXPECT_EQ(text_of(cache.compile(kernel(1))), "sm_90a12040text 1");
  EXPECT_EQ(compilations, 3);
}

TEST_F(CompileCacheTest, WithoutADiskMemoryServes) {
  DiskCache none({});
  CompileCache cache(none, compiler(13000));
  const auto first = cache.compile(kernel(1));
  EXPECT_EQ(cache.compile(kernel(1)), first);
  EXPECT_EQ(compilations, 1);
}

TEST_F(CompileCacheTest, AFailureIsToldAndNotRemembered) {
  CompileCache cache(disk, compiler(13000));
  fails = true;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(refusal_by<Error>([&] { cache.compile(kernel(1)); }),
              "selvage: error[E704]: it fails; help: mend it");
  }
  EXPECT_EQ(disk.contents().entries, 0u);
  fails = false;
  EXPECT_EQ(text_of(cache.compile(kernel(1))), "sm_90a13000text 1");
  EXPECT_EQ(compilations, 3);
}

// Eight threads that ask for one key while it is being compiled.
template <typename Each>
void at_once(CompileCache& cache, std::atomic<bool>& go, const Each& each) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) threads.emplace_back(each);
  // The compiler waits until the seven others wait for it.
  while (cache.counts().waits < 7) std::this_thread::yield();
  go = true;
}

TEST_F(CompileCacheTest, ThreadsThatAskAtOnceShareOneCompilation) {
  std::atomic<bool> go = false;
  KernelCompiler slow = compiler(13000);
  slow.compile = [&, compile = slow.compile](auto sources, const auto& options) {
    while (!go) std::this_thread::yield();
    return compile(sources, options);
  };
  CompileCache cache(disk, slow);
  std::atomic<int> right = 0;
  at_once(cache, go, [&] { right += text_of(cache.compile(kernel(1))) == "sm_90a13000text 1"; });
  EXPECT_EQ(right, 8);
  EXPECT_EQ(compilations, 1);
}

TEST_F(CompileCacheTest, ThreadsThatAskAtOnceAllGetTheError) {
  std::atomic<bool> go = false;
  KernelCompiler slow = compiler(13000);
  slow.compile = [&, compile = slow.compile](auto sources, const auto& options) {
    while (!go) std::this_thread::yield();
    return compile(sources, options);
  };
  fails = true;
  CompileCache cache(disk, slow);
  std::atomic<int> right = 0;
  at_once(cache, go, [&] {
    right += refusal_by<Error>([&] { cache.compile(kernel(1)); }) ==
             "selvage: error[E704]: it fails; help: mend it";
  });
  EXPECT_EQ(right, 8);
  EXPECT_EQ(compilations, 1);
  fails = false;
  EXPECT_EQ(text_of(cache.compile(kernel(1))), "sm_90a13000text 1");
}

TEST_F(CompileCacheTest, MemoryIsBoundedAndWhatIsHeldLives) {
  CompileCache cache(disk, compiler(13000), 2000);
  const auto first = cache.compile(kernel(0));
  for (int i = 1; i < 1000; ++i) {
    cache.compile(kernel(i));
    if (i >= 50) continue;
    EXPECT_EQ(cache.compile(kernel(0)), first) << i;  // used, so it stays
  }
  EXPECT_LE(cache.counts().held_bytes, 2000u);
  EXPECT_GT(cache.counts().held, 2u);
  EXPECT_EQ(text_of(first), "sm_90a13000text 0");
  EXPECT_NE(cache.compile(kernel(0)), first);  // from disk
  EXPECT_EQ(compilations, 1000);
}

TEST_F(CompileCacheTest, AKernelLargerThanTheMemoryIsNotHeld) {
  CompileCache cache(disk, compiler(13000), 10);
  EXPECT_EQ(text_of(cache.compile(kernel(0))), "sm_90a13000text 0");
  EXPECT_EQ(cache.counts().held, 0u);
  EXPECT_EQ(cache.counts().held_bytes, 0u);
}

TEST_F(CompileCacheTest, RequestsTogetherGiveEachItsOwn) {
  CompileCache cache(disk, compiler(13000));
  cache.compile(kernel(3));
  std::vector<CompileRequest> requests;
  for (int i = 0; i < 20; ++i) requests.push_back({{kernel(i % 15)}});
  const auto kernels = cache.compile(requests);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(text_of(kernels[std::size_t(i)]), "sm_90a13000text " + std::to_string(i % 15));
  }
  EXPECT_EQ(compilations, 15);
  EXPECT_TRUE(cache.compile(std::span<const CompileRequest>{}).empty());
}

TEST_F(CompileCacheTest, OfRequestsTogetherTheFirstErrorIsTold) {
  KernelCompiler some = compiler(13000);
  some.compile = [compile = some.compile](auto sources, const auto& options) {
    if (sources[0].name >= "k7") refuse<Error>("E704", sources[0].name + " fails", "mend it");
    return compile(sources, options);
  };
  CompileCache cache(disk, some);
  std::vector<CompileRequest> requests;
  for (int i : {1, 8, 7, 2}) requests.push_back({{kernel(i)}});
  EXPECT_EQ(refusal_by<Error>([&] { cache.compile(requests); }),
            "selvage: error[E704]: k8 fails; help: mend it");
  EXPECT_EQ(compilations, 2);  // what is right is done and kept
}

TEST_F(CompileCacheTest, TwoProcessesCompilingOneKernelBothGetIt) {
  std::vector<pid_t> children;
  for (int child = 0; child < 8; ++child) {
    children.push_back(fork_child([&] {
      for (int i = 0; i < 50; ++i) {
        CompileCache cache(disk, compiler(13000));
        if (text_of(cache.compile(kernel(i))) != "sm_90a13000text " + std::to_string(i)) return 1;
      }
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(disk.contents().entries, 51u);  // and the list of toolkits
}

TEST_F(CompileCacheTest, NvrtcsKernelsComeBackAsTheyWere) {
  if (Nvrtc::instance() == nullptr) GTEST_SKIP() << Nvrtc::why_absent();
  CompileCache cache(disk);
  const auto first = cache.compile(reversal(), {.ptx = true});
  cache.clear_memory();
  const auto second = cache.compile(reversal(), {.ptx = true});
  EXPECT_EQ(cache.counts().disk_hits, 1u);
  EXPECT_EQ(second->cubin, first->cubin);
  EXPECT_EQ(second->ptx, first->ptx);
  EXPECT_EQ(second->log, first->log);
  EXPECT_EQ(second->kernel("reversal").registers, first->kernel("reversal").registers);
  EXPECT_EQ(second->kernel("reversal").shared_bytes, 1024);
  EXPECT_EQ(refusal_by<Error>([&] {
              cache.compile({kHead + "KERNEL(bad)(float* y) {\n  y[0] = wrong;\n}\n", "bad", {}});
            }),
            "bad:5:0: error[E704]: NVRTC refuses the emitted text: identifier \"wrong\" is "
            "undefined; line 5: y[0] = wrong;");
}

TEST(KernelCompilerTest, WithoutNvrtcItSaysWhereItWasLookedFor) {
  if (Nvrtc::instance() != nullptr) GTEST_SKIP() << "NVRTC is there";
  const KernelCompiler none = KernelCompiler::nvrtc();
  EXPECT_FALSE(none.toolkit());
  const KernelSource source = pointwise();
  EXPECT_EQ(
      refusal_by<Error>([&] {
        none.compile({&source, 1}, {});
      }),
      "selvage: error[E713]: there is no NVRTC to compile for the GPU: " + Nvrtc::why_absent() +
          "; help: install the CUDA toolkit's NVRTC where the loader finds it "
          "(LD_LIBRARY_PATH), or run on the virtual device");
}

}  // namespace
}  // namespace selvage
