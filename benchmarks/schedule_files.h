#pragma once

#include <cstdint>
#include <string>

namespace selvage::benchmarks {

// Chains of transforms as schedule files, the same at every call.
enum class Chain : std::uint8_t {
  Straight,  // one iterdomain split and merged again and again
  Crossed,   // two iterdomains whose parts are merged crosswise: written-out indices would double
  Mixed,     // splits, merges, resizes and swizzles of four iterdomains at random, with holes
  Symbolic,  // crossed, with extents that are symbols
};
std::string chain_file(Chain chain, int transforms);

}  // namespace selvage::benchmarks
