#pragma once

#include <selvage/codegen/buffer_text.h>
#include <selvage/codegen/index_text.h>
#include <selvage/codegen/mma_text.h>
#include <selvage/kernel/kernel.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// The lines of C that what ends later is: copies, multiplications, arrivals and waits.
class EventText {
 public:
  // `maps`: the names of the kernel's tensor maps.
  EventText(const Kernel& kernel, const BufferText& buffers, IndexText& index,
            std::vector<std::string> maps)
      : kernel_(kernel),
        buffers_(buffers),
        index_(index),
        maps_(std::move(maps)),
        mma_(kernel, buffers, index) {}

  // What makes the kernel's barrier objects ready; empty: it has none.
  std::vector<std::string> objects();
  // The barrier behind that, of all blocks that reach these.
  std::string meet() const;
  std::string arrive(const Arrive& arrive) const;
  std::vector<std::string> wait(const Wait& wait) const;
  std::vector<std::string> multiply(const Mma& mma) { return mma_.multiply(mma); }
  // `bytes`: how many, in C; empty: those of the copy itself.
  // `is_of_own_rank`: of a multicast, that the rank which makes it is the own one, of copies of all
  // ranks that announce as many bytes.
  std::vector<std::string> copy(const AsyncCopy& copy, const std::string& bytes = {},
                                bool is_of_own_rank = false);

  // The macros that the lines so far need.
  std::vector<std::string> head() const;

 private:
  std::string object(const BarrierObject& o) const;
  std::string corner(const AsyncCopy::Box& box);
  std::string begin_box(const AsyncCopy& copy);
  std::string store_box(const AsyncCopy& copy);
  std::string store_bytes(const AsyncCopy& copy, const std::string& bytes);
  bool reads_stores() const;
  std::string ranks() const;  // how many blocks a cluster has
  bool uses_proxy() const;
  std::string place(BufferId b, Expr address) const {
    return buffers_.place(b, index_.write_converted(address));
  }

  const Kernel& kernel_;
  const BufferText& buffers_;
  IndexText& index_;
  std::vector<std::string> maps_;
  MmaText mma_;
  std::set<BufferId> of_ranks_;  // objects at which other ranks of a cluster arrive
  bool has_groups_ = false, has_objects_ = false, has_multicasts_ = false, has_bulk_stores_ = false;
  // Of boxes that are copied.
  std::set<std::size_t> loaded_ranks_, multicast_ranks_, stored_ranks_, combined_ranks_;
};

}  // namespace selvage
