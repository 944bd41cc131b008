#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/sizes.h>
#include <selvage/kernel/statements.h>
#include <selvage/legality/tma_map.h>
#include <selvage/legality/tma_rules.h>
#include <selvage/runtime/tensor_map.h>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace selvage {

namespace {

[[noreturn]] void refuse_map(const std::string& tensor, const std::string& message,
                             std::string help) {
  refuse<Error>("E716", "the tensor map of " + tensor + ": " + message, std::move(help));
}

// In the order of the driver's numbers.
struct Type {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<Type, 10> kTypes{{{"UINT8", 1},
                                       {"UINT16", 2},
                                       {"UINT32", 4},
                                       {"INT32", 4},
                                       {"UINT64", 8},
                                       {"INT64", 8},
                                       {"FLOAT16", 2},
                                       {"FLOAT32", 4},
                                       {"FLOAT64", 8},
                                       {"BFLOAT16", 2}}};

// Values of expressions at launch.
class Values {
 public:
  Values(const std::string& tensor, const std::map<std::string, std::int64_t>& sizes,
         std::uint64_t address)
      : tensor_(tensor), values_(sizes) {
    // Conditions on the address speak of it by the tensor's name.
    values_[tensor] = static_cast<std::int64_t>(address);
  }

  // Of the symbols in it.
  SizeValues given(Expr e) const {
    SizeValues given;
    for (Expr symbol : symbols_of({&e, 1})) {
      const auto at = values_.find(std::string(symbol.name()));
      if (at == values_.end()) {
        refuse_map(tensor_, fmt::format("{} has no value", symbol.name()),
                   fmt::format("give {} a value", symbol.name()));
      }
      given.symbols.push_back(symbol);
      given.values.push_back(at->second);
    }
    return given;
  }
  std::int64_t operator()(Expr e) const {
    const SizeValues known = given(e);
    if (const auto value = known(e)) return *value;
    refuse_map(tensor_, to_string(e) + " goes past 64 bits for " + sizes_in(e, known),
               "use smaller sizes");
  }

 private:
  const std::string& tensor_;
  std::map<std::string, std::int64_t> values_;
};

int number_of_type(std::string_view name) {
  const auto type = std::ranges::find(kTypes, name, &Type::name);
  SELVAGE_CHECK(type != kTypes.end());
  return static_cast<int>(type - kTypes.begin());
}

std::uint64_t positive(const std::string& tensor, const std::string& what, std::int64_t value) {
  if (value < 1) {
    refuse_map(tensor, fmt::format("{} is {}", what, value),
               "launch no copy where there are no items");
  }
  return static_cast<std::uint64_t>(value);
}

}  // namespace

TensorMapParameters tensor_map_parameters(const Schedule& schedule, TensorId tensor,
                                          const TmaCopy& copy,
                                          const std::map<std::string, std::int64_t>& sizes,
                                          std::uint64_t address) {
  TensorMapParameters map{.tensor = schedule.fusion()[tensor].name};
  if (!copy.finding.is_legal() || copy.dims.empty()) {
    refuse_map(map.tensor, "the copy is not legal: " + copy.finding.reason, copy.finding.help);
  }
  const Values value(map.tensor, sizes, address);
  for (Expr condition : copy.finding.conditions) {
    if (value(condition) != 0) continue;
    refuse_map(map.tensor,
               fmt::format("{} does not hold for {}", to_string(condition),
                           sizes_in(condition, value.given(condition))),
               "use sizes and an address for which it does, or copy without TMA");
  }
  map.type = number_of_type(copy.type);
  map.address = address;
  map.swizzle = copy.swizzle;
  for (std::size_t k = copy.dims.size(); k-- > 0;) {
    const TmaDim& dim = copy.dims[k];
    std::string name;
    for (DomainId d : dim.domains) name += (name.empty() ? "" : ", ") + schedule.name(tensor, d);
    map.sizes.push_back(positive(map.tensor, "the size of " + name, value(dim.size)));
    if (k + 1 < copy.dims.size()) {
      map.strides.push_back(positive(map.tensor, "the stride of " + name, value(dim.stride)));
    }
    map.names.push_back(std::move(name));
    map.box.push_back(static_cast<std::uint32_t>(dim.box));
    map.element_strides.push_back(static_cast<std::uint32_t>(dim.element_stride));
  }
  return map;
}

// Of signed integers of 64 bits the hardware finds the least and the most, but no sums. Those of
// unsigned ones have the same bits.
static std::string_view type_of(const Kernel& kernel, const BoxMap& map) {
  const DataType type = kernel.buffers[map.buffer].type;
  bool adds = false;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const auto* copy = std::get_if<AsyncCopy>(&s.node);
    adds = adds || (copy != nullptr && copy->box && copy->atomic == Function::Add &&
                    &kernel.maps[copy->box->map] == &map);
  });
  return tensor_map_type(adds && type == DataType::Int64 ? DataType::UInt64 : type);
}

TensorMapParameters tensor_map_parameters(const Kernel& kernel, const BoxMap& map,
                                          const SizeValues& sizes) {
  const Buffer& buffer = kernel.buffers[map.buffer];
  TensorMapParameters made{
      .tensor = buffer.name, .type = number_of_type(type_of(kernel, map)), .swizzle = map.swizzle};
  const auto value = [&](Expr e) {
    const std::optional<std::int64_t> v = sizes(e);
    SELVAGE_CHECK(v.has_value());
    return *v;
  };
  for (std::size_t k = map.dims.size(); k-- > 0;) {
    const BoxMap::Dim& dim = map.dims[k];
    made.names.push_back(fmt::format("dimension {}", k));
    const std::string& name = made.names.back();
    made.sizes.push_back(positive(made.tensor, "the size of " + name, value(dim.size)));
    if (k + 1 < map.dims.size()) {
      const std::int64_t bytes = value(dim.stride) * size_of(buffer.type);
      made.strides.push_back(positive(made.tensor, "the stride of " + name, bytes));
    }
    made.box.push_back(static_cast<std::uint32_t>(dim.box));
    made.element_strides.push_back(static_cast<std::uint32_t>(dim.element_stride));
  }
  return made;
}

std::int64_t element_bytes(const TensorMapParameters& parameters) {
  return kTypes[static_cast<std::size_t>(parameters.type)].bytes;
}

void check_tensor_map(const TensorMapParameters& map) {
  const auto refuse = [&](const std::string& message, std::string help) {
    refuse_map(map.tensor, message, std::move(help));
  };
  const auto name = [&](std::size_t k) {
    return k < map.names.size() ? map.names[k] : fmt::format("dimension {}", k);
  };
  const std::size_t rank = map.rank();
  if (rank < 1 || rank > TmaLimits::kRank) {
    refuse(fmt::format("it has {} dimensions", rank), "make them 1 to 5");
  }
  if (map.strides.size() + 1 != rank || map.box.size() != rank ||
      map.element_strides.size() != rank) {
    refuse(fmt::format("{} sizes, {} strides, {} boxes and {} element strides", rank,
                       map.strides.size(), map.box.size(), map.element_strides.size()),
           "give a size, a box and an element stride to each dimension, and a stride to all but "
           "the innermost");
  }
  if (map.type < 0 || map.type >= static_cast<int>(kTypes.size())) {
    refuse(fmt::format("{} is no type", map.type), "use a type from 0 (UINT8) to 9 (BFLOAT16)");
  }
  constexpr auto kAlign = static_cast<std::uint64_t>(TmaLimits::kAlign);
  if (map.address == 0 || map.address % kAlign != 0) {
    refuse(fmt::format("its address, {:#x}, is {}", map.address,
                       map.address == 0 ? "null" : "no multiple of 16"),
           fmt::format("let {} begin at a multiple of 16 bytes", map.tensor));
  }
  for (std::size_t k = 0; k < rank; ++k) {
    if (map.sizes[k] < 1 || map.sizes[k] > static_cast<std::uint64_t>(TmaLimits::kSize)) {
      refuse(fmt::format("{} has {} items", name(k), map.sizes[k]), "make them 1 to 2^32");
    }
  }
  for (std::size_t k = 0; k + 1 < rank; ++k) {
    const std::uint64_t bytes = map.strides[k];
    if (bytes == 0 || bytes % kAlign != 0) {
      refuse(fmt::format("the items of {} lie {} bytes apart", name(k + 1), bytes),
             fmt::format("make that a multiple of 16, such as {}", (bytes / kAlign + 1) * kAlign));
    }
    if (bytes >= static_cast<std::uint64_t>(TmaLimits::kStride)) {
      refuse(fmt::format("the items of {} lie {} bytes apart", name(k + 1), bytes),
             "make that less than 2^40");
    }
  }
  for (std::size_t k = 0; k < rank; ++k) {
    if (map.box[k] < 1 || map.box[k] > static_cast<std::uint32_t>(TmaLimits::kBox)) {
      refuse(fmt::format("the box has {} items of {}", map.box[k], name(k)), "make them 1 to 256");
    }
    if (map.element_strides[k] < 1 ||
        map.element_strides[k] > static_cast<std::uint32_t>(TmaLimits::kElementStride)) {
      refuse(fmt::format("one of {} items of {} is taken", map.element_strides[k], name(k)),
             "take one of 1 to 8");
    }
  }
  const std::int64_t row = map.box[0] * element_bytes(map);
  if (row % TmaLimits::kAlign != 0) {
    refuse(fmt::format("the box has {} bytes of {}, the innermost dimension", row, name(0)),
           fmt::format("make that a multiple of 16, such as {}",
                       (row / TmaLimits::kAlign + 1) * TmaLimits::kAlign));
  }
  const std::int64_t span = swizzle_bytes(map.swizzle);
  if (span != 0 && row > span) {
    refuse(fmt::format("the box has {} bytes of {}, the innermost dimension, and a swizzle of {}",
                       row, name(0), to_string(map.swizzle)),
           fmt::format("make that at most {} bytes", span));
  }
}

TensorMap encode(const Driver& driver, const TensorMapParameters& map) {
  check_tensor_map(map);
  if (driver.calls().TensorMapEncodeTiled == nullptr) {
    driver.refuse_missing("cuTensorMapEncodeTiled", "12.0");
  }
  driver.make_current();
  // The driver wants it at a multiple of 64.
  alignas(64) std::array<std::byte, 128> bytes{};
  driver.check(
      driver.calls().TensorMapEncodeTiled(
          bytes.data(), map.type, static_cast<unsigned>(map.rank()),
          reinterpret_cast<void*>(map.address), map.sizes.data(), map.strides.data(),
          map.box.data(), map.element_strides.data(), 0, static_cast<int>(map.swizzle), 0, 0),
      "cuTensorMapEncodeTiled", map.tensor);
  return {bytes};
}

}  // namespace selvage
