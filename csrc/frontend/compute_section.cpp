// Section 2 of a schedule file: a fusion in index notation.
#include <selvage/base/names.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/complex_statement.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/input_section.h>
#include <selvage/frontend/layout.h>
#include <selvage/frontend/read_axes.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/schedule_draft.h>
#include <selvage/frontend/sparse_section.h>
#include <selvage/frontend/statement.h>
#include <selvage/ir/ragged.h>

#include <algorithm>
#include <set>
#include <unordered_set>

namespace selvage {

namespace {

class Reader {
 public:
  Reader(const Node& root, FileContext& context, ScheduleFile& file)
      : root_(root),
        context_(context),
        file_(file),
        errors_(context.errors),
        fusion_(std::make_shared<Fusion>()),
        sizes_(context.symbols, *fusion_, context.errors),
        inputs_(context, *fusion_, sizes_, read_axes_, file.places),
        sparse_(context, *fusion_, sizes_, inputs_, file) {
    fusion_->set_checked(context.source.checks);
  }

  void read() {
    for (const char* key : {"inputs", "outputs", "shapes"}) {
      if (const Node* section = root_.find(key))
        declare_sizes_of(*section, key == std::string_view("shapes"));
    }
    read_key(root_, "facts", errors_, [&](const Node& n) { context_.symbols.read_facts(n); });
    read_key(root_, "math", errors_, [&](const Node& word) {
      fusion_->set_math(Math(as_one_of(word, "math", Form::MathWord)));
    });
    errors_.attempt([&] { read_statements(); });
    read_key(root_, "inputs", errors_, [&](const Node& section) { inputs_.read(section); });
    read_key(root_, "outputs", errors_, [&](const Node& section) { read_outputs(section); });
    read_key(root_, "shapes", errors_, [&](const Node& section) { read_shapes(section); });
    bring_to_items();
    complex_ = inputs_.complex();
    bring_to_parts();
    ScheduleDraft draft;
    read_key(root_, "schedule", errors_, [&](const Node& schedule) {
      draft = read_schedule_draft(schedule, formulas_, inputs_.named(), sizes_, context_);
    });
    if (formulas_.size() != texts_.size()) return;  // names of tensors would be missing
    sizes_.declare();
    make_inputs();
    file_.sparse = inputs_.sparse();
    make_tensors();
    sparse_.check_extents();
    check_amounts(draft, sizes_, errors_);
    if (!errors_.empty()) return;
    make_default_outputs();
    file_.fusion = fusion_;
    file_.csf = inputs_.csf();
    try {
      file_.schedule = build_schedule(draft, *fusion_, formulas_);
      const Device& device = context_.source.device();
      if (!draft.is_automatic) {
        file_.schedule = with_filled_in(*file_.schedule, inputs_.computed(), device);
        return;
      }
      PlanChoices plans;
      if (context_.source.plans) plans = context_.source.plans(*fusion_, device);
      AutomaticSchedule filled = filled_in(*file_.schedule, {}, device, plans);
      file_.written = std::move(file_.schedule);
      file_.schedule = std::move(filled.schedule);
      file_.automatic = std::move(filled.kernels);
    } catch (const Illegal& e) {
      file_.illegal.push_back(placed(e.diagnostic()));
    }
  }

 private:
  // A refusal without a place gets that of the statement that it is about.
  Diagnostic placed(Diagnostic refusal) const {
    if (refusal.place.line != 0 || refusal.tensors.empty()) return refusal;
    const auto at = file_.places.find((*fusion_)[TensorId(refusal.tensors[0])].name);
    if (at != file_.places.end()) refusal.place = at->second;
    return refusal;
  }

  // A name that stands alone as an extent is a size, declared or not.
  void declare_sizes_of(const Node& section, bool are_shapes) {
    for (const Entry& tensor : section.entries) {
      if (!are_shapes) inputs_.declare_items_of(tensor);
      if (are_shapes) inputs_.declare_items_in(tensor.value);
      const Node* shape = are_shapes ? &tensor.value : tensor.value.find("shape");
      if (shape == nullptr) continue;
      for (const Node& extent : shape->items) {
        if (!is_identifier(extent.text) || context_.symbols.find(extent.text)) continue;
        errors_.attempt([&] { context_.symbols.declare(extent); });
      }
    }
  }

  void read_statements() {
    const Node& list = *root_.find("compute");
    if (expect_sequence(list, "compute").empty()) {
      refuse("E107", list.place, "compute: there is no statement",
             "write one, such as - y[m, n] = relu(a[m, n])");
    }
    check_count(list.items, kMostTensors, "tensors");
    for (const Node& item : list.items) {
      const bool is_left_out = is_assertion(item.text) && !fusion_->is_checked();
      if (!is_left_out) texts_.push_back(&item);
      errors_.attempt([&] {
        Formula formula = parse_formula(item);
        if (formula.assertion) formula.target = "assert_" + std::to_string(++assertions_);
        const auto check = [&](const char* what, const std::string& name, std::size_t at) {
          context_.symbols.check_no_symbol(name, place_in(item, at), what + name);
        };
        check("the tensor ", formula.target, formula.target_at);
        for (const Formula::Index& i : formula.indices) check("the index ", i.name, i.at);
        for (const Formula::Fold& fold : formula.folds) {
          for (const Formula::Index& i : fold.indices) check("the index ", i.name, i.at);
        }
        const auto is_symbol = [&](const std::string& name) {
          return context_.symbols.find(name) != nullptr;
        };
        find_stored_indices(formula, item, is_symbol);
        find_folded_indices(formula, is_symbol);
        for (const FormulaNode& node : formula.nodes) {
          if (node.kind == FormulaNode::Kind::Name) sizes_.use(node.name);
        }
        read_axes_.note(formula, is_symbol);
        if (is_left_out) {
          left_out_.emplace_back(std::move(formula), &item);
        } else {
          formulas_.push_back(std::move(formula));
        }
      });
    }
  }

  // The statement of which a section says something; null where it may be in what was not read.
  const Formula* statement_of(const Entry& entry, const std::string& section) const {
    const auto it = std::ranges::find(formulas_, entry.key, &Formula::target);
    if (it != formulas_.end()) return &*it;
    if (formulas_.size() != texts_.size()) return nullptr;
    refuse("E205", entry.place, section + ": no statement computes " + shown(entry.key),
           meant(entry.key, words_of(formulas_, &Formula::target),
                 "name a tensor that stands on the left of a statement"));
  }

  // An extent that is ragged(off) stands for nothing until its offsets are there.
  void read_shape_of(const Formula& formula, const Node& shape, const std::string& what,
                     StatementOutput& output) {
    Node extents = shape;
    for (std::size_t k = 0; k < extents.items.size(); ++k) {
      const auto offsets = offsets_in(extents.items[k]);
      if (!offsets) continue;
      if (k != 1) {
        refuse("E520", extents.items[k].place, "the items of a row stand on no second axis",
               "give the rows first, and their items next: [B, ragged(off), D]");
      }
      output.offsets = *offsets;
      output.ragged_at = extents.items[k].place;
      sizes_.use(*offsets + "_items");
      extents.items[k].text = "1";
    }
    if (formula.is_by_position && output.offsets.empty()) {
      refuse("E520", shape.place,
             "values(" + formula.target + ") are items of rows, and its shape tells none",
             "give the rows first, and their items next: [B, ragged(off), D]");
    }
    const std::size_t said = extents.items.size();
    const std::size_t wanted = formula.indices.size() + (formula.is_by_position ? 1 : 0);
    // A position stands for a row and an item of it, so it has one axis for both.
    if (formula.is_by_position) extents.items.erase(extents.items.begin() + 1);
    output.shape = read_shape(extents, sizes_);
    if (said != wanted) {
      refuse("E309", shape.place,
             what + " has " + std::to_string(said) +
                 (said == 1 ? " extent for " : " extents for ") +
                 std::to_string(formula.indices.size()) + " indices" +
                 (formula.is_by_position ? ", the first of which is a position" : ""),
             formula.is_by_position ? "give the rows and their items for the position, and one for "
                                      "each other index"
                                    : "give one for each index");
    }
  }

  // Where the shape of values(y) is wrong, nothing more is said of y.
  void leave_positions_without_shape(const std::string& target) {
    const auto it = std::ranges::find(formulas_, target, &Formula::target);
    const bool is_by_position = it != formulas_.end() && it->is_by_position;
    if (is_by_position && !said_.contains(target)) broken_.insert(target);
  }

  void read_outputs(const Node& section) {
    for (const Entry& entry : expect_map(section, "outputs")) {
      errors_.attempt([&] {
        const std::string what = "outputs." + entry.key;
        expect_map(entry.value, what, Form::Output, &errors_);
        const Formula* formula = statement_of(entry, "outputs");
        if (formula == nullptr) return;
        StatementOutput output;
        if (const Node* type = entry.value.find("dtype")) {
          output.type = as_tensor_type(*type, what + ".dtype");
        }
        if (const Node* shape = entry.value.find("shape")) {
          read_shape_of(*formula, *shape, what + ".shape", output);
        }
        if (const Node* input = entry.value.find("in_place")) {
          read_in_place(entry, *input, output);
        }
        if (const Node* format = entry.value.find("format")) {
          output.format = read_own_format(entry, *format);
          output.format_at = format->place;
        }
        output.layout = read_layout(entry.value, formula->indices.size(), sizes_, errors_);
        output.layout.place = entry.place;
        said_.emplace(entry.key, std::move(output));
      });
      leave_positions_without_shape(entry.key);
    }
    has_outputs_ = !section.entries.empty();
  }

  // What takes the place of an input is stored and laid out as that is.
  void read_in_place(const Entry& entry, const Node& input, StatementOutput& output) const {
    const std::string what = "outputs." + entry.key + ".in_place";
    output.in_place = as_name(input, what);
    output.in_place_at = input.place;
    const std::vector<std::string>& names = inputs_.names();
    if (std::ranges::find(names, output.in_place) == names.end()) {
      refuse("E205", input.place, what + ": there is no input " + shown(output.in_place),
             meant(output.in_place, std::vector<std::string_view>(names.begin(), names.end()),
                   "name an input"));
    }
    for (const char* key : {"dtype", "strides", "contiguity", "align"}) {
      const Node* other = entry.value.find(key);
      if (other == nullptr) continue;
      refuse("E517", other->place,
             "outputs." + entry.key + " takes the place of " + output.in_place +
                 ", which says its " + std::string(key),
             std::string("leave ") + key + " out");
    }
  }

  // How a result is stored that is a sparse matrix of its own.
  static StorageFormat read_own_format(const Entry& entry, const Node& said) {
    const std::string text = as_text(said, "outputs." + entry.key + ".format");
    const auto format = storage_format(text);
    if (!format || fills_up(*format)) {
      const bool is_known = format || trimmed(text) == kCsf;
      refuse(is_known ? "E520" : "E304", said.place,
             entry.key + " is computed, and " + shown(text) +
                 (is_known ? " is no list of the items of a matrix" : " is no format"),
             "write csr, csc or coo");
    }
    for (const char* key : {"shape", "in_place", "strides", "contiguity"}) {
      const Node* other = entry.value.find(key);
      if (other == nullptr) continue;
      refuse("E520", other->place,
             entry.key + " is stored sparse, and its arrays are those of its format",
             std::string("leave ") + key + " out");
    }
    return *format;
  }

  // Of tensors that are no outputs, where no read tells how far their indices run.
  void read_shapes(const Node& section) {
    for (const Entry& entry : expect_map(section, "shapes")) {
      errors_.attempt([&] {
        const Formula* formula = statement_of(entry, "shapes");
        if (formula == nullptr) return;
        if (const auto it = said_.find(entry.key); it != said_.end()) {
          refuse("E204", entry.place, "shapes: " + entry.key + " is an output",
                 "give its shape under outputs");
        }
        StatementOutput said{.is_output = false};
        read_shape_of(*formula, entry.value, "shapes." + entry.key, said);
        said.layout.place = entry.place;
        said_.emplace(entry.key, std::move(said));
      });
      leave_positions_without_shape(entry.key);
    }
  }

  // Statements over sparse tensors become statements over their items.
  void bring_to_items() {
    sparse_.begin();
    const auto by_items = [&](const Formula& formula, const Node& text) {
      const auto said = said_.find(formula.target);
      return sparse_.by_items(formula, text, said == said_.end() ? nullptr : &said->second);
    };
    for (std::size_t k = 0; k < formulas_.size() && formulas_.size() == texts_.size(); ++k) {
      std::vector<Formula> made;
      if (!errors_.attempt([&] { made = by_items(formulas_[k], *texts_[k]); })) {
        broken_.insert(formulas_[k].target);
        continue;
      }
      const auto at = std::ptrdiff_t(k);
      texts_.insert(texts_.begin() + at, made.size() - 1, texts_[k]);
      formulas_.erase(formulas_.begin() + at);
      formulas_.insert(formulas_.begin() + at, made.begin(), made.end());
      k += made.size() - 1;
    }
    std::vector<std::pair<Formula, const Node*>> left_out;
    for (const auto& [formula, text] : left_out_) {
      errors_.attempt([&, &f = formula, t = text] {
        for (Formula& made : by_items(f, *t)) left_out.emplace_back(std::move(made), t);
      });
    }
    left_out_ = std::move(left_out);
  }

  void make_inputs() {
    std::set<std::string> computed;
    for (const Formula& formula : formulas_) computed.insert(formula.target);
    inputs_.make(computed);
    for (const std::string& name : inputs_.names()) {
      if (!fusion_->find(name) && !inputs_.waiting().contains(name)) broken_.insert(name);
    }
    broken_.insert(inputs_.broken().begin(), inputs_.broken().end());
  }

  // Statements over complex tensors become statements over their parts.
  void bring_to_parts() {
    for (std::size_t k = 0; k < formulas_.size() && formulas_.size() == texts_.size(); ++k) {
      Formula& formula = formulas_[k];
      const bool fine = errors_.attempt([&] {
        if (const auto real = by_parts(formula, *texts_[k])) formula = *real;
      });
      if (!fine) broken_.insert(formula.target);
    }
    for (auto& [formula, text] : left_out_) {
      errors_.attempt([&] {
        if (const auto real = by_parts(formula, *text)) formula = *real;
      });
    }
  }

  // Nothing: no complex number stands in it.
  std::optional<Formula> by_parts(const Formula& formula, const Node& text) {
    const auto is_complex = [&](const FormulaNode& n) {
      return n.kind == FormulaNode::Kind::Complex || (n.may_read() && complex_.contains(n.name));
    };
    const auto said = said_.find(formula.target);
    StatementOutput* output = said == said_.end() ? nullptr : &said->second;
    const bool is_asked = output != nullptr && (output->type ? output->type->is_complex
                                                             : complex_.contains(output->in_place));
    if (!is_asked && std::ranges::none_of(formula.nodes, is_complex)) return std::nullopt;
    const ComplexStatement statement(formula, text, complex_);
    const bool is_result = is_asked || statement.is_complex();
    if (is_result && !is_asked && output != nullptr && output->is_real()) {
      refuse("E518", place_in(text, formula.target_at),
             formula.target + " is complex, and what is said of it under outputs is real",
             "write dtype: complex64 there, or take real(...), imag(...) or abs(...) here");
    }
    const auto is_taken = [&](const std::string& name) {
      return context_.symbols.find(name) != nullptr;
    };
    if (is_result) {
      complex_[formula.target] = formula.indices.size() + (formula.is_by_position ? 1 : 0);
      if (output != nullptr) output->add_parts(fusion_->pool());
    }
    return statement.by_parts(is_result, is_taken);
  }

  void make_tensors() {
    for (std::size_t k = 0; k < formulas_.size(); ++k) {
      const Formula& formula = formulas_[k];
      const bool fine = errors_.attempt([&] {
        if (broken_.contains(formula.target)) return;
        claim_name(file_.places, formula.target, place_in(*texts_[k], formula.target_at));
        const bool reads_broken = std::ranges::any_of(formula.nodes, [&](const FormulaNode& n) {
          return n.may_read() && broken_.count(n.name) != 0;
        });
        if (reads_broken) {
          broken_.insert(formula.target);
          return;
        }
        for (const FormulaNode& n : formula.nodes) {
          const auto waits = inputs_.waiting().find(n.name);
          if (!n.may_read() || waits == inputs_.waiting().end()) continue;
          refuse(
              "E318", place_in(*texts_[k], n.at),
              n.name + " is read before " + waits->second + ", which tells its rows, is computed",
              "move the statement of " + waits->second + " up");
        }
        const auto said = said_.find(formula.target);
        StatementOutput* output = said == said_.end() ? nullptr : &said->second;
        make_rows(output, formulas_[k], *texts_[k]);
        sparse_.make_arrays_of(formula.target);
        make_tensor(formula, *texts_[k], output, formulas_, *fusion_, sizes_, context_);
        inputs_.make_rows_of(formula.target);
        if (!complex_.contains(formula.target)) return;
        fusion_->edit(*fusion_->find(formula.target)).is_complex = true;
      });
      if (!fine) broken_.insert(formula.target);
    }
    // An assertion that nothing tests is right or wrong all the same.
    if (left_out_.empty() || !errors_.empty()) return;
    Fusion trial(*fusion_);
    for (const auto& [formula, text] : left_out_) {
      errors_.attempt(
          [&] { make_tensor(formula, *text, nullptr, formulas_, trial, sizes_, context_); });
    }
  }

  // The rows that a statement names by their offsets.
  void make_rows(StatementOutput* output, Formula& formula, const Node& text) {
    if (output != nullptr && !output->offsets.empty()) {
      const RowsId rows = inputs_.rows_told_by(output->offsets, output->ragged_at);
      if (formula.is_by_position) {
        at_place<BadInput>(output->layout.place,
                           [&] { inputs_.check_rows(rows, (*output->shape)[0]); });
        formula.offsets = std::exchange(output->offsets, {});
        (*output->shape)[0] = fusion_->domains()[rows].items;
      } else {
        (*output->shape)[1] = length(*fusion_, rows);
      }
    } else if (formula.is_by_position) {
      refuse("E520", place_in(text, formula.target_at),
             "nothing says of which rows values(" + formula.target + ") are the items",
             "put " + formula.target + ": {shape: [B, ragged(off)]} under outputs, or " +
                 formula.target + ": [B, ragged(off)] under shapes");
    }
  }

  void make_default_outputs() {
    std::unordered_set<std::string> read;
    for (const Formula& formula : formulas_) {
      if (formula.assertion) continue;
      for (const FormulaNode& n : formula.nodes) {
        if (n.may_read()) read.insert(n.name);
      }
    }
    for (std::size_t k = 0; k < formulas_.size(); ++k) {
      const std::string& name = formulas_[k].target;
      const TensorId t = *fusion_->find(name);
      if (read.count(name) || (*fusion_)[t].is_output) continue;
      // What an assertion is brought down to is read by it.
      if (is_assertion(texts_[k]->text) && !formulas_[k].assertion) continue;
      if (!has_outputs_ || formulas_[k].assertion) {
        fusion_->output(name, {fusion_.get(), t});
        continue;
      }
      file_.warnings.push_back({.code = "E392",
                                .severity = Severity::Warning,
                                .place = place_in(*texts_[k], formulas_[k].target_at),
                                .message = "nothing reads " + name + ", and it is no output",
                                .help = "remove the statement, or put " + name + " under outputs"});
    }
  }

  const Node& root_;
  FileContext& context_;
  ScheduleFile& file_;
  Diagnostics& errors_;
  std::shared_ptr<Fusion> fusion_;
  SizeScope sizes_;
  std::vector<const Node*> texts_;
  std::vector<Formula> formulas_;
  int assertions_ = 0;                                     // so far
  std::vector<std::pair<Formula, const Node*>> left_out_;  // those of a fusion that is not checked
  ReadAxes read_axes_;
  InputSection inputs_;
  ComplexTensors complex_;
  SparseSection sparse_;
  std::map<std::string, StatementOutput> said_;  // of tensors, under outputs and shapes
  bool has_outputs_ = false;
  std::set<std::string> broken_;  // tensors that are named and could not be made
};

}  // namespace

void read_fusion(const Node& root, FileContext& context, ScheduleFile& file) {
  Reader(root, context, file).read();
}

}  // namespace selvage
