#include <selvage/base/check.h>
#include <selvage/emulate/memory.h>
#include <selvage/emulate/memory_checked.h>
#include <selvage/emulate/watch.h>
#include <selvage/kernel/statements.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace selvage {

namespace {

// "reads it", as a sentence goes on after "here" and after a thread's name.
struct Words {
  const char *here, *other;
};
Words words(Effect effect) {
  switch (effect) {
    case Effect::Read: return {"is read", "has read it"};
    case Effect::Write:
    case Effect::Repeat:
    case Effect::Duplicate: return {"is written", "has written it"};
    case Effect::Add:
    case Effect::Min:
    case Effect::Max: return {"is updated atomically", "has updated it atomically"};
    case Effect::Signal: break;
  }
  return {};
}

}  // namespace

CheckedMemory::CheckedMemory(const Kernel& kernel, std::span<Array* const> arrays,
                             const std::vector<std::int64_t>& elements, std::int64_t local_copies,
                             BarrierClock& clock, FaultLog& log)
    : ranks_(kernel.launch.ranks()),
      threads_of_rank_(kernel.launch.part_threads()),
      own_(arrays.size()),
      clock_(clock),
      log_(log) {
  SELVAGE_CHECK(arrays.size() == kernel.buffers.size());
  std::vector<bool> is_atomic(arrays.size());
  for_each_statement(kernel.body, [&](const Statement& s) {
    for (const StatementAccess& a : parts_of(s).accesses) {
      if (a.atomic) is_atomic[a.buffer] = true;
    }
    const auto* copy = std::get_if<AsyncCopy>(&s.node);
    if (copy != nullptr && copy->atomic) is_atomic[copy->copy.to] = true;
  });
  const bool has_registers = has_mma(kernel);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Buffer& buffer = kernel.buffers[i];
    Checked checked{.array = arrays[i], .elements = elements[i], .memory = buffer.memory};
    const bool is_local = buffer.memory == Memory::Local;
    if (buffer.memory != Memory::Global) {
      const std::int64_t all = elements[i] * (is_local ? local_copies : 1);
      own_[i] = Array(buffer.type, {all});
      checked.array = &own_[i];
      if (is_local) checked.alive.resize(std::size_t(all));
      if (is_local && has_registers) checked.registers.emplace(std::size_t(all));
    } else {
      checked.starts_initialised = !buffer.is_written || buffer.is_updated || is_atomic[i];
      checked.may_be_rewritten = buffer.is_updated;
    }
    SELVAGE_CHECK(checked.array != nullptr && checked.array->type == buffer.type &&
                  checked.array->size() >= checked.elements);
    if (!is_local && buffer.is_written && !buffer.offset) {
      checked.log = logs_.size();
      logs_.emplace_back(std::size_t(checked.elements));
      if (buffer.memory == Memory::Shared) shared_logs_.push_back(checked.log);
    }
    buffers_.push_back(std::move(checked));
  }
  for (BufferId b = 0; b < kernel.buffers.size(); ++b) {
    if (!kernel.buffers[b].replaces) continue;
    Checked& replaced = buffers_[*kernel.buffers[b].replaces];
    replaced.log = buffers_[b].log;
    replaced.replaced_by = kernel.buffers[b].name;
    SELVAGE_CHECK(replaced.array == buffers_[b].array);
  }
  overlay(kernel);
}

// Shared buffers that have a place of their own choice share one log.
void CheckedMemory::overlay(const Kernel& kernel) {
  std::vector<std::size_t> placed;
  std::int64_t grain = 0, bytes = 0;
  const auto size = [&](std::size_t i) { return size_of(kernel.buffers[i].type); };
  const auto begin = [&](std::size_t i) { return *kernel.buffers[i].offset; };
  const auto end = [&](std::size_t i) { return begin(i) + buffers_[i].elements * size(i); };
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!kernel.buffers[i].offset) continue;
    SELVAGE_CHECK(kernel.buffers[i].memory == Memory::Shared && begin(i) >= 0 &&
                  begin(i) % size(i) == 0);
    placed.push_back(i);
    grain = std::gcd(std::gcd(grain, size(i)), begin(i));
    bytes = std::max(bytes, end(i));
  }
  if (placed.empty()) return;
  shared_logs_.push_back(logs_.size());
  for (std::size_t i : placed) {
    buffers_[i].log = logs_.size();
    buffers_[i].first_cell = std::size_t(begin(i) / grain);
    buffers_[i].cells_of_an_element = std::size_t(size(i) / grain);
    for (std::size_t k : placed) {
      if (k == i || end(k) <= begin(i) || end(i) <= begin(k)) continue;
      buffers_[i].overlaps += (buffers_[i].overlaps.empty() ? "" : ", ") + kernel.buffers[k].name;
    }
  }
  logs_.emplace_back(std::size_t(bytes / grain));
}

void CheckedMemory::start_block() {
  for (std::size_t log : shared_logs_) logs_[log].forget();
  forget_local();
  for (Checked& buffer : buffers_) {
    if (buffer.registers) buffer.registers->forget();
  }
}

void CheckedMemory::end_block() {
  if (far_.empty()) return;
  const std::int64_t all = ranks_ * threads_of_rank_;
  // A rank has ended once all of its threads have: it is enough if one knows of the access.
  const auto is_known = [&](const FarAccess& access) {
    for (std::int64_t t = 0; t < threads_of_rank_; ++t) {
      clock_.run(access.rank * threads_of_rank_ + t);
      if (clock_.is_before_now(access.when)) return true;
    }
    return false;
  };
  for (const auto& [thread, access] : far_) {
    if (is_known(access)) continue;
    log_.thread = thread;
    log_.report(FaultKind::Ended, access.buffer, access.address,
                "is accessed in the memory of another block of the cluster, which may have ended",
                thread / all * all + access.rank * threads_of_rank_);
  }
  far_.clear();
}

void CheckedMemory::note_rank(BufferId b, std::int64_t address) {
  if (ranks_ == 1 || buffers_[b].memory != Memory::Shared) return;
  const std::int64_t rank = address / (buffers_[b].elements / ranks_),
                     own = log_.thread / threads_of_rank_ % ranks_;
  if (rank != own) far_.insert_or_assign(log_.thread, FarAccess{clock_.now(), b, address, rank});
}

bool CheckedMemory::check_bounds(BufferId b, std::int64_t address) {
  const std::int64_t elements = buffers_[b].elements;
  if (address >= 0 && address < elements) {
    note_rank(b, address);
    return true;
  }
  log_.report(FaultKind::OutOfBounds, b, address,
              fmt::format("is out of bounds: there are {} elements", elements));
  return false;
}

bool CheckedMemory::is_initialised(BufferId b, std::int64_t address) const {
  const Checked& buffer = buffers_[b];
  if (buffer.starts_initialised) return true;
  if (buffer.memory == Memory::Local) {
    return buffer.alive[std::size_t(place(buffer, address))] == lifetime_;
  }
  if (buffer.log == kNoLog) return false;  // nothing ever stores it
  const auto& cells = logs_[buffer.log].elements();
  const std::size_t first = buffer.first_cell + std::size_t(address) * buffer.cells_of_an_element;
  for (std::size_t k = first; k < first + buffer.cells_of_an_element; ++k) {
    if (cells[k].visits == 0 || cells[k].owner != b) return false;
  }
  return true;
}

bool CheckedMemory::is_same(const Checked& buffer, std::int64_t address, Scalar value) const {
  Array once(buffer.array->type, {1});
  store_element(once, 0, value);
  const auto size = once.bytes.size();
  return std::memcmp(once.bytes.data(), buffer.array->bytes.data() + std::size_t(address) * size,
                     size) == 0;
}

std::optional<AccessLog::Race> CheckedMemory::access(BufferId b, std::int64_t address,
                                                     Effect effect) {
  const Checked& buffer = buffers_[b];
  if (buffer.log == kNoLog) return std::nullopt;
  AccessLog& cells = logs_[buffer.log];
  const std::size_t first = buffer.first_cell + std::size_t(address) * buffer.cells_of_an_element;
  std::optional<AccessLog::Race> found;
  for (std::size_t k = first; k < first + buffer.cells_of_an_element; ++k) {
    const auto race = cells.access(k, effect, b, clock_);
    if (!found) found = race;
  }
  return found;
}

void CheckedMemory::access_register(BufferId b, std::int64_t address, Effect effect) {
  Checked& buffer = buffers_[b];
  if (!buffer.registers) return;
  const bool is_write = effect == Effect::Write;
  const auto element = std::size_t(place(buffer, address));
  if (const auto race = buffer.registers->access(element, is_write, clock_)) {
    report_race(b, address, effect, *race);
  }
}

void CheckedMemory::report_race(BufferId b, std::int64_t address, Effect effect,
                                AccessLog::Race race) {
  const Checked& buffer = buffers_[b];
  const FaultThread here = log_.geometry.thread(log_.thread),
                    other = log_.geometry.thread(race.other.thread);
  const std::string who = (clock_.is_of_mma(race.other) ? "a matrix multiplication of "
                           : race.other.is_copy()       ? "a copy of "
                                                        : "") +
                          log_.name(race.other.thread);
  std::string what =
      fmt::format("{} after {} {}, ", words(effect).here, who, words(race.effect).other);
  what += race.other.is_copy()             ? "with no wait between for its end"
          : clock_.lacks_fence(race.other) ? "with no proxy fence between"
          : here.block == other.block      ? "with no barrier between"
                                           : "and nothing orders two blocks";
  if (!buffer.overlaps.empty()) what += "; " + buffer.overlaps + " overlaps it";
  log_.report(FaultKind::Race, b, address, what, race.other.thread);
}

Scalar CheckedMemory::read(BufferId b, std::int64_t address) {
  Checked& buffer = buffers_[b];
  if (!check_bounds(b, address)) return Scalar::of(compute_type(buffer.array->type), 0);
  if (!is_initialised(b, address)) {
    log_.report(FaultKind::Uninitialised, b, address, "is read before anything is stored there");
  }
  if (!buffer.replaced_by.empty() &&
      logs_[buffer.log].elements()[std::size_t(address)].visits > 0) {
    log_.report(FaultKind::Overwritten, b, address,
                "is read behind a store to " + buffer.replaced_by + ", which takes its place");
  }
  if (const auto race = access(b, address, Effect::Read))
    report_race(b, address, Effect::Read, *race);
  access_register(b, address, Effect::Read);
  const Scalar value = load_element(*buffer.array, place(buffer, address));
  if (log_.watcher != nullptr) log_.watcher->loaded(*log_.view, b, address, value);
  return value;
}

std::optional<Scalar> CheckedMemory::look_at(BufferId b, std::int64_t address) const {
  const Checked& buffer = buffers_[b];
  if (address < 0 || address >= buffer.elements || !is_initialised(b, address)) return std::nullopt;
  return load_element(*buffer.array, place(buffer, address));
}

void CheckedMemory::tell_stored(BufferId b, std::int64_t address) const {
  if (log_.watcher == nullptr) return;
  const Checked& buffer = buffers_[b];
  log_.watcher->stored(*log_.view, b, address, load_element(*buffer.array, place(buffer, address)));
}

void CheckedMemory::write(BufferId b, std::int64_t address, Scalar value, bool duplicates_allowed) {
  Checked& buffer = buffers_[b];
  if (!check_bounds(b, address)) return;
  if (buffer.memory == Memory::Local) {
    buffer.alive[std::size_t(place(buffer, address))] = lifetime_;
    access_register(b, address, Effect::Write);
    store_element(*buffer.array, place(buffer, address), value);
    return tell_stored(b, address);
  }
  SELVAGE_CHECK(buffer.log != kNoLog);  // is_written
  const bool is_global = buffer.memory == Memory::Global;
  const AccessLog::Element& cell =
      logs_[buffer.log].elements()[std::size_t(is_global ? address : 0)];
  const bool is_second = is_global ? cell.visits > 0 : is_initialised(b, address);
  const bool repeats = is_second && duplicates_allowed && is_same(buffer, address, value);
  const bool is_double = is_global && is_second && !repeats && !buffer.may_be_rewritten;
  if (is_double) {
    const std::int64_t writer = cell.write.thread;
    log_.report(FaultKind::DoubleWrite, b, address,
                duplicates_allowed      ? "is written again with another value"
                : writer == log_.thread ? "is written twice by one thread"
                                        : "is written by two threads",
                writer);
  }
  const auto race = access(b, address, repeats ? Effect::Repeat : Effect::Write);
  // Two writes are told of already.
  if (race && !(is_double && race->effect != Effect::Read)) {
    report_race(b, address, Effect::Write, *race);
  }
  store_element(*buffer.array, address, value);
  tell_stored(b, address);
}

void CheckedMemory::store_atomically(BufferId b, std::int64_t address, Function f, Scalar value) {
  Checked& buffer = buffers_[b];
  SELVAGE_CHECK(buffer.memory != Memory::Local);
  if (!check_bounds(b, address)) return;
  if (!is_initialised(b, address)) {
    log_.report(FaultKind::Uninitialised, b, address, "is updated before anything is stored there");
  }
  if (const auto race = access(b, address, atomic_effect(f))) {
    report_race(b, address, atomic_effect(f), *race);
  }
  const DataType type = buffer.array->type;
  const DataType compute = type == DataType::Bool ? DataType::Int32 : compute_type(type);
  const std::array<Scalar, 2> operands = {convert(load_element(*buffer.array, address), compute),
                                          convert(value, compute)};
  store_element(*buffer.array, address, convert(selvage::apply(f, operands), type));
  tell_stored(b, address);
}

std::vector<std::vector<std::uint32_t>> CheckedMemory::visits() const {
  std::vector<std::vector<std::uint32_t>> all;
  for (const Checked& buffer : buffers_) {
    auto& visits = all.emplace_back();
    if (buffer.memory != Memory::Global || buffer.log == kNoLog) continue;
    if (!buffer.replaced_by.empty()) continue;
    for (const auto& cell : logs_[buffer.log].elements()) visits.push_back(cell.visits);
  }
  return all;
}

}  // namespace selvage
