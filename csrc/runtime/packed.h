#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace selvage {

// Writes values as consecutive bytes: a number in 8 bytes, little-endian; a text or list as its
// length and its items; a struct as its fields. fields(value), found by argument-dependent lookup,
// must return a tuple of references to the fields, in order.
class Packer {
 public:
  template <class... Values>
  Packer& put(const Values&... values) {
    (put_one(values), ...);
    return *this;
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void put_one(std::integral auto n) {
    const auto digits = static_cast<std::uint64_t>(n);
    for (int shift = 0; shift < 64; shift += 8) bytes_.push_back(std::byte(digits >> shift & 0xff));
  }
  void put_one(std::span<const std::byte> more) {
    put_one(more.size());
    bytes_.insert(bytes_.end(), more.begin(), more.end());
  }
  void put_one(std::string_view text) { put_one(std::as_bytes(std::span(text))); }
  template <class Item>
  void put_one(const std::vector<Item>& list) {
    put_one(list.size());
    for (const Item& item : list) put_one(item);
  }
  void put_one(const std::vector<std::byte>& bytes) { put_one(std::span(bytes)); }
  template <class Struct>
  auto put_one(const Struct& value) -> decltype(fields(value), void()) {
    std::apply([&](const auto&... all) { put(all...); }, fields(value));
  }

  std::vector<std::byte> bytes_;
};

// Reads values that a Packer wrote, from bytes that may be anything: a value that is missing, or a
// number that its type cannot hold, reads as 0 or empty, and finished() is then false.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class... Values>
  Unpacker& get(Values&... values) {
    (get_one(values), ...);
    return *this;
  }
  // Whether all values were there, and no more bytes.
  bool finished() const { return good_ && rest_.empty(); }

 private:
  void get_one(std::integral auto& n) {
    n = static_cast<std::remove_reference_t<decltype(n)>>(
        number(std::numeric_limits<std::remove_reference_t<decltype(n)>>::max()));
  }
  void get_one(std::span<const std::byte>& bytes) { bytes = take(number()); }
  void get_one(std::string& text) {
    const auto from = take(number());
    text.assign(reinterpret_cast<const char*>(from.data()), from.size());
  }
  void get_one(std::vector<std::byte>& bytes) {
    const auto from = take(number());
    bytes.assign(from.begin(), from.end());
  }
  template <class Item>
  void get_one(std::vector<Item>& list) {
    // Each item takes at least 8 bytes, so a longer list cannot be there.
    for (std::uint64_t n = number(rest_.size() / 8); n > 0 && good_; --n) {
      get_one(list.emplace_back());
    }
  }
  template <class Struct>
  auto get_one(Struct& value) -> decltype(fields(value), void()) {
    std::apply([&](auto&... all) { get(all...); }, fields(value));
  }

  std::uint64_t number(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
    const auto digits = take(8);
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) n |= std::uint64_t(digits[i]) << 8 * i;
    good_ = good_ && n <= most;
    return good_ ? n : 0;
  }
  std::span<const std::byte> take(std::uint64_t n) {
    good_ = good_ && n <= rest_.size();
    if (!good_) return {};
    const auto taken = rest_.first(n);
    rest_ = rest_.subspan(n);
    return taken;
  }

  std::span<const std::byte> rest_;
  bool good_ = true;
};

template <class Value>
std::vector<std::byte> packed(const Value& value) {
  return Packer().put(value).take();
}

// The value; nullopt if the bytes hold anything else.
template <class Value>
std::optional<Value> unpacked(std::span<const std::byte> bytes) {
  Value value;
  if (!Unpacker(bytes).get(value).finished()) return std::nullopt;
  return value;
}

}  // namespace selvage
