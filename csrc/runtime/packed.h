#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// Values one behind the other in bytes: numbers little-endian in 8 bytes, texts and lists behind
// their length.
class Packer {
 public:
  void number(std::uint64_t n) {
    for (int shift = 0; shift < 64; shift += 8) bytes_.push_back(std::byte(n >> shift & 0xff));
  }
  void bytes(std::span<const std::byte> more) {
    number(more.size());
    bytes_.insert(bytes_.end(), more.begin(), more.end());
  }
  void text(std::string_view text) { bytes(std::as_bytes(std::span(text))); }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Takes what a Packer wrote, from bytes that may be anything: what is not there reads as 0 or
// empty, and the whole no longer counts as good.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::uint64_t number() {
    const auto digits = take(8);
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) n |= std::uint64_t(digits[i]) << 8 * i;
    return n;
  }
  // A number from 0 to `most`.
  std::uint64_t number(std::uint64_t most) {
    const std::uint64_t n = number();
    if (n <= most) return n;
    good_ = false;
    return 0;
  }
  // How many things follow, each of at least 8 bytes: never more than there is room for.
  std::size_t count() { return number(rest_.size() / 8); }
  std::span<const std::byte> bytes() { return take(number()); }
  std::string text() {
    const auto from = bytes();
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }

  bool good() const { return good_; }
  // Was everything there, and nothing more?
  bool finished() const { return good_ && rest_.empty(); }

 private:
  std::span<const std::byte> take(std::uint64_t n) {
    if (!good_ || n > rest_.size()) {
      good_ = false;
      return {};
    }
    const auto taken = rest_.first(n);
    rest_ = rest_.subspan(n);
    return taken;
  }

  std::span<const std::byte> rest_;
  bool good_ = true;
};

}  // namespace selvage
