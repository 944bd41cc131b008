// Switches the faults that scripts/mutate has planted: SELVAGE_FAULT is the number of the one that
// is on. Which were come by is kept in the file SELVAGE_FAULT_REACHED, a byte for each, shared with
// the programs that are started from here.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace {

constexpr int kMostFaults = 1 << 16;

struct Switches {
  int on = 0;
  volatile unsigned char* reached = nullptr;

  Switches() {
    if (const char* number = std::getenv("SELVAGE_FAULT")) on = std::atoi(number);
    const char* path = std::getenv("SELVAGE_FAULT_REACHED");
    if (path == nullptr) return;
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0 || ftruncate(file, kMostFaults) != 0) return;
    void* bytes = mmap(nullptr, kMostFaults, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (bytes != MAP_FAILED) reached = static_cast<unsigned char*>(bytes);
  }
};

const Switches& switches() {
  static const Switches all;
  return all;
}

}  // namespace

extern "C" bool selvage_fault(int number) noexcept {
  const Switches& all = switches();
  if (all.reached != nullptr) all.reached[number] = 1;
  return number == all.on;
}

// Calls `visit` with each fault come by since the last time.
extern "C" void selvage_faults_reached(void (*visit)(int)) {
  const Switches& all = switches();
  for (int n = 0; all.reached != nullptr && n < kMostFaults; ++n) {
    if (all.reached[n] == 0) continue;
    all.reached[n] = 0;
    visit(n);
  }
}
