#include <selvage/base/random.h>
#include <selvage/driver/run.h>
#include <selvage/ir/reads.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace selvage {

namespace {

// FNV-1a, so that inputs of one shape and seed differ.
std::uint64_t hash(const std::string& name) {
  std::uint64_t h = 0xCBF29CE484222325;
  for (char c : name) h = (h ^ std::uint64_t(static_cast<unsigned char>(c))) * 0x100000001B3;
  return h;
}

// Binary digits of a float in [-1, 1) that every such type holds exactly: nothing is rounded, so
// nothing is rounded up to 1.
int digits(DataType type) {
  if (type == DataType::BFloat16) return 7;
  if (type == DataType::Half) return 10;
  return type == DataType::Float ? 23 : 52;
}

bool is_unsigned(DataType type) {
  return type == DataType::UInt8 || type == DataType::UInt16 || type == DataType::UInt32 ||
         type == DataType::UInt64;
}

}  // namespace

Array made_up_input(const std::string& name, DataType type, std::vector<std::int64_t> shape,
                    std::uint64_t seed) {
  Array array(type, std::move(shape));
  SplitMix64 random(hash(name) + seed);
  const int bits = digits(type);
  const std::int64_t n = array.size();
  for (std::int64_t k = 0; k < n; ++k) {
    const std::uint64_t x = random.next();
    if (is_floating(type)) {
      array.set(k, std::ldexp(double(x >> (63 - bits)), -bits) - 1);
    } else if (type == DataType::Bool) {
      array.set_int(k, std::int64_t(x >> 63));
    } else {
      array.set_int(k, std::int64_t(x >> 60) - (is_unsigned(type) ? 0 : 8));
    }
  }
  return array;
}

Array made_up_indices(const std::string& name, DataType type, std::vector<std::int64_t> shape,
                      MadeUpIndices within, std::uint64_t seed) {
  Array array(type, std::move(shape));
  SplitMix64 random(hash(name) + seed);
  const std::int64_t beyond = within.may_leave ? 2 : 0;
  const std::int64_t least = is_unsigned(type) ? 0 : -beyond;
  const int bits = std::min(8 * size_of(type) - (is_unsigned(type) ? 0 : 1), 62);
  const std::int64_t most =
      std::max(std::min(within.extent - 1 + beyond, (std::int64_t{1} << bits) - 1), least);
  for (std::int64_t k = 0; k < array.size(); ++k) {
    const auto many = std::uint64_t(most - least) + 1;
    array.set_int(k, least + std::int64_t(random.next() % many));
  }
  return array;
}

Array made_up_offsets(const std::string& name, DataType type, std::vector<std::int64_t> shape,
                      std::int64_t items, std::uint64_t seed) {
  Array array(type, std::move(shape));
  SplitMix64 random(hash(name) + seed);
  std::vector<std::int64_t> offsets(std::size_t(array.size()), 0);
  for (std::int64_t& at : offsets) at = std::int64_t(random.next() % (std::uint64_t(items) + 1));
  if (!offsets.empty()) offsets.front() = 0, offsets.back() = items;
  std::ranges::sort(offsets);
  for (std::size_t k = 0; k < offsets.size(); ++k) array.set_int(std::int64_t(k), offsets[k]);
  return array;
}

namespace {

// Whether a fusion reads at the elements of this input, and within which axis. They may leave it
// unless some read takes them unchecked.
std::optional<MadeUpIndices> indices_in(const Fusion& fusion, TensorId input,
                                        const SizeValues& sizes) {
  std::optional<MadeUpIndices> found;
  const ValueGraph& values = fusion.values();
  // By itself, or by what it reads.
  const auto reads_input = [&](ValueId index) {
    std::set<TensorId> seen;
    std::vector<ValueId> open = {index};
    while (!open.empty()) {
      const std::vector<ValueId> nodes = values_under(values, open.back());
      open.pop_back();
      for (ValueId v : nodes) {
        if (values[v].kind != ValueNode::Kind::Read) continue;
        const auto source = TensorId(values[v].source);
        if (source == input) return true;
        const bool is_new = seen.insert(source).second;
        if (is_new && fusion[source].definition) open.push_back(*fusion[source].definition);
      }
    }
    return false;
  };
  const auto look_at = [&](const ValueNode& read) {
    const std::vector<Expr> extents = fusion.shape(TensorId(read.source));
    for (std::size_t axis = 0; axis < read.subscripts.size(); ++axis) {
      for (std::size_t k = 0; k < read.loaded.size(); ++k) {
        const LoadedIndex& loaded = read.loaded[k];
        if (!same(loaded.symbol, read.subscripts[axis]) || !reads_input(read.operands[k])) continue;
        const std::int64_t extent = sizes(extents[axis]).value_or(1);
        if (!found) found.emplace(MadeUpIndices{.extent = extent});
        found->extent = std::min(found->extent, extent);
        found->may_leave = found->may_leave && loaded.mode == IndexMode::Clamped;
      }
    }
  };
  for (std::size_t t = 0; t < fusion.size(); ++t) {
    const TensorInfo& tensor = fusion[TensorId(t)];
    if (!tensor.definition) continue;
    for (ValueId v : values_under(values, *tensor.definition)) {
      if (values[v].kind == ValueNode::Kind::Read) look_at(values[v]);
    }
  }
  return found;
}

// The same elements, each at least as great as the one before it; of items of rows, in its row.
Array risen(Array array, const Array* offsets) {
  std::vector<std::int64_t> all;
  for (std::int64_t k = 0; k < array.size(); ++k) all.push_back(array.get_int(k));
  std::ptrdiff_t begin = 0;
  const auto sort_to = [&](std::int64_t end) {
    if (end <= begin || end > array.size()) return;
    std::sort(all.begin() + begin, all.begin() + std::ptrdiff_t(end));
    begin = std::ptrdiff_t(end);
  };
  for (std::int64_t r = 0; offsets != nullptr && r < offsets->size(); ++r) {
    sort_to(offsets->get_int(r));
  }
  if (offsets == nullptr) sort_to(array.size());
  for (std::size_t k = 0; k < all.size(); ++k) array.set_int(std::int64_t(k), all[k]);
  return array;
}

}  // namespace

Array made_up_input_of(const Fusion& fusion, TensorId input, std::vector<std::int64_t> shape,
                       const SizeValues& sizes, std::uint64_t seed, const Array* offsets) {
  const TensorInfo& tensor = fusion[input];
  for (std::size_t k = 0; k < fusion.domains().rows(); ++k) {
    const RaggedRows& rows = fusion.domains()[RowsId(k)];
    if (TensorId(rows.offsets) != input) continue;
    const std::int64_t items = sizes(rows.items).value_or(0);
    return made_up_offsets(tensor.name, tensor.type, std::move(shape), items, seed);
  }
  if (const auto extent = tensor.indexes ? sizes(tensor.indexes->below) : std::nullopt) {
    Array made = made_up_indices(tensor.name, tensor.type, std::move(shape),
                                 {.extent = *extent, .may_leave = false}, seed);
    return tensor.indexes->rise ? risen(std::move(made), offsets) : made;
  }
  const auto within = is_integer(tensor.type) ? indices_in(fusion, input, sizes) : std::nullopt;
  return within ? made_up_indices(tensor.name, tensor.type, std::move(shape), *within, seed)
                : made_up_input(tensor.name, tensor.type, std::move(shape), seed);
}

}  // namespace selvage
