#include <selvage/base/words.h>
#include <selvage/pictures/parts.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace selvage {

namespace {

constexpr int kRow = 26, kBar = 16;  // of a statement
constexpr int kBarrierRow = 22, kBarrier = 2;
constexpr int kHead = 40;    // above the first step
constexpr int kIndent = 14;  // of a label, for each region around it
constexpr int kMostGutter = 340, kLeastColumn = 24, kMostColumn = 150;
constexpr int kFrame = 4;  // that a frame stands out by, for each region inside
constexpr int kDeepestFrame = 3;

// "0-2", or the text of the mask, or the first thread.
std::string group_name(const ThreadMask& group) {
  constexpr std::size_t kLongest = 14;
  const std::int64_t first = group.first().value_or(0), n = group.count();
  if (n == 1) return std::to_string(first);
  // Whether they are all neighbours: the last of a run of n holds, and so the n do where no other
  // thread is active.
  const std::int64_t last = first + n - 1;
  bool is_run = last < group.size() && group.contains(last);
  constexpr std::int64_t kMostLooked = 4096;
  for (std::int64_t t = first; is_run && t < std::min(last, first + kMostLooked); ++t) {
    is_run = group.contains(t);
  }
  if (is_run && n <= kMostLooked) return fmt::format("{}\xE2\x80\x93{}", first, last);
  if (group.is_all()) return "all";
  if (group.is_product()) {
    std::string text = group.text();
    if (text.size() <= kLongest) return text;
  }
  return fmt::format("{}, \xE2\x80\xA6", first);
}

class TimelinePicture {
 public:
  explicit TimelinePicture(std::span<const TimelineStep> steps)
      : all_(steps), steps_(steps.first(std::min(steps.size(), kMostTimelineSteps))) {}

  Drawing run() {
    if (steps_.empty()) return note("No thread does anything.");
    if (!find_groups()) {
      return note(fmt::format("More than {} groups of threads do different things: not drawn.",
                              kMostTimelineGroups));
    }
    measure();
    draw_columns();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].kind == TimelineStep::Kind::Region) draw_region(i);
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) draw_step(i);
    draw_legend();
    return std::move(drawing_);
  }

 private:
  Drawing note(const std::string& text) {
    drawing_.note(0, 12, text);
    return std::move(drawing_);
  }

  // The coarsest groups of threads that take part in the same steps, by their first threads.
  bool find_groups() {
    groups_ = {ThreadMask::all(steps_[0].threads.levels())};
    std::vector<ThreadMask> seen;
    for (const TimelineStep& step : steps_) {
      if (std::ranges::find(seen, step.threads) != seen.end()) continue;
      seen.push_back(step.threads);
      std::vector<ThreadMask> finer;
      for (const ThreadMask& group : groups_) {
        for (ThreadMask part : {group & step.threads, group - step.threads}) {
          if (!part.is_none()) finer.push_back(std::move(part));
        }
      }
      if (finer.size() > kMostTimelineGroups) return false;
      groups_ = std::move(finer);
    }
    std::ranges::sort(groups_, {}, [](const ThreadMask& g) { return g.first().value_or(0); });
    for (const ThreadMask& group : groups_) names_.push_back(group_name(group));
    return true;
  }

  void measure() {
    for (const TimelineStep& step : steps_) {
      const int own = kIndent * indent(step) + text_width(label(step), TextStyle::Label) + 24;
      gutter_ = std::max(gutter_, std::min(own, kMostGutter));
    }
    int widest = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      widest = std::max(widest, std::max(text_width(names_[g], TextStyle::Small),
                                         text_width(count_name(g), TextStyle::Tiny)) +
                                    16);
    }
    const int room = (kPictureWidth - gutter_) / int(groups_.size());
    // Where the names do not fit beside each other, they are left to the titles.
    are_named_ = widest <= room;
    column_ = std::clamp(std::max(widest, 64), kLeastColumn, std::min(room, kMostColumn));
    if (!are_named_) column_ = std::min(room, kMostColumn);
    int y = kHead;
    std::vector<std::size_t> open;
    ends_.assign(steps_.size(), 0);
    const auto close = [&](int depth) {
      while (!open.empty() && steps_[open.back()].depth >= depth) {
        ends_[open.back()] = y;
        y += 8;
        open.pop_back();
      }
    };
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      close(steps_[i].depth);
      tops_.push_back(y);
      y += steps_[i].kind == TimelineStep::Kind::Barrier ? kBarrierRow : kRow;
      if (steps_[i].kind == TimelineStep::Kind::Region) open.push_back(i);
    }
    close(INT_MIN);
    bottom_ = y;
  }

  static int indent(const TimelineStep& step) { return std::clamp(step.depth, 0, 8); }
  std::string label(const TimelineStep& step) const {
    return step.is_async ? step.label + " async" : step.label;
  }
  std::string count_name(std::size_t group) const {
    const std::int64_t n = groups_[group].count();
    return n == 1 ? "1 thread" : fmt::format("{} threads", n);
  }

  // Thread 0 is rightmost, as in the text of a mask.
  int x_of(std::size_t group) const { return gutter_ + int(groups_.size() - 1 - group) * column_; }

  // Neighbouring columns that take part: their left edge and width.
  std::vector<std::pair<int, int>> spans(const ThreadMask& threads) const {
    std::vector<std::pair<int, int>> list;
    for (std::size_t g = groups_.size(); g-- > 0;) {
      if (disjoint(groups_[g], threads)) continue;
      const int x = x_of(g);
      if (!list.empty() && list.back().first + list.back().second == x) {
        list.back().second += column_;
      } else {
        list.emplace_back(x, column_);
      }
    }
    return list;
  }

  void draw_columns() {
    drawing_.text(gutter_ - 12, 12, "threads", TextStyle::Small, Anchor::End, "strong");
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const int x = x_of(g) + column_ / 2;
      if (are_named_) {
        drawing_.text(x, 12, names_[g], TextStyle::Small, Anchor::Middle, "strong");
        drawing_.text(x, 25, count_name(g), TextStyle::Tiny, Anchor::Middle, "muted");
      } else {
        drawing_.text(x, 12, std::to_string(g + 1), TextStyle::Small, Anchor::Middle, "strong");
      }
      drawing_.open("", names_[g] + ": " + count_name(g));
      drawing_.line(x, kHead - 8, x, bottom_, "wire");
      drawing_.close();
    }
    drawing_.cover(gutter_ + int(groups_.size()) * column_, bottom_);
  }

  void draw_region(std::size_t i) {
    const TimelineStep& step = steps_[i];
    const int inset = kFrame * std::min(indent(step), kDeepestFrame) + 2;
    for (const auto& [x, width] : spans(step.threads)) {
      drawing_.rect(x + inset, tops_[i] + 2, width - 2 * inset, ends_[i] - tops_[i] - 2,
                    step.is_async ? "load" : "loop", title(step), 4);
    }
  }

  std::string title(const TimelineStep& step) const {
    return fmt::format("{}: {}", label(step), counted(step.threads.count(), "thread"));
  }

  void draw_step(std::size_t i) {
    const TimelineStep& step = steps_[i];
    const bool is_barrier = step.kind == TimelineStep::Kind::Barrier;
    const bool is_region = step.kind == TimelineStep::Kind::Region;
    const int left = kIndent * indent(step);
    const int room = (gutter_ - left - 16) * 1000 / (font_size(TextStyle::Label) * 612);
    drawing_.text(left, tops_[i] + (is_barrier ? 15 : 17),
                  shortened(label(step), std::max(room, 4)), TextStyle::Label, Anchor::Start,
                  is_region    ? "strong"
                  : is_barrier ? "muted"
                               : "");
    if (is_region) return;
    const int inset = kFrame * (std::min(indent(step), kDeepestFrame) + 1) + 2;
    for (const auto& [x, width] : spans(step.threads)) {
      if (is_barrier) {
        // As wide as the frame of a region would be.
        const int in = inset - kFrame;
        drawing_.rect(x + in, tops_[i] + (kBarrierRow - kBarrier) / 2, width - 2 * in, kBarrier,
                      "read", title(step), 2);
      } else {
        drawing_.rect(x + inset, tops_[i] + (kRow - kBar) / 2, width - 2 * inset, kBar,
                      "valid dense", title(step), 3);
      }
    }
  }

  void draw_legend() {
    int y = bottom_ + 24, x = 0;
    const auto entry = [&](int height, const char* classes, const std::string& what) {
      drawing_.rect(x, y - 4 - height / 2, 24, height, classes, {}, 3);
      drawing_.note(x + 32, y, what);
      x += 32 + text_width(what, TextStyle::Note) + 20;
    };
    const auto any = [&](auto is) { return std::ranges::any_of(steps_, is); };
    using Kind = TimelineStep::Kind;
    entry(kBar, "valid dense", "code");
    if (any([](const auto& s) { return s.kind == Kind::Region && !s.is_async; })) {
      entry(kBar, "loop", "region or loop");
    }
    if (any([](const auto& s) { return s.kind == Kind::Region && s.is_async; })) {
      entry(kBar, "load", "asynchronous region");
    }
    if (any([](const auto& s) { return s.kind == Kind::Barrier; })) {
      entry(kBarrier, "read", "barrier of these threads");
    }
    drawing_.note(0, y + 20,
                  "Threads that do the same stand in one column; thread 0 is rightmost.");
    if (steps_.size() < all_.size()) {
      drawing_.note(0, y + 38,
                    fmt::format("The first {} of {} steps.", steps_.size(), all_.size()));
    }
  }

  std::span<const TimelineStep> all_, steps_;
  std::vector<ThreadMask> groups_;
  std::vector<std::string> names_;
  std::vector<int> tops_, ends_;  // of the steps; of a region, where its frame ends
  int gutter_ = 0, column_ = 0, bottom_ = 0;
  bool are_named_ = true;
  Drawing drawing_;
};

}  // namespace

Drawing timeline_picture(std::span<const TimelineStep> steps) {
  return TimelinePicture(steps).run();
}

}  // namespace selvage
