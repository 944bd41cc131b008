// What every thread of a kernel does, one access after another, and what goes wrong with it: by
// brute force, for kernels of few threads, each definition followed to the letter.
#pragma once

#include <selvage/kernel/kernel.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace selvage::test {

class AccessJudge {
 public:
  using Index3 = std::array<std::int64_t, 3>;

  AccessJudge(const Kernel& kernel, std::map<std::string, std::int64_t> sizes);

  bool diverges() const { return diverges_; }
  bool has_bad_address() const { return !bad_addresses_.empty(); }
  bool has_bad_address(BufferId b, std::int64_t address) const {
    return bad_addresses_.count({b, address}) > 0;
  }
  // These are about kernels that do not diverge; the second about those that do not race either.
  bool races() const { return !races_.empty(); }
  bool has_race(BufferId b, std::int64_t address, Index3 block, Index3 thread, Index3 other_block,
                Index3 other_thread) const;
  bool reads_uninitialised() const { return !uninitialised_.empty(); }
  bool is_uninitialised(BufferId b, std::int64_t address, Index3 block, Index3 thread) const {
    return uninitialised_.count({b, address, block, thread}) > 0;
  }
  std::size_t accesses() const { return accesses_; }
  // How often an element of a buffer is read at most: by how many threads, or in how many
  // iterations of one. Where a condition depends on data, both of its branches count.
  std::size_t most_reads(BufferId b) const;

 private:
  enum class Kind { Read, Write, Atomic };
  struct Access {
    BufferId buffer;
    std::int64_t address;
    Kind kind;
    Function function;
    bool duplicates;
    int block_barriers, warp_barriers;  // passed before
    std::int64_t number;                // of the thread
    Index3 block, thread;
  };
  struct Meeting {  // at a barrier or a shuffle
    const Statement* statement;
    std::vector<std::int64_t> trips;
    auto operator<=>(const Meeting&) const = default;
  };
  struct Thread {
    std::vector<Access> accesses;
    std::vector<Meeting> block_meetings, meetings;
  };

  std::int64_t value(Expr e) const;
  void run(const Body& body);
  void run(const Statement& s);
  void access(BufferId b, std::int64_t address, Kind kind, std::int64_t width = 1,
              Function function = Function::Add, bool duplicates = false);
  void read_value(ValueId v);
  std::optional<bool> truth(ValueId v) const;
  void judge_block(const std::vector<Thread>& threads);
  void judge_pairs(const std::vector<Access>& all, bool one_block);
  void judge_pair(const Access& a, const Access& b, bool one_block);
  std::pair<std::int64_t, std::int64_t> bytes(const Access& a) const;

  const Kernel& kernel_;
  std::map<std::uint32_t, std::int64_t> values_;  // of symbols
  Index3 block_{}, thread_{};
  std::int64_t number_ = 0;
  std::vector<std::int64_t> trips_;
  Thread now_;
  int block_barriers_ = 0, warp_barriers_ = 0;
  std::size_t accesses_ = 0;
  bool diverges_ = false;
  std::set<std::pair<BufferId, std::int64_t>> bad_addresses_;
  using Who = std::tuple<BufferId, std::int64_t, Index3, Index3>;
  std::set<std::pair<Who, Who>> races_;
  std::set<Who> uninitialised_;
  using Moment = std::tuple<Index3, std::int64_t, std::vector<std::int64_t>>;
  std::map<std::pair<BufferId, std::int64_t>, std::set<Moment>> reads_;  // of global elements
};

}  // namespace selvage::test
