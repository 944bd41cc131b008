#pragma once

#include <selvage/simplifier/part.h>

#include <optional>
#include <vector>

namespace selvage {

// Writes what is in normal form as cheaply as it finds. Normal forms serve proofs: a sum is written
// out, its digits kept apart, multiples drawn out of divisions. Here products are drawn out of
// sums, digits are joined, multiples go back into divisions, wherever that makes the text cheaper.
// Knows the texts of normal forms. Asks for costs and for widths, so that no text needs a wider
// integer for it; each way to write a sum is equal to it.
class TextWriter : SimplifierPart {
 public:
  explicit TextWriter(SimplifierParts& parts);

  // Of a deep expression the parts first, so that writing the whole does not go down the stack.
  void write_parts(Expr e);
  Expr write(Expr e);
  // The text of a normal form as far as it was written; invalid: not yet.
  Expr& written(Expr normal) { return known_[normal]; }
  void forget() {
    known_.each([](Expr& text) { text = {}; });
  }

 private:
  // A sum of which some atoms stand as they are written already.
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

// Chooses what stands in the answer, part by part. A part of the question is written from its
// normal form, or stays as it is with the texts of its own parts in it, whichever is cheaper and
// needs no wider integer: so what cannot be rewritten takes nothing else with it, and no part gets
// dearer. Knows the text that was chosen for each part, and how wide expressions are as they are
// written. Asks the normalizer and the writer for the one candidate; all candidates are equal.
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
    Expr text;     // what stands for a part of a question in the answer
    Expr rebuilt;  // it with the texts of its parts
    std::optional<AsWritten> as_written;
  };

  Expr text_of(Expr e);
  void find_texts_below(Expr e);
  Expr cheapest(Expr e, Expr normal, Expr rebuilt);
  Expr rebuilt(Expr e);
  Expr rebuilt_conjunction(Expr e);
  bool is_better(Expr text, Expr than);
  const AsWritten& as_written(Expr e);

  SimplifierParts& parts_;  // all whose answers are forgotten where it starts again
  Normalizer& normalizer_;
  TextWriter& writer_;

  Memo<Known> known_;
  bool any_replaced_ = false;  // text of a normal form, by what the question had
  bool ran_out_ = false;       // the last question
};

}  // namespace selvage
