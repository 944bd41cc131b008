#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/report/lines.h>

#include <cstdint>
#include <string>
#include <vector>

namespace selvage {

// An array that a kernel keeps while it runs: for each block, in shared or global memory, or for
// each thread.
// All are planned before the launch, and none is allocated while a kernel runs.
struct Workspace {
  enum class Place : std::uint8_t { Shared, Registers, LocalMemory, GlobalMemory };
  std::string name;
  Place place = Place::Shared;
  std::int64_t bytes = 0;     // that its elements take
  std::int64_t reserved = 0;  // and what is set aside: shared memory by 16 bytes, registers by 4
  std::int64_t resident = 0;  // of global memory: pieces for so many blocks, at most
  std::int64_t block = 0;  // of all threads of a block together; 0: the block's size is not known
  std::string why = {};    // it is there, in words
};
// In the order of the kernel's buffers; what has a single element is no array.
std::vector<Workspace> workspaces_of(const Kernel& kernel);
std::string to_string(Workspace::Place place);  // "shared memory", "registers", ...
void print_workspaces(const Kernel& kernel, Lines& out);

}  // namespace selvage
