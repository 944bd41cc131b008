#include <selvage/base/random.h>
#include <selvage/driver/run.h>

#include <cmath>

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

}  // namespace selvage
