#include <selvage/base/words.h>
#include <selvage/ir/parallel.h>
#include <selvage/pictures/parts.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

constexpr int kCell = 20, kPitch = 21;           // with numbers above
constexpr int kSmallCell = 9, kSmallPitch = 10;  // warps as rows
constexpr int kBetweenBlocks = 18;
constexpr std::int64_t kMostWarpRows = 32;
constexpr int kLongestText = 90, kLongestWhen = 90;  // columns

const char* cell_class(bool is_active) {
  return is_active ? "cell valid dense" : "cell shade shade-0";
}

std::string warp_words(const ActiveUnits& warps) {
  std::vector<std::string> parts;
  const auto part = [&](std::int64_t n, const char* what) {
    if (n > 0) parts.push_back(std::to_string(n) + " " + what);
  };
  part(warps.full, "full");
  part(warps.partial, "partly active");
  part(warps.idle, "idle");
  return (warps.total() == 1 ? "1 warp: " : std::to_string(warps.total()) + " warps: ") +
         (warps.total() == 1 ? parts[0].substr(2) : joined(parts));
}

// p = 0, q = 1: an instance of so many levels.
std::string instance_name(const ThreadMask::Levels& levels, std::size_t up_to, std::int64_t flat) {
  return to_text(instance_at(std::span(levels).first(up_to), flat));
}

class MaskPicture {
 public:
  MaskPicture(const ThreadMask& mask, bool names_one_block)
      : mask_(mask), names_one_block_(names_one_block) {}

  // How many threads are drawn.
  std::int64_t cells() const {
    if (is_drawn_by_rows()) return mask_.size();
    const std::size_t shapes = std::min(mask_.block_masks().size(), kMostDrawnBlocks);
    return std::int64_t(shapes) * std::min(mask_.block_threads(), kMostWarpRows * kWarp);
  }
  Drawing run() {
    if (is_drawn_by_rows()) {
      draw_rows();
    } else {
      draw_blocks();
    }
    return std::move(drawing_);
  }

 private:
  std::int64_t columns() const { return mask_.levels().back().extent(); }
  bool is_drawn_by_rows() const {
    return mask_.block_threads() <= kWarp && mask_.row_count() <= kMostMaskRows;
  }

  // A row for each instance of the outer levels, numbers of the innermost level above.
  void draw_rows() {
    const std::size_t outer = mask_.levels().size() - 1;
    const std::int64_t rows = mask_.row_count(), n = columns();
    constexpr int kLongestName = 32;
    int left = 0;
    for (std::int64_t row = 0; outer > 0 && row < rows; ++row) {
      const std::string name = shortened(instance_name(mask_.levels(), outer, row), kLongestName);
      left = std::max(left, text_width(name, TextStyle::Small) + 10);
    }
    const std::string level = shortened(to_string(mask_.levels().back()), kLongestName);
    left = std::max(left, text_width(level, TextStyle::Small) + 10);
    drawing_.text(left - 10, 10, level, TextStyle::Small, Anchor::End, "strong");
    for (std::int64_t x = 0; x < n; ++x) {
      drawing_.text(left + x_of(x, n, kPitch) + kCell / 2, 10, std::to_string(x), TextStyle::Small,
                    Anchor::Middle, "muted");
    }
    for (std::int64_t row = 0; row < rows; ++row) {
      const int y = 16 + int(row) * kPitch;
      const std::string name = instance_name(mask_.levels(), outer, row);
      drawing_.text(left - 10, y + 14, shortened(name, kLongestName), TextStyle::Small, Anchor::End,
                    "muted");
      for (std::int64_t x = 0; x < n; ++x) {
        const bool is_active = mask_.contains(row * n + x);
        drawing_.rect(left + x_of(x, n, kPitch), y, kCell, kCell, cell_class(is_active),
                      instance_name(mask_.levels(), outer + 1, row * n + x) +
                          (is_active ? ": active" : ": not active"),
                      2);
      }
    }
    drawing_.cover(left + int(n) * kPitch, 16 + int(rows) * kPitch);
  }

  // Thread x stands as its bit does: 0 is rightmost.
  static int x_of(std::int64_t x, std::int64_t n, int pitch) { return int(n - 1 - x) * pitch; }

  // Each different block, a row for each warp.
  void draw_blocks() {
    const std::vector<BlockMask> shapes = mask_.block_masks();
    const std::size_t drawn = std::min(shapes.size(), kMostDrawnBlocks);
    int y = 0;
    for (std::size_t i = 0; i < drawn; ++i) y = draw_block(shapes[i], y) + kBetweenBlocks;
    if (drawn < shapes.size()) {
      drawing_.note(0, y, fmt::format("and {} more kinds of blocks", shapes.size() - drawn));
    }
  }

  std::string block_words(const BlockMask& shape) const {
    const ThreadMask::Levels& levels = mask_.levels();
    std::size_t outside = 0;
    while (outside < levels.size() && !levels[outside].is_in_block) ++outside;
    if (mask_.blocks() == 1) return "";
    const std::string first = instance_name(levels, outside, shape.first_block);
    return (shape.blocks == 1 ? "block " + first
                              : fmt::format("{} blocks, the first {}", shape.blocks, first)) +
           ": ";
  }

  int draw_block(const BlockMask& shape, int y) {
    constexpr int kLongestHead = 110;
    const std::int64_t threads = mask_.block_threads();
    if (mask_.blocks() == 1 && !names_one_block_) return draw_warps(shape, y);
    drawing_.note(
        0, y + 12,
        shortened(block_words(shape) +
                      fmt::format("{} of {}, ", shape.active, counted(threads, "thread")) +
                      warp_words(shape.warps),
                  kLongestHead));
    return draw_warps(shape, y + 22);
  }

  int draw_warps(const BlockMask& shape, int y) {
    const std::int64_t threads = mask_.block_threads();
    const std::int64_t warps = std::int64_t(shape.lanes.size());
    const std::int64_t lanes = std::min(threads, kWarp), rows = std::min(warps, kMostWarpRows);
    const int left = text_width("warp " + std::to_string(rows - 1), TextStyle::Small) + 10;
    const int right = left + int(lanes) * kSmallPitch + 10;
    drawing_.text(left + x_of(0, lanes, kSmallPitch) + kSmallCell, y + 8, "0", TextStyle::Tiny,
                  Anchor::End, "muted");
    if (lanes > 4) {
      drawing_.text(left, y + 8, std::to_string(lanes - 1), TextStyle::Tiny, Anchor::Start,
                    "muted");
    }
    y += 12;
    for (std::int64_t warp = 0; warp < rows; ++warp, y += kSmallPitch + (warp % 4 == 0 ? 4 : 0)) {
      draw_warp(shape.lanes[std::size_t(warp)], warp, left, right, y);
    }
    if (rows < warps) {
      drawing_.note(left, y + 12, fmt::format("{} of {} warps", rows, warps));
      y += 16;
    }
    return y;
  }

  void draw_warp(std::uint32_t word, std::int64_t warp, int left, int right, int y) {
    const std::int64_t begin = warp * kWarp;
    const std::int64_t there = std::min(kWarp, mask_.block_threads() - begin);
    const std::int64_t lanes = std::min(mask_.block_threads(), kWarp);
    const int active = std::popcount(word);
    drawing_.text(left - 10, y + 8, "warp " + std::to_string(warp), TextStyle::Small, Anchor::End,
                  active > 0 && active < there ? "strong" : "muted");
    drawing_.open("", fmt::format("threads {} to {}: {} active", begin, begin + there - 1, active));
    for (std::int64_t lane = 0; lane < there; ++lane) {
      drawing_.rect(left + x_of(lane, lanes, kSmallPitch), y, kSmallCell, kSmallCell,
                    cell_class((word >> lane & 1) != 0));
    }
    drawing_.close();
    drawing_.text(right, y + 8,
                  active == there ? "full"
                  : active == 0   ? "idle"
                                  : fmt::format("{} of {}", active, there),
                  TextStyle::Tiny, Anchor::Start, "muted");
  }

  const ThreadMask& mask_;
  bool names_one_block_;
  Drawing drawing_;
};

}  // namespace

Drawing mask_picture(const ThreadMask& mask) { return MaskPicture(mask, true).run(); }

namespace {

Drawing named_mask_picture(const NamedMask& named) {
  const auto& [when, mask] = named;
  Drawing drawing;
  drawing.text(0, 13, shortened(when, kLongestWhen), TextStyle::Label, Anchor::Start, "strong");
  int y = 20;
  const auto line = [&](const std::string& text, TextStyle style, std::string_view classes) {
    drawing.text(0, y + 12, text, style, Anchor::Start, classes);
    y += 18;
  };
  if (!mask) {
    line("dynamic: values that are known only at run time decide", TextStyle::Note, "muted");
    return drawing;
  }
  if (mask->is_product()) {
    line(shortened(mask->text(kLongestText), kLongestText), TextStyle::Label, "");
  } else {
    line("no product of its levels", TextStyle::Note, "muted");
  }
  std::string count = fmt::format("{} of {}", mask->count(), counted(mask->size(), "thread"));
  if (mask->block_threads() >= kWarp) count += ", " + warp_words(mask->warps());
  line(count, TextStyle::Note, "muted");
  drawing.place(MaskPicture(*mask, false).run(), 0, y + 6);
  return drawing;
}

}  // namespace

Drawing mask_list_picture(std::span<const NamedMask> masks) {
  constexpr int kBetween = 36, kBelow = 24;
  Drawing drawing;
  int x = 0, y = 0, bottom = 0;
  std::size_t drawn = 0;
  std::int64_t cells = 0;
  for (const NamedMask& named : masks.first(std::min(masks.size(), kMostDrawnMasks))) {
    cells += named.mask ? MaskPicture(*named.mask, false).cells() : 0;
    if (drawn > 0 && cells > kMostDrawnCells) break;
    ++drawn;
    const Drawing one = named_mask_picture(named);
    if (x > 0 && x + one.width() > kPictureWidth) {
      x = 0;
      y = bottom + kBelow;
    }
    drawing.place(one, x, y);
    x += one.width() + kBetween;
    bottom = std::max(bottom, y + one.height());
  }
  y = drawn > 0 ? bottom + kBelow : 0;
  if (drawn < masks.size()) {
    drawing.note(0, y + 12, fmt::format("and {} more masks", masks.size() - drawn));
    y += 18;
  }
  if (drawn > 0) {
    drawing.rect(0, y, 14, 14, cell_class(true), {}, 2);
    drawing.note(20, y + 11, "active");
    drawing.rect(80, y, 14, 14, cell_class(false), {}, 2);
    drawing.note(100, y + 11, "not active; thread 0 is rightmost, as in the text");
  }
  return drawing;
}

}  // namespace selvage
