#pragma once

#include <selvage/codegen/buffer_text.h>
#include <selvage/codegen/index_text.h>
#include <selvage/kernel/kernel.h>

#include <string>
#include <vector>

namespace selvage {

// The lines of C that copies which end later, arrivals and waits are.
class EventText {
 public:
  EventText(const Kernel& kernel, const BufferText& buffers, IndexText& index)
      : kernel_(kernel), buffers_(buffers), index_(index) {}

  // What makes the kernel's barrier objects ready; empty: it has none.
  std::vector<std::string> objects();
  std::string arrive(const Arrive& arrive) const;
  std::string wait(const Wait& wait) const;
  // `bytes`: how many, in C; empty: those of the copy itself.
  std::vector<std::string> copy(const AsyncCopy& copy, const std::string& bytes = {});

  // Which macros of head_text.h the lines so far need.
  bool has_groups() const { return has_groups_; }
  bool has_objects() const { return has_objects_; }

 private:
  std::string object(const BarrierObject& o) const;
  std::string place(BufferId b, Expr address) const {
    return buffers_.place(b, index_.write_converted(address));
  }

  const Kernel& kernel_;
  const BufferText& buffers_;
  IndexText& index_;
  bool has_groups_ = false, has_objects_ = false;
};

}  // namespace selvage
