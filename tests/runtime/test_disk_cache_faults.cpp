// What the machine does to a disk cache: processes at once, killed, without room or rights.
#include <selvage/runtime/cache_entry.h>
#include <selvage/runtime/disk_cache.h>
#include <tests/support/child_process.h>
#include <tests/support/counts.h>
#include <tests/support/temporary_folder.h>

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

namespace selvage {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

std::string key_of(unsigned i) { return "key " + std::to_string(i); }

// A payload that tells its key, of a size that varies.
Bytes payload_for(unsigned i) {
  Bytes bytes(500 + i * 37 % 3000);
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = std::byte((i + k) & 0xff);
  return bytes;
}

// Gets and puts at random, and finds nothing but what was put.
int use(DiskCache& cache, unsigned seed, int rounds, unsigned keys) {
  std::mt19937 random(seed);
  for (int r = 0; r < rounds; ++r) {
    const unsigned i = random() % keys;
    const auto got = cache.get(key_of(i));
    if (got && *got != payload_for(i)) return 1;
    if (!got) cache.put(key_of(i), payload_for(i));
  }
  return 0;
}

TEST(DiskCacheAtOnce, EightProcessesThatEvictNeverReadWhatNobodyPut) {
  const TemporaryFolder folder;
  std::vector<pid_t> children;
  for (unsigned child = 0; child < 8; ++child) {
    children.push_back(fork_child([&] {
      int warnings = 0;
      DiskCache cache(folder / "cache", 60'000, [&](const Diagnostic&) { ++warnings; });
      const int wrong = use(cache, child, count(400, 4000), 100);
      return warnings > 0 ? 2 : wrong;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  DiskCache cache(folder / "cache", 60'000);
  EXPECT_LE(cache.contents().bytes, 60'000u);
  EXPECT_GT(cache.contents().entries, 10u);
}

TEST(DiskCacheAtOnce, EightThreadsShareOneCache) {
  const TemporaryFolder folder;
  DiskCache cache(folder.path(), 60'000);
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] { wrong += use(cache, t, count(200, 2000), 100); });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(cache.contents().bytes, 60'000u);
}

TEST(DiskCacheAtOnce, WhatIsRemovedWhileItIsCountedIsNotCounted) {
  const TemporaryFolder folder;
  const auto key = [](int i) { return "key " + std::to_string(100 + i); };
  const Bytes payload(100);
  const std::uint64_t size = to_entry(key(0), payload).size();
  const std::jthread other([&](const std::stop_token& stop) {
    DiskCache cache(folder.path());
    while (!stop.stop_requested()) {
      for (int i = 0; i < 100; ++i) cache.put(key(i), payload);
      cache.clear();
    }
  });
  DiskCache cache(folder.path());
  for (int round = 0; round < count(1000, 10'000); ++round) {
    const DiskCache::Contents all = cache.contents();
    ASSERT_EQ(all.bytes, all.entries * size) << round;
  }
}

TEST(DiskCacheAtOnce, AWriterKilledAtAnyMomentLeavesWholeEntries) {
  const TemporaryFolder folder;
  std::mt19937 random(5);
  for (int round = 0; round < count(30, 300); ++round) {
    const pid_t writer = fork_child([&] {
      DiskCache cache(folder.path(), 60'000);
      for (unsigned i = 0;; ++i) cache.put(key_of(i % 100), payload_for(i % 100));
      return 0;
    });
    usleep(static_cast<useconds_t>(200 + random() % 3000));
    kill(writer, SIGKILL);
    ASSERT_EQ(wait_for(writer), 1000 + SIGKILL);
    DiskCache cache(folder.path(), 60'000);
    for (unsigned i = 0; i < 100; ++i) {
      // An entry is there and right, or not there at all, as its file is.
      const bool there = fs::exists(folder / entry_name(key_of(i)));
      const auto got = cache.get(key_of(i));
      ASSERT_EQ(got.has_value(), there) << round;
      if (got) {
        ASSERT_EQ(*got, payload_for(i)) << round;
      }
    }
  }
  DiskCache cache(folder.path(), 60'000);
  ASSERT_EQ(use(cache, 1, 300, 100), 0);
  EXPECT_GT(cache.contents().entries, 10u);
}

// A cache that warns, and goes on.
class UnusableFolder : public testing::Test {
 protected:
  // Two puts and two gets find nothing and warn once.
  std::string warning() {
    std::vector<std::string> warnings;
    DiskCache cache(cache_folder, DiskCache::kDefaultBound,
                    [&](const Diagnostic& d) { warnings.push_back(to_text(d)); });
    for (unsigned i = 0; i < 2; ++i) {
      cache.put(key_of(i), payload_for(i));
      EXPECT_FALSE(cache.get(key_of(i)));
    }
    EXPECT_EQ(warnings.size(), 1u);
    return warnings.empty() ? "" : warnings.front();
  }
  std::string text(const std::string& why, const std::string& help) const {
    return cache_folder.string() +
           ": warning[E711]: compiled kernels are not kept on disk: " + why + "; help: " + help +
           "; SELVAGE_CACHE_DIR names another folder, or none when it is empty";
  }
  bool works() {
    int warnings = 0;
    DiskCache cache(cache_folder, DiskCache::kDefaultBound, [&](const Diagnostic&) { ++warnings; });
    cache.put("key", payload_for(1));
    return cache.get("key") == payload_for(1) && warnings == 0;
  }

  TemporaryFolder folder;
  fs::path cache_folder = folder / "cache";
};

TEST_F(UnusableFolder, OneThatOthersCanWriteIsRefusedUntilTheyCannot) {
  fs::create_directory(cache_folder);
  for (const mode_t mode : {0770, 0707, 01777}) {
    ASSERT_EQ(chmod(cache_folder.c_str(), mode), 0);
    EXPECT_EQ(warning(),
              text("others can write in this folder", "chmod go-w " + cache_folder.string()));
  }
  EXPECT_EQ(std::system(("chmod go-w " + cache_folder.string()).c_str()), 0);
  EXPECT_TRUE(works());
}

TEST_F(UnusableFolder, AnEntryInAFolderThatOthersCanWriteIsNotTaken) {
  ASSERT_TRUE(works());
  ASSERT_EQ(chmod(cache_folder.c_str(), 0777), 0);
  DiskCache cache(cache_folder, DiskCache::kDefaultBound, nullptr);
  EXPECT_FALSE(cache.get("key"));
  EXPECT_EQ(cache.contents().entries, 0u);
}

TEST_F(UnusableFolder, AFileOrALinkInItsPlaceIsRefusedUntilThereIsAFolder) {
  const std::string wanted =
      text("this is no folder, or a link to one", "put a folder in its place");
  std::ofstream(cache_folder) << "a file";
  EXPECT_EQ(warning(), wanted);
  fs::remove(cache_folder);
  fs::create_directory(folder / "target");
  fs::create_symlink(folder / "target", cache_folder);
  EXPECT_EQ(warning(), wanted);
  EXPECT_TRUE(fs::is_empty(folder / "target"));
  fs::remove(cache_folder);
  fs::create_directory(cache_folder);
  ASSERT_EQ(chmod(cache_folder.c_str(), 0755), 0);
  EXPECT_TRUE(works());
}

TEST_F(UnusableFolder, AFileAboveItIsRefused) {
  std::ofstream(folder / "file") << "a file";
  cache_folder = folder / "file/cache";
  EXPECT_EQ(warning(),
            text((folder / "file").string() + " is no folder", "put a folder in its place"));
}

TEST_F(UnusableFolder, OneOfAnotherUserIsRefusedUntilItIsOnesOwn) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives folders away";
  fs::create_directory(cache_folder);
  ASSERT_EQ(chmod(cache_folder.c_str(), 0700), 0);
  ASSERT_EQ(chown(cache_folder.c_str(), 12345, getegid()), 0);
  EXPECT_EQ(warning(), text("this folder belongs to another user", "make one of your own"));
  ASSERT_EQ(chown(cache_folder.c_str(), geteuid(), getegid()), 0);
  EXPECT_TRUE(works());
}

TEST_F(UnusableFolder, OneWithoutTheRightToWriteIsReadAndNotWritten) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  ASSERT_TRUE(works());
  ASSERT_EQ(chmod(cache_folder.c_str(), 0500), 0);
  DiskCache cache(cache_folder, DiskCache::kDefaultBound, nullptr);
  EXPECT_TRUE(cache.get("key"));
  EXPECT_EQ(warning(),
            text("Permission denied", "make room on its disk, and see that you can write in it"));
  ASSERT_EQ(chmod(cache_folder.c_str(), 0700), 0);
  EXPECT_TRUE(works());
}

TEST_F(UnusableFolder, AFileLargerThanThisProcessMayWriteIsNotWrittenAndEndsNothing) {
  const int status = wait_for(fork_child([&] {
    const struct rlimit limit = {300, RLIM_INFINITY};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    if (warning() !=
        text("File too large", "make room on its disk, and see that you can write in it")) {
      return 3;
    }
    DiskCache cache(cache_folder);
    cache.put("small", Bytes(100));
    return cache.get("small") ? 0 : 4;
  }));
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(works());
}

// In a child with mounts of its own.
int on_small_disk(const fs::path& folder, const auto& body) {
  fs::create_directory(folder);
  return wait_for(fork_child([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", "", MS_REC | MS_PRIVATE, nullptr) != 0) {
      return 77;
    }
    if (mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=64k,mode=700") != 0) return 77;
    return body();
  }));
}

TEST_F(UnusableFolder, AFullDiskKeepsWhatIsThereAndNoHalfEntries) {
  const int status = on_small_disk(cache_folder, [&] {
    int warnings = 0;
    std::string text_of_warning;
    DiskCache cache(cache_folder, DiskCache::kDefaultBound, [&](const Diagnostic& d) {
      ++warnings;
      text_of_warning = to_text(d);
    });
    for (unsigned i = 0; i < 100; ++i) cache.put(key_of(i), Bytes(3000, std::byte(i)));
    if (warnings != 1) return 2;
    if (text_of_warning != text("No space left on device",
                                "make room on its disk, and see that you can write in it")) {
      return 3;
    }
    unsigned found = 0;
    for (unsigned i = 0; i < 100; ++i) {
      if (const auto got = cache.get(key_of(i))) {
        ++found;
        if (*got != Bytes(3000, std::byte(i))) return 4;
      }
    }
    std::size_t files = 0;
    for (const auto& file : fs::directory_iterator(cache_folder)) files += file.is_regular_file();
    if (found < 5 || found > 20 || files != found) return 5;
    cache.clear();
    cache.put("key", payload_for(1));
    return cache.get("key") ? 0 : 6;
  });
  if (status == 77) GTEST_SKIP() << "no right to mount a small disk";
  EXPECT_EQ(status, 0);
}

TEST_F(UnusableFolder, AReadOnlyDiskIsReadAndNotWritten) {
  const int status = on_small_disk(cache_folder, [&] {
    if (!works()) return 2;
    if (mount("", cache_folder.c_str(), "", MS_REMOUNT | MS_RDONLY, nullptr) != 0) return 77;
    DiskCache cache(cache_folder);
    if (!cache.get("key")) return 3;
    const std::string wanted =
        text("Read-only file system", "make room on its disk, and see that you can write in it");
    return warning() == wanted ? 0 : 4;
  });
  if (status == 77) GTEST_SKIP() << "no right to mount a disk";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace selvage
