// Items of schedule files as text, and the draws that go into most of them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/oracle/draws.h"
#include "tests/report/refused_file.h"

namespace selvage::test {

using oracle::number;

// Of 1, 2, 4 or 8 bytes.
inline std::string element_type(std::mt19937_64& rng) {
  return oracle::pick(rng, std::vector<std::string>{"float", "half", "int32", "int8", "double"});
}

inline std::string array(const std::string& shape, const std::string& type) {
  return "{shape: [" + shape + "], dtype: " + type + "}";
}

// The one tensor of a file that has no statements.
inline RefusedFile::Tensor& tensor(RefusedFile& file, std::mt19937_64& rng) {
  RefusedFile::Tensor& t = file.tensor.emplace();
  t.dtype = element_type(rng);
  return t;
}

inline std::string split(const std::string& in, const std::string& factor, const std::string& outer,
                         const std::string& inner) {
  return "{split: {in: " + in + ", factor: " + factor + ", out: [" + outer + ", " + inner + "]}}";
}
inline std::string split(const std::string& in, std::int64_t factor, const std::string& outer,
                         const std::string& inner) {
  return split(in, std::to_string(factor), outer, inner);
}

inline std::string merge(const std::string& outer, const std::string& inner,
                         const std::string& out) {
  return "{merge: {in: [" + outer + ", " + inner + "], out: " + out + "}}";
}

inline std::string resize(const std::string& in, const std::string& left, const std::string& right,
                          const std::string& out) {
  return "{resize: {in: " + in + ", left: " + left + ", right: " + right + ", out: " + out + "}}";
}
inline std::string resize(const std::string& in, std::int64_t left, std::int64_t right,
                          const std::string& out) {
  return resize(in, std::to_string(left), std::to_string(right), out);
}

// Kinds are xor and cyclic_shift.
inline std::string swizzle(const std::string& kind, const std::string& x, const std::string& y,
                           const std::string& u, const std::string& v) {
  return "{swizzle: {kind: " + kind + ", in: [" + x + ", " + y + "], out: [" + u + ", " + v + "]}}";
}

}  // namespace selvage::test
