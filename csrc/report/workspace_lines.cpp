#include <selvage/codegen/local_arrays.h>
#include <selvage/kernel/forms.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/report/cost_lines.h>
#include <selvage/report/workspace_lines.h>

#include <fmt/format.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kSharedUnit = 16, kRegister = 4;

std::string count_text(std::int64_t n) { return grouped(double(n)); }

std::int64_t rounded(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// The threads of a block; 0 where a size decides.
std::int64_t threads_of(const Launch& launch) {
  std::int64_t all = 1;
  for (Expr extent : launch.block) all *= extent.is(Op::Const) ? extent.value() : 0;
  return all;
}

std::string why_local(const LocalArrays& arrays, BufferId b) {
  if (arrays.is_in_registers[b]) return "all loops over it are unrolled";
  if (arrays.unrolled[b] > kMostUnrolled) {
    return fmt::format("its loops would be {} statements if unrolled, past {}",
                       count_text(arrays.unrolled[b]), count_text(kMostUnrolled));
  }
  return fmt::format("it is larger than {} bytes", count_text(kMostRegisterBytes));
}

}  // namespace

std::string to_string(Workspace::Place place) {
  switch (place) {
    case Workspace::Place::Shared: return "shared memory";
    case Workspace::Place::Registers: return "registers";
    case Workspace::Place::LocalMemory: return "local memory";
    case Workspace::Place::GlobalMemory: return "global memory";
  }
  return "";
}

std::vector<Workspace> workspaces_of(const Kernel& kernel) {
  std::vector<Workspace> list;
  const LocalArrays arrays = local_arrays(kernel, forms_of(kernel)->computed());
  const std::int64_t threads = threads_of(kernel.launch);
  for (BufferId b = 0; b < kernel.buffers.size(); ++b) {
    const Buffer& buffer = kernel.buffers[b];
    const bool is_kept = buffer.memory == Memory::Shared || buffer.memory == Memory::Local;
    const bool is_array = buffer.elements.is(Op::Const) && !buffer.elements.is_const(1);
    if (!is_kept || !is_array || !buffer.holds) continue;  // else it serves single statements
    Workspace w{.name = buffer.name};
    const std::int64_t pieces =
        buffer.memory == Memory::Shared ? kernel.launch.ranks() : 1;  // of the blocks of a cluster
    w.bytes = buffer.piece(pieces) * size_of(buffer.type);
    if (buffer.memory == Memory::Shared) {
      w.reserved = w.block = rounded(w.bytes, kSharedUnit);
      w.why = "other threads of the block read it";
      if (buffer.in_workspace) {
        w.place = Workspace::Place::GlobalMemory;
        w.resident = kernel.launch.workspace->blocks;
        w.why += fmt::format(", and shared memory has no room past {} bytes",
                             count_text(kMaxSharedBytes));
      }
    } else {
      w.place =
          arrays.is_in_registers[b] ? Workspace::Place::Registers : Workspace::Place::LocalMemory;
      w.reserved = rounded(buffer.elements.value() * std::max(size_of(buffer.type), 4), kRegister);
      w.block = threads * w.reserved;
      w.why = why_local(arrays, b);
    }
    list.push_back(std::move(w));
  }
  return list;
}

void print_workspaces(const Kernel& kernel, Lines& out) {
  const std::vector<Workspace> list = workspaces_of(kernel);
  if (list.empty()) return;
  out.line(2, "(what it keeps while it runs; nothing is allocated then)");
  for (const Workspace& w : list) {
    const bool is_of_block =
        w.place == Workspace::Place::Shared || w.place == Workspace::Place::GlobalMemory;
    std::string text =
        fmt::format("{}: {} bytes of each {}, {} reserved in {}", w.name, count_text(w.bytes),
                    is_of_block ? "block" : "thread", count_text(w.reserved), to_string(w.place));
    if (w.resident > 0) {
      text += fmt::format(", for {} blocks at most, which run the others in turn",
                          count_text(w.resident));
    }
    if (!is_of_block && w.block > 0) text += fmt::format(", {} a block", count_text(w.block));
    out.line(4, text + ": " + w.why);
  }
}

}  // namespace selvage
