// Linked into a test binary by scripts/mutate: writes a line for each test to the file
// SELVAGE_FAULT_TESTS: its name, milliseconds of processor, source file, result, and the faults
// that it reached. The line without a name holds what was reached between tests, before the first
// of them above all.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

extern "C" void selvage_faults_reached(void (*visit)(int));

namespace {

std::FILE* out = nullptr;

// Of this program and of those that it has started and waited for: the machine may be busy.
long long milliseconds() {
  long long sum = 0;
  for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage;
    getrusage(who, &usage);
    for (const timeval& t : {usage.ru_utime, usage.ru_stime}) {
      sum += t.tv_sec * 1000 + t.tv_usec / 1000;
    }
  }
  return sum;
}

class Record : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    std::fprintf(out, "\t0\t\tpassed\t");
    write_reached();
    begun_ = milliseconds();
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    std::fprintf(out, "%s.%s\t%lld\t%s\t%s\t", test.test_suite_name(), test.name(),
                 milliseconds() - begun_, test.file(),
                 test.result()->Failed() ? "failed" : "passed");
    write_reached();
  }
  static void write_reached() {
    selvage_faults_reached([](int n) { std::fprintf(out, "%d ", n); });
    std::fprintf(out, "\n");
    std::fflush(out);
  }

  long long begun_ = 0;
};

[[maybe_unused]] const bool kIsListening = [] {
  const char* path = std::getenv("SELVAGE_FAULT_TESTS");
  if (path == nullptr || (out = std::fopen(path, "w")) == nullptr) return false;
  testing::UnitTest::GetInstance()->listeners().Append(new Record);
  return true;
}();

}  // namespace
