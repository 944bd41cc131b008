#pragma once

#include <selvage/base/array.h>
#include <selvage/emulate/emulate_faults.h>
#include <selvage/ir/scalar.h>
#include <selvage/kernel/access_log.h>
#include <selvage/kernel/kernel.h>
#include <selvage/kernel/register_log.h>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// The memory of a kernel's run. Checks every access and reports faults to the log.
class CheckedMemory {
 public:
  // `elements`: the number of each buffer's. `local_copies`: the number of threads that have local
  // memory at the same time.
  CheckedMemory(const Kernel& kernel, std::span<Array* const> arrays,
                const std::vector<std::int64_t>& elements, std::int64_t local_copies,
                BarrierClock& clock, FaultLog& log);

  // Makes shared memory, or local memory of all copies, uninitialised.
  void start_block();
  // All threads of a block have ended. Of a cluster: whoever accessed the memory of another rank
  // must have done so before that rank's end.
  void end_block();
  void forget_local() { ++lifetime_; }
  // Selects the running thread's copy of local memory.
  void use_local(std::int64_t copy) { local_ = copy; }

  Scalar read(BufferId b, std::int64_t address);
  void write(BufferId b, std::int64_t address, Scalar value, bool duplicates_allowed);
  void store_atomically(BufferId b, std::int64_t address, Function f, Scalar value);

  std::vector<std::vector<std::uint32_t>> visits() const;

  // An element, looked at without any check; nothing if there is none, or nothing was stored there.
  std::optional<Scalar> look_at(BufferId b, std::int64_t address) const;
  std::int64_t elements(BufferId b) const { return buffers_[b].elements; }

 private:
  // Shared buffers that overlap have one log, whose cells are of a size that divides all their
  // offsets and elements. Every other written buffer has a log with a cell for each element.
  struct Checked {
    Array* array = nullptr;
    std::int64_t elements = 0;
    Memory memory = Memory::Global;
    bool starts_initialised = false, may_be_rewritten = false;
    std::size_t log = kNoLog;
    std::string replaced_by = {};  // the buffer that replaces it and has the same log, by name
    std::size_t first_cell = 0, cells_of_an_element = 1;
    std::vector<std::uint64_t> alive = {};      // Local: the lifetime in which it was stored
    std::optional<RegisterLog> registers = {};  // Local, where there are matrix multiplications
    std::string overlaps = {};                  // names of buffers that overlap it, for messages
  };
  static constexpr std::size_t kNoLog = SIZE_MAX;

  void overlay(const Kernel& kernel);
  bool check_bounds(BufferId b, std::int64_t address);
  std::int64_t place(const Checked& buffer, std::int64_t address) const {
    return buffer.memory == Memory::Local ? local_ * buffer.elements + address : address;
  }
  bool is_initialised(BufferId b, std::int64_t address) const;
  bool is_same(const Checked& buffer, std::int64_t address, Scalar value) const;
  std::optional<AccessLog::Race> access(BufferId b, std::int64_t address, Effect effect);
  void note_rank(BufferId b, std::int64_t address);
  void tell_stored(BufferId b, std::int64_t address) const;
  void access_register(BufferId b, std::int64_t address, Effect effect);
  void report_race(BufferId b, std::int64_t address, Effect effect, AccessLog::Race race);

  // The last access of a thread in the memory of another rank of its cluster.
  struct FarAccess {
    Moment when;
    BufferId buffer = 0;
    std::int64_t address = 0, rank = 0;  // whose memory it is
  };
  std::int64_t ranks_, threads_of_rank_;
  std::map<std::int64_t, FarAccess> far_;  // by thread of the launch
  std::vector<Checked> buffers_;
  std::vector<Array> own_;  // shared and local memory
  std::vector<AccessLog> logs_;
  std::vector<std::size_t> shared_logs_;
  BarrierClock& clock_;
  FaultLog& log_;
  std::uint64_t lifetime_ = 1;
  std::int64_t local_ = 0;
};

}  // namespace selvage
