#include <selvage/emulate/memory.h>

#include <cstring>

namespace selvage {

namespace {

template <class T>
T get(const Array& a, std::int64_t k) {
  T v;
  std::memcpy(&v, a.bytes.data() + std::size_t(k) * sizeof v, sizeof v);
  return v;
}

template <class T>
void put(Array& a, std::int64_t k, T v) {
  std::memcpy(a.bytes.data() + std::size_t(k) * sizeof v, &v, sizeof v);
}

}  // namespace

Scalar load_element(const Array& a, std::int64_t k) {
  const DataType compute = compute_type(a.type);
  switch (a.type) {
    case DataType::Bool: return Scalar::of(compute, get<std::uint8_t>(a, k) != 0);
    case DataType::Int8: return Scalar::of(compute, get<std::int8_t>(a, k));
    case DataType::Int16: return Scalar::of(compute, get<std::int16_t>(a, k));
    case DataType::Int32: return Scalar::of(compute, get<std::int32_t>(a, k));
    case DataType::Int64: return Scalar::of(compute, get<std::int64_t>(a, k));
    case DataType::UInt8: return Scalar::of(compute, get<std::uint8_t>(a, k));
    case DataType::UInt16: return Scalar::of(compute, get<std::uint16_t>(a, k));
    case DataType::UInt32: return Scalar::of(compute, get<std::uint32_t>(a, k));
    case DataType::UInt64: return Scalar::of(compute, get<std::int64_t>(a, k));
    case DataType::Half: return Scalar::of(half_to_float(get<std::uint16_t>(a, k)));
    case DataType::BFloat16: return Scalar::of(bfloat16_to_float(get<std::uint16_t>(a, k)));
    case DataType::Float: return Scalar::of(get<float>(a, k));
    case DataType::Double: return Scalar::of(get<double>(a, k));
  }
  return {};
}

void store_element(Array& a, std::int64_t k, Scalar v) {
  switch (a.type) {
    case DataType::Bool:
    case DataType::Int8:
    case DataType::UInt8: return put(a, k, std::uint8_t(v.integer));
    case DataType::Int16:
    case DataType::UInt16: return put(a, k, std::uint16_t(v.integer));
    case DataType::Int32:
    case DataType::UInt32: return put(a, k, std::uint32_t(v.integer));
    case DataType::Int64:
    case DataType::UInt64: return put(a, k, v.integer);
    case DataType::Half: return put(a, k, float_to_half(v.single));
    case DataType::BFloat16: return put(a, k, float_to_bfloat16(v.single));
    case DataType::Float: return put(a, k, v.single);
    case DataType::Double: return put(a, k, v.real);
  }
}

}  // namespace selvage
