#include <selvage/emulate/memory.h>

namespace selvage {

Scalar load_element(const Array& a, std::int64_t k) {
  const DataType compute = compute_type(a.type);
  if (compute == DataType::Double) return Scalar::of(a.get(k));
  if (compute == DataType::Float) return Scalar::of(float(a.get(k)));
  return Scalar::of(compute, a.get_int(k));
}

void store_element(Array& a, std::int64_t k, Scalar v) {
  if (is_floating(v.type)) return a.set(k, as_real(v));
  a.set_int(k, v.integer);
}

double as_real(const Scalar& v) {
  if (v.type == DataType::Float) return double(v.single);
  if (v.type == DataType::UInt64) return double(std::uint64_t(v.integer));
  return v.type == DataType::Double ? v.real : double(v.integer);
}

}  // namespace selvage
