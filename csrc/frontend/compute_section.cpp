// Section 2 of a schedule file: a fusion in index notation.
#include <selvage/base/names.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/complex_statement.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/layout.h>
#include <selvage/frontend/read_axes.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/schedule_draft.h>
#include <selvage/frontend/sparse_statement.h>
#include <selvage/frontend/statement.h>
#include <selvage/ir/ragged.h>

#include <algorithm>
#include <set>
#include <unordered_set>

namespace selvage {

namespace {

struct Input {
  const Entry* entry;
  std::string name;  // the key, or that of a tensor of a list
  TensorType type;
  std::vector<Expr> shape;
  std::vector<std::string> axes;
  FileLayout layout;
  // Of items of rows: the input that tells these, the size that counts the items, and the place in
  // the file that says so. The second extent then stands for nothing.
  bool is_made = false;  // no entry of the file is about it alone
  std::string offsets = {}, items = {};
  Place ragged_at = {};
};

constexpr std::int64_t kMostListed = 100;  // tensors of one list
constexpr const char* kPartAxis = "part";  // of a complex input

class Reader {
 public:
  Reader(const Node& root, FileContext& context, ScheduleFile& file)
      : root_(root),
        context_(context),
        file_(file),
        errors_(context.errors),
        fusion_(std::make_shared<Fusion>()),
        sizes_(context.symbols, *fusion_, context.errors) {
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
    read_key(root_, "inputs", errors_, [&](const Node& section) { read_inputs(section); });
    read_key(root_, "outputs", errors_, [&](const Node& section) { read_outputs(section); });
    read_key(root_, "shapes", errors_, [&](const Node& section) { read_shapes(section); });
    bring_to_items();
    bring_to_parts();
    ScheduleDraft draft;
    read_key(root_, "schedule", errors_, [&](const Node& schedule) {
      draft = read_schedule_draft(schedule, formulas_, named_inputs(), sizes_, context_);
    });
    if (formulas_.size() != texts_.size()) return;  // names of tensors would be missing
    sizes_.declare();
    make_inputs();
    make_tensors();
    check_columns();
    check_amounts(draft, sizes_, errors_);
    if (!errors_.empty()) return;
    make_default_outputs();
    file_.fusion = fusion_;
    for (const Input& input : inputs_) {
      if (!sparse_.contains(input.name)) continue;
      file_.sparse[input.name] = {rows_of_.at(input.name), columns_of_.at(input.name)};
    }
    try {
      file_.schedule = build_schedule(draft, *fusion_, formulas_);
      if (!draft.is_automatic) return;
      const Device& device = context_.source.device();
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
      const Node* format = are_shapes ? nullptr : tensor.value.find("format");
      if (format != nullptr) declare_items(*format, tensor.key);
      const Node* shape = are_shapes ? &tensor.value : tensor.value.find("shape");
      if (shape == nullptr) continue;
      for (const Node& extent : shape->items) {
        if (const auto offsets = offsets_in(extent)) {
          declare_items(extent, *offsets);
          continue;
        }
        if (!is_identifier(extent.text) || context_.symbols.find(extent.text)) continue;
        errors_.attempt([&] { context_.symbols.declare(extent); });
      }
    }
  }

  // The size that counts the items of rows.
  void declare_items(const Node& place, const std::string& of) {
    Node items = place;
    items.text = of + "_items";
    if (context_.symbols.find(items.text)) return;
    errors_.attempt([&] { context_.symbols.declare(items, 0); });
  }

  void claim(const std::string& name, const Place& place) {
    const auto [it, is_new] = file_.places.emplace(name, place);
    if (is_new) return;
    refuse("E204", place, "there is a tensor " + name + " already", "rename one of the two",
           {"the first is at " + to_text(it->second)});
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

  // The offsets of an extent `ragged(off)`.
  static std::optional<std::string> offsets_in(const Node& extent) {
    constexpr std::string_view kBegin = "ragged(";
    const std::string& text = extent.text;
    if (!text.starts_with(kBegin) || !text.ends_with(')')) return std::nullopt;
    const std::string name = text.substr(kBegin.size(), text.size() - kBegin.size() - 1);
    return is_identifier(name) ? std::optional(name) : std::nullopt;
  }

  // `rows`: of an input, which notes an extent that is ragged(off).
  std::vector<Expr> read_shape(const Node& shape, Input* rows = nullptr) {
    if (std::int64_t(expect_sequence(shape, "shape").size()) > kMostAxes) {
      refuse("E104", shape.place, "shape has more than " + std::to_string(kMostAxes) + " axes",
             "use fewer axes");
    }
    std::vector<Expr> extents;
    for (const Node& item : shape.items) {
      const auto offsets = rows != nullptr ? offsets_in(item) : std::nullopt;
      const bool is_ragged = offsets.has_value();
      if (is_ragged && extents.size() != 1) {
        refuse("E520", item.place, "the items of a row stand on no second axis",
               "give the rows first, and their items next: [B, ragged(off), D]");
      }
      if (is_ragged) {
        rows->offsets = *offsets;
        rows->items = *offsets + "_items";
        rows->ragged_at = item.place;
        sizes_.use(rows->items);
      }
      extents.push_back(is_ragged ? fusion_->constant(1) : sizes_.read(item, "shape"));
    }
    return extents;
  }

  // The rows that the offsets of an input tell.
  RowsId rows_of(const Input& input) {
    const std::string& name = input.offsets;
    const Expr count = input.shape[0];
    const auto offsets = fusion_->find(name);
    if (!offsets) {
      refuse("E205", input.ragged_at, "shape: there is no input of offsets " + shown(name),
             meant(name, std::vector<std::string_view>(input_names_.begin(), input_names_.end()),
                   "write ragged(off), and give an input off of shape [B + 1]"));
    }
    std::optional<RowsId> rows;
    at_place<BadInput>(input.ragged_at, [&] {
      for (std::size_t k = 0; k < fusion_->domains().rows(); ++k) {
        if (TensorId(fusion_->domains()[RowsId(k)].offsets) == *offsets) rows = RowsId(k);
      }
      if (!rows) rows = add_rows({fusion_.get(), *offsets}, sizes_.use(input.items));
      const Expr own = fusion_->domains()[*rows].count;
      const std::string why = name + " has one offset more than there are rows";
      const Expr is_count = eq(own, count);
      if (same(own, count) || sizes_.simplifier().proves(is_count)) return;
      if (sizes_.simplifier().proves(!is_count)) {
        refuse("E501", {},
               why + ", which is not so: " + to_string(own) + " and " + to_string(count),
               "give " + name + " the shape [" + to_string(count) + " + 1]");
      }
      fusion_->check_at_launch(is_count, why);
    });
    return *rows;
  }

  void read_inputs(const Node& section) {
    check_count(expect_map(section, "inputs"), kMostTensors, "tensors");
    for (const Entry& entry : section.entries) {
      std::vector<std::string> names = {entry.key};
      // What is wrong with a list is said once, not of each tensor in it that is read.
      if (!errors_.attempt([&] { names = names_of(entry); })) {
        for (std::int64_t k = 0; k < kMostListed; ++k) {
          broken_.insert(entry.key + "_" + std::to_string(k));
        }
      }
      // What is wrong with one tensor of a list is so with all.
      for (const std::string& name : names) {
        if (!read_input(entry, name)) break;
      }
    }
  }

  // The tensor, or those of a list of tensors.
  std::vector<std::string> names_of(const Entry& entry) const {
    const Node* list = entry.value.find("list");
    if (list == nullptr) return {entry.key};
    const std::int64_t count =
        as_integer_of(*list, "inputs." + entry.key + ".list", 1, kMostListed);
    std::vector<std::string> names;
    for (std::int64_t k = 0; k < count; ++k) {
      names.push_back(entry.key + "_" + std::to_string(k));
    }
    return names;
  }

  bool read_input(const Entry& entry, const std::string& name) {
    input_names_.push_back(name);
    return errors_.attempt([&] {
      tensor_name(entry, context_.symbols);
      context_.symbols.check_no_symbol(name, entry.place, "the tensor " + name);
      claim(name, entry.place);
      const std::string what = "inputs." + entry.key;
      expect_map(entry.value, what, Form::Input, &errors_);
      Input input{.entry = &entry, .name = name, .type = {}, .shape = {}, .axes = {}, .layout = {}};
      errors_.attempt([&] {
        input.type = as_tensor_type(require(entry.value, what, "dtype"), what + ".dtype");
      });
      const Node& said = require(entry.value, what, "shape");
      input.shape = read_shape(said, &input);
      input.axes = read_axes_.of(name, input.shape.size());
      input.layout = read_layout(entry.value, input.shape.size(), sizes_, errors_);
      input.layout.place = entry.place;
      if (const Node* format = entry.value.find("format")) {
        as_one_of(*format, what + ".format", Form::FormatWord);
        return read_sparse(entry, what, std::move(input));
      }
      if (input.type.is_complex) {
        complex_[name] = input.shape.size();
        input.shape.push_back(fusion_->constant(2));
        input.axes.emplace_back(kPartAxis);
        input.layout.add_parts(fusion_->pool());
      }
      inputs_.push_back(std::move(input));
    });
  }

  // A matrix whose rows have the items that are not 0: three inputs (sparse_statement.h).
  void read_sparse(const Entry& entry, const std::string& what, Input values) {
    const std::string& name = values.name;
    if (values.shape.size() != 2 || !values.offsets.empty() || values.type.is_complex) {
      refuse("E520", entry.place, name + " is sparse, and no matrix of real numbers",
             "give it the shape [I, J]");
    }
    DataType type = DataType::Int32;
    if (const Node* index = entry.value.find("index")) {
      type = as_one_of(*index, what + ".index", Form::IndexWord) == 0 ? DataType::Int32
                                                                      : DataType::Int64;
    }
    values.offsets = name + "_offsets";
    values.items = name + "_items";
    values.ragged_at = entry.place;
    sizes_.use(values.items);
    sparse_.insert(name);
    rows_of_.emplace(name, values.shape[0]);
    columns_of_.emplace(name, values.shape[1]);
    Input offsets = values, columns = values;
    offsets.name = values.offsets;
    offsets.type = {type};
    offsets.shape = {values.shape[0] + 1};
    offsets.axes = {name + "_row"};
    offsets.layout = {};
    offsets.offsets.clear();
    columns.name = name + "_columns";
    columns.type = {type};
    columns.layout = {};
    for (Input* input : {&offsets, &columns}) {
      claim(input->name, entry.place);
      input_names_.push_back(input->name);
      input->is_made = true;
      input->layout.place = entry.place;
      inputs_.push_back(std::move(*input));
    }
    inputs_.push_back(std::move(values));
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

  std::vector<Expr> read_shape_of(const Formula& formula, const Node& shape,
                                  const std::string& what) {
    std::vector<Expr> extents = read_shape(shape);
    if (extents.size() != formula.indices.size()) {
      refuse("E309", shape.place,
             what + " has " + std::to_string(extents.size()) +
                 (extents.size() == 1 ? " extent for " : " extents for ") +
                 std::to_string(formula.indices.size()) + " indices",
             "give one for each index");
    }
    return extents;
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
          output.shape = read_shape_of(*formula, *shape, what + ".shape");
        }
        if (const Node* input = entry.value.find("in_place")) {
          read_in_place(entry, *input, output);
        }
        output.layout = read_layout(entry.value, formula->indices.size(), sizes_, errors_);
        output.layout.place = entry.place;
        said_.emplace(entry.key, std::move(output));
      });
    }
    has_outputs_ = !section.entries.empty();
  }

  // What takes the place of an input is stored and laid out as that is.
  void read_in_place(const Entry& entry, const Node& input, StatementOutput& output) const {
    const std::string what = "outputs." + entry.key + ".in_place";
    output.in_place = as_name(input, what);
    output.in_place_at = input.place;
    if (std::ranges::find(input_names_, output.in_place) == input_names_.end()) {
      refuse("E205", input.place, what + ": there is no input " + shown(output.in_place),
             meant(output.in_place,
                   std::vector<std::string_view>(input_names_.begin(), input_names_.end()),
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
        said.shape = read_shape_of(*formula, entry.value, "shapes." + entry.key);
        said.layout.place = entry.place;
        said_.emplace(entry.key, std::move(said));
      });
    }
  }

  // Statements over sparse matrices become statements over their items.
  void bring_to_items() {
    for (std::size_t k = 0; k < formulas_.size() && formulas_.size() == texts_.size(); ++k) {
      const bool fine = errors_.attempt([&] {
        auto made = over_stored_items(formulas_[k], *texts_[k], sparse_);
        if (!made) return;
        formulas_[k] = std::move(made->formula);
        for (ColumnUse& use : made->uses) column_uses_.emplace_back(std::move(use), texts_[k]);
      });
      if (!fine) broken_.insert(formulas_[k].target);
    }
  }

  // What is read at columns has as many items there as the matrix has columns.
  void check_columns() {
    for (const auto& [use, text] : column_uses_) {
      const auto t = fusion_->find(use.tensor);
      if (!t || use.axis >= fusion_->shape(*t).size()) continue;
      const Place place = place_in(*text, use.at);
      errors_.attempt([&] {
        const Expr own = fusion_->shape(*t)[use.axis];
        const Expr columns = sizes_.extent(columns_of_.at(use.matrix), place, "the columns");
        const Expr is_same = eq(own, columns);
        if (same(own, columns) || sizes_.simplifier().proves(is_same)) return;
        if (sizes_.simplifier().proves(!is_same)) {
          refuse("E501", place,
                 use.matrix + " has " + to_string(columns) + " columns, and " + use.tensor + " " +
                     to_string(own) + " items at that index",
                 "make the extents equal");
        }
        fusion_->check_at_launch(
            is_same, "what is read at columns of " + use.matrix + " has an item for each");
      });
    }
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
      complex_[formula.target] = formula.indices.size();
      if (output != nullptr) output->add_parts(fusion_->pool());
    }
    return statement.by_parts(is_result, is_taken);
  }

  std::vector<NamedInput> named_inputs() const {
    std::vector<NamedInput> list;
    for (const std::string& name : input_names_) list.push_back({name, {}});
    for (const Input& input : inputs_) {
      std::ranges::find(list, input.name, &NamedInput::name)->axes = input.axes;
    }
    return list;
  }

  void make_inputs() {
    // Offsets before the rows that they tell.
    std::ranges::stable_partition(inputs_, [](const Input& i) { return i.offsets.empty(); });
    for (Input& input : inputs_) {
      const std::string& name = input.name;
      errors_.attempt([&] {
        const std::vector<Node>& said = input.entry->value.find("shape")->items;
        for (std::size_t k = 0; k < said.size() && !input.is_made; ++k) {
          input.shape[k] = sizes_.extent(input.shape[k], said[k].place,
                                         "the extent of " + input.axes[k] + " of " + name);
        }
        at_place<BadInput>(input.entry->place, [&] {
          const DataType type = input.type.type;
          const TensorId t = make_input(input).id();
          fusion_->edit(t).is_complex = input.type.is_complex;
          fusion_->edit(t).align = input.layout.align;
          fusion_->edit(t).strides = strides_of(input.layout, name, type, input.axes, input.shape,
                                                *fusion_, context_.symbols, sizes_);
        });
      });
    }
    for (const std::string& name : input_names_) {
      if (!fusion_->find(name)) broken_.insert(name);
    }
  }

  Tensor make_input(Input& input) {
    const DataType type = input.type.type;
    if (input.offsets.empty()) return fusion_->input(input.name, input.shape, type, input.axes);
    const RowsId rows = rows_of(input);
    // Positions are one axis.
    input.axes[1] = input.axes[0] + input.axes[1];
    input.axes.erase(input.axes.begin());
    const Tensor made = ragged_input(
        *fusion_, input.name, rows, {input.shape.begin() + 2, input.shape.end()}, type, input.axes);
    input.shape = made.shape();
    return made;
  }

  void make_tensors() {
    for (std::size_t k = 0; k < formulas_.size(); ++k) {
      const Formula& formula = formulas_[k];
      const bool fine = errors_.attempt([&] {
        if (broken_.contains(formula.target)) return;
        claim(formula.target, place_in(*texts_[k], formula.target_at));
        const bool reads_broken = std::ranges::any_of(formula.nodes, [&](const FormulaNode& n) {
          return n.may_read() && broken_.count(n.name) != 0;
        });
        if (reads_broken) {
          broken_.insert(formula.target);
          return;
        }
        const auto said = said_.find(formula.target);
        make_tensor(formula, *texts_[k], said == said_.end() ? nullptr : &said->second, formulas_,
                    *fusion_, sizes_, context_);
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
  std::vector<std::string> input_names_;
  std::vector<Input> inputs_;
  ComplexTensors complex_;
  SparseTensors sparse_;
  std::map<std::string, Expr> rows_of_, columns_of_;  // by sparse matrix: how many
  std::vector<std::pair<ColumnUse, const Node*>> column_uses_;
  std::map<std::string, StatementOutput> said_;  // of tensors, under outputs and shapes
  bool has_outputs_ = false;
  std::set<std::string> broken_;  // tensors that are named and could not be made
};

}  // namespace

void read_fusion(const Node& root, FileContext& context, ScheduleFile& file) {
  Reader(root, context, file).read();
}

}  // namespace selvage
