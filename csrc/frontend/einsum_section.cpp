// TeAAL specifications: section 3 of a schedule file.
#include <selvage/base/stored_tensor.h>
#include <selvage/base/words.h>
#include <selvage/frontend/einsum_mapping.h>
#include <selvage/frontend/einsum_section.h>
#include <selvage/frontend/einsum_tensors.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/made_nodes.h>
#include <selvage/frontend/readers.h>

#include <algorithm>

namespace selvage {

namespace {

// The text of an index in a statement: 2*q + s.
std::string text_of(const EinsumIndex& index) {
  std::string text;
  for (const auto& [factor, name] : index.terms) {
    const std::int64_t size = factor < 0 ? -factor : factor;
    const std::string term = (size == 1 ? "" : std::to_string(size) + "*") + name;
    text += text.empty() ? (factor < 0 ? "0 - " : "") : factor < 0 ? " - " : " + ";
    text += term;
  }
  return text;
}

class EinsumReader {
 public:
  EinsumReader(const Node& root, FileContext& context, ScheduleFile& file)
      : root_(root), context_(context), file_(file), errors_(context.errors), tensors_(context) {}

  Node fusion() {
    const Node& einsum = require(root_, "the file", "einsum");
    expect_map(einsum, "einsum", Form::Einsum, &errors_);
    mapping_ = root_.find("mapping");
    if (mapping_ != nullptr) expect_map(*mapping_, "mapping", Form::Mapping, &errors_);
    tensors_.read_declaration(require(einsum, "einsum", "declaration"));
    read_expressions(require(einsum, "einsum", "expressions"));
    if (mapping_ != nullptr) tensors_.read_rank_orders(*mapping_);
    read_formats();
    if (errors_.empty()) check_names_of_mapping();
    Node made = made_map({}, root_.place);
    if (!errors_.empty()) return made;
    for (const char* key : {"symbols", "facts", "sizes"}) {
      if (const Node* said = root_.find(key)) put(made, key, *said);
    }
    put(made, "inputs", inputs(einsum.place));
    put(made, "outputs", outputs(einsum.place));
    put(made, "compute", statements());
    Node schedule = schedules(einsum.place);
    if (!schedule.entries.empty()) put(made, "schedule", std::move(schedule));
    file_.as_fusion = to_yaml(made);
    if (const Node* said = root_.find("expect")) put(made, "expect", *said);
    for (const char* key : {"architecture", "bindings"}) warn_of_unused(key);
    return made;
  }

 private:
  void warn_of_unused(const char* key) {
    const Node* said = root_.find(key);
    if (said == nullptr) return;
    file_.warnings.push_back({.code = "E390",
                              .severity = Severity::Warning,
                              .place = said->place,
                              .message = std::string(key) + " is not used",
                              .help = "leave it out, or keep it for other programs"});
  }

  void read_expressions(const Node& list) {
    check_count(expect_sequence(list, "einsum.expressions"), kMostTensors, "expressions");
    for (const Node& item : list.items) {
      errors_.attempt([&] {
        EinsumExpression einsum = parse_einsum(item);
        check_ranks(einsum, einsum.target);
        for (const EinsumTensor& tensor : einsum.operands()) {
          check_ranks(einsum, tensor);
          read_.insert(tensor.name);
        }
        if (!computed_.insert(einsum.target.name).second) {
          refuse("E204", item.place, einsum.target.name + " is computed twice",
                 "give the second result a name of its own");
        }
        einsums_.push_back(std::move(einsum));
      });
    }
    if (list.items.empty()) {
      refuse("E332", list.place, "there is no expression",
             "write one, such as - Z[i] = A[i, j] * B[j]");
    }
  }

  // A variable stands at the rank of its name; a sum of variables, at a rank of its own.
  void check_ranks(const EinsumExpression& einsum, const EinsumTensor& tensor) const {
    const Place place = place_in(*einsum.text, tensor.at);
    const DeclaredTensor& known = tensors_.declared(tensor.name, place);
    if (known.ranks.size() != tensor.indices.size()) {
      refuse("E333", place,
             tensor.name + " has " + counted(std::int64_t(known.ranks.size()), "rank") + ", " +
                 bracketed(known.ranks) + ", and " +
                 counted(std::int64_t(tensor.indices.size()), "index") + " here",
             "write an index for each rank");
    }
    for (std::size_t k = 0; k < tensor.indices.size(); ++k) {
      const auto variable = tensor.indices[k].variable();
      if (!variable || rank_of(*variable) == known.ranks[k]) continue;
      std::string lower = known.ranks[k];
      for (char& c : lower) c = char(std::tolower(static_cast<unsigned char>(c)));
      refuse(
          "E333", place_in(*einsum.text, tensor.indices[k].at),
          "the index " + *variable + " stands at the rank " + known.ranks[k] + " of " + tensor.name,
          "write " + lower + " there, or declare that rank as " + rank_of(*variable));
    }
  }

  void read_formats() {
    if (const Node* formats = root_.find("format")) {
      for (const Entry& entry : expect_map(*formats, "format")) {
        errors_.attempt([&] { tensors_.read_format(entry); });
      }
    }
    // TeAAL knows no dense tensors; here one tensor of an expression is sparse.
    for (const EinsumExpression& einsum : einsums_) {
      const std::vector<EinsumTensor> operands = einsum.operands();
      const bool has_levels = std::ranges::any_of(
          operands, [&](const EinsumTensor& t) { return tensors_.at(t.name).storage == kCsf; });
      for (const EinsumTensor& tensor : has_levels ? std::vector<EinsumTensor>() : operands) {
        DeclaredTensor& known = tensors_.at(tensor.name);
        const auto is_plain = [](const EinsumIndex& index) { return index.variable().has_value(); };
        if (known.ranks.size() != 2 || !std::ranges::all_of(tensor.indices, is_plain)) continue;
        if (known.storage.empty() && !computed_.contains(tensor.name)) known.storage = "csr";
        break;
      }
      errors_.attempt([&] {
        const EinsumTensor* operand = sparse_operand(einsum);
        if (operand == nullptr) return;
        const std::string& storage = tensors_.at(operand->name).storage;
        const bool is_matrix = storage == kCsf && levels_of(einsum.target, *operand) == 2;
        tensors_.at(einsum.target.name).storage = is_matrix ? "csr" : storage;
      });
    }
    // A level of csf is computed by a statement of its own, of which a mapping knows nothing.
    for (const auto& [name, known] : tensors_.all()) {
      if (mapping_ == nullptr || known.storage != kCsf || computed_.contains(name)) continue;
      errors_.attempt([&, &own = known, of = name] {
        refuse_unsupported(own.storage_at, "a mapping beside " + of + ", which is stored as csf,",
                           "leave mapping out, so that all is scheduled automatically");
      });
    }
  }

  // What a mapping says of a tensor that no expression computes would be lost.
  void check_names_of_mapping() {
    for (const char* key : {"partitioning", "loop-order", "spacetime"}) {
      const Node* part = mapping_ == nullptr ? nullptr : mapping_->find(key);
      if (part == nullptr) continue;
      errors_.attempt([&] {
        for (const Entry& entry : expect_map(*part, std::string("mapping.") + key)) {
          tensors_.declared(entry.key, entry.place);
          const auto is_stored = [&](const EinsumExpression& einsum) {
            return einsum.target.name == entry.key && has_own_items(einsum);
          };
          if (std::ranges::any_of(einsums_, is_stored)) {
            refuse_unsupported(entry.place,
                               "a mapping of " + entry.key +
                                   ", which is stored as a sparse matrix "
                                   "of its own,",
                               "leave it out, so that it is scheduled automatically");
          }
          if (computed_.contains(entry.key)) continue;
          refuse("E205", entry.place, std::string(key) + ": no expression computes " + entry.key,
                 "give it for " + joined({computed_.begin(), computed_.end()}));
        }
      });
    }
  }

  StoredTensors stored() const {
    StoredTensors all;
    for (const auto& [name, known] : tensors_.all()) {
      StoredRanks& made = all[name];
      made.ranks = tensors_.stored_ranks(name);
      if (!known.is_sparse() || made.ranks.size() != 2) continue;
      made.format = storage_format(known.storage);
      const bool is_by_columns = made.format->storage == StorageKind::Csc;
      made.compressed.insert(made.ranks[is_by_columns ? 0 : 1]);
    }
    return all;
  }

  Node shape_of(const std::string& name) const {
    return made_list(tensors_.stored_ranks(name), tensors_.at(name).place);
  }

  Node inputs(const Place& place) const {
    Node all = made_map({}, place);
    for (const std::string& name : tensors_.names()) {
      if (computed_.contains(name) || !read_.contains(name)) continue;
      const DeclaredTensor& known = tensors_.at(name);
      Node input = made_map(
          {{"shape", shape_of(name)}, {"dtype", made_text(known.type, known.place)}}, known.place);
      if (known.is_sparse()) put(input, "format", made_text(known.storage, known.place));
      if (!known.index.empty() && known.is_sparse()) {
        put(input, "index", made_text(known.index, known.place));
      }
      put(all, name, std::move(input));
    }
    return all;
  }

  // At how many indices the result stands, from the first one on, as the tensor does.
  std::size_t levels_of(const EinsumTensor& target, const EinsumTensor& tensor) const {
    const std::vector<std::string> left = subscripts_of(target), own = subscripts_of(tensor);
    return std::size_t(std::ranges::mismatch(left, own).in1 - left.begin());
  }

  // The sparse tensor whose items, or whose nodes of some level, are those of the result, as both
  // stand at the same indices.
  const EinsumTensor* sparse_operand(const EinsumExpression& einsum) const {
    const auto is_it = [&](const EinsumTensor& tensor) {
      const DeclaredTensor& known = tensors_.at(tensor.name);
      if (!known.is_sparse()) return false;
      const std::size_t levels = levels_of(einsum.target, tensor);
      return known.storage == kCsf ? levels >= 2 : levels == 2;
    };
    for (const EinsumTerm& term : einsum.terms) {
      const auto found = std::ranges::find_if(term.factors, is_it);
      if (found == term.factors.end()) continue;
      if (einsum.terms.size() > 1 && tensors_.at(einsum.target.name).is_sparse()) return nullptr;
      if (einsum.terms.size() > 1) {
        refuse_unsupported(
            place_in(*einsum.text, found->at), "a sum in which " + found->name + " is sparse",
            "make " + found->name + " dense: format: {" + found->name + ": {storage: dense}}");
      }
      return &*found;
    }
    return nullptr;
  }

  // Whether the result is stored sparse, and no operand tells its items.
  bool has_own_items(const EinsumExpression& einsum) const {
    return tensors_.at(einsum.target.name).is_sparse() && sparse_operand(einsum) == nullptr;
  }

  Node outputs(const Place& place) const {
    Node all = made_map({}, place);
    for (const EinsumExpression& einsum : einsums_) {
      const std::string& name = einsum.target.name;
      const DeclaredTensor& known = tensors_.at(name);
      const bool is_stored = has_own_items(einsum);
      if (read_.contains(name) && !is_stored) continue;
      Node output = made_map({}, known.place);
      if (is_stored) {
        put(output, "format", made_text(known.storage, known.place));
      } else if (!sparse_operand(einsum)) {
        put(output, "shape", shape_of(name));
      }
      put(all, name, std::move(output));
    }
    return all;
  }

  std::string text_of_tensor(const EinsumTensor& tensor) const {
    return tensor.name + bracketed(subscripts_of(tensor));
  }
  std::vector<std::string> subscripts_of(const EinsumTensor& tensor) const {
    const std::vector<std::string>& declared = tensors_.at(tensor.name).ranks;
    std::vector<std::string> subscripts;
    for (const std::string& rank : tensors_.stored_ranks(tensor.name)) {
      const std::size_t axis = std::size_t(std::ranges::find(declared, rank) - declared.begin());
      subscripts.push_back(text_of(tensor.indices[axis]));
    }
    return subscripts;
  }

  // sum[j](A[i, j] * B[j])
  std::string text_of_term(const EinsumTerm& term, const EinsumTensor& target) const {
    std::vector<std::string> factors, summed;
    for (const EinsumTensor& tensor : term.factors) {
      factors.push_back(text_of_tensor(tensor));
      for (const EinsumIndex& index : tensor.indices) {
        for (const auto& [factor, name] : index.terms) {
          const auto is_it = [&, &own = name](const EinsumIndex& i) { return i.variable() == own; };
          const bool is_kept = std::ranges::any_of(target.indices, is_it);
          if (!is_kept && std::ranges::find(summed, name) == summed.end()) summed.push_back(name);
        }
      }
    }
    std::string text = joined(factors, " * ");
    if (term.taken) {
      std::vector<std::string> others;
      for (std::size_t k = 0; k < factors.size(); ++k) {
        if (k != *term.taken) others.push_back(factors[k] + " != 0");
      }
      const std::string& taken = factors[*term.taken];
      text = others.empty() ? taken : "select(" + joined(others, " && ") + ", " + taken + ", 0)";
    }
    return summed.empty() ? text : "sum[" + joined(summed) + "](" + text + ")";
  }

  Node statements() const {
    std::vector<Node> all;
    for (const EinsumExpression& einsum : einsums_) {
      std::vector<std::string> terms;
      for (const EinsumTerm& term : einsum.terms) {
        terms.push_back(text_of_term(term, einsum.target));
      }
      const std::string left = text_of_tensor(einsum.target);
      all.push_back(made_text(left + " = " + joined(terms, " + "), einsum.text->place));
    }
    return made_list(std::move(all), root_.place);
  }

  // A sum of which a term alone is reduced has two nests, and a mapping is that of one.
  static void refuse_partial_sums(const EinsumExpression& einsum) {
    const std::string& name = einsum.target.name;
    const bool has_reduced = einsum.variables().size() > einsum.target.indices.size();
    if (einsum.terms.size() < 2 || !has_reduced) return;
    refuse_unsupported(einsum.text->place,
                       "a mapping of " + name + ", a sum with a reduction in it,",
                       "compute the reduction in an expression of its own, with a mapping of its "
                       "own, and add it up here");
  }

  // Beside tensors with a mapping, what has none would run on one thread, but where it is computed
  // by those who read it.
  void refuse_without_mapping(const std::vector<std::string>& mapped) const {
    for (const EinsumExpression& einsum : einsums_) {
      const std::string& name = einsum.target.name;
      const bool is_reduced = einsum.variables().size() > einsum.target.indices.size();
      const bool has_mapping = std::ranges::find(mapped, name) != mapped.end();
      if (has_mapping || (read_.contains(name) && !is_reduced)) continue;
      errors_.attempt([&] {
        refuse("E333", einsum.text->place,
               "nothing says how " + name + " runs, and " + mapped[0] + " has a mapping",
               "add spacetime for " + name +
                   "; or leave all mappings out, and everything is scheduled automatically");
      });
    }
  }

  Node schedules(const Place& place) {
    Node all = made_map({}, place);
    if (mapping_ == nullptr) return all;
    const StoredTensors tensors = stored();
    std::vector<std::string> mapped;
    for (const EinsumExpression& einsum : einsums_) {
      errors_.attempt([&] {
        EinsumMapping made = read_einsum_mapping(*mapping_, einsum, tensors, context_.symbols);
        if (made.items.items.empty()) return;
        refuse_partial_sums(einsum);
        mapped.push_back(einsum.target.name);
        put(all, made.of, std::move(made.items));
        file_.mappings[made.of] = std::move(made.mapped);
      });
    }
    if (!mapped.empty()) refuse_without_mapping(mapped);
    return all;
  }

  const Node& root_;
  FileContext& context_;
  ScheduleFile& file_;
  Diagnostics& errors_;
  const Node* mapping_ = nullptr;
  EinsumTensors tensors_;
  std::vector<EinsumExpression> einsums_;
  std::set<std::string> computed_, read_;
};

}  // namespace

Node fusion_of_einsum(const Node& root, FileContext& context, ScheduleFile& file) {
  return EinsumReader(root, context, file).fusion();
}

}  // namespace selvage
