// Which swizzles are legal, and what they are called.
#include <selvage/base/refuse.h>
#include <selvage/ir/domain_graph.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <bit>

namespace selvage {

std::string_view to_string(SwizzleKind kind) {
  switch (kind) {
    case SwizzleKind::Xor: return "xor";
    case SwizzleKind::CyclicShift: return "cyclic_shift";
    case SwizzleKind::Hilbert: return "hilbert";
  }
  return {};
}

std::string in_words(SwizzleKind kind) {
  std::string words(to_string(kind));
  std::ranges::replace(words, '_', ' ');
  return words;
}

// Throws unless x and y are squares one below the other, of a side that Hilbert's curve has.
void DomainGraph::check_squares(const IterDomain& x, const IterDomain& y) const {
  constexpr std::int64_t kLargestSide = 32;
  const std::string pair = "Hilbert's curve through " + x.name + " (" + to_string(x.extent) +
                           ") and " + y.name + " (" + to_string(y.extent) + ")";
  const std::int64_t side = y.extent.is(Op::Const) ? y.extent.value() : 0;
  if (!std::has_single_bit(std::uint64_t(side)) || side > kLargestSide) {
    refuse<Illegal>("E404",
                    pair + " goes through squares, and " + to_string(y.extent) +
                        " is no power of two up to " + std::to_string(kLargestSide),
                    "split " + y.name + " by such a power, and take the inner part of it");
  }
  if (!Simplifier(*facts_).proves(eq(x.extent % y.extent, 0))) {
    refuse<Illegal>(
        "E404",
        pair + " goes through squares of " + std::to_string(side) + ", which " +
            (x.extent.is(Op::Const) ? "does not divide " : "is not proved to divide ") +
            to_string(x.extent),
        "split " + x.name + " by " + std::to_string(side) + ", and take the inner part of it");
  }
}

}  // namespace selvage
