#pragma once

#include <selvage/base/work.h>
#include <selvage/expr/expr.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace selvage {

// Knows what is left for the question that was asked from outside: steps, so that no part of it
// takes all, and work (base/work.h), for a step can be dear. Steps of proofs are apart from those
// of rewriting, so that no hard proof leaves a text half done. Asks nobody. Past the budget what is
// asked stays as it is and no more is proved: both are right, if not all that can be said.
class Budget {
 public:
  // No question has work past `last_work`.
  explicit Budget(std::uint64_t last_work) : last_work_(last_work) {}

  // What a question of this size may take.
  void grant(Expr e);
  void grant_steps(Expr e);
  // Whether anything has run out, in the question or in the last part that had a share of it.
  bool has_run_out() const {
    return share_ran_out_ || steps_ <= 0 || proof_steps_ <= 0 || !has_work_left();
  }
  bool has_work_left() const { return work_done < work_end_; }
  bool has_steps_left() const { return steps_ > 0; }
  bool has_proof_steps_left() const { return proof_steps_ > 0; }
  bool spend() { return --steps_ > 0 && has_work_left(); }
  bool spend_on_proof() { return --proof_steps_ > 0 && has_work_left(); }
  std::uint64_t work_end() const { return work_end_; }
  // Those that there were.
  std::int64_t set_proof_steps(std::int64_t steps) { return std::exchange(proof_steps_, steps); }

  // A part of the question may take what is left but for what `others` more parts are to have:
  // none is starved by a hard one before it.
  template <class Answer>
  Expr with_share(std::size_t others, Answer answer) {
    // Two parts of what is left for this one, one for each of the others.
    const auto mine = [&](auto left) { return left / decltype(left)(others + 2) * 2; };
    const std::uint64_t work = has_work_left() ? work_end_ - work_done : 0;
    const std::uint64_t work_end =
        std::exchange(work_end_, others == 0 ? work_end_ : work_done + mine(work));
    const std::int64_t steps_kept = others == 0 ? 0 : steps_ - mine(steps_);
    const std::int64_t proof_steps_kept = others == 0 ? 0 : proof_steps_ - mine(proof_steps_);
    steps_ -= steps_kept;
    proof_steps_ -= proof_steps_kept;
    const Expr result = answer();
    share_ran_out_ = has_run_out();
    work_end_ = work_end;
    steps_ += steps_kept;
    proof_steps_ += proof_steps_kept;
    return result;
  }

  // For writing what is not all proved: kept apart, and taken if there is nothing else.
  void keep_to_write() {
    work_to_write_ = 200'000;
    steps_to_write_ = 500;
  }
  template <class Write>
  Expr with_kept(Write write) {
    if (has_work_left() && has_steps_left()) return write();
    const std::uint64_t work_end = std::exchange(work_end_, work_done + work_to_write_);
    const std::int64_t steps = std::exchange(steps_, steps_to_write_);
    const Expr text = write();
    work_to_write_ = has_work_left() ? work_end_ - work_done : 0;
    steps_to_write_ = std::max<std::int64_t>(steps_, 0);
    work_end_ = work_end;
    steps_ = steps;
    return text;
  }

 private:
  std::uint64_t last_work_;
  std::uint64_t work_end_ = 0;
  std::int64_t steps_ = 0, proof_steps_ = 0;
  bool share_ran_out_ = false;
  std::uint64_t work_to_write_ = 0;
  std::int64_t steps_to_write_ = 0;
};

}  // namespace selvage
