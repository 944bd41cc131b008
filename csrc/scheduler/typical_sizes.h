#pragma once

#include <selvage/ir/sizes.h>

#include <map>
#include <string>

namespace selvage {

// The sizes that a schedule is made for: those that the caller names, and a likely value of every
// other size of the fusion, one that its facts allow; a smaller one where a tensor would else have
// more than 2^26 items. Rows that differ in length are taken for alike.
class TypicalSizes {
 public:
  // Throws BadInput E614 where the fusion has no size of that name.
  TypicalSizes(const Fusion& fusion, const std::map<std::string, std::int64_t>& named);

  // An extent at these sizes, at least 1.
  std::int64_t operator()(Expr extent) const;
  const SizeValues& all() const { return all_; }

 private:
  void add_rows(const Fusion& fusion);
  std::int64_t likely_number(const Fusion& fusion, Expr size, std::int64_t likely) const;
  double most_items(const Fusion& fusion) const;  // of its largest tensor

  SizeValues all_;
};

}  // namespace selvage
