#include <selvage/emulate/emulate_faults.h>
#include <selvage/emulate/watch.h>

#include <fmt/format.h>

namespace selvage {

namespace {

std::string to_text(const Index3& i) { return fmt::format("({})", fmt::join(i, ", ")); }

}  // namespace

Index3 LaunchGeometry::at(std::int64_t number, const Index3& extents) {
  return {number % extents[0], number / extents[0] % extents[1], number / extents[0] / extents[1]};
}

std::int64_t LaunchGeometry::count(const Index3& extents) {
  for (std::int64_t n : extents) {
    if (n <= 0) return 0;
  }
  return extents[0] * extents[1] * extents[2];
}

FaultThread LaunchGeometry::thread(std::int64_t of_the_launch) const {
  return {at(of_the_launch / threads(), grid), at(of_the_launch % threads(), block)};
}

std::string FaultLog::name(std::int64_t of_the_launch) const {
  const FaultThread t = geometry.thread(of_the_launch);
  const std::string text = "thread " + to_text(t.thread);
  return t.block == geometry.thread(thread).block ? text : text + " of block " + to_text(t.block);
}

void FaultLog::report(FaultKind kind, BufferId b, std::int64_t address, const std::string& what,
                      std::int64_t other) {
  if (!is_kept(kind)) return;
  Fault fault{.kind = kind, .buffer = kernel_.buffers[b].name, .address = address};
  keep(fault, fmt::format("{}[{}] {}", fault.buffer, address, what), other);
}

void FaultLog::report(FaultKind kind, const std::string& what, std::int64_t other) {
  if (is_kept(kind)) keep({.kind = kind}, what, other);
}

void FaultLog::keep(Fault fault, const std::string& what, std::int64_t other) {
  const FaultThread here = geometry.thread(thread);
  fault.block = here.block;
  fault.thread = here.thread;
  if (other != kNoThread) fault.other = geometry.thread(other);
  fault.text =
      fmt::format("{}, at block {}, thread {}", what, to_text(here.block), to_text(here.thread));
  const auto add = [&](std::uint32_t slot) {
    fault.point.emplace_back(compiled_.names[slot], slots[slot]);
    fault.text += fmt::format(", {} = {}", compiled_.names[slot], slots[slot]);
  };
  for (PlaceId id : *scope) add(compiled_.statements[id].slot);
  if (lane) add(*lane);
  out_.faults.push_back(std::move(fault));
  if (watcher != nullptr) watcher->found(*view, out_.faults.back());
}

std::string FaultLog::parting(const RunFault& fault, std::int64_t other, bool gives_a_value) const {
  const std::string who = name(thread);
  switch (fault.kind) {
    case RunFault::Kind::Missing:
      return who + (gives_a_value ? " gives a value in " : " waits at ") + fault.what + " that " +
             name(other) + " does not reach";
    case RunFault::Kind::Stranger:
      return who + " gets to " + fault.what + ", in which it takes no part";
    case RunFault::Kind::Taken:
      return who + " gets to " + fault.what + " where " + name(other) +
             " may still wait for others";
    case RunFault::Kind::Event: break;
  }
  return who + " is at " + fault.what;
}

}  // namespace selvage
