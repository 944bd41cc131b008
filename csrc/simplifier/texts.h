#pragma once

#include <selvage/simplifier/part.h>

#include <optional>
#include <vector>

namespace selvage {

// Writes a normal form as a cheap expression. Normal forms serve proofs: products are multiplied
// out, digits kept apart, multiples drawn out of divisions. The writer draws factors out of sums,
// joins digits and moves multiples back into divisions where that makes the text cheaper and needs
// no wider integer. Right because each way to write a sum is equal to it. Remembers the texts.
class TextWriter : SimplifierPart {
 public:
  explicit TextWriter(SimplifierParts& parts);

  // Writes the parts of a deep e bottom-up, so that writing e does not recurse deeply.
  void write_parts(Expr e);
  Expr write(Expr e);
  // The remembered text of a normal form; invalid if there is none yet.
  Expr& written(Expr normal) { return known_[normal]; }
  void forget() {
    known_.each([](Expr& text) { text = {}; });
  }

 private:
  // A sum, and those of its atoms that are written already.
  struct Text {
    LinearSum sum;
    std::vector<Expr> written;
    bool has(Expr atom) const;
  };

  bool is_whole(Expr e);
  Expr write_operands(Expr e);
  Expr write_sum(const LinearSum& normal);
  Expr write_terms(const Text& text);
  Expr write_quotient(const LinearSum& dividend, Expr divisor);
  Expr write_remainder(const LinearSum& dividend, Expr divisor);
  bool join_digits(LinearSum& sum);
  std::optional<Text> move_into_quotient(const Text& text, std::size_t i);
  std::optional<Text> move_into_remainder(const Text& text, std::size_t i);
  std::optional<Text> with_text(const Text& text, const LinearSum& rest, Expr atom, std::int64_t k);
  LinearSum with_constant_inside(LinearSum sum);

  Digits& digits_;

  Memo<Expr> known_;
};

// Chooses the text of the answer, part by part. The candidates for a part of the question are the
// text of its normal form, and the part with the chosen texts of its operands. The cheaper one that
// needs no wider integer is taken, so a part that cannot be rewritten does not hold back others,
// and no part gets more expensive. Right because all candidates are equal. Remembers the text
// chosen for each part, and the widths of expressions as they are written.
class TextChoice : SimplifierPart {
 public:
  explicit TextChoice(SimplifierParts& parts);

  Expr simplify(Expr e);
  bool ran_out() const { return ran_out_; }
  void forget();

 private:
  struct AsWritten {
    Interval range;
    Width width;  // of every intermediate
  };
  struct Known {
    Expr text;     // the text chosen for this part of a question
    Expr rebuilt;  // this part with the texts of its operands
    std::optional<AsWritten> as_written;
  };

  Expr text_of(Expr e);
  void find_texts_below(Expr e);
  Expr cheapest(Expr e, Expr normal, Expr rebuilt);
  Expr rebuilt(Expr e);
  Expr rebuilt_conjunction(Expr e);
  bool is_better(Expr text, Expr than);
  const AsWritten& as_written(Expr e);

  SimplifierParts& parts_;  // to forget all answers
  Normalizer& normalizer_;
  TextWriter& writer_;

  Memo<Known> known_;
  bool any_replaced_ = false;  // a text of the writer, by one from the question
  bool ran_out_ = false;       // in the last question
};

}  // namespace selvage
