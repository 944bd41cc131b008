#include <selvage/simplifier/budget.h>

#include <algorithm>

namespace selvage {

void Budget::grant(Expr e) {
  constexpr std::uint64_t kLeast = 1'500'000, kPerNode = 100, kMost = 2'000'000;
  work_end_ = std::min(last_work_, work_done + std::min(kMost, kLeast + kPerNode * e.size()));
  grant_steps(e);
}

void Budget::grant_steps(Expr e) {
  constexpr std::int64_t kLeast = 2000, kPerNode = 4, kMost = 60'000, kProofs = 1200;
  steps_ = std::min(kMost, kLeast + kPerNode * std::int64_t{e.size()});
  proof_steps_ = kProofs + std::min(kMost, std::int64_t{e.size()});
  share_ran_out_ = false;
}

}  // namespace selvage
