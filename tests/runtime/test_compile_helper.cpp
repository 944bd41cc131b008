#include <selvage/runtime/compile_cache.h>
#include <selvage/runtime/compile_helper.h>
#include <selvage/runtime/message.h>
#include <tests/support/refusal.h>
#include <tests/support/temporary_folder.h>
#include <tests/support/text_files.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <fstream>
#include <thread>

#include "kernels.h"

namespace selvage {
namespace {

using namespace test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

CompileRequest request(int i) {
  KernelSource source = pointwise();
  const std::string name = "kernel_" + std::to_string(i);
  source.text.replace(source.text.find("(pointwise)"), 11, "(" + name + ")");
  source.text.replace(source.text.find("0.5f"), 4, std::to_string(i) + ".5f");
  source.name = name;
  return {{source}};
}

int open_descriptors() {
  return static_cast<int>(
      std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

// A child that has ended and was not waited for would be found.
bool has_children() { return waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

class CompileHelperTest : public testing::Test {
 protected:
  void SetUp() override { descriptors = open_descriptors(); }
  void TearDown() override {
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_FALSE(has_children());
  }
  // A program that does this instead of compiling.
  std::string script(const std::string& text) const {
    const fs::path path = folder / "helper";
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  TemporaryFolder folder;
  int descriptors = 0;
};

class CompileHelperWithNvrtc : public CompileHelperTest {
 protected:
  void SetUp() override {
    CompileHelperTest::SetUp();
    if (nvrtc == nullptr) GTEST_SKIP() << Nvrtc::why_absent();
    if (CompileHelper::path().empty()) GTEST_SKIP() << "selvage_compile is not built";
    nvrtc->compile(request(0).sources);  // opens descriptors for good, if any
    CompileHelperTest::SetUp();
  }
  const Nvrtc* nvrtc = Nvrtc::instance();
};

TEST_F(CompileHelperWithNvrtc, ItCompilesAsThisProcessDoes) {
  const auto helper = CompileHelper::start(CompileHelper::path());
  ASSERT_TRUE(helper);
  for (int i = 0; i < 3; ++i) {
    const auto theirs = helper->compile(request(i), nvrtc->version());
    ASSERT_TRUE(theirs) << i;
    const CompiledKernels ours = nvrtc->compile(request(i).sources);
    EXPECT_EQ(theirs->cubin, ours.cubin);
    EXPECT_EQ(theirs->kernels.at(0).registers, ours.kernels.at(0).registers);
  }
}

TEST_F(CompileHelperWithNvrtc, WhatItRefusesDoesNotEndIt) {
  const auto helper = CompileHelper::start(CompileHelper::path());
  CompileRequest wrong = request(1);
  wrong.sources[0].text += "wrong";
  EXPECT_FALSE(helper->compile(wrong, nvrtc->version()));
  EXPECT_TRUE(helper->compile(request(1), nvrtc->version()));
}

TEST_F(CompileHelperWithNvrtc, AnotherToolkitsAnswerIsNotTaken) {
  const auto helper = CompileHelper::start(CompileHelper::path());
  EXPECT_FALSE(helper->compile(request(1), nvrtc->version() + 1));
  EXPECT_FALSE(helper->compile(request(1), nvrtc->version()));  // it was ended
}

TEST_F(CompileHelperWithNvrtc, ACacheThatHasHelpersGivesEachRequestItsKernels) {
  std::vector<CompileRequest> requests;
  for (int i = 0; i < 12; ++i) requests.push_back(request(i));
  std::vector<std::string> programs = {CompileHelper::path(),      "",
                                       "/nowhere/selvage_compile", script("exit 3"),
                                       script("kill -9 $$"),       script("cat")};
  for (const std::string& program : programs) {
    KernelCompiler compiler = KernelCompiler::nvrtc();
    compiler.helper = program;
    DiskCache none({});
    CompileCache cache(none, compiler);
    const auto kernels = cache.compile(requests);
    for (int i = 0; i < 12; ++i) {
      const CompiledKernels& one = *kernels[std::size_t(i)];
      EXPECT_EQ(one.kernels.at(0).name, "kernel_" + std::to_string(i)) << program;
      if (i > 1) continue;
      EXPECT_EQ(one.cubin, nvrtc->compile(requests[std::size_t(i)].sources).cubin);
    }
    EXPECT_EQ(cache.counts().compilations, 12u);
  }
}

TEST_F(CompileHelperWithNvrtc, AnErrorIsTheOneOfThisProcess) {
  std::vector<CompileRequest> requests;
  for (int i = 0; i < 12; ++i) requests.push_back(request(i));
  requests[5].sources[0].text += "wrong\n";
  DiskCache none({});
  CompileCache cache(none);
  const auto wanted = refusal_by<Error>([&] { nvrtc->compile(requests[5].sources); });
  EXPECT_EQ(refusal_by<Error>([&] { cache.compile(requests); }), wanted);
  EXPECT_NE(wanted, "accepted");
}

TEST_F(CompileHelperTest, OneThatDiesGivesNoAnswer) {
  EXPECT_FALSE(CompileHelper::start("/nowhere/selvage_compile"));
  EXPECT_FALSE(CompileHelper::start(folder.path()));
  for (const char* text : {"exit 0", "exit 3", "kill -9 $$", "head -c 100", "echo some words",
                           "head -c 4000 /dev/zero", "cat"}) {
    const auto helper = CompileHelper::start(script(text));
    ASSERT_TRUE(helper);
    EXPECT_FALSE(helper->compile(request(1), 13000)) << text;
    EXPECT_EQ(open_descriptors(), descriptors) << text;
    EXPECT_FALSE(helper->compile(request(1), 13000)) << text;
  }
}

TEST_F(CompileHelperTest, OneThatHangsIsEndedAtTheLimit) {
  // One that does not read what is sent, and one that does not answer.
  CompileRequest large = request(1);
  large.sources[0].text.append(10'000'000, ' ');
  for (const char* text : {"exec sleep 100", "exec cat > /dev/null"}) {
    for (const CompileRequest& asked : {request(1), large}) {
      const auto helper = CompileHelper::start(script(text));
      ASSERT_TRUE(helper);
      const auto start = std::chrono::steady_clock::now();
      EXPECT_FALSE(helper->compile(asked, 13000, 50ms));
      EXPECT_GE(std::chrono::steady_clock::now() - start, 50ms);
      EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
    }
  }
}

TEST_F(CompileHelperTest, OneThatIsNotAskedEndsWithItsOwner) {
  const auto helper = CompileHelper::start(script("exec sleep 100"));
  ASSERT_TRUE(helper);
}

TEST_F(CompileHelperTest, ItsEndIsWaitedForThroughSignals) {
  struct sigaction quiet = {}, before = {};
  quiet.sa_handler = [](int) {};  // without SA_RESTART: a wait ends
  sigaction(SIGUSR1, &quiet, &before);
  {
    const std::jthread sender([owner = pthread_self()](const std::stop_token& stop) {
      while (!stop.stop_requested()) pthread_kill(owner, SIGUSR1);
    });
    for (int round = 0; round < 20; ++round) {
      CompileHelper::start(script("exec sleep 100")).reset();
      ASSERT_FALSE(has_children()) << round;
    }
  }
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(CompileHelperTest, WhatThisThreadBlocksOrIgnoresIsAsUsualInIt) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto handler = signal(SIGINT, SIG_IGN);
  const auto helper = CompileHelper::start(script(
      "exec sed -n 's/^Sig[BI][lg][kn]://p' /proc/self/status > " + (folder / "list").string()));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  signal(SIGINT, handler);
  ASSERT_TRUE(helper);
  EXPECT_FALSE(helper->compile(request(1), 13000));
  std::uint64_t blocks = ~0U, ignores = ~0U;
  std::ifstream list(folder / "list");
  list >> std::hex >> blocks >> ignores;
  EXPECT_EQ(blocks, 0U);
  EXPECT_EQ(ignores & 1U << (SIGINT - 1), 0U);
}

TEST_F(CompileHelperTest, ItHasNoneOfThisProcessesDescriptors) {
  const std::string file = folder / "mine";
  const int mine = open(file.c_str(), O_RDWR | O_CREAT, 0600);  // without O_CLOEXEC
  ASSERT_GE(mine, 0);
  const auto helper =
      CompileHelper::start(script("ls -l /proc/$$/fd > " + (folder / "list").string()));
  ASSERT_TRUE(helper);
  EXPECT_FALSE(helper->compile(request(1), 13000));
  close(mine);
  const std::string list = contents(folder / "list");
  EXPECT_NE(list.find(" 0 -> socket:"), list.npos) << list;
  EXPECT_NE(list.find(" 2 -> /dev/null"), list.npos) << list;
  EXPECT_EQ(list.find(file), list.npos) << list;
}

TEST_F(CompileHelperTest, TheServerEndsWithItsInputAndRefusesWhatIsNoRequest) {
  if (Nvrtc::instance() == nullptr) GTEST_SKIP() << Nvrtc::why_absent();
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const std::vector<std::byte> noise(100, std::byte{7});
  EXPECT_TRUE(send_message(ends[0], noise));
  EXPECT_EQ(serve_compile_requests(ends[1], ends[1]), 1);
  close(ends[0]);
  EXPECT_EQ(serve_compile_requests(ends[1], ends[1]), 0);
  close(ends[1]);
}

TEST(CompileHelperPath, IsTheOneOfTheEnvironmentOrTheOneBesideThisProgram) {
  unsetenv("SELVAGE_COMPILE_HELPER");
  const std::string beside = CompileHelper::path();
  EXPECT_TRUE(beside.empty() || beside.ends_with("/selvage_compile")) << beside;
  setenv("SELVAGE_COMPILE_HELPER", "/bin/sh", 1);
  EXPECT_EQ(CompileHelper::path(), "/bin/sh");
  setenv("SELVAGE_COMPILE_HELPER", "/nowhere", 1);
  EXPECT_EQ(CompileHelper::path(), "");
  setenv("SELVAGE_COMPILE_HELPER", "", 1);
  EXPECT_EQ(CompileHelper::path(), "");
  unsetenv("SELVAGE_COMPILE_HELPER");
}

TEST(CompileHelpersFor, AreAsManyAsPay) {
  EXPECT_EQ(compile_helpers_for(0, 64), 0u);
  EXPECT_EQ(compile_helpers_for(1, 64), 0u);
  EXPECT_EQ(compile_helpers_for(100, 1), 0u);
  EXPECT_EQ(compile_helpers_for(100, 0), 0u);
  EXPECT_EQ(compile_helpers_for(100, 2), 1u);
  EXPECT_EQ(compile_helpers_for(100'000, 1000), 15u);
  for (std::size_t n = 0; n < 100; ++n) {
    EXPECT_LE(compile_helpers_for(n, 8), compile_helpers_for(n + 1, 8));
  }
}

}  // namespace
}  // namespace selvage
