#pragma once

#include <selvage/kernel/block_events.h>
#include <selvage/kernel/thread_clocks.h>
#include <selvage/kernel/verify_access.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

namespace selvage {

// How an access gets on with another one of the same bytes: two of one class do not disturb one
// another, Write apart, which disturbs all. Duplicates: a write of global memory that others make,
// too, of the same value.
enum class AccessClass : std::uint8_t { Read, Write, Add, Min, Max, Duplicates, Signal };
inline constexpr std::size_t kAccessClasses = 7;
AccessClass access_class(const AccessMap& map, const KernelAccess& a);
bool disturb(AccessClass a, AccessClass b);

// Who accesses, and how often it and its block have met at barriers before.
struct Comer {
  std::int32_t thread = -1;
  std::int32_t warp_epoch = 0, block_epoch = 0;
  std::int32_t step = 0;  // of the run, to find it again
  AccessClass kind = AccessClass::Read;
  std::optional<CopyAgent> agent = {};  // who does it for the thread
};

// Those who came to some bytes in one way since the block met last, as many of them as it takes to
// tell of a new one whether it races with any, as long as none did among themselves:
// two threads of one warp at its latest epoch, and one of another warp.
class EpochComers {
 public:
  struct Seen {
    std::int32_t thread = -1, warp_epoch = 0, step = 0;
    bool is_copy = false;  // what a copy does that ends later
    bool is_any() const { return thread >= 0; }
  };
  void add(const Comer& c);
  const Seen* meets(const Comer& c) const;

 private:
  Seen one_, neighbour_, stranger_;
};

// Some bytes that the threads of a block share. Epochs of the block never come again.
class SharedCell {
 public:
  // One who came before with no barrier between, and is disturbed. Then notes who comes.
  const EpochComers::Seen* meets(const Comer& c);

  // The buffer that was written there last, + 1; 0: none.
  std::int32_t owner(std::int32_t block) const { return owner_block_ == block ? owner_ : 0; }
  void own(std::int32_t buffer, std::int32_t block) {
    owner_ = buffer + 1;
    owner_block_ = block;
  }

 private:
  EpochComers& of(std::size_t kind);

  std::int32_t block_epoch_ = -1, owner_ = 0, owner_block_ = -1;
  std::array<EpochComers, 2> usual_;  // reads and writes
  std::unique_ptr<std::array<EpochComers, kAccessClasses - 2>> others_;
  EpochComers::Seen met_;
};

// Elements of global memory: threads of one block are ordered by barriers, blocks are not.
class GlobalShadow {
 public:
  struct Other {
    EpochComers::Seen seen;
    std::int32_t block = 0;
  };
  std::optional<Other> meets(BufferId buffer, std::int64_t address, const Comer& c,
                             std::int32_t block);
  // One of another block alone.
  std::optional<Other> meets_other_block(BufferId buffer, std::int64_t address, const Comer& c,
                                         std::int32_t block);
  std::size_t size() const { return cells_.size(); }  // elements that were accessed

 private:
  struct BlockComer {
    std::int32_t number = -1;
    EpochComers::Seen seen;
  };
  struct Cell;
  Cell& cell(BufferId buffer, std::int64_t address);
  std::optional<Other> meets_other_block(Cell& cell, const Comer& c, std::int32_t block) const;
  struct Cell {
    SharedCell own;  // of the block that came last
    // The first block that came in each way, and the one that came last.
    std::array<BlockComer, kAccessClasses> by, last;
  };
  std::unordered_map<std::int64_t, std::unique_ptr<Cell>> cells_;
};

// Some bytes that the threads of a block share, where these meet as ThreadClocks knows: whoever
// came since the block began, but for those after whom another of his kind came, or a write.
class ClockedCell {
 public:
  const EpochComers::Seen* meets(const Comer& c, const ThreadClocks& clocks);
  std::size_t size() const { return seen_.size(); }

 private:
  struct Seen {
    EpochComers::Seen who;
    std::int64_t agent;  // the thread, or who does it for it
    ThreadClocks::Tick tick;
    AccessClass kind;
  };
  std::vector<Seen> seen_;
  EpochComers::Seen met_;
};

}  // namespace selvage
