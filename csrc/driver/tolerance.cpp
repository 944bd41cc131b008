#include <selvage/driver/tolerance.h>
#include <selvage/ir/reads.h>

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

// What rounding to the type may make of a value that is slightly off; 0 of integers.
double rounding(DataType type) {
  switch (type) {
    case DataType::Half: return 0x1p-9;
    case DataType::BFloat16: return 0x1p-6;
    case DataType::Float: return 0x1p-18;
    case DataType::Double: return 0x1p-46;
    case DataType::Bool:
    case DataType::Int8:
    case DataType::Int16:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::UInt8:
    case DataType::UInt16:
    case DataType::UInt32:
    case DataType::UInt64: return 0;
  }
  return 0;
}

// What the folds come to that an element hangs on.
struct Hanging {
  double items = 1;  // of rounded folds, one within the other
  double unit = 0;   // the coarsest of their units; 0: there are none
  bool has_sum = false;
};

void add(Hanging& all, const Hanging& part) {
  all.items = std::max(all.items, part.items);
  all.unit = std::max(all.unit, part.unit);
  all.has_sum = all.has_sum || part.has_sum;
}

}  // namespace

bool Tolerance::allows(double expected, double actual) const {
  if (expected == actual) {
    return ignores_signs_of_zeros_ || std::signbit(expected) == std::signbit(actual);
  }
  if (relative_ == 0) return false;
  const double scale = std::max({least_scale_, std::abs(expected), std::abs(actual)});
  return std::isfinite(scale) && std::abs(actual - expected) <= relative_ * scale;
}

void Tolerance::allow_functions(DataType type) {
  relative_ = std::max(relative_, rounding(type));
  ignores_signs_of_zeros_ = ignores_signs_of_zeros_ || relative_ > 0;
}

std::vector<Tolerance> tolerances(const Fusion& fusion,
                                  const std::function<std::int64_t(Expr)>& extent) {
  std::vector<Hanging> hanging(fusion.size());
  std::vector<Tolerance> result(fusion.size());
  for (std::size_t t = 0; t < fusion.size(); ++t) {
    const TensorInfo& tensor = fusion[TensorId(t)];
    if (!tensor.definition) continue;
    Hanging& own = hanging[t];
    for (TensorId source : tensors_read(fusion, TensorId(t))) {
      add(own, hanging[index_of(source)]);
    }
    if (tensor.fold && is_floating(tensor.fold->type)) {
      const Reduction how = tensor.fold->how;
      const bool is_sum = how == Reduction::Sum;
      if (is_sum || how == Reduction::Prod || how == Reduction::Mean ||
          how == Reduction::Variance) {
        for (DomainId d : tensor.fold->domains) {
          own.items *= double(std::max<std::int64_t>(extent(fusion.domains()[d].extent), 1));
        }
        const bool is_double = tensor.fold->type == DataType::Double;
        own.unit = std::max(own.unit, is_double ? 0x1p-53 : 0x1p-24);
        own.has_sum = own.has_sum || is_sum;
      }
    }
    const DataType stored = said_type(tensor);
    if (!is_floating(stored)) continue;
    const double root = std::sqrt(own.items);
    if (own.unit > 0) {
      result[t].relative_ = rounding(stored) + 8 * own.unit * root;
      if (own.has_sum) result[t].least_scale_ = root;
    }
    result[t].ignores_signs_of_zeros_ = own.unit > 0;
  }
  return result;
}

}  // namespace selvage
