#include <selvage/runtime/cache_entry.h>
#include <selvage/runtime/disk_cache.h>
#include <tests/support/counts.h>
#include <tests/support/temporary_folder.h>
#include <tests/support/text_files.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <random>

namespace selvage {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Bytes filled(std::size_t size, int with) { return Bytes(size, std::byte(with)); }

class DiskCacheTest : public testing::Test {
 protected:
  DiskCache open(std::uint64_t bound = DiskCache::kDefaultBound) {
    return DiskCache(folder.path(), bound, warn);
  }
  fs::path file_of(const std::string& key) const { return folder / entry_name(key); }
  void write(const fs::path& path, const std::string& text) const {
    fs::remove(path);  // to truncate a file makes some file systems wait for the disk
    std::ofstream(path, std::ios::binary) << text;
  }
  // When the key was used last, in seconds before now.
  void set_age(const fs::path& path, int seconds) const {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
  }
  static bool holds(DiskCache& cache, const std::string& key, const Bytes& payload) {
    const auto got = cache.get(key);
    return got && *got == payload;
  }

  TemporaryFolder folder;
  std::vector<std::string> warnings;
  DiskCache::Warn warn = [this](const Diagnostic& d) { warnings.push_back(to_text(d)); };
};

TEST_F(DiskCacheTest, WhatIsPutIsGotByEveryCacheOfTheFolder) {
  DiskCache cache = open();
  EXPECT_FALSE(cache.get("a key"));
  cache.put("a key", bytes_of("a payload"));
  cache.put("", {});
  EXPECT_TRUE(holds(cache, "a key", bytes_of("a payload")));
  DiskCache other = open();
  EXPECT_TRUE(holds(other, "a key", bytes_of("a payload")));
  EXPECT_TRUE(holds(other, "", {}));
  EXPECT_FALSE(other.get("another key"));
  EXPECT_TRUE(warnings.empty());
}

TEST(DiskCacheWarnings, GoToTheErrorOutputUnlessSomebodyTakesThem) {
  testing::internal::CaptureStderr();
  DiskCache("/proc/no/such/folder").put("key", bytes_of("payload"));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("warning[E711]"), std::string::npos);
}

TEST_F(DiskCacheTest, APutReplacesWhatTheKeyHad) {
  DiskCache cache = open();
  cache.put("key", bytes_of("old"));
  cache.put("key", bytes_of("newer"));
  EXPECT_TRUE(holds(cache, "key", bytes_of("newer")));
  EXPECT_EQ(cache.contents().entries, 1u);
}

TEST_F(DiskCacheTest, FoldersThatAreMissingAreMadeForThisUserAlone) {
  DiskCache cache(folder / "home/.cache/selvage/", DiskCache::kDefaultBound, warn);
  EXPECT_FALSE(cache.get("key"));
  EXPECT_FALSE(fs::exists(folder / "home"));
  cache.put("key", bytes_of("payload"));
  EXPECT_TRUE(holds(cache, "key", bytes_of("payload")));
  for (const char* made : {"home", "home/.cache", "home/.cache/selvage"}) {
    EXPECT_EQ(fs::status(folder / made).permissions(), fs::perms::owner_all) << made;
  }
  EXPECT_EQ(fs::status(folder / "home/.cache/selvage" / entry_name("key")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(DiskCacheTest, AFolderThatIsRemovedIsMadeAgain) {
  DiskCache cache(folder / "cache", DiskCache::kDefaultBound, warn);
  cache.put("key", bytes_of("payload"));
  fs::remove_all(folder / "cache");
  EXPECT_FALSE(cache.get("key"));
  cache.put("key", bytes_of("payload"));
  EXPECT_TRUE(holds(cache, "key", bytes_of("payload")));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(DiskCacheTest, ClearRemovesEntriesAndNothingElse) {
  DiskCache cache = open();
  cache.put("one", bytes_of("1"));
  cache.put("two", bytes_of("2"));
  write(folder / "new-0123456789abcdef", "cut off");
  write(folder / "new-notes", "mine");
  write(folder / "README", "mine");
  cache.clear();
  EXPECT_EQ(cache.contents().entries, 0u);
  EXPECT_FALSE(fs::exists(folder / "new-0123456789abcdef"));
  EXPECT_TRUE(fs::exists(folder / "new-notes"));
  EXPECT_TRUE(fs::exists(folder / "README"));
}

TEST_F(DiskCacheTest, WithoutAFolderNothingIsKept) {
  DiskCache cache({}, DiskCache::kDefaultBound, warn);
  cache.put("key", bytes_of("payload"));
  EXPECT_FALSE(cache.get("key"));
  cache.clear();
  EXPECT_EQ(cache.contents().entries, 0u);
  EXPECT_TRUE(warnings.empty());
}

// Damaged entries.

TEST_F(DiskCacheTest, AnyByteThatIsChangedMakesTheEntryAbsent) {
  DiskCache cache = open();
  const Bytes payload = filled(300, 7);
  cache.put("a key of some length", payload);
  const fs::path path = file_of("a key of some length");
  const std::string whole = contents(path);
  std::mt19937 random(1);
  for (int i = 0; i < count(200, 5000); ++i) {
    std::string damaged = whole;
    char& byte = damaged[random() % damaged.size()];
    byte = static_cast<char>(byte ^ (1 + random() % 255));
    write(path, damaged);
    ASSERT_FALSE(cache.get("a key of some length")) << i;
    cache.put("a key of some length", payload);
    ASSERT_TRUE(holds(cache, "a key of some length", payload)) << i;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    write(path, damaged);
    ASSERT_FALSE(cache.get("a key of some length")) << at;
  }
}

TEST_F(DiskCacheTest, AnEntryThatIsCutOffOrGoesOnIsAbsent) {
  DiskCache cache = open();
  const Bytes payload = filled(300, 7);
  cache.put("key", payload);
  const std::string whole = contents(file_of("key"));
  for (std::size_t size = 0; size < whole.size(); size += size < 60 ? 1 : 7) {
    write(file_of("key"), whole.substr(0, size));
    ASSERT_FALSE(cache.get("key")) << size;
  }
  write(file_of("key"), whole + '\0');
  EXPECT_FALSE(cache.get("key"));
  write(file_of("key"), whole + whole);
  EXPECT_FALSE(cache.get("key"));
  cache.put("key", payload);
  EXPECT_TRUE(holds(cache, "key", payload));
}

TEST_F(DiskCacheTest, AnEntryOfAnotherKeyUnderThisOnesNameIsAbsent) {
  DiskCache cache = open();
  cache.put("their key", bytes_of("theirs"));
  fs::rename(file_of("their key"), file_of("our key"));
  EXPECT_FALSE(cache.get("our key"));
  cache.put("our key", bytes_of("ours"));
  EXPECT_TRUE(holds(cache, "our key", bytes_of("ours")));
}

TEST_F(DiskCacheTest, WhatIsNoRegularFileIsAbsentAndReplaced) {
  DiskCache cache = open();
  const fs::path path = file_of("key");
  const auto mends = [&] {
    EXPECT_FALSE(cache.get("key"));
    cache.put("key", bytes_of("payload"));
    EXPECT_TRUE(holds(cache, "key", bytes_of("payload")));
    fs::remove(path);
  };
  DiskCache elsewhere(folder / "elsewhere", DiskCache::kDefaultBound, warn);
  elsewhere.put("key", bytes_of("of somebody"));
  fs::create_symlink(folder / "elsewhere" / entry_name("key"), path);
  mends();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  mends();
  fs::create_directory(path);
  mends();
  EXPECT_TRUE(holds(elsewhere, "key", bytes_of("of somebody")));
  EXPECT_TRUE(warnings.empty());

  fs::create_directories(path / "full");
  EXPECT_FALSE(cache.get("key"));
  cache.put("key", bytes_of("payload"));
  EXPECT_FALSE(cache.get("key"));
  EXPECT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(fs::exists(path / "full"));
}

TEST_F(DiskCacheTest, AnEntryThatOthersMayHaveWrittenIsAbsentAndReplaced) {
  DiskCache cache = open();
  cache.put("key", bytes_of("payload"));
  for (const mode_t mode : {0620, 0602, 0666}) {
    ASSERT_EQ(chmod(file_of("key").c_str(), mode), 0);
    EXPECT_FALSE(cache.get("key")) << mode;
    cache.put("key", bytes_of("payload"));
    EXPECT_TRUE(holds(cache, "key", bytes_of("payload"))) << mode;
  }
  ASSERT_EQ(chmod(file_of("key").c_str(), 0644), 0);  // to read it is harmless
  EXPECT_TRUE(holds(cache, "key", bytes_of("payload")));
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(chown(file_of("key").c_str(), 12345, getegid()), 0);
  EXPECT_FALSE(cache.get("key"));
  cache.put("key", bytes_of("payload"));
  EXPECT_TRUE(holds(cache, "key", bytes_of("payload")));
}

TEST_F(DiskCacheTest, AnEntryLargerThanTheBoundIsNotRead) {
  DiskCache cache = open();
  cache.put("key", filled(5000, 1));
  ASSERT_EQ(truncate(file_of("key").c_str(), off_t{1} << 40), 0);
  EXPECT_FALSE(cache.get("key"));
}

// Eviction.

TEST_F(DiskCacheTest, WhatWasUsedLongestAgoMakesRoom) {
  const std::uint64_t size = to_entry("0", filled(1000, 0)).size();
  DiskCache cache = open(8 * size);
  for (int i = 0; i < 8; ++i) {
    cache.put(std::to_string(i), filled(1000, i));
    set_age(file_of(std::to_string(i)), 100 - i);
  }
  EXPECT_EQ(cache.contents().entries, 8u);
  EXPECT_TRUE(cache.get("0"));  // used: the oldest no more
  cache.put("8", filled(1000, 8));
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(cache.get(std::to_string(i)).has_value(), i == 0 || i > 3) << i;
  }
  EXPECT_EQ(cache.contents().bytes, 6 * size);
}

TEST_F(DiskCacheTest, TheOrderOfUseIsKeptWithinATickOfTheClock) {
  const std::uint64_t size = to_entry("0", filled(1000, 0)).size();
  DiskCache cache = open(4 * size);
  for (const char* key : {"0", "1", "2", "3"}) cache.put(key, filled(1000, 0));
  for (const char* key : {"2", "0", "3", "1"}) EXPECT_TRUE(cache.get(key));
  cache.put("4", filled(1000, 0));
  EXPECT_FALSE(cache.get("2"));
  EXPECT_FALSE(cache.get("0"));
  for (const char* key : {"3", "1", "4"}) EXPECT_TRUE(cache.get(key)) << key;
}

TEST_F(DiskCacheTest, ADamagedEntryThatIsAskedForIsNotUsed) {
  const std::uint64_t size = to_entry("0", filled(1000, 0)).size();
  DiskCache cache = open(4 * size);
  for (int i = 0; i < 4; ++i) {
    const std::string key = std::to_string(i);
    cache.put(key, filled(1000, i));
    if (i == 0) write(file_of(key), std::string(size, '!'));
    set_age(file_of(key), 100 - i);
  }
  EXPECT_FALSE(cache.get("0"));
  cache.put("4", filled(1000, 4));
  EXPECT_FALSE(fs::exists(file_of("0")));
}

TEST_F(DiskCacheTest, WhatIsLargerThanTheBoundIsNotKept) {
  const std::uint64_t bound = to_entry("key", filled(1000, 0)).size();
  DiskCache cache = open(bound);
  cache.put("key", filled(1000, 1));
  cache.put("yek", filled(1001, 1));
  EXPECT_TRUE(holds(cache, "key", filled(1000, 1)));
  cache.put("yek", filled(1000, 1));  // and one as large as the bound is, beside nothing else
  EXPECT_TRUE(holds(cache, "yek", filled(1000, 1)));
  EXPECT_EQ(cache.contents().entries, 1u);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(DiskCacheTest, AThousandEntriesKeepTheBound) {
  DiskCache cache = open(100'000);
  std::uint64_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    cache.put("entry " + std::to_string(i), filled(200 + i, i % 251));
    most = std::max(most, cache.contents().bytes);
  }
  EXPECT_LE(most, 100'000u);
  EXPECT_GT(most, 90'000u);
  EXPECT_TRUE(holds(cache, "entry 999", filled(1199, 999 % 251)));
  EXPECT_FALSE(cache.get("entry 0"));
}

TEST_F(DiskCacheTest, WhatADeadProcessLeftHalfWrittenIsRemovedAndWhatIsBeingWrittenIsNot) {
  write(folder / "new-0123456789abcdef", "cut off");
  write(folder / "new-fedcba9876543210", "being written");
  set_age(folder / "new-0123456789abcdef", 3600);
  DiskCache cache = open();
  cache.put("key", bytes_of("payload"));
  EXPECT_FALSE(fs::exists(folder / "new-0123456789abcdef"));
  EXPECT_TRUE(fs::exists(folder / "new-fedcba9876543210"));
}

// A listing would remove what a dead process left.
TEST_F(DiskCacheTest, TheFolderIsNotListedAtEveryPut) {
  const fs::path stale = folder / "new-0123456789abcdef";
  DiskCache cache = open(100'000);
  cache.put("first", filled(1000, 0));
  for (int round = 0; round < 3; ++round) {
    write(stale, "cut off");
    set_age(stale, 3600);
    for (int i = 0; i < 5; ++i) cache.put(std::to_string(i), filled(1000, i));
    EXPECT_TRUE(fs::exists(stale)) << round;
    cache.put("last", filled(10'000, 0));
    EXPECT_FALSE(fs::exists(stale)) << round;
  }
}

// Where it is and how large.

class DiskCacheSettings : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kNames) {
      const char* value = std::getenv(name);
      before.emplace_back(name,
                          value == nullptr ? std::nullopt : std::optional<std::string>(value));
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (const auto& [name, value] : before) {
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
  }
  static constexpr const char* kNames[] = {"SELVAGE_CACHE_DIR", "SELVAGE_CACHE_BYTES",
                                           "XDG_CACHE_HOME", "HOME"};
  std::vector<std::pair<std::string, std::optional<std::string>>> before;
};

TEST_F(DiskCacheSettings, TheFolderIsTheFirstThatTheEnvironmentNames) {
  EXPECT_EQ(disk_cache_folder(), "");
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(disk_cache_folder(), "/home/me/.cache/selvage");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(disk_cache_folder(), "/home/me/.cache/selvage");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(disk_cache_folder(), "/xdg/selvage");
  setenv("SELVAGE_CACHE_DIR", "/mine", 1);
  EXPECT_EQ(disk_cache_folder(), "/mine");
  setenv("SELVAGE_CACHE_DIR", "mine", 1);
  EXPECT_EQ(disk_cache_folder(), fs::current_path() / "mine");
  setenv("SELVAGE_CACHE_DIR", "", 1);
  EXPECT_EQ(disk_cache_folder(), "");
}

TEST_F(DiskCacheSettings, TheBoundIsANumberOfBytes) {
  std::vector<std::string> warnings;
  const auto warn = [&](const Diagnostic& d) { warnings.push_back(to_text(d)); };
  EXPECT_EQ(disk_cache_bound(warn), 268'435'456u);
  setenv("SELVAGE_CACHE_BYTES", "1000000", 1);
  EXPECT_EQ(disk_cache_bound(warn), 1'000'000u);
  setenv("SELVAGE_CACHE_BYTES", "0", 1);
  EXPECT_EQ(disk_cache_bound(warn), 0u);
  EXPECT_TRUE(warnings.empty());
  for (const char* wrong : {"1G", "-1", " 1", "99999999999999999999"}) {
    setenv("SELVAGE_CACHE_BYTES", wrong, 1);
    EXPECT_EQ(disk_cache_bound(warn), 268'435'456u) << wrong;
    EXPECT_EQ(warnings.back(),
              "selvage: warning[E712]: SELVAGE_CACHE_BYTES is no number of bytes: '" +
                  std::string(wrong) + "'; help: write digits alone; 268435456 is taken");
  }
}

TEST(DiskCacheOfTests, IsNotTheUsersOwn) { EXPECT_EQ(disk_cache_folder(), ""); }

}  // namespace
}  // namespace selvage
