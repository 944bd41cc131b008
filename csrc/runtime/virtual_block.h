#pragma once

#include <selvage/base/shuffle.h>
#include <selvage/runtime/kernel_source.h>
#include <selvage/runtime/virtual_map.h>
#include <selvage/runtime/virtual_objects.h>
#include <selvage/runtime/virtual_prelude.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

class Fiber;
class VirtualCheck;

// Runs one block after the other, its threads on fibers; see VirtualKernel (virtual_device.h).
class VirtualBlock {
 public:
  // `check`: not null for a checked unit; asked before each access.
  // `in_parts`: whether threads wait by themselves, or parts of the block, or of a warp, for one
  // another. `ranks`: blocks of a cluster, whose threads are those of the block, by z.
  VirtualBlock(const KernelSource& source, VirtualMachine& machine, VirtualThread entry,
               const std::vector<VirtualIndex>& threads, bool in_parts, std::int64_t ranks = 1,
               VirtualCheck* check = nullptr);
  ~VirtualBlock();
  VirtualBlock(const VirtualBlock&) = delete;

  // Runs the machine's block to its end. Throws Error (E702; of a check E721, E722).
  void run(SplitMix64* random);

 private:
  // A thread's part of a matrix multiplication.
  struct Product {
    float* sums = nullptr;
    const std::uint16_t *a = nullptr, *b = nullptr;
    int columns = 0;
    bool is_bfloat16 = false, is_a_shared = false;
  };
  struct WarpProduct;
  // The point at which a thread stopped.
  struct Stop {
    enum class Kind {
      Exited,
      Barrier,
      ClusterBarrier,
      WarpBarrier,
      NumberedBarrier,
      Shuffle,
      Product,
      Phase,
      BadAccess
    };
    Kind kind = Kind::Exited;
    int line = kExited;
    std::byte* value = nullptr;  // of a shuffle, on the thread's stack
    unsigned bytes = 0;
    int lanes = 0;                         // of a shuffle: the mask of the xor
    unsigned who = 0;                      // of a warp's barrier: the lanes that wait; 0: all
    int id = 0, threads = 0, members = 0;  // of a numbered barrier
    const void* object = nullptr;          // of a phase: the barrier object, and which it is
    int parity = 0;
    Product product = {};
    static constexpr int kExited = -1;
    bool is_exchange() const { return kind == Kind::Shuffle || kind == Kind::Product; }
    bool is_of_warp() const { return kind == Kind::WarpBarrier || is_exchange(); }
  };
  using Threads = std::vector<std::size_t>;

  static void wait(int line);
  static void wait_for_cluster(int line);
  static void wait_for_warp(int line, unsigned lanes);
  static void wait_at_number(int id, int threads, int members, int line);
  static void exchange(void* value, unsigned bytes, int lanes, int line);
  static void access(const void* place, unsigned long bytes, int writes);
  static void begin_copy(void* to, const void* from, unsigned bytes);
  static void end_copy_group();
  static void wait_for_copy_groups(int pending);
  static void store_bytes(void* to, const void* from, long long bytes);
  static void combine_bytes(void* to, const void* from, long long bytes, const char* function,
                            const char* type);
  static void store_box(const void* from, const void* map, const int* corner);
  static void combine_box(const void* from, const void* map, const int* corner,
                          const char* function);
  static void put_box(const void* from, const void* map, const int* corner, const char* function);
  static void end_store_group();
  static void wait_for_store_groups(int pending);
  static void arrive_with_copies(void* object);
  static void begin_bulk_copy(void* to, const void* from, long long bytes, void* object);
  static void begin_box_copy(void* to, const void* map, const int* corner, void* object);
  static void wait_for_phase(void* object, int parity, int line);
  static void begin_mma(float* sums, const void* a, const void* b, int columns, const char* type,
                        int is_a_shared, int line);
  static void end_mma_group();
  static void wait_for_mma_groups(int pending);
  bool is_made_at_once();
  static void leave();
  void begin(std::size_t position);
  Stop& stop() { return stops_[warp_[position_]]; }

  // Copies and multiplications of a thread that have not been made yet. They are made as late as
  // may be: where the thread waits for them, or when the block has ended. If threads run in a drawn
  // order, some are made at once.
  struct Copy {
    std::function<void()> make;
    int group;
    bool is_arrival = false;  // at an object, when all before it are made
  };
  struct Queue {
    std::vector<Copy> copies;
    int closed = 0;  // groups
    void make_below(int group);
    // Makes all up to the first arrival; returns whether there is one.
    bool make_to_arrival();
  };
  enum class Way { Copy, Store, Product };  // kinds of queues of a thread
  Queue& queue(Way way, std::size_t thread);
  Queue& own_queue(Way way) { return queue(way, warp_[position_]); }
  void put(std::function<void()> copy, Way way);
  VirtualMap map_at(const void* map) const;
  void run_threads(SplitMix64* random);

  void run_warp(Threads& warp, SplitMix64* random);
  void exchange(const Threads& warp);
  void multiply(const Threads& warp);
  void resume(const Threads& threads);
  void run_in_parts(SplitMix64* random);
  // Whether both wait for the same. Two at numbered barriers are at one number.
  static bool waits_alike(const Stop& a, const Stop& b);
  void release(std::size_t thread) { goes_[thread] = 1, ++going_; }
  void release_warp(const Threads& warp);
  bool make_arrivals();
  bool release_phases();
  bool release_numbers();
  bool release_block();
  bool release_together(std::span<const Stop> stops, Stop::Kind kind);
  [[noreturn]] void refuse(Threads threads, const std::string& whose) const;
  [[noreturn]] void refuse_all() const;
  [[noreturn]] void refuse_narrow(const Threads& warp) const;
  std::string note(std::size_t thread, std::ptrdiff_t more) const;

  static constinit thread_local VirtualBlock* running_;  // on this thread
  const KernelSource& source_;
  VirtualMachine& machine_;
  VirtualThread entry_;
  const std::vector<VirtualIndex>& threads_;
  bool in_parts_;
  std::size_t ranks_;
  VirtualCheck* check_;
  std::vector<std::unique_ptr<Fiber>> fibers_;  // by thread
  std::vector<Threads> warps_;
  std::vector<Stop> stops_;  // of each thread
  std::vector<std::byte> given_;
  std::vector<Queue> queues_;  // by way, then thread
  VirtualObjects objects_;
  SplitMix64* random_ = nullptr;
  // If in_parts_: by thread, whether it can go on; and the number of those that can.
  std::vector<char> goes_;
  std::size_t going_ = 0;
  // Of the running warp: its threads in order, and the position of the running thread.
  const std::size_t* warp_ = nullptr;
  std::size_t width_ = 0;
  std::size_t position_ = 0;
};

}  // namespace selvage
