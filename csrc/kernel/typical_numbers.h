#pragma once

#include <selvage/expr/symbols.h>
#include <selvage/ir/sizes.h>
#include <selvage/kernel/verify_access.h>

#include <cstdint>
#include <map>

namespace selvage {

// What the numbers that a kernel reads from memory are taken for where its requests are counted
// without any data. Rows have equally many items, as many as they have on average, so the offset of
// row r is r times that, rounded down, and the row of a position follows. (That is known of offsets
// that tell the rows of a nest, Buffer::rises_to, and of no others.) What nothing is known of is as
// large as it may be in a condition. In an address each element k that tells a number stands for
// 8 * k, and an element of a thread's own buffer for 8 * k and 8 times the thread: as far apart as
// numbers are that have nothing to do with one another, so that each leads to a sector of its own.
class TypicalNumbers {
 public:
  // Both must outlive it.
  TypicalNumbers(const AccessMap& map, const SizeValues& sizes);

  // An expression over MemoryNumbers with each replaced: within a condition, or an end of a loop;
  // within an address.
  Expr in_condition(Expr e) const;
  Expr in_address(Expr e) const;
  // Whether an address is over a number of which nothing is known.
  bool is_anywhere(Expr address) const { return mentions(address, unknown_); }
  // The end of a loop: as it is written where rows tell it; where other numbers do, the most.
  Expr end_of(const StatementPlace& loop) const;

 private:
  struct Mean {
    std::int64_t items = 0, rows = 1;  // so many items in so many rows
  };
  // A value of the kernel as an index.
  struct Typical {
    Expr known;   // invalid: nothing is known of it
    Expr spread;  // what stands for it in an address
  };
  using Typicals = std::map<ValueId, Typical>;  // of the values under a number
  Expr row_at(Expr position, Mean mean, std::int64_t added) const;
  Mean mean_of(const Buffer& offsets) const;
  Expr row_of(const MemoryNumber& number) const;
  Typical of(const MemoryNumber& number) const;
  Typical of(const ValueNode& node, const MemoryNumber& number, const Typicals& operands) const;
  Typical applied(const ValueNode& node, const MemoryNumber& number,
                  const Typicals& operands) const;

  const AccessMap& map_;
  const SizeValues& sizes_;
  Environment in_conditions_, in_addresses_;
  std::vector<Expr> unknown_;  // symbols of numbers that no rows tell
};

}  // namespace selvage
