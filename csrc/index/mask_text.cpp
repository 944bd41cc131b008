#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/index/thread_mask.h>

#include <utility>

namespace selvage {

namespace {

constexpr std::size_t kLongestText = std::size_t{1} << 20, kLongestRow = 4096;
constexpr std::int64_t kShortestRun = 64;

// Writes bits from the highest down.
class BitWriter {
 public:
  BitWriter(bool is_plain, std::size_t longest) : is_plain_(is_plain), longest_(longest) {}

  void separate() {
    flush();
    text_ += "-";
  }

  // Writes a set over the instances of these indices `times` times. Calls itself as deep as a level
  // has indices.
  void write(const MaskRuns& set, std::span<const MaskIndex> indices, std::int64_t times = 1) {
    if (text_.size() > longest_) return;
    if (set.size() == 1) {
      add(set[0].value != 0 ? '1' : '0', times * set[0].end);
    } else if (is_plain_ || times == 1) {
      for (; times > 0; --times) write_rows(set, indices);
    } else {
      flush();
      text_ += "(";
      write_rows(set, indices);
      flush();
      text_ += "){" + std::to_string(times) + "}";
    }
  }

  std::string text() {
    flush();
    if (text_.size() <= longest_) return std::move(text_);
    return text_.substr(0, longest_) + "...";
  }

 private:
  // Writes a row for each value of the first index; equal neighbours are one row with a count.
  void write_rows(const MaskRuns& set, std::span<const MaskIndex> indices) {
    std::vector<std::pair<MaskRuns, std::int64_t>> rows;
    for_each_piece(set, set.back().end / indices[0].extent, [&](std::int64_t n, MaskRuns row) {
      if (rows.empty() || rows.back().first != row) rows.emplace_back(std::move(row), 0);
      rows.back().second += n;
    });
    for (std::size_t i = rows.size(); i-- > 0;) {
      write(rows[i].first, indices.subspan(1), rows[i].second);
    }
  }

  void add(char bit, std::int64_t times) {
    if (bit != bit_) flush();
    bit_ = bit;
    times_ += times;
  }
  void flush() {
    if (is_plain_ || times_ < kShortestRun) {
      text_.append(std::size_t(times_), bit_);
    } else {
      text_ += bit_ + ("{" + std::to_string(times_) + "}");
    }
    times_ = 0;
  }

  bool is_plain_;
  std::size_t longest_;
  std::string text_;
  char bit_ = '0';
  std::int64_t times_ = 0;  // of the bit, not written yet
};

// Splits a set by its first level, which has `instances` instances: into the set of instances that
// have points, and the points that each of these has. Nothing if two have different points.
std::optional<std::pair<MaskRuns, MaskRuns>> split(const MaskRuns& set, std::int64_t instances) {
  MaskRuns outer, inner;
  bool is_product = true;
  for_each_piece(set, set.back().end / instances, [&](std::int64_t n, const MaskRuns& points) {
    append(outer, n, is_zero(points) ? 0 : 1);
    if (is_zero(points)) return;
    if (inner.empty()) inner = points;
    is_product = is_product && points == inner;
  });
  if (!is_product) return std::nullopt;
  return std::pair(std::move(outer), std::move(inner));
}

}  // namespace

MaskRuns ThreadMask::active_blocks() const {
  MaskRuns out;
  for (const MaskRun& run : sets_.blocks) {
    append(out, run.points(), is_zero(sets_.kinds[run.value]) ? 0 : 1);
  }
  return out;
}

std::optional<std::vector<MaskRuns>> ThreadMask::level_sets() const {
  std::vector<MaskRuns> sets;
  const MaskRuns* threads = nullptr;  // of the one kind that has any
  for (const MaskRuns& kind : sets_.kinds) {
    if (is_zero(kind)) continue;
    if (threads != nullptr) return std::nullopt;
    threads = &kind;
  }
  MaskRuns rest = active_blocks();
  bool is_in_block = false;
  for (const MaskLevel& level : levels()) {
    if (threads == nullptr) {
      sets.push_back({{0, level.extent(), 0}});
      continue;
    }
    if (level.is_in_block && !is_in_block) rest = *threads;
    is_in_block = level.is_in_block;
    auto parts = split(rest, level.extent());
    if (!parts) return std::nullopt;
    sets.push_back(std::move(parts->first));
    rest = std::move(parts->second);
  }
  return sets;
}

bool ThreadMask::is_product() const { return level_sets().has_value(); }

std::string ThreadMask::text(std::int64_t longest) const {
  const auto sets = level_sets();
  SELVAGE_CHECK(sets);
  std::int64_t length = std::int64_t(levels().size()) - 1;
  for (const MaskLevel& level : levels()) {
    length = checked_add(length, level.extent()).value_or(INT64_MAX);
  }
  BitWriter writer(length <= longest, kLongestText);
  for (std::size_t level = 0; level < sets->size(); ++level) {
    if (level > 0) writer.separate();
    writer.write((*sets)[level], levels()[level].indices);
  }
  return writer.text();
}

std::int64_t ThreadMask::row_count() const { return size() / levels().back().extent(); }

std::vector<std::string> ThreadMask::rows(std::int64_t limit) const {
  const MaskLevel& level = levels().back();
  const std::int64_t points = level.extent(), wanted = std::min(row_count(), limit);
  const MaskRuns blocks = active_blocks();
  std::vector<std::string> rows;
  for (std::int64_t first = 0; std::int64_t(rows.size()) < wanted; first += points) {
    BitWriter writer(points <= std::int64_t(kLongestRow), kLongestRow);
    writer.write(level.is_in_block
                     ? slice(threads_of(first / block_threads()), first % block_threads(), points)
                     : slice(blocks, first, points),
                 level.indices);
    rows.push_back(writer.text());
  }
  return rows;
}

}  // namespace selvage
