#include <selvage/base/names.h>
#include <selvage/base/stored_matrix.h>
#include <selvage/base/stored_tensor.h>
#include <selvage/base/words.h>
#include <selvage/frontend/einsum_tensors.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/readers.h>

#include <algorithm>

namespace selvage {

namespace {

std::vector<std::string> read_ranks(const Entry& entry, const std::string& what) {
  std::vector<std::string> ranks;
  for (const Node& item : expect_sequence(entry.value, what)) {
    const std::string& rank = as_name(item, what);
    if (std::ranges::find(ranks, rank) != ranks.end()) {
      refuse("E333", item.place, what + " has the rank " + rank + " twice",
             "give each axis a rank of its own");
    }
    ranks.push_back(rank);
  }
  return ranks;
}

bool is_storage(const Node& said) {
  const auto keys = keys_of(Form::Storage);
  return said.entries.empty() || std::ranges::any_of(said.entries, [&](const Entry& entry) {
           return std::ranges::find(keys, entry.key) != keys.end();
         });
}

// Of a variant: for each rank U or C.
std::map<std::string, std::string> kept_ranks(const Entry& variant, const std::string& what) {
  std::map<std::string, std::string> kept;
  for (const Entry& rank : expect_map(variant.value, what)) {
    const std::string of = what + "." + rank.key;
    if (rank.key == "rank-order") {
      read_ranks(rank, of);
      continue;
    }
    expect_map(rank.value, of, Form::RankFormat);
    const Node& word = require(rank.value, of, "format");
    as_one_of(word, of + ".format", Form::KeptWord);
    kept[rank.key] = word.text;
  }
  return kept;
}

}  // namespace

void EinsumTensors::read_declaration(const Node& declaration) {
  for (const Entry& entry : expect_map(declaration, "declaration")) {
    errors_.attempt([&] {
      const std::string& name = tensor_name(entry, context_.symbols);
      if (expect_sequence(entry.value, "declaration." + name).empty()) {
        refuse_unsupported(entry.value.place, "a tensor without ranks",
                           "give it a rank of one item");
      }
      declared_[name] = {entry.place, read_ranks(entry, "declaration." + name)};
      order_.push_back(name);
    });
  }
}

const DeclaredTensor& EinsumTensors::declared(const std::string& name, const Place& place) const {
  const auto it = declared_.find(name);
  if (it != declared_.end()) return it->second;
  const std::vector<std::string_view> known(order_.begin(), order_.end());
  refuse("E205", place, "there is no tensor " + shown(name),
         meant(name, known, "add it to einsum.declaration"));
}

void EinsumTensors::read_rank_orders(const Node& mapping) {
  const Node* orders = mapping.find("rank-order");
  if (orders == nullptr) return;
  for (const Entry& entry : expect_map(*orders, "rank-order")) {
    errors_.attempt([&] {
      const DeclaredTensor& known = declared(entry.key, entry.place);
      std::vector<std::string> ranks = read_ranks(entry, "rank-order." + entry.key);
      if (!std::ranges::is_permutation(ranks, known.ranks)) {
        refuse("E333", entry.value.place,
               "rank-order of " + entry.key + " is " + bracketed(ranks) + ", and its ranks are " +
                   bracketed(known.ranks),
               "name each of these once");
      }
      ordered_[entry.key] = std::move(ranks);
    });
  }
}

const std::vector<std::string>& EinsumTensors::stored_ranks(const std::string& name) const {
  const auto it = ordered_.find(name);
  return it == ordered_.end() ? declared_.at(name).ranks : it->second;
}

void EinsumTensors::read_format(const Entry& entry) {
  declared(entry.key, entry.place);
  DeclaredTensor& known = declared_.at(entry.key);
  const std::string what = "format." + entry.key;
  expect_map(entry.value, what);
  if (!is_storage(entry.value)) return read_teaal_format(entry, known);
  expect_map(entry.value, what, Form::Storage, &errors_);
  const auto word = [&](const char* key, Form form) {
    const Node* said = entry.value.find(key);
    if (said == nullptr) return std::string();
    as_one_of(*said, what + "." + key, form);
    return said->text;
  };
  if (const Node* said = entry.value.find("storage")) {
    known.storage = trimmed(as_text(*said, what + ".storage"));
    known.storage_at = said->place;
    const bool is_known = known.storage == "dense" || known.storage == kCsf;
    if (!is_known && !storage_format(known.storage)) {
      refuse("E304", said->place, what + ".storage: " + shown(said->text) + " is no format",
             "one of dense, csr, csc, coo, ell, dia, sell(64), bcsr(4, 4), csf");
    }
  }
  known.index = word("index", Form::IndexWord);
  if (std::string type = word("dtype", Form::Type); !type.empty()) known.type = std::move(type);
  const bool has_levels = known.storage == kCsf;
  if (!known.is_sparse() || (has_levels ? known.ranks.size() > 2 : known.ranks.size() == 2)) {
    return;
  }
  refuse("E520", entry.value.place,
         has_levels ? entry.key + " has no three ranks, and csf stores as many or more"
                    : entry.key + " is no matrix, and " + known.storage + " stores matrices",
         has_levels ? "write storage: csr for a matrix" : "write storage: dense, or csf");
}

// TeAAL's own: for each variant, its rank-order, and of each rank whether it stores all
// coordinates (U) or those that are not 0 (C).
void EinsumTensors::read_teaal_format(const Entry& entry, DeclaredTensor& known) const {
  std::vector<std::map<std::string, std::string>> variants;  // the first one counts
  for (const Entry& variant : entry.value.entries) {
    variants.push_back(kept_ranks(variant, "format." + entry.key + "." + variant.key));
  }
  const Entry& variant = entry.value.entries[0];
  const std::string what = "format." + entry.key + "." + variant.key;
  std::map<std::string, std::string>& kept = variants[0];
  std::string kinds;
  for (const std::string& rank : stored_ranks(entry.key)) {
    if (!kept.contains(rank)) {
      refuse("E333", variant.place, what + " says nothing of the rank " + rank,
             "add " + rank + ": {format: U}, or C where 0 is not stored");
    }
    kinds += kept[rank];
  }
  const bool is_dense = kinds.find('C') == kinds.npos;
  const bool is_below = kinds.size() > 1 && kinds == "U" + std::string(kinds.size() - 1, 'C');
  if (!is_dense && !is_below) {
    refuse_unsupported(variant.place, "a tensor stored as " + kinds,
                       "write U for all ranks, or U for the first one, as for the rows of a "
                       "matrix, and C for those behind it");
  }
  known.storage_at = variant.place;
  known.storage = is_dense ? "dense" : kinds.size() == 2 ? "csr" : kCsf;
}

}  // namespace selvage
