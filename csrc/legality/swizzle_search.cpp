// Which row maps free a tile of conflicts is a question about differences. Over GF(2) the addresses
// of two items lie in one bank if and only if f(r ^ r') is the difference of their columns (as far
// as it is in the bank bits), whatever r and r' are alone. So all that the accesses ask of f is a
// table: for every difference of rows, the values that f must not have there.
#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/legality/swizzle_search.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

constexpr std::int64_t kMostRows = 1 << 12;
constexpr std::int64_t kMostRowsLookedAt = 1 << 24;  // by the search for a map

bool is_power(std::int64_t n) { return n > 0 && std::has_single_bit(std::uint64_t(n)); }
int log2_of(std::int64_t n) { return std::countr_zero(std::uint64_t(n)); }
int bits_for(std::int64_t n) { return int(std::bit_width(std::uint64_t(n - 1))); }

std::int64_t access_bytes(const Tile& tile, const TileAccess& access) {
  return tile.element_bytes * access.lanes;
}
// The elements of a unit.
std::int64_t unit_elements(const Tile& tile, const TileAccess& access) {
  return unit_bytes(access_bytes(tile, access)) / tile.element_bytes;
}

template <class Use>
void for_each_phase(const Tile& tile, const TileAccess& access, Use use) {
  const std::size_t threads = std::size_t(phase_threads(access_bytes(tile, access)));
  std::vector<TileItem> items;
  for (const auto& warp : access.warps) {
    for (std::size_t first = 0; first < warp.size(); first += threads) {
      items.clear();
      for (std::size_t t = first; t < std::min(first + threads, warp.size()); ++t) {
        if (warp[t]) items.push_back(*warp[t]);
      }
      if (!items.empty()) use(items);
    }
  }
}

// The values that f must not have, by the difference of rows; f counted in `grain` elements.
class ForbiddenValues {
 public:
  ForbiddenValues(const Tile& tile, const TileAccess& store, const TileAccess& load)
      : tile_(tile),
        grain_(std::max(unit_elements(tile, store), unit_elements(tile, load))),
        row_bits_(bits_for(tile.rows)),
        values_(std::max<std::int64_t>(
            1, std::min(tile.columns, kBanks * kWordBytes / tile.element_bytes) / grain_)),
        forbidden_(std::size_t{1} << row_bits_, 0),
        pairs_(forbidden_.size()) {
    for (const TileAccess* access : {&store, &load}) {
      for_each_phase(tile, *access, [&](const std::vector<TileItem>& items) {
        for (std::size_t i = 0; i < items.size(); ++i) {
          for (std::size_t k = 0; k < i; ++k) forbid(items[k], items[i], *access);
        }
      });
    }
  }

  int row_bits() const { return row_bits_; }
  int value_bits() const { return log2_of(values_); }
  std::int64_t values() const { return values_; }
  std::int64_t grain() const { return grain_; }
  bool allows(std::uint64_t rows, std::uint64_t value) const {
    return (forbidden_[rows] >> value & 1) == 0;
  }
  bool allows(const RowMap& map) const {
    for (std::uint64_t d = 1; d < forbidden_.size(); ++d) {
      if (!allows(d, map(d) / std::uint64_t(grain_) % std::uint64_t(values_))) return false;
    }
    return true;
  }
  // A difference of rows at which f can have no value; f(0) is 0.
  std::optional<NoSwizzle> impossible() const {
    if (!allows(0, 0)) {
      return NoSwizzle{NoSwizzle::Proof::OneRow, pairs_[0].first, pairs_[0].second};
    }
    const std::uint64_t all = values_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << values_) - 1;
    for (std::size_t d = 1; d < forbidden_.size(); ++d) {
      if (forbidden_[d] == all) {
        return NoSwizzle{NoSwizzle::Proof::AllBanks, pairs_[d].first, pairs_[d].second};
      }
    }
    return std::nullopt;
  }

 private:
  void forbid(const TileItem& a, const TileItem& b, const TileAccess& access) {
    const std::int64_t unit = unit_elements(tile_, access);
    const std::int64_t in_all_banks = kBanks * kWordBytes / tile_.element_bytes;
    // Short rows share a bank row: the low bits of the row are bank bits.
    const std::uint64_t rows = std::uint64_t(a.row) ^ std::uint64_t(b.row);
    if (tile_.columns < in_all_banks && rows % std::uint64_t(in_all_banks / tile_.columns) != 0) {
      return;
    }
    const std::int64_t x = a.column / unit, y = b.column / unit;
    if (rows == 0 && x == y) return;  // one word, or one vector
    const std::uint64_t apart =
        (std::uint64_t(x) ^ std::uint64_t(y)) %
        std::uint64_t(std::max<std::int64_t>(1, std::min(tile_.columns, in_all_banks) / unit));
    const std::uint64_t steps = std::uint64_t(grain_ / unit);     // units in a grain
    if (apart % steps != 0 || (rows == 0 && apart != 0)) return;  // f moves whole grains, f(0) = 0
    std::uint64_t& values = forbidden_[rows];
    if (values == 0) pairs_[rows] = {a, b};
    values |= std::uint64_t{1} << (apart / steps);
  }

  const Tile tile_;
  const std::int64_t grain_;
  const int row_bits_;
  const std::int64_t values_;  // of f, as far as banks can tell
  std::vector<std::uint64_t> forbidden_;
  std::vector<std::pair<TileItem, TileItem>> pairs_;
};

// Tries all linear maps, one bit of the row after another: the image of a bit settles f on all rows
// without a higher bit.
class MapSearch {
 public:
  explicit MapSearch(const ForbiddenValues& forbidden)
      : forbidden_(forbidden), f_(std::size_t{1} << forbidden.row_bits(), 0) {}

  enum class Answer : std::uint8_t { Found, None, Budget };
  Answer run() { return from(0); }
  std::vector<std::uint64_t> images() const {
    std::vector<std::uint64_t> images;
    for (int i = 0; i < forbidden_.row_bits(); ++i) {
      images.push_back(f_[std::size_t{1} << i] * std::uint64_t(forbidden_.grain()));
    }
    return images;
  }

 private:
  Answer from(int bit) {
    if (bit == forbidden_.row_bits()) return Answer::Found;
    const std::size_t half = std::size_t{1} << bit;
    for (std::uint64_t image = 0; image < std::uint64_t(forbidden_.values()); ++image) {
      bool fits = true;
      for (std::size_t r = 0; r < half && fits; ++r) {
        if (++looked_at_ > kMostRowsLookedAt) return Answer::Budget;
        f_[half + r] = f_[r] ^ image;
        fits = forbidden_.allows(half + r, f_[half + r]);
      }
      if (!fits) continue;
      const Answer rest = from(bit + 1);
      if (rest != Answer::None) return rest;
    }
    return Answer::None;
  }

  const ForbiddenValues& forbidden_;
  std::vector<std::uint64_t> f_;  // in grains, by row
  std::int64_t looked_at_ = 0;
};

// A field is one Swizzle only if the row can be split into it evenly.
bool is_expressible(const XorField& f, std::int64_t rows) {
  const std::int64_t below = std::int64_t{1} << f.row_shift;
  if (rows % below != 0) return false;
  const std::int64_t x = rows / below, size = std::int64_t{1} << f.bits;
  return bits_for(x) == f.bits || (x > size && x % size == 0);
}

std::string too_large(const Tile& tile) {
  return "a tile of " + std::to_string(tile.rows) + " rows is too large to search";
}

}  // namespace

SwizzleResult find_swizzle(const Tile& tile, const TileAccess& store, const TileAccess& load) {
  if (tile.rows > kMostRows) return SwizzleUnknown{too_large(tile)};
  const std::int64_t bank_row = kBanks * kWordBytes / tile.element_bytes;
  if (!is_power(tile.columns) && tile.columns % bank_row != 0) {
    return SwizzleUnknown{"rows of " + std::to_string(tile.columns) +
                          " elements are no power of two and no whole number of bank rows"};
  }
  const ForbiddenValues forbidden(tile, store, load);
  if (const auto none = forbidden.impossible()) return *none;
  TileSwizzle found;
  if (forbidden.allows(found.map)) return found;
  const int lowest = log2_of(forbidden.grain()), most = forbidden.value_bits();
  for (int row_shift = 0; row_shift < forbidden.row_bits(); ++row_shift) {
    for (int up = 0; up < most; ++up) {
      for (int bits = std::min(most - up, forbidden.row_bits() - row_shift); bits > 0; --bits) {
        const XorField field{row_shift, bits, lowest + up};
        if (!is_expressible(field, tile.rows)) continue;
        found.map = row_map(field, tile.rows);
        if (forbidden.allows(found.map)) {
          found.fields = {field};
          return found;
        }
      }
    }
  }
  MapSearch search(forbidden);
  switch (search.run()) {
    case MapSearch::Answer::Found: break;
    case MapSearch::Answer::None: return NoSwizzle{};
    case MapSearch::Answer::Budget: return SwizzleUnknown{"there are too many row maps to try"};
  }
  found.map.images = search.images();
  found.fields = fields_of(found.map);
  return found;
}

std::int64_t tile_degree(const Tile& tile, const TileAccess& access, std::int64_t pitch,
                         const RowMap& map) {
  SELVAGE_CHECK(pitch >= tile.columns);
  const std::int64_t bytes = access_bytes(tile, access);
  std::int64_t most = 1;
  std::vector<std::int64_t> units;
  for_each_phase(tile, access, [&](const std::vector<TileItem>& items) {
    units.clear();
    for (const TileItem& item : items) {
      const std::int64_t column =
          std::int64_t(std::uint64_t(item.column) ^ map(std::uint64_t(item.row)));
      units.push_back(
          floor_div((item.row * pitch + column) * tile.element_bytes, unit_bytes(bytes)));
    }
    most = std::max(most, phase_degree(units, phase_threads(bytes)));
  });
  return most;
}

// Whether the access has no conflicts. Looks at one warp after another, up to the first conflict.
static bool is_free(const Tile& tile, const TileAccess& access, std::int64_t pitch) {
  return std::all_of(access.warps.begin(), access.warps.end(), [&](const auto& warp) {
    return tile_degree(tile, {access.lanes, {warp}}, pitch) == 1;
  });
}

std::optional<Padding> find_padding(const Tile& tile, const TileAccess& store,
                                    const TileAccess& load) {
  const std::int64_t step = std::max(store.lanes, load.lanes);
  const std::int64_t first = ceil_div(tile.columns, step) * step;
  for (std::int64_t pitch = first;
       (pitch - tile.columns) * tile.element_bytes <= kBanks * kWordBytes; pitch += step) {
    if (!is_free(tile, store, pitch) || !is_free(tile, load, pitch)) continue;
    const std::int64_t elements = pitch - tile.columns;
    return Padding{elements, elements * tile.rows * tile.element_bytes};
  }
  return std::nullopt;
}

}  // namespace selvage
