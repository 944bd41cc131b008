// How threads share the items of rows of different lengths.
#include <selvage/base/words.h>
#include <selvage/pictures/parts.h>
#include <selvage/pictures/picture_style.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace selvage {

namespace {

constexpr int kBesideBars = 96;  // pixels left of bars and rows
constexpr int kBarHeight = 14, kBarPitch = 18, kBarWidth = 560;
constexpr int kItemCell = 16, kRowOfItems = 20;
constexpr int kAboveRows = 34;

class LoadPicture {
 public:
  explicit LoadPicture(const RowLoad& load) : load_(load) {}

  Drawing run() {
    draw_bars();
    draw_rows();
    return std::move(drawing_);
  }

 private:
  void draw_bars() {
    std::vector<std::size_t> order(load_.threads.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t shown = std::min(order.size(), kMostDrawnThreads);
    std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(shown), order.end(),
                      [&](std::size_t a, std::size_t b) {
                        const std::int64_t x = load_.threads[a].work(), y = load_.threads[b].work();
                        return x != y ? x > y : a < b;
                      });
    drawing_.text(0, 12, "Threads with most items", TextStyle::Heading);
    y_ = 24;
    const std::int64_t most =
        shown == 0 ? 1 : std::max<std::int64_t>(load_.threads[order[0]].work(), 1);
    const int top = y_;
    for (std::size_t k = 0; k < shown; ++k, y_ += kBarPitch) {
      const RowLoad::Thread& thread = load_.threads[order[k]];
      const std::string name = "thread " + std::to_string(order[k]);
      drawing_.text(kBesideBars - 8, y_ + 11, name, TextStyle::Small, Anchor::End);
      drawing_.rect(kBesideBars, y_, std::max(width(double(thread.work()), most), 1), kBarHeight,
                    "store solid",
                    name + ": " + counted(thread.items, "item") + " of " +
                        counted(std::int64_t(thread.rows.size()), "row"));
      drawing_.text(kBesideBars + width(double(thread.work()), most) + 6, y_ + 11,
                    std::to_string(thread.work()), TextStyle::Small, Anchor::Start, "halo");
    }
    std::int64_t all = 0;
    for (const RowLoad::Thread& thread : load_.threads) all += thread.work();
    const double mean = double(all) / double(std::max<std::size_t>(load_.threads.size(), 1));
    const int x = kBesideBars + width(mean, most);
    drawing_.line(x, top - 4, x, y_, "roof dashed");
    y_ += 12;
    drawing_.note(kBesideBars, y_,
                  fmt::format("dashed: the mean of all {}, {:.4g}",
                              counted(std::int64_t(load_.threads.size()), "thread"), mean));
    drawing_.cover(kBesideBars + kBarWidth + 80, y_ + 8);
  }
  static int width(double value, std::int64_t most) {
    return int(double(kBarWidth) * value / double(most));
  }

  // Threads that follow one another differ in shade.
  static int shade(std::int64_t thread) {
    constexpr std::int64_t kStep = 3;  // no divisor of the shades
    return int(thread * kStep % kShades);
  }

  void draw_rows() {
    y_ += kAboveRows;
    drawing_.text(0, y_, "Rows, and the thread that takes each item", TextStyle::Heading);
    y_ += 12;
    for (std::size_t r = 0; r < load_.takers.size(); ++r, y_ += kRowOfItems) {
      drawing_.text(kBesideBars - 8, y_ + 12, "row " + std::to_string(r), TextStyle::Small,
                    Anchor::End);
      draw_row(r);
    }
    const std::int64_t left = load_.rows - std::int64_t(load_.takers.size());
    if (load_.has_ends()) {
      drawing_.note(kBesideBars, y_ + 14, "framed: the end of a row, a step like an item");
      y_ += 18;
    }
    if (left > 0) {
      drawing_.note(kBesideBars, y_ + 14, counted(left, "more row") + " not drawn");
      y_ += 18;
    }
    drawing_.cover(kBesideBars, y_ + 4);
  }

  void draw_row(std::size_t r) {
    const std::vector<std::int64_t>& takers = load_.takers[r];
    const bool has_end = load_.has_ends();
    const std::size_t items = takers.size() - (has_end && !takers.empty() ? 1 : 0);
    int x = kBesideBars;
    for (std::size_t k = 0; k < takers.size(); ++k, x += kItemCell) {
      const bool is_end = has_end && k == items;
      const std::string name = std::to_string(takers[k]);
      if (is_end && std::int64_t(items) == RowLoad::kShownItems) {
        drawing_.text(x + 2, y_ + 12, "...", TextStyle::Small);
        x += kItemCell;
      }
      drawing_.rect(x, y_, kItemCell, kItemCell,
                    fmt::format("cell shade shade-{}", shade(takers[k])),
                    (is_end ? "the end of row " : "an item of row ") + std::to_string(r) +
                        ", thread " + name);
      if (is_end) drawing_.rect(x + 1, y_ + 1, kItemCell - 2, kItemCell - 2, "store outline");
      if (name.size() < 4) {
        drawing_.text(x + kItemCell / 2, y_ + 11, name, TextStyle::Micro, Anchor::Middle);
      }
    }
    if (takers.empty()) drawing_.note(kBesideBars, y_ + 12, "no item");
    if (!has_end && std::int64_t(items) == RowLoad::kShownItems) {
      drawing_.text(x + 2, y_ + 12, "...", TextStyle::Small);
      drawing_.cover(x + kItemCell, y_);
    }
  }

  const RowLoad& load_;
  Drawing drawing_;
  int y_ = 0;
};

}  // namespace

Drawing load_picture(const RowLoad& load) { return LoadPicture(load).run(); }

}  // namespace selvage
