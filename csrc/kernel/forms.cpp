#include <selvage/kernel/forms.h>
#include <selvage/kernel/partial_sums.h>
#include <selvage/kernel/same_kernel.h>
#include <selvage/kernel/shared_divisions.h>
#include <selvage/kernel/shared_sums.h>

#include <algorithm>
#include <unordered_set>

namespace selvage {

namespace {

using Term = LinearSum::Term;

// Whether e is a sum of products none of whose factors is a sum, so that e is multiplied out.
bool is_flat(Expr e) {
  if (!is_sum(e)) return true;
  if (e.is(Op::Mul)) {
    const auto is_product = [](Expr a) { return !a.is(Op::Add) && !a.is(Op::Sub) && is_flat(a); };
    return is_product(e[0]) && is_product(e[1]);
  }
  return is_flat(e[0]) && is_flat(e[1]);
}

std::uint64_t unsigned_magnitude(std::int64_t c) {
  return c < 0 ? std::uint64_t(0) - std::uint64_t(c) : std::uint64_t(c);
}

}  // namespace

// Finds the forms of a kernel.
class FormsWriter {
 public:
  FormsWriter(const Kernel& kernel, Simplifier& ranges, Forms& out)
      : pool_(*kernel.pool),
        ranges_(ranges),
        out_(out),
        divisions_(out.computed_.all, ranges_),
        sums_([this](Expr e) { return depth(e); }, ranges_) {}

  void run() {
    for (Expr e : out_.computed_.all) collect(e);
    sums_.share();
    for (Expr e : out_.computed_.all) write(e);
  }

 private:
  void collect(Expr e);
  int depth(Expr e);

  Expr write(Expr e);
  Expr write_anew(Expr e);
  Expr write_shared(const SharedDivisions::Form& form);
  Expr write_sum(const LinearSum& sum, bool any_order);
  Expr write_term(const LinearSum::Term& term);
  Expr write_atom(Expr e);
  Expr make(Op op, Expr a, Expr b);
  bool note(Expr form);

  ExprPool& pool_;
  Simplifier& ranges_;
  Forms& out_;
  SharedDivisions divisions_;
  SharedSums sums_;
  std::unordered_map<std::uint32_t, std::size_t> sum_numbers_;  // of sums that are taken apart
  std::unordered_map<std::uint32_t, int> depths_;
  std::unordered_set<std::uint32_t> collected_, noted_;
  std::unordered_map<std::uint32_t, Expr> parts_;  // by id
};

int FormsWriter::depth(Expr e) {
  if (e.is(Op::Symbol)) {
    const auto it = out_.computed_.depth.find(e.id());
    return it == out_.computed_.depth.end() ? 0 : it->second;
  }
  if (e.args().empty()) return 0;
  if (const auto it = depths_.find(e.id()); it != depths_.end()) return it->second;
  int deepest = 0;
  for (Expr a : e.args()) deepest = std::max(deepest, depth(a));
  return depths_[e.id()] = deepest;
}

// Collects all sums in e that will be written.
void FormsWriter::collect(Expr e) {
  if (!collected_.insert(e.id()).second) return;
  if (const SharedDivisions::Form* form = divisions_.find(e)) {
    for (Expr part : {form->base, form->quotient, form->divisor, form->more, form->less}) {
      if (part.valid()) collect(part);
    }
    return;
  }
  if (is_sum(e)) {
    LinearSum sum = to_linear(e);
    const bool is_flat_sum = is_flat(e);
    const bool is_product = e.is(Op::Mul) && is_flat_sum;
    const bool is_apart = is_product || sum.terms.size() != 1 || !same(sum.terms[0].monomial, e);
    // A sum that is multiplied out may overflow where the original does not: (x - 32) * 67108864.
    if (is_apart && (is_flat_sum || any_order_fits(sum, ranges_))) {
      sum = divisions_.written_out(sum);
      for (const Term& t : sum.terms) {
        for (Expr atom : atoms_of(t.monomial)) collect(atom);
      }
      sum_numbers_[e.id()] = sum_numbers_.size();
      sums_.add(std::move(sum));
      return;
    }
  }
  for (Expr a : e.args()) collect(a);
}

Expr FormsWriter::write(Expr e) {
  if (e.args().empty()) return e;
  if (const auto it = out_.forms_.find(e.id()); it != out_.forms_.end()) return it->second;
  const Expr form = write_anew(e);
  note(form);
  out_.meanings_[form.id()] = e;
  return out_.forms_[e.id()] = form;
}

Expr FormsWriter::write_anew(Expr e) {
  if (e.is(Op::Let)) return write(e[0]);
  if (const SharedDivisions::Form* form = divisions_.find(e)) return write_shared(*form);
  if (const auto it = sum_numbers_.find(e.id()); it != sum_numbers_.end()) {
    return write_sum(sums_[it->second], sums_.any_order(it->second));
  }
  std::vector<Expr> args;
  for (Expr a : e.args()) args.push_back(write(a));
  return with_operands(e, args);
}

Expr FormsWriter::write_shared(const SharedDivisions::Form& form) {
  Expr e = write(form.base);
  if (form.quotient.valid()) {
    e = make(Op::Sub, e, make(Op::Mul, write(form.quotient), write(form.divisor)));
  }
  if (form.more.valid()) e = make(Op::Add, e, write(form.more));
  if (form.less.valid()) e = make(Op::Sub, e, write(form.less));
  if (form.is_reduced) e = make(Op::Mod, e, write(form.divisor));
  return e;
}

// Terms stand in the order of the loops they depend on, outer ones first, so that the terms that an
// inner loop does not change are a sum of their own. Within a loop they stand as to_expr puts them:
// added terms before subtracted ones, the constant last.
Expr FormsWriter::write_sum(const LinearSum& sum, bool any_order) {
  struct Ranked {
    Term term;
    int depth;
    std::size_t degree;
  };
  std::vector<Ranked> terms;
  int first = INT32_MAX;  // the loops around the first term that is added
  for (const Term& t : sum.terms) {
    terms.push_back({t, depth(t.monomial), atoms_of(t.monomial).size()});
    if (t.coefficient > 0) first = std::min(first, terms.back().depth);
  }
  for (Ranked& r : terms) {
    if (r.term.coefficient < 0) r.depth = any_order ? std::max(r.depth, first) : INT32_MAX;
  }
  std::stable_sort(terms.begin(), terms.end(), [](const Ranked& a, const Ranked& b) {
    if (a.depth != b.depth) return a.depth < b.depth;
    const std::int64_t c = a.term.coefficient, d = b.term.coefficient;
    if ((c < 0) != (d < 0)) return c > 0;
    if (a.degree != b.degree) return a.degree > b.degree;
    return unsigned_magnitude(c) > unsigned_magnitude(d);
  });
  Expr e;
  const auto append = [&](Expr term, bool subtract) {
    e = e.valid() ? make(subtract ? Op::Sub : Op::Add, e, term) : term;
  };
  const auto is_subtracted = [](std::int64_t c) { return c < 0 && c != INT64_MIN; };
  const bool constant_first =
      terms.empty() || (first == INT32_MAX && terms[0].term.coefficient != INT64_MIN);
  if (constant_first) e = pool_.constant(sum.constant);
  for (const Ranked& r : terms) {
    const bool subtract = e.valid() && is_subtracted(r.term.coefficient);
    Term t = r.term;
    if (subtract) t.coefficient = -t.coefficient;
    append(write_term(t), subtract);
  }
  if (constant_first || sum.constant == 0) return e;
  const bool subtract = is_subtracted(sum.constant);
  append(pool_.constant(subtract ? -sum.constant : sum.constant), subtract);
  return e;
}

// Factors stand in the order of the loops they depend on, outer ones first; the coefficient is
// multiplied with those of the outermost.
Expr FormsWriter::write_term(const Term& term) {
  auto atoms = atoms_of(term.monomial);
  std::stable_sort(atoms.begin(), atoms.end(), [&](Expr a, Expr b) { return depth(a) < depth(b); });
  const int outermost = depth(atoms[0]);
  Expr e;
  bool scaled = term.coefficient == 1;
  for (Expr atom : atoms) {
    if (!scaled && depth(atom) > outermost) {
      e = make(Op::Mul, e, pool_.constant(term.coefficient));
      scaled = true;
    }
    e = e.valid() ? make(Op::Mul, e, write_atom(atom)) : write_atom(atom);
  }
  return scaled ? e : make(Op::Mul, e, pool_.constant(term.coefficient));
}

Expr FormsWriter::write_atom(Expr e) {
  const LinearSum* part = sums_.part(e);
  if (part == nullptr) return write(e);
  if (const auto it = parts_.find(e.id()); it != parts_.end()) return it->second;
  return parts_[e.id()] = write_sum(*part, true);
}

Expr FormsWriter::make(Op op, Expr a, Expr b) {
  const Expr form = pool_.make(op, a, b);
  if (note(form)) out_.meanings_[form.id()] = pool_.make(op, out_.meaning(a), out_.meaning(b));
  return form;
}

bool FormsWriter::note(Expr form) {
  const bool is_new = noted_.insert(form.id()).second;
  if (is_new) out_.written_.push_back(form);
  return is_new;
}

Forms::Forms(const Kernel& kernel, Simplifier& ranges)
    : facts_(kernel.facts), computed_(computed_expressions(kernel)) {
  FormsWriter(kernel, ranges, *this).run();
}

Expr Forms::operator()(Expr e) const {
  const auto it = forms_.find(e.id());
  return it == forms_.end() ? e : it->second;
}

Expr Forms::meaning(Expr form) const {
  const auto it = meanings_.find(form.id());
  return it == meanings_.end() ? form : it->second;
}

std::vector<Expr> Forms::intermediates() const {
  std::vector<Expr> meanings;
  for (Expr form : written_) meanings.push_back(meaning(form));
  return meanings;
}

bool Forms::are_of(const Kernel& kernel) const {
  return &facts_.pool() == kernel.pool.get() && equal(facts_, kernel.facts) &&
         equal(computed_, computed_expressions(kernel));
}

std::shared_ptr<const Forms> forms_of(const Kernel& kernel) {
  if (kernel.forms != nullptr && kernel.forms->are_of(kernel)) return kernel.forms;
  Simplifier ranges(kernel.facts);
  return std::make_shared<const Forms>(kernel, ranges);
}

}  // namespace selvage
