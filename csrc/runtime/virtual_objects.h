#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace selvage {

// The barrier objects of a block on the virtual device, which count as the hardware's (mbarrier,
// PTX ISA): a phase ends when all arrivals have come and no announced byte is missing. Only the
// parity of a phase is asked for. Copies are made when make_copies() is called, or at once.
class VirtualObjects {
 public:
  void init(const void* object, int arrivals) { objects_[object] = {arrivals, arrivals}; }
  // Announces bytes, then arrives so many times: 0 or 1.
  void arrive(const void* object, long long bytes, int arrivals);
  // `make` copies so many bytes.
  void copy(std::function<void()> make, std::int64_t bytes, const void* object, bool at_once);
  // Whether a wait for the phase of this parity goes on: that phase is not the current one.
  bool has_ended(const void* object, int parity) const;
  // Makes all copies that are under way; returns whether there were any.
  bool make_copies();
  // At the end of a block. What is under way is made, as a GPU would.
  void end_block();

 private:
  struct Object {
    int each_phase = 0, pending = 0;  // arrivals
    long long bytes = 0;              // announced and not copied
    unsigned phase = 0;
    void count();
  };
  struct Copy {
    std::function<void()> make;
    std::int64_t bytes;
    const void* object;
  };
  void make(const Copy& copy);

  std::map<const void*, Object> objects_;
  std::vector<Copy> copies_;
};

}  // namespace selvage
