#pragma once

#include <selvage/base/work.h>
#include <selvage/expr/expr.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace selvage {

// What is left to spend on one question to the simplifier. Steps limit how much is tried; work
// (base/work.h) limits the time, since one step can be expensive. Proofs have steps of their own,
// so that a hard proof does not leave a text half done. Past the budget, expressions stay as they
// are and nothing more is proved: the answers are right, but more could be said.
class Budget {
 public:
  // No question may go on once work_done reaches `last_work`.
  explicit Budget(std::uint64_t last_work) : last_work_(last_work) {}

  // Grants a new question work and steps, or steps alone, for an expression of the size of e.
  void grant(Expr e);
  void grant_steps(Expr e);
  // Whether work or steps ran out, for the question or for the last part answered with a share.
  bool has_run_out() const {
    return share_ran_out_ || steps_ <= 0 || proof_steps_ <= 0 || !has_work_left();
  }
  bool has_work_left() const { return work_done < work_end_; }
  bool has_steps_left() const { return steps_ > 0; }
  bool has_proof_steps_left() const { return proof_steps_ > 0; }
  bool spend() { return --steps_ > 0 && has_work_left(); }
  bool spend_on_proof() { return --proof_steps_ > 0 && has_work_left(); }
  std::uint64_t work_end() const { return work_end_; }
  // Returns the number of steps before.
  std::int64_t set_proof_steps(std::int64_t steps) { return std::exchange(proof_steps_, steps); }

  // Answers one part of a question with a share of what is left, so that a hard part does not
  // starve the `others` parts still to come. With no others the part may take everything.
  template <class Answer>
  Expr with_share(std::size_t others, Answer answer) {
    // What is left is cut into others + 2 pieces: two for this part, one for each other.
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

  // keep_to_write() sets a reserve aside; with_kept() calls write() on what is left of the budget,
  // or on the reserve if work or steps have run out.
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
