#pragma once

#include <selvage/base/work.h>
#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/memo.h>
#include <selvage/simplifier/rules.h>
#include <selvage/simplifier/samples.h>
#include <selvage/simplifier/verdict.h>
#include <selvage/simplifier/wide_sum.h>
#include <selvage/simplifier/width.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace selvage {

// Simplifies and proves under one scope of facts. What it remembers belongs to that scope.
// Everything it does is equal for all integers that the facts allow; undefined operands (a divisor
// that may be 0) are left as they are, and so is what is nested more than kDeepest levels deep: the
// stack would not hold it.
class Simplifier {
 public:
  static constexpr std::uint32_t kDeepest = 10'000;

  explicit Simplifier(Facts facts) : Simplifier(std::move(facts), 0, UINT64_MAX) {}

  const Facts& facts() const { return facts_; }
  ExprPool& pool() const { return facts_.pool(); }

  // The cheapest text of an equal expression that is found: never dearer than e (csrc/expr/cost.h),
  // with no intermediate that needs a wider integer, and simplified again it stays as it is. What
  // cannot be written so stays as it is for its own part of e alone.
  Expr simplify(Expr e);
  // Whether the last question had more to try than its budget allowed.
  bool ran_out() const { return ran_out_; }
  // An equal expression in the form in which proofs are made: products multiplied out, terms in
  // canonical order, each number apart or in digits. Equal sums have one normal form.
  Expr normal_form(Expr e);
  // Values that e can take, from above.
  Interval interval(Expr e);
  Congruence congruence(Expr e);

  // True only where the condition is proved for every value that the facts allow.
  bool proves(Expr condition);
  // 0 <= e, always?
  bool proves_nonnegative(Expr e);
  // Proved with the rules used, Refuted with a point found by probing, or Unknown with what is
  // left.
  Verdict prove(Expr condition);

  // What prove() could neither prove nor refute: each wants a rule.
  const std::vector<Expr>& rules_wanted() const { return wanted_; }
  // How often each rule of all_rules() was applied.
  const std::vector<std::uint64_t>& hits() const { return hits_; }

 private:
  // `level`: 1 where one conjunct is simplified under the others, with work for it until
  // `last_work`.
  Simplifier(Facts facts, int level, std::uint64_t last_work);

  void add_consequences(Expr comparison, std::vector<LinearSum>& sums);
  void learn(std::vector<LinearSum> sums);

  using Bindings = std::array<Expr, kPatternSymbols>;
  using Proposals = std::vector<Bindings, Recycling<Bindings>>;

  // simplifier.cpp: sums and the walk over the tree
  // The canonical sum of any expression, and of one that is simple already.
  static constexpr std::uint32_t kDeep = 200;
  void normalize_parts(Expr e);
  Expr normalize(Expr e);
  void forget_leaning();
  const LinearSum& linear(Expr e);  // good until another is asked for
  std::optional<LinearSum> difference(Expr greater, Expr lesser);
  const LinearSum& sum_of(Expr e);
  LinearSum compute_linear(Expr e);
  std::optional<WideSum> wide_sum(Expr e);
  std::optional<Expr> divide_wide(Expr e, Expr divisor);
  Expr rewrite(Expr e);
  bool has_kept_product(Expr e);
  Expr finish(const LinearSum& sum);

  // rewrite.cpp: applying a rule
  Expr apply_rules(Expr e);
  Expr apply_first(Expr e);
  std::optional<Expr> apply(const Rule& rule, const Bindings& bindings);
  Interval interval(Expr pattern, const Bindings& bindings);
  std::optional<bool> decide(Expr pattern, const Bindings& bindings);
  Proposals propose(const Rule& rule, Expr e);
  bool match(Expr pattern, Expr e, Bindings& bindings) const;
  Expr substitute(Expr pattern, const Bindings& bindings);
  void propose_division(Expr e, Proposals& out);
  void propose_division(const LinearSum& dividend, Expr divisor, Proposals& out);
  void propose_division_of_digits(Expr e, Proposals& out);
  std::optional<LinearSum> exact_quotient(const LinearSum& a, const LinearSum& b);
  bool bind_multiple(std::int64_t coefficient, Expr others, Expr period, Expr divisor,
                     Bindings& bindings);
  void propose_inner_quotient(Expr e, Proposals& out);
  void propose_negative(Expr e, Proposals& out);
  void propose_common_factor(Expr e, Proposals& out);
  void propose_congruent(Expr e, Proposals& out);
  void propose_inner(const Rule& rule, Expr e, Proposals& out);

  // sums.cpp: rules on terms that belong together
  int cost(Expr e);
  std::int64_t cost(const LinearSum& sum);
  int all_divisions(Expr e);
  int all_divisions(const LinearSum& sum);
  void recompose_all(LinearSum& sum);
  bool recompose(LinearSum& sum);
  bool recompose_remainder(LinearSum& sum, std::size_t i, Expr atom);
  bool recompose_digits(LinearSum& sum, std::size_t i, Expr atom);
  bool recompose_quotient(LinearSum& sum, std::size_t i, Expr atom);
  bool recompose_divisible(LinearSum& sum, std::size_t i, Expr quotient);
  bool recompose_outer(LinearSum& sum, std::size_t i, Expr quotient, std::int64_t b);
  bool recompose_pair(LinearSum& sum, std::size_t low, std::size_t high);
  bool move_in(LinearSum& sum, std::size_t i, Expr atom);
  std::optional<LinearSum> join(const LinearSum& sum, Expr remainder, std::int64_t k);
  std::optional<LinearSum> in_digits(const LinearSum& sum, Expr digit);
  std::optional<LinearSum> in_digits(const LinearSum& sum, Expr number, std::int64_t a);
  std::optional<LinearSum> with_a_number_in_digits(const LinearSum& sum);
  bool split_digits(LinearSum& sum, std::size_t i);
  struct Quotient {
    Expr x, a;
  };
  std::vector<Quotient> as_quotients(Expr y, std::int64_t factor);
  bool replace_terms(LinearSum& sum, const LinearSum& out, const LinearSum& in,
                     std::string_view name);

  // texts.cpp: what stands in the answer, part by part
  struct AsWritten {
    Interval range;
    Width width;  // of every intermediate
  };
  const AsWritten& as_written(Expr e);
  bool is_better(Expr text, Expr than);
  Expr text_of(Expr e);
  void find_texts_below(Expr e);
  Expr cheapest(Expr e, Expr normal, Expr rebuilt);
  Expr rebuilt(Expr e);
  Expr rebuilt_conjunction(Expr e);
  Expr write_to_the_end(Expr normal);

  // writing.cpp
  void write_parts(Expr e);
  Expr write(Expr e);
  bool is_whole(Expr e);
  Expr write_operands(Expr e);
  Expr write_sum(const LinearSum& normal);
  Expr write_quotient(const LinearSum& dividend, Expr divisor);
  Expr write_remainder(const LinearSum& dividend, Expr divisor);
  bool join_digits(LinearSum& sum);
  // A sum of which some atoms stand as they are written already.
  struct Text {
    LinearSum sum;
    std::vector<Expr> written;
    bool has(Expr atom) const;
  };
  Expr write_terms(const Text& text);
  std::optional<Text> with_text(const Text& text, const LinearSum& rest, Expr atom, std::int64_t k);
  LinearSum with_constant_inside(LinearSum sum);
  std::optional<Text> move_into_quotient(const Text& text, std::size_t i);
  std::optional<Text> move_into_remainder(const Text& text, std::size_t i);
  Expr draw_out(const LinearSum& sum);

  // order.cpp
  std::optional<LinearSum> order_difference(Expr lesser, Expr greater, bool strict);
  Expr rewrite_order(Expr lesser, Expr greater, bool strict);
  Expr rewrite_equal(Expr a, Expr b);
  Expr write_order(const LinearSum& difference);
  bool drop_common_factor(LinearSum& difference);
  bool drop_common_symbol(LinearSum& difference);
  bool drop_division(LinearSum& difference);

  // conjunction.cpp
  struct Conjunct {
    Expr condition;
    std::optional<LinearSum> difference;  // at least 0 just where it holds
  };
  Expr rewrite_and(Expr e);
  bool is_below(const LinearSum& sum, std::int64_t bound);
  bool merge_steps(std::vector<Conjunct>& conjuncts);
  bool collect(Expr e, std::vector<Conjunct>& conjuncts);
  static std::optional<LinearSum> negation(const LinearSum& sum);
  void bound_quotients(const LinearSum& sum, std::vector<LinearSum>& out);
  bool follows(const LinearSum& goal, const std::vector<const LinearSum*>& from);
  void drop_implied(std::vector<Conjunct>& conjuncts);
  bool proves_by_narrowing(Expr condition);
  bool divisors_are_positive(Expr e);
  bool simplify_under_others(const std::vector<Conjunct>& conjuncts, Conjunct& c);
  std::optional<LinearSum> difference_of(Expr comparison);

  // bounds.cpp
  void narrow();
  void narrow_to(Expr e, const Interval& range);
  Interval compute_interval(Expr e);
  Congruence compute_congruence(Expr e);
  Interval interval(const LinearSum& sum);
  // Of every intermediate of a sum, term by term.
  Width width(const LinearSum& sum);
  Interval interval_of_digits(Expr x, std::int64_t a, std::int64_t low, std::int64_t high);
  Congruence congruence(const LinearSum& sum);
  static constexpr int kProofDepth = 6;
  static constexpr int kDeepestNesting = 3;  // of proofs within simplifications within proofs
  bool nonnegative(const LinearSum& sum, int depth);
  bool has_exact_interval(const LinearSum& sum);
  bool prove_with_budget(const LinearSum& sum);
  bool search(LinearSum sum, int depth);
  // Whether a sum is at least 0, as far as it was tried: where the search failed with all tried, by
  // how deep in other proofs it was, to what depth.
  struct Tried {
    bool proved = false, proved_supposing = false;
    std::array<int, kDeepestNesting + 1> failed{};
  };
  using AllTried = std::unordered_map<LinearSum, Tried, SumHash, SumEqual>;
  // Sums taken to be at least 0, the symbols in them, and the sample points at which they are.
  struct Supposed {
    std::vector<const LinearSum*> sums;
    std::uint64_t symbols = 0;
    Samples::Mask points = Samples::kAll;
  };
  // While it lives, proofs suppose that these sums are at least 0.
  class Supposing {
   public:
    Supposing(Simplifier& s, std::vector<const LinearSum*> sums);
    ~Supposing();
    Supposing(const Supposing&) = delete;
    Supposing& operator=(const Supposing&) = delete;

   private:
    Simplifier& simplifier_;
    Supposed outer_;
    AllTried tried_;
  };
  bool no_point_denies(const LinearSum& sum);
  void replace_free_symbols(LinearSum& sum);
  std::uint64_t own_bit(Expr symbol) const;
  std::uint64_t symbol_mask(Expr e);
  std::uint64_t symbol_mask(const LinearSum& sum);
  bool follows_from(const LinearSum& sum, const LinearSum& known, int depth);
  std::optional<std::pair<LinearSum, LinearSum>> common_multiple(const LinearSum::Term& u,
                                                                 const LinearSum::Term& t);
  bool eliminate_quotient(const LinearSum& rest, const LinearSum& k, Expr atom, bool rising,
                          int depth);
  bool follows_from_known(const LinearSum& sum, int depth);
  bool eliminate(const LinearSum& sum, Expr atom, int depth);
  void atom_bounds(Expr atom, std::vector<LinearSum>& lower, std::vector<LinearSum>& upper);
  std::size_t elimination_rank(Expr atom);
  std::size_t scope_depth(Expr e);
  bool is_refuted(const LinearSum& sum);
  Samples& samples();

  // What is left for the question asked from outside: steps, so that no part of it takes all, and
  // work, for a step can be dear. Past it what is asked stays as it is.
  class Question {
   public:
    Question(Simplifier& s, Expr e);
    ~Question();
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;

   private:
    Simplifier& simplifier_;
  };
  // While it lives, a part of the question may take what is left but for what `others` more parts
  // are to have: none is starved by a hard one before it.
  class Share {
   public:
    Share(Simplifier& s, std::size_t others);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    Simplifier& simplifier_;
    std::uint64_t work_end_;
    std::int64_t steps_kept_, proof_steps_kept_;
  };
  void grant_steps(Expr e);
  void start_again(Expr e);
  void forget_answers();
  void forget_texts();
  bool has_work_left() const { return work_done < work_end_; }
  bool has_run_out() const {
    return share_ran_out_ || steps_ <= 0 || proof_steps_ <= 0 || !has_work_left();
  }
  bool spend() { return --steps_ > 0 && has_work_left(); }
  bool spend_on_proof() { return --proof_steps_ > 0 && has_work_left(); }

  void count(const Rule& rule) { ++hits_[std::size_t(&rule - all_rules().data())]; }

  Facts facts_;
  std::vector<LinearSum> known_nonnegative_;  // from the assumptions
  std::vector<Expr> known_true_;              // the rest of them, simplified
  LinearSum not_asked_;                       // what linear() says past the budget
  Supposed supposed_;                         // for the proof under way
  std::uint64_t known_symbols_ = 0;
  std::unique_ptr<Samples> samples_;
  AllTried tried_;
  bool all_tried_ = true;         // by the proof under way
  bool assumes_nothing_ = false;  // the proof under way
  // What is remembered of one expression. Nothing: not asked yet.
  struct Known {
    Expr normal;   // the expression itself while the question is open
    Expr written;  // the cheapest text of what is normal
    Expr text;     // what stands for a part of a question in the answer
    Expr rebuilt;  // it with the texts of its parts
    std::optional<AsWritten> as_written;
    std::optional<LinearSum> linear, sum;
    std::optional<Interval> interval;
    std::optional<Interval> narrowed;  // by assumptions, beyond what the structure says
    std::optional<Congruence> congruence;
    std::uint64_t symbols = 0;  // symbol_mask
    int open = 0;               // depth of an open question; 0: answered, or not asked
    std::optional<bool> has_kept_product;
    int cost = 0, divisions = 0;
    std::uint32_t depth = 0;
  };
  Memo<Known> known_;
  static constexpr int kNone = std::numeric_limits<int>::max();
  bool has_kept_ = false;      // a sum as one atom, for it would overflow
  int open_ = 0;               // questions open
  int lean_on_ = kNone;        // the outermost open question that was met again
  std::vector<Expr> leaning_;  // answered since
  std::vector<std::uint64_t> hits_;
  std::vector<Expr> wanted_;
  int level_ = 0;
  int questions_ = 0;             // within one another
  std::uint64_t last_work_;       // for all questions
  std::uint64_t work_end_ = 0;    // for this one
  std::int64_t steps_ = 0;        // of rewriting
  std::int64_t proof_steps_ = 0;  // apart, so that no hard proof leaves a text half done
  bool share_ran_out_ = false;    // of one part
  bool ran_out_ = false;          // the last question
  bool any_replaced_ = false;     // text of a normal form, by what the question had
  // For writing what is not all proved: kept apart from the rest.
  std::uint64_t work_to_write_ = 0;
  std::int64_t steps_to_write_ = 0;
  int rewriting_depth_ = 0;
  int depth_ = 0;   // of proofs within simplifications within proofs
  int budget_ = 0;  // steps left in the current proof
};

}  // namespace selvage
