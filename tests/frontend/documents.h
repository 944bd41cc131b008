#pragma once

#include <selvage/frontend/document.h>
#include <tests/support/refusal.h>

#include <string>
#include <string_view>

namespace selvage::documents {

// A document under the name a.yaml, and what is said when it is refused.
inline Node read(std::string_view text) { return read_document(text, "a.yaml"); }

inline std::string refusal(std::string_view text) {
  return refusal_by<BadInput>([&] { read(text); });
}

inline std::string code(std::string_view text) {
  try {
    read(text);
  } catch (const BadInput& e) {
    return e.diagnostic().code;
  }
  return "accepted";
}

// The tree on one line, the quoted texts in quotes.
inline std::string print(const Node& node) {
  std::string out;
  switch (node.kind) {
    case Node::Kind::Scalar: return node.quoted ? "\"" + node.text + "\"" : node.text;
    case Node::Kind::Sequence:
      for (const Node& item : node.items) out += (out.empty() ? "" : ", ") + print(item);
      return "[" + out + "]";
    case Node::Kind::Map:
      for (const Entry& e : node.entries) {
        out += (out.empty() ? "" : ", ") + e.key + ": " + print(e.value);
      }
      return "{" + out + "}";
  }
  return out;
}

inline std::string repeat(std::string_view piece, std::size_t bytes) {
  std::string out;
  out.reserve(bytes + piece.size());
  while (out.size() < bytes) out += piece;
  return out;
}

inline constexpr const char* kGood = R"yaml(
# a schedule
symbols: {N: {multiple_of: 8, min: 1}, K: {}}
facts:   ["K <= N", 'N % 4 == 0']
tensors:
  T0:
    dtype: float
    logical: {I0: 15, I7: 8, I8: "ceilDiv(N, 4)"}
    contiguity: [true, false, true]
    transforms:
      - split:   {in: I0, factor: 6, out: [I1, I2]}
      - merge:   {in: [I4, I2], out: I5, inner: false}
      - swizzle: {kind: xor, in: [I7, I8], out: [I9, I10]}
    loop:
    - I3
    - no
    note: |
      two
      lines
)yaml";

}  // namespace selvage::documents
