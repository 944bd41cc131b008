// What a ring of copies does over time.
#include <selvage/base/words.h>
#include <selvage/pictures/parts.h>
#include <selvage/pictures/picture_style.h>

#include <fmt/format.h>

#include <algorithm>

namespace selvage {

namespace {

// Two slots, one iteration ahead:
//
//   iteration          0         1         2         3
//   copies   slot 0   [0:0------]         [2:0------]
//            slot 1             [1:1------]         [3:1------   each ends where it is awaited,
//                                                                with an arrow down to its use
//   threads copy      [0:0]     [1:1]     [2:0]     [3:1]
//                                         /         /            from the use of what was in a
//   threads use                   [0:0]__/  [1:1]__/  [2:0]      slot to the next copies there
class RingPicture {
 public:
  using Tile = RingTimeline::Tile;

  explicit RingPicture(const RingTimeline& ring)
      : ring_(ring),
        columns_(ring.ends_within(RingTimeline::kMostShown) ? *ring.tiles + ring.ahead
                                                            : ring.shown()) {
    std::int64_t copies = 0;
    for (std::int64_t q = 0; q < columns_; ++q) copies += ring_.iteration(q).copies ? 1 : 0;
    lanes_ = int(std::min(copies, ring_.slots));
    begin_y_ = kHead + lanes_ * kLane + kBelowLanes;
    use_y_ = begin_y_ + kBar + kBetween;
  }

  Drawing run() {
    draw_columns();
    draw_names();
    for (std::int64_t q = 0; q < columns_; ++q) draw_bars(q);
    // On top of the bars that they cross.
    for (std::int64_t q = 0; q < columns_; ++q) draw_arrows(q);
    draw_legend();
    return std::move(drawing_);
  }

 private:
  static constexpr int kGutter = 120, kColumn = 58;
  static constexpr int kHead = 26, kLane = 22, kBar = 16, kBelowLanes = 12, kBetween = 34;
  // Of what stands in a column, from its left edge: who copies, then who uses.
  static constexpr int kBegin = 3, kUse = 32, kWidth = 25, kArrow = kUse + kWidth / 2;
  static constexpr int kLongestRole = 28;  // columns, in a note
  static constexpr int kBehind = 10;       // that bars go on behind the last column
  static constexpr int kLegendRow = 20;
  static constexpr int kArrowSample = 24;

  int x_of(std::int64_t iteration) const { return kGutter + int(iteration) * kColumn; }
  static int y_of(const Tile& tile) { return kHead + int(tile.slot) * kLane; }
  bool is_whole() const { return ring_.ends_within(columns_); }
  static std::string text(const Tile& tile) { return fmt::format("{}:{}", tile.number, tile.slot); }
  static std::string words(const Tile& tile) {
    return fmt::format("tile {}, slot {}", tile.number, tile.slot);
  }

  void draw_columns() {
    drawing_.text(kGutter - 8, 12, "iteration", TextStyle::Small, Anchor::End, "strong");
    for (std::int64_t q = 0; q <= columns_; ++q) {
      drawing_.line(x_of(q), kHead - 6, x_of(q), use_y_ + kBar + 4, "grid");
      if (q == columns_) continue;
      drawing_.text(x_of(q) + kColumn / 2, 12, std::to_string(q), TextStyle::Small, Anchor::Middle,
                    "strong");
    }
  }

  void draw_names() {
    const auto agent = [&](int y, const std::string& name, const std::string& does) {
      const int room = (kGutter - 8) * 1000 / (font_size(TextStyle::Label) * 612);
      drawing_.text(0, y + 9, shortened(name, room), TextStyle::Label, Anchor::Start, "strong");
      drawing_.text(0, y + 20, does, TextStyle::Tiny, Anchor::Start, "muted");
    };
    const bool has_role = !ring_.role.empty();
    agent(kHead, "copies", fmt::format("by {}", to_string(ring_.by)));
    agent(begin_y_, has_role ? ring_.role : "threads", "begin copies");
    agent(use_y_, has_role ? "compute" : "threads", "use tiles");
    for (int lane = 0; lane < lanes_; ++lane) {
      drawing_.text(kGutter - 8, kHead + lane * kLane + 12, "slot " + std::to_string(lane),
                    TextStyle::Small, Anchor::End);
    }
  }

  void bar(int x, int y, int width, const Tile& tile, const std::string& title) {
    drawing_.rect(x, y, width, kBar, fmt::format("slot slot-{}", tile.slot % kSlotColors), title,
                  3);
    const TextStyle style =
        text_width(text(tile), TextStyle::Tiny) <= kWidth ? TextStyle::Tiny : TextStyle::Micro;
    drawing_.text(x + kWidth / 2, y + 11, text(tile), style, Anchor::Middle);
  }

  // Where the copies that iteration q awaits have ended. With none ahead that is behind their
  // beginning, else before all else.
  int awaited_x(std::int64_t q) const { return x_of(q) + (ring_.ahead == 0 ? kUse - 1 : 0); }

  void draw_bars(std::int64_t q) {
    const RingTimeline::Iteration in = ring_.iteration(q);
    if (in.copies) {
      const std::int64_t awaited = ring_.use_of(*in.copies);
      const bool is_cut = awaited >= columns_;
      const int from = x_of(q) + kBegin,
                to = is_cut ? x_of(columns_) + kBehind : awaited_x(awaited);
      bar(from, y_of(*in.copies), to - from, *in.copies,
          fmt::format("{}: copies under way, awaited in iteration {}", words(*in.copies), awaited));
      if (is_cut) {
        drawing_.text(to + 4, y_of(*in.copies) + 11, "\xE2\x80\xA6", TextStyle::Small);
      }
      bar(from, begin_y_, kWidth, *in.copies, words(*in.copies) + ": copies begin");
    }
    if (in.uses) bar(x_of(q) + kUse, use_y_, kWidth, *in.uses, words(*in.uses) + ": used");
  }

  void draw_arrows(std::int64_t q) {
    const RingTimeline::Iteration in = ring_.iteration(q);
    if (in.uses) {
      drawing_.path(fmt::format("M{} {}H{}V{}", awaited_x(q), y_of(*in.uses) + kBar / 2,
                                x_of(q) + kArrow, use_y_ - 1),
                    "wait", words(*in.uses) + ": the use waits for its copies");
    }
    const std::optional<Tile> before = in.copies ? ring_.before(*in.copies) : std::nullopt;
    if (before) {
      const std::int64_t used = ring_.use_of(*before);
      drawing_.path(fmt::format("M{} {}L{} {}", x_of(used) + kUse + kWidth - 2, use_y_,
                                x_of(q) + kBegin + kWidth / 2, begin_y_ + kBar + 1),
                    "wait release",
                    fmt::format("{}: its copies wait for the use of tile {}", words(*in.copies),
                                before->number));
      has_releases_ = true;
    }
  }

  void draw_legend() {
    int y = use_y_ + kBar + 28;
    const auto note = [&](int x, const std::string& what) {
      drawing_.note(x, y, what);
      y += kLegendRow;
    };
    const auto arrow = [&](const char* classes, const std::string& what) {
      drawing_.line(0, y - 4, kArrowSample, y - 4, classes);
      note(kArrowSample + 8, what);
    };
    arrow("wait", "full: a tile is used once its copies have ended");
    if (has_releases_) {
      arrow("wait release",
            ring_.role.empty()
                ? "barrier: a slot is copied into once all threads have used the tile in it"
                : "empty: a slot is copied into once those who compute have used the tile in it");
    }
    const bool are_repeated = lanes_ > kSlotColors;
    note(0, "k:s is tile k in slot s. Each slot has a row and a colour" +
                (are_repeated ? fmt::format(", the same as the {}th behind it.", kSlotColors)
                              : std::string(".")));
    if (ring_.ahead > 0) {
      note(0, "Nothing is used in the first " + iterations(ring_.ahead) +
                  ", and nothing is copied in the last" +
                  (ring_.ahead == 1 ? "." : fmt::format(" {}.", ring_.ahead)));
    }
    if (const std::int64_t apart = ring_.ahead + 1; !ring_.role.empty() && apart < ring_.slots) {
      note(0,
           fmt::format("Before it copies tile k, {} waits for the use of tile k - {}, which comes "
                       "after that of tile k - {}.",
                       shortened(ring_.role, kLongestRole), apart, ring_.slots));
    }
    if (!is_whole()) {
      note(0, "Drawn are the first " + iterations(columns_) +
                  (ring_.tiles ? fmt::format(", of a ring of {} tiles.", *ring_.tiles)
                               : "; how many there are, a launch decides."));
    }
  }
  // iteration; 3 iterations
  static std::string iterations(std::int64_t n) {
    return n == 1 ? "iteration" : counted(n, "iteration");
  }

  const RingTimeline& ring_;
  std::int64_t columns_;
  int lanes_ = 0, begin_y_ = 0, use_y_ = 0;
  bool has_releases_ = false;
  Drawing drawing_;
};

}  // namespace

Drawing ring_picture(const RingTimeline& ring) { return RingPicture(ring).run(); }

}  // namespace selvage
