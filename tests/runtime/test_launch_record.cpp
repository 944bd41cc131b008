#include <selvage/runtime/launch_record.h>

#include <gtest/gtest.h>

#include <thread>

namespace selvage {
namespace {

const void* stream(std::uintptr_t n) {
  return reinterpret_cast<const void*>(0x7F0000000000 + n * 64);
}

std::string text(const std::vector<const std::string*>& names) {
  std::string text;
  for (const std::string* name : names) text += *name + " ";
  return text;
}

const std::string kNames[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

TEST(LaunchRecord, NamesTheLastOfAllStreamsInTheOrderOfTheirLaunches) {
  LaunchRecord record;
  for (std::size_t i = 0; i < 10; ++i) record.launched(stream(i % 3), &kNames[i]);
  EXPECT_EQ(text(record.pending()), "j i h g f e d c ");
  record.finished(stream(0), record.mark());
  EXPECT_EQ(text(record.pending()), "i h f e c b ");
  record.all_finished(record.mark());
  EXPECT_EQ(text(record.pending()), "");
}

TEST(LaunchRecord, WhatCameAfterTheMarkIsNotKnownToHaveFinished) {
  LaunchRecord record;
  record.launched(stream(1), &kNames[0]);
  const auto mark = record.mark();
  record.launched(stream(1), &kNames[1]);
  record.finished(stream(1), mark);
  EXPECT_EQ(text(record.pending()), "b ");
  record.forget(stream(1), mark);
  EXPECT_EQ(text(record.pending()), "");
}

// A name that was taken is one of those that were given; streams that share a row stay apart.
TEST(LaunchRecord, ManyThreadsAndStreamsKeepTheirOwnNames) {
  LaunchRecord record;
  std::vector<std::thread> threads;
  for (std::uintptr_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20'000; ++i) {
        record.launched(stream(t), &kNames[t]);
        if (i % 64 == 0) record.finished(stream(t), record.mark());
        if (i % 1024 == 0) {
          for (const std::string* name : record.pending()) ASSERT_LE(*name, "d");
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (std::uintptr_t t = 0; t < 4; ++t) {
    for (const std::string* name : record.pending(stream(t), 0)) EXPECT_EQ(*name, kNames[t]);
    record.finished(stream(t), record.mark());
  }
  EXPECT_EQ(text(record.pending()), "");
}

}  // namespace
}  // namespace selvage
