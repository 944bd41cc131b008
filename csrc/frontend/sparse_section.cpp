#include <selvage/expr/text.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/sparse_section.h>

namespace selvage {

// What has the items of a matrix is laid out and read as that is.
void SparseSection::note_items(const std::string& name, const SparseTensor& of,
                               const StatementOutput* output) {
  const bool is_laid_out =
      output != nullptr && (output->layout.strides || output->layout.contiguity);
  if (is_laid_out || (output != nullptr && output->shape)) {
    refuse(
        "E520", output->layout.place,
        name + " has the items of " + of.matrix + ", and a " + (is_laid_out ? "layout" : "shape"),
        is_laid_out ? "leave strides and contiguity out" : "leave its shape out");
  }
  const auto level = levels_.find(of.matrix);
  const std::size_t axes = level == levels_.end() ? 2 : level->second.extents.size();
  if (of.inner == 0) {
    file_.items_of[name] = {axes == 2 ? of.matrix : level->second.tensor, axes};
  }
  tensors_[name] = of;
  if (level == levels_.end()) return;
  levels_[name] = level->second;
  levels_[name].inner = of.inner;
}

std::vector<Formula> SparseSection::by_items(const Formula& formula, const Node& text,
                                             const StatementOutput* output) {
  LevelStatements made{.formulas = {formula}, .uses = {}, .result = {}, .levels_with_rows = {}};
  if (output != nullptr && output->format) {
    made.formulas = {bring_to_own_items(formula, text, *output)};
  } else if (auto by = by_levels(formula, text, levels_, tensors_)) {
    made = *std::move(by);
  }
  for (const std::string& level : made.levels_with_rows) inputs_.find_rows_of(level);
  for (SparseUse& use : made.uses) uses_.emplace_back(std::move(use), &text);
  std::vector<Formula> all;
  for (Formula& own : made.formulas) {
    auto items = over_stored_items(own, text, tensors_);
    all.push_back(items ? std::move(items->formula) : std::move(own));
    if (!items) continue;
    for (SparseUse& use : items->uses) uses_.emplace_back(std::move(use), &text);
    for (SparseAlike& alike : items->alike) alike_.emplace_back(std::move(alike), &text);
    if (items->whole) all.push_back(*std::move(items->whole));
    if (items->items_of) made.result = std::move(items->items_of);
  }
  if (made.result) note_items(formula.target, *made.result, output);
  return all;
}

// A statement whose result is stored as a matrix of its own, over the items of that.
Formula SparseSection::bring_to_own_items(const Formula& formula, const Node& text,
                                          const StatementOutput& output) {
  for (const FormulaNode& node : formula.nodes) {
    if (!node.may_read() || !levels_.contains(node.name)) continue;
    refuse("E520", place_in(text, node.at),
           formula.target + " is stored as a matrix of its own, and reads " + node.name +
               ", which is stored by levels",
           "leave the format of " + formula.target + " out");
  }
  StoredResult result = stored_result(formula, text, tensors_, *output.format);
  const std::string& name = formula.target;
  const auto count = [&](const std::string& of) {
    Node place = text;
    place.place = output.format_at;
    inputs_.declare_count(place, of + kItemsSuffix);
    sizes_.use(of + kItemsSuffix);
  };
  count(name);
  for (const ResultPart& part : result.parts) {
    if (!part.times.empty()) count(part.name);
    claim_name(file_.places, part.name, place_in(text, part.at));
    tensors_.emplace(part.name, result.stored);
  }
  for (const char* suffix : {kOffsetsSuffix, kRowsSuffix, kColumnsSuffix}) {
    claim_name(file_.places, name + suffix, output.format_at);
  }
  for (const SparseAlike& alike : result.alike) alike_.emplace_back(alike, &text);
  Formula own = result.formula;
  stored_.emplace(name, Stored{std::move(result), output.format_at});
  return own;
}

void SparseSection::make_arrays_of(const std::string& target) {
  const auto stored = stored_.find(target);
  if (stored == stored_.end()) return;
  const std::size_t first = fusion_.size();
  at_place<BadInput>(stored->second.place, [&] {
    file_.sparse[target] =
        make_stored(stored->second.result, tensors_, file_.sparse, fusion_, sizes_);
  });
  inputs_.add_computed(first);
}

void SparseSection::check_equal(Expr own, Expr all, const Place& place, const std::string& differ,
                                const std::string& why) {
  const Expr is_same = eq(own, all);
  if (same(own, all) || sizes_.simplifier().proves(is_same)) return;
  if (sizes_.simplifier().proves(!is_same)) {
    refuse("E501", place, differ, "make the extents equal");
  }
  fusion_.check_at_launch(is_same, why);
}

void SparseSection::check_extents() {
  const auto extent = [&](const std::string& matrix, bool of_rows, const Place& place) {
    const ScheduleFile::Sparse& own = file_.sparse.at(matrix);
    return sizes_.extent(of_rows ? own.rows : own.columns, place, "the extent");
  };
  const auto is_known = [&](const std::string& matrix) { return file_.sparse.contains(matrix); };
  const auto word = [](bool of_rows) { return std::string(of_rows ? "rows" : "columns"); };
  for (const auto& [use, text] : uses_) {
    const auto t = fusion_.find(use.tensor);
    if (!is_known(use.matrix) || !t || use.axis >= fusion_.shape(*t).size()) continue;
    const Place place = place_in(*text, use.at);
    const std::string what = word(use.of_rows);
    errors_.attempt([&] {
      const Expr own = fusion_.shape(*t)[use.axis], all = extent(use.matrix, use.of_rows, place);
      check_equal(own, all, place,
                  use.matrix + " has " + to_string(all) + " " + what + ", and " + use.tensor + " " +
                      to_string(own) + " items at that index",
                  "what is read at " + what + " of " + use.matrix + " has an item for each");
    });
  }
  for (const auto& [alike, text] : alike_) {
    if (!is_known(alike.matrix) || !is_known(alike.other)) continue;
    const Place place = place_in(*text, alike.at);
    errors_.attempt([&] {
      const Expr first = extent(alike.matrix, alike.of_rows, place),
                 second = extent(alike.other, alike.of_other_rows, place);
      const std::string a = word(alike.of_rows), b = word(alike.of_other_rows);
      check_equal(first, second, place,
                  alike.matrix + " has " + to_string(first) + " " + a + ", and " + alike.other +
                      " " + to_string(second) + " " + b + " at the same index",
                  alike.other + " has as many " + b + " as " + alike.matrix + " has " + a);
    });
  }
}

}  // namespace selvage
