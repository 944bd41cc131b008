#pragma once

#include <selvage/expr/substitute.h>
#include <selvage/kernel/verify_access.h>
#include <selvage/kernel/verify_points.h>
#include <selvage/simplifier/linear.h>

#include <optional>
#include <span>
#include <vector>

namespace selvage {

// Whether writes store all elements that a read takes: all of them are gone through, for each value
// of what is the same for both.
class ReadCoverage {
 public:
  // `in_common`: an index of threads that has one value at the read and at the writes; invalid:
  // none.
  explicit ReadCoverage(const AccessMap& map, Expr in_common = {})
      : map_(map), in_common_(in_common) {}

  // Where the condition of a guard is one of blocks, by the writes of each of its bodies. `loops`:
  // so many are around the read and all writes. `shift`: at which iterations the read stands, seen
  // from those of the writes. `assumed`: conditions that hold at the writes.
  bool cover(const std::vector<std::size_t>& writes, std::size_t r, std::size_t loops,
             const Environment& shift, const std::vector<Expr>& assumed = {}) const;

  // Symbols that have one value at a read and at writes in its first loops.
  std::vector<Expr> shared_symbols(std::size_t r, std::size_t loops) const;
  static std::vector<Expr> parts_of(std::span<const Expr> conditions);
  // Conditions of a write that do not hold just because those of the read do, `given`.
  std::vector<Expr> own_conditions(std::size_t w, std::span<const Expr> given,
                                   std::span<const Expr> shared) const;

 private:
  struct Side {
    std::vector<PointAxis> axes;
    std::vector<Expr> conditions;
    Expr address;
    std::int64_t width = 1;
  };

  Memory memory(std::size_t access) const {
    return map_.kernel().buffers[map_.accesses()[access].buffer].memory;
  }
  std::optional<Expr> less(Expr address, const LinearSum& base) const;
  std::optional<std::vector<PointAxis>> axes_of(std::size_t access, std::size_t loops,
                                                bool must_run, Expr given = {}) const;
  std::optional<PointAxis> any_element(std::size_t r) const;
  std::optional<PlaceId> guard_of_blocks(const std::vector<std::size_t>& writes, std::size_t r,
                                         std::span<const Expr> shared,
                                         std::span<const Expr> assumed) const;
  std::optional<bool> side_of(std::size_t access, PlaceId guard) const;
  bool cover_by(const std::vector<std::size_t>& writes, std::size_t r, std::size_t loops,
                const Environment& shift, const std::vector<Expr>& assumed) const;
  static void drop_unneeded(Side& read, const std::vector<Side>& writes,
                            std::span<const Expr> shared);
  bool is_covered(const Side& read, const std::vector<Side>& writes, std::size_t r,
                  std::span<const Expr> shared) const;

  const AccessMap& map_;
  Expr in_common_;
};

}  // namespace selvage
