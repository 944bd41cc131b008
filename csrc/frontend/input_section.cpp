// Inputs of a file's fusion.
#include <selvage/base/names.h>
#include <selvage/base/stored_tensor.h>
#include <selvage/base/words.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/input_section.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/sparse_loops.h>
#include <selvage/ir/ragged.h>
#include <selvage/ir/sparse_input.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kMostListed = 100;  // tensors of one list
constexpr const char* kPartAxis = "part";  // of a complex input

void check_axes(const Node& shape) {
  if (std::int64_t(expect_sequence(shape, "shape").size()) <= kMostAxes) return;
  refuse("E104", shape.place, "shape has more than " + std::to_string(kMostAxes) + " axes",
         "use fewer axes");
}

}  // namespace

std::optional<std::string> offsets_in(const Node& extent) {
  constexpr std::string_view kBegin = "ragged(";
  const std::string& text = extent.text;
  if (!text.starts_with(kBegin) || !text.ends_with(')')) return std::nullopt;
  const std::string name = text.substr(kBegin.size(), text.size() - kBegin.size() - 1);
  return is_identifier(name) ? std::optional(name) : std::nullopt;
}

std::vector<Expr> read_shape(const Node& shape, SizeScope& sizes) {
  check_axes(shape);
  std::vector<Expr> extents;
  for (const Node& item : shape.items) extents.push_back(sizes.read(item, "shape"));
  return extents;
}

namespace {

// How a sparse matrix is stored.
StorageFormat read_format(const Node& said, const std::string& what) {
  const auto format = storage_format(as_text(said, what));
  if (format) return *format;
  refuse("E304", said.place, what + ": " + shown(said.text) + " is no format",
         "one of csr, csc, coo, ell, dia, sell(64), bcsr(4, 4), csf");
}

}  // namespace

void claim_name(std::map<std::string, Place>& places, const std::string& name, const Place& place) {
  const auto [it, is_new] = places.emplace(name, place);
  if (is_new) return;
  refuse("E204", place, "there is a tensor " + name + " already", "rename one of the two",
         {"the first is at " + to_text(it->second)});
}

void InputSection::declare_items_of(const Entry& entry) {
  if (const Node* format = entry.value.find("format")) {
    const auto known = storage_format(format->text);
    const Node* shape = entry.value.find("shape");
    const std::size_t levels =
        trimmed(format->text) == kCsf && shape != nullptr ? shape->items.size() : std::size_t{0};
    for (std::size_t k = 1; k < levels; ++k) {
      declare_count(*format, name_of_level(entry.key, k) + kItemsSuffix);
    }
    if (levels == 0) {
      declare_count(*format, entry.key + count_suffix(known.value_or(StorageFormat())));
    }
  }
  if (const Node* shape = entry.value.find("shape")) declare_items_in(*shape);
}

void InputSection::declare_items_in(const Node& shape) {
  for (const Node& extent : shape.items) {
    if (const auto offsets = offsets_in(extent)) declare_count(extent, *offsets + kItemsSuffix);
  }
}

// A size that counts items, which may be none.
void InputSection::declare_count(const Node& place, const std::string& name) {
  Node count = place;
  count.text = name;
  if (context_.symbols.find(name)) return;
  errors_.attempt([&] { context_.symbols.declare(count, 0); });
}

void InputSection::read(const Node& section) {
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
std::vector<std::string> InputSection::names_of(const Entry& entry) const {
  const Node* list = entry.value.find("list");
  if (list == nullptr) return {entry.key};
  const std::int64_t count = as_integer_of(*list, "inputs." + entry.key + ".list", 1, kMostListed);
  std::vector<std::string> names;
  for (std::int64_t k = 0; k < count; ++k) {
    names.push_back(entry.key + "_" + std::to_string(k));
  }
  return names;
}

bool InputSection::read_input(const Entry& entry, const std::string& name) {
  names_.push_back(name);
  return errors_.attempt([&] {
    tensor_name(entry, context_.symbols);
    context_.symbols.check_no_symbol(name, entry.place, "the tensor " + name);
    claim_name(places_, name, entry.place);
    const std::string what = "inputs." + entry.key;
    expect_map(entry.value, what, Form::Input, &errors_);
    Input input{.entry = &entry, .name = name, .type = {}, .shape = {}, .axes = {}, .layout = {}};
    errors_.attempt(
        [&] { input.type = as_tensor_type(require(entry.value, what, "dtype"), what + ".dtype"); });
    const Node& said = require(entry.value, what, "shape");
    input.shape = read_extents(said, input);
    input.axes = read_axes_.of(name, input.shape.size());
    input.layout = read_layout(entry.value, input.shape.size(), sizes_, errors_);
    input.layout.place = entry.place;
    const Node* nan = entry.value.find("nan");
    input.has_no_nan =
        nan != nullptr ? !as_bool(*nan, what + ".nan") : entry.value.find("format") != nullptr;
    if (entry.value.find("format") != nullptr) return read_sparse(entry, what, std::move(input));
    if (input.type.is_complex) {
      complex_[name] = input.shape.size();
      input.shape.push_back(fusion_.constant(2));
      input.axes.emplace_back(kPartAxis);
      input.layout.add_parts(fusion_.pool());
    }
    inputs_.push_back(std::move(input));
  });
}

// An array of a sparse matrix, beside its values.
InputSection::Input InputSection::array_of(const Input& values, const std::string& name,
                                           DataType type, std::vector<Expr> shape) const {
  Input array = values;
  array.name = name;
  array.type = {type};
  array.axes.assign(shape.size(), values.name + "_axis");
  for (std::size_t k = 1; k < shape.size(); ++k) array.axes[k] += std::to_string(k);
  array.shape = std::move(shape);
  array.layout = {};
  array.layout.place = values.layout.place;
  array.has_no_nan = false;
  array.is_made = true;
  return array;
}

// A tensor of which only items are stored: the arrays of its format become inputs.
void InputSection::read_sparse(const Entry& entry, const std::string& what, Input values) {
  const std::string& name = values.name;
  const Node& said = *entry.value.find("format");
  const bool has_levels = trimmed(as_text(said, what + ".format")) == kCsf;
  const bool has_axes = has_levels ? values.shape.size() > 2 : values.shape.size() == 2;
  if (!has_axes || !values.offsets.empty() || values.type.is_complex) {
    const std::string of =
        has_levels ? "tensor of three axes or more, of real numbers" : "matrix of real numbers";
    refuse("E520", entry.place, name + " is sparse, and no " + of,
           has_levels ? "give it a shape such as [I, J, K]; a matrix is csr"
                      : "give it the shape [I, J]; more axes are csf");
  }
  for (const char* key : {"list", "strides", "contiguity"}) {
    const Node* other = entry.value.find(key);
    if (other == nullptr) continue;
    refuse(
        "E520", other->place, name + " is sparse, and its arrays are those of its format",
        std::string("leave ") + key + " out" +
            (key == std::string_view("list") ? ", and give each matrix an entry of its own" : ""));
  }
  const StorageFormat format = has_levels ? StorageFormat() : read_format(said, what + ".format");
  DataType type = DataType::Int32;
  if (const Node* index = entry.value.find("index")) {
    type = as_one_of(*index, what + ".index", Form::IndexWord) == 0 ? DataType::Int32
                                                                    : DataType::Int64;
  }
  const std::vector<Node>& extents = entry.value.find("shape")->items;
  if (has_levels) {
    read_levels(type, extents, values);
  } else {
    sparse_tensors_[name] = {name, format, extents[0].text, extents[1].text};
    add_matrix(name, {format, type, values.shape[0], values.shape[1]}, values);
  }
  values.is_made = true;
  inputs_.push_back(std::move(values));
}

// Each level is a matrix (base/stored_tensor.h); the values are those of the last one.
void InputSection::read_levels(DataType type, const std::vector<Node>& extents, Input& values) {
  const std::string name = values.name;
  const std::vector<Expr> shape = values.shape;
  csf_[name] = {type, shape};
  LevelTensor tensor{name, {extents[0].text}};
  Input level = values;
  for (std::size_t k = 1; k < shape.size(); ++k) {
    const std::string own = name_of_level(name, k);
    claim_name(places_, own, values.entry->place);
    tensor.extents.push_back(extents[k].text);
    level_tensors_[own] = tensor;
    const Expr rows = k == 1 ? shape[0] : sizes_.use(name_of_level(name, k - 1) + kItemsSuffix);
    level.axes = {values.axes[0], values.axes[k]};
    level.shape = {rows, shape[k]};
    add_matrix(own, {{StorageKind::Csr}, type, rows, shape[k]}, level);
    inputs_.back().indexes->rise = true;  // its columns
    values.axes[0] += values.axes[k];
  }
  values.axes = std::move(level.axes);
  values.shape = std::move(level.shape);
  values.offsets = std::move(level.offsets);
  values.items = std::move(level.items);
  values.ragged_at = level.ragged_at;
  sparse_tensors_[name] = tensor.last();
  level_tensors_[name] = std::move(tensor);
}

// The arrays of a matrix beside its values, which get the shape of these.
void InputSection::add_matrix(const std::string& name, const ScheduleFile::Sparse& matrix,
                              Input& values) {
  const StorageFormat& format = matrix.format;
  const Expr one = fusion_.constant(1);
  sparse_.emplace(name, matrix);
  const SparseLayout layout =
      sparse_layout(format, matrix.rows, matrix.columns, sizes_.use(name + count_suffix(format)));
  const bool has_lines = layout.lines.valid();
  // Items of lines have the axes line, item, and those inside of an item.
  const auto shape_of = [&](const std::vector<Expr>& own, bool is_of_items) {
    std::vector<Expr> shape = is_of_items ? std::vector{layout.lines, one} : own;
    if (is_of_items) shape.insert(shape.end(), own.begin(), own.end());
    return shape;
  };
  values.axes = sparse_loops(format, values.axes[0], values.axes[1]).all;
  values.shape = shape_of(layout.values, has_lines);
  if (has_lines) {
    values.offsets = name + kOffsetsSuffix;
    values.items = name + kItemsSuffix;
    values.ragged_at = values.entry->place;
  }
  std::vector<Input> arrays;
  for (const SparseLayout::Array& array : layout.arrays) {
    arrays.push_back(array_of(values, name + array.suffix, matrix.index,
                              shape_of(array.shape, array.is_of_items)));
    arrays.back().indexes = array.promise;
    if (!array.is_of_items) arrays.back().offsets.clear();
  }
  // That a kernel searches for.
  if (format.storage == StorageKind::Coo) {
    claim_name(places_, name + kOffsetsSuffix, values.entry->place);
  }
  for (Input& array : arrays) {
    claim_name(places_, array.name, values.entry->place);
    names_.push_back(array.name);
    inputs_.push_back(std::move(array));
  }
}

void InputSection::find_rows_of(const std::string& level) {
  if (!with_rows_.insert(level).second) return;
  claim_name(places_, level + kRowsSuffix, places_.at(level + kOffsetsSuffix));
}

// An extent that is ragged(off) stands for nothing.
std::vector<Expr> InputSection::read_extents(const Node& shape, Input& input) {
  check_axes(shape);
  std::vector<Expr> extents;
  for (const Node& item : shape.items) {
    const auto offsets = offsets_in(item);
    const bool is_ragged = offsets.has_value();
    if (is_ragged && extents.size() != 1) {
      refuse("E520", item.place, "the items of a row stand on no second axis",
             "give the rows first, and their items next: [B, ragged(off), D]");
    }
    if (is_ragged) {
      input.offsets = *offsets;
      input.items = *offsets + "_items";
      input.ragged_at = item.place;
      sizes_.use(input.items);
    }
    extents.push_back(is_ragged ? fusion_.constant(1) : sizes_.read(item, "shape"));
  }
  return extents;
}

std::vector<NamedInput> InputSection::named() const {
  std::vector<NamedInput> list;
  for (const std::string& name : names_) list.push_back({name, {}});
  for (const Input& input : inputs_) {
    std::ranges::find(list, input.name, &NamedInput::name)->axes = input.axes;
  }
  return list;
}

void InputSection::make(const std::set<std::string>& computed) {
  // Offsets before the rows that they tell.
  std::ranges::stable_partition(inputs_, [](const Input& i) { return i.offsets.empty(); });
  for (Input& input : inputs_) {
    const bool is_given = std::ranges::find(names_, input.offsets) != names_.end();
    if (!is_given && computed.contains(input.offsets)) {
      waiting_.emplace(input.name, input.offsets);
    } else {
      errors_.attempt([&] { make(input); });
    }
  }
  const std::size_t first = fusion_.size();
  for (const std::string& level : with_rows_) {
    errors_.attempt([&] { item_rows(fusion_, level, sparse_.at(level).index); });
  }
  add_computed(first);
}

void InputSection::add_computed(std::size_t first) {
  for (std::size_t k = first; k < fusion_.size(); ++k) computed_.insert(TensorId(k));
}

void InputSection::make_rows_of(const std::string& offsets) {
  for (Input& input : inputs_) {
    const auto waits = waiting_.find(input.name);
    if (waits == waiting_.end() || waits->second != offsets) continue;
    errors_.attempt([&] { make(input); });
    waiting_.erase(waits);
  }
}

void InputSection::make(Input& input) {
  const std::string& name = input.name;
  const std::vector<Node>& said = input.entry->value.find("shape")->items;
  for (std::size_t k = 0; k < said.size() && !input.is_made; ++k) {
    input.shape[k] = sizes_.extent(input.shape[k], said[k].place,
                                   "the extent of " + input.axes[k] + " of " + name);
  }
  if (const auto matrix = sparse_.find(name); matrix != sparse_.end()) {
    sizes_.extent(matrix->second.rows, said[0].place, "the rows of " + name);
    sizes_.extent(matrix->second.columns, said[1].place, "the columns of " + name);
  }
  if (const auto tensor = csf_.find(name); tensor != csf_.end()) {
    for (std::size_t k = 0; k < said.size(); ++k) {
      sizes_.extent(tensor->second.extents[k], said[k].place, "an extent of " + name);
    }
  }
  at_place<BadInput>(input.entry->place, [&] {
    const DataType type = input.type.type;
    const TensorId t = make_input(input).id();
    fusion_.edit(t).is_complex = input.type.is_complex;
    fusion_.edit(t).align = input.layout.align;
    fusion_.edit(t).indexes = input.indexes;
    fusion_.edit(t).has_no_nan = input.has_no_nan;
    fusion_.edit(t).strides = strides_of(input.layout, name, type, input.axes, input.shape, fusion_,
                                         context_.symbols, sizes_);
  });
}

Tensor InputSection::make_input(Input& input) {
  const DataType type = input.type.type;
  if (input.offsets.empty()) return fusion_.input(input.name, input.shape, type, input.axes);
  const RowsId rows = rows_of(input);
  // Positions are one axis.
  input.axes[1] = input.axes[0] + input.axes[1];
  input.axes.erase(input.axes.begin());
  const Tensor made = ragged_input(fusion_, input.name, rows,
                                   {input.shape.begin() + 2, input.shape.end()}, type, input.axes);
  input.shape = made.shape();
  return made;
}

RowsId InputSection::rows_told_by(const std::string& name, const Place& at,
                                  const std::string& items) {
  const auto offsets = fusion_.find(name);
  if (!offsets) {
    std::vector<std::string_view> words(names_.begin(), names_.end());
    for (std::size_t t = 0; t < fusion_.size(); ++t) words.push_back(fusion_[TensorId(t)].name);
    refuse(
        "E205", at, "shape: there are no offsets " + shown(name),
        meant(name, words,
              "write ragged(off), and give an input off of shape [B + 1], or compute it before"));
  }
  if (const auto rows = selvage::rows_told_by(fusion_, name)) return *rows;
  const Tensor tensor(&fusion_, *offsets);
  if (!fusion_[*offsets].is_input && !fusion_[*offsets].is_output) fusion_.output(name, tensor);
  std::optional<RowsId> rows;
  at_place<BadInput>(at, [&] {
    rows = add_rows(tensor, sizes_.use(items.empty() ? name + kItemsSuffix : items));
  });
  return *rows;
}

// The rows that the offsets of an input tell.
RowsId InputSection::rows_of(const Input& input) {
  const std::string& name = input.offsets;
  const Expr count = input.shape[0];
  const auto matrix = sparse_.find(input.entry->key);
  if (!fusion_.find(name) && matrix != sparse_.end() &&
      matrix->second.format.storage == StorageKind::Coo) {
    const std::size_t first = fusion_.size();
    searched_offsets(fusion_, matrix->first, count);
    add_computed(first);
  }
  const RowsId rows = rows_told_by(name, input.ragged_at, input.items);
  at_place<BadInput>(input.ragged_at, [&] { check_rows(rows, count); });
  return rows;
}

void InputSection::check_rows(RowsId rows, Expr count) {
  const RaggedRows& told = fusion_.domains()[rows];
  const Expr own = told.count, is_count = eq(own, count);
  const std::string name = fusion_[TensorId(told.offsets)].name;
  const std::string why = name + " has one offset more than there are rows";
  if (same(own, count) || sizes_.simplifier().proves(is_count)) return;
  if (sizes_.simplifier().proves(!is_count)) {
    refuse("E501", {}, why + ", which is not so: " + to_string(own) + " and " + to_string(count),
           "give " + name + " the shape [" + to_string(count) + " + 1]");
  }
  fusion_.check_at_launch(is_count, why);
}

}  // namespace selvage
