#include <selvage/base/points.h>
#include <selvage/pictures/hole_grid.h>
#include <selvage/pictures/hole_marks.h>
#include <selvage/pictures/parts.h>
#include <selvage/pictures/picture_style.h>
#include <selvage/pictures/point_states.h>
#include <selvage/pictures/thread_numbers.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace selvage {

namespace {

constexpr int kLongestLoop = 14;  // columns, of a loop at the rim
constexpr int kShortName = 4;     // columns: iterdomains that a cell names itself
constexpr int kMostHeader = 300;  // pixels of the loops that go down
constexpr int kHolePitch = 8, kHoleCell = 7;
constexpr int kWideCell = 26, kNarrowCell = 20;  // the latter where there is little room
constexpr int kHeaderLine = 15;
constexpr std::size_t kMostWitnesses = 4;
constexpr int kGapRow = 24;  // where rows are left out

int digits_of_items(const TensorReport& tensor) {
  const auto n = known_extents(tensor.graph(), tensor.tensor().logical);
  return int(std::to_string(count_points(*n).value_or(INT64_MAX) - 1).size());
}

class HolePicture {
 public:
  HolePicture(const TensorReport& tensor, PointStates states)
      : tensor_(tensor),
        states_(std::move(states)),
        marks_(tensor, states_, std::max(kShortName, digits_of_items(tensor))),
        numbers_(*tensor.schedule, tensor.analysis) {}

  Drawing run() {
    for (Expr v : tensor_.analysis.variables) names_.emplace_back(v.name());
    choose_cells(kPictureWidth);
    measure();
    if (grid_.is_wrapped || !is_numbered_ || right_ > kPictureWidth) fit();
    drawing_.cover(right_, bottom_);
    draw_rim();
    if (is_numbered_) {
      draw_numbered();
    } else {
      draw_small();
    }
    draw_legend();
    return std::move(drawing_);
  }

 private:
  // The rim is known once the table is, and the table's columns once the rim is.
  void fit() {
    least_width_ = kNarrowCell;
    for (int room = kPictureWidth;;) {
      choose_cells(room);
      measure();
      if (right_ <= kPictureWidth || grid_.columns == 1) break;
      room = std::min(room - (right_ - kPictureWidth), int(grid_.columns) * cell_width_ - 1);
    }
  }
  std::string type_of(std::size_t loop) const {
    const ParallelType p =
        tensor_.schedule->parallel(tensor_.analysis.tensor, tensor_.analysis.loops[loop]);
    return p == ParallelType::Serial ? "" : std::string(to_string(p));
  }
  bool is_block_loop(std::size_t loop) const {
    return is_block(
        tensor_.schedule->parallel(tensor_.analysis.tensor, tensor_.analysis.loops[loop]));
  }

  void choose_cells(int room) {
    is_numbered_ = true;
    const int columns = std::max(digits_of_items(tensor_), marks_.widest());
    cell_width_ = std::max(least_width_, columns * 6 + 4);
    cell_height_ = marks_.size() > 1 && !marks_.are_letters() ? 27 : 24;
    const auto& n = states_.extents();
    grid_ = hole_grid(n, {room / cell_width_, kMostNumberedRows, kKeptRows}, witnesses());
    if (!grid_.is_complete) {
      HoleGrid small = hole_grid(n, {room / kHolePitch, kMostSmallRows, kKeptRows});
      if (small.is_complete) {
        grid_ = std::move(small);
        is_numbered_ = false;
        cell_width_ = cell_height_ = kHolePitch;
      }
    }
  }
  // For each check that stays, a point that no other check stops.
  std::vector<std::vector<std::int64_t>> witnesses() const {
    const TensorAnalysis& a = tensor_.analysis;
    std::vector<std::vector<std::int64_t>> points;
    for (const KeptPredicate& kept : a.predicates.kept) {
      if (points.size() == kMostWitnesses) break;
      std::unordered_map<std::uint32_t, std::int64_t> values;
      for (const auto& [symbol, value] : kept.witness) values[symbol.id()] = value;
      std::vector<std::int64_t> point;
      for (std::size_t i = 0; i < a.variables.size(); ++i) {
        const auto value = values.find(a.variables[i].id());
        if (value == values.end()) break;
        if (value->second < 0 || value->second >= states_.extents()[i]) break;
        point.push_back(value->second);
      }
      if (point.size() == a.variables.size()) points.push_back(std::move(point));
    }
    return points;
  }

  // Computes the positions of all parts.
  void measure() {
    const auto& n = states_.extents();
    rim_.clear();
    columns_.clear();
    rows_.clear();
    is_cut_ = false;
    // The loops that go down: the inner ones, as far as there is room.
    int width = 0;
    for (std::size_t i = grid_.down.size(); i-- > 0;) {
      const std::size_t loop = grid_.down[i];
      if (n[loop] == 1) continue;
      int own = std::max(text_width(shortened(names_[loop], kLongestLoop), TextStyle::Label),
                         text_width(type_of(loop), TextStyle::Small));
      own = std::max(own, text_width(std::to_string(n[loop] - 1), TextStyle::Label)) + 14;
      if (width + own > kMostHeader) {
        is_cut_ = true;
        break;
      }
      width += own;
      rim_.insert(rim_.begin(), {i, own});
    }
    if (is_cut_) width += 20;
    if (grid_.is_wrapped) width += text_width(start_text(last_start()), TextStyle::Small) + 8;
    choose_threads();
    if (has_thread_column())
      width += text_width(thread_text(numbers_.count()), TextStyle::Small) + 18;
    left_ = width;
    top_ = kHeaderLine * int(grid_.across.size() + (threads_ == Threads::Across ? 1 : 0)) + 6;
    for (const auto& [i, own] : rim_) {
      top_ = std::max(top_, (type_of(grid_.down[i]).empty() ? 1 : 2) * kHeaderLine + 6);
    }
    if (threads_ == Threads::Inside) {
      cell_height_ += 10;
      cell_width_ = std::max(cell_width_,
                             text_width(fmt::format("t{}", numbers_.count()), TextStyle::Tiny) + 6);
    }

    int x = left_;
    for (std::int64_t c = 0; c < grid_.columns; ++c) {
      if (c > 0 && !grid_.is_wrapped) x += gap_of(c);
      columns_.push_back(x);
      x += cell_width_;
    }
    right_ = x;
    // The loops across are named at the right end.
    for (std::size_t loop : grid_.across) {
      right_ = std::max(right_, x + 8 + text_width(rim_text(loop), TextStyle::Small));
    }
    if (threads_ == Threads::Across)
      right_ = std::max(right_, x + 8 + text_width("thread", TextStyle::Small));
    int y = top_;
    for (std::size_t r = 0; r < grid_.rows.size(); ++r) {
      if (grid_.rows[r].left_out > 0) {
        y += kGapRow;
      } else if (r > 0) {
        y += gap_before(r);
      }
      rows_.push_back(y);
      y += cell_height_;
    }
    bottom_ = y;
  }
  // Chooses the place for thread numbers that are not the index of a single loop.
  void choose_threads() {
    threads_ = Threads::None;
    if (numbers_.is_plain()) return;
    std::vector<std::int64_t> point;
    grid_.point_at(grid_.rows[0], 0, states_.extents(), point);
    const std::int64_t first = numbers_.at(point);
    bool is_run = true;
    for (std::int64_t c = 0; c < grid_.columns && is_run; ++c) {
      if (!grid_.point_at(grid_.rows[0], c, states_.extents(), point)) break;
      is_run = numbers_.at(point) == first + c;
    }
    threads_ = numbers_.depends_only_on(grid_.down)                          ? Threads::Down
               : !grid_.is_wrapped && numbers_.depends_only_on(grid_.across) ? Threads::Across
               : is_run                                                      ? Threads::Runs
               : is_numbered_                                                ? Threads::Inside
                                                                             : Threads::None;
  }
  bool has_thread_column() const { return threads_ == Threads::Down || threads_ == Threads::Runs; }
  std::string thread_text(std::int64_t thread) const {
    return std::to_string(thread) + (threads_ == Threads::Runs ? "+" : "");
  }
  std::int64_t last_start() const {
    const std::int64_t n = states_.extents()[grid_.across[0]];
    return (n - 1) / grid_.columns * grid_.columns;
  }
  static std::string start_text(std::int64_t start) { return fmt::format("{}+", start); }
  std::string rim_text(std::size_t loop) const {
    const std::string type = type_of(loop);
    return shortened(names_[loop], kLongestLoop) + (type.empty() ? "" : " " + type);
  }
  // Wider the further out the loop is whose index changes.
  int gap_of(std::int64_t column) const {
    const int unit = is_numbered_ ? 5 : 3;
    int gap = 0;
    std::int64_t run = 1;
    for (std::size_t i = grid_.across.size(); i-- > 1;) {
      run *= states_.extents()[grid_.across[i]];
      if (column % run == 0) gap += unit;
    }
    return std::min(gap, 3 * unit);
  }
  int gap_before(std::size_t r) const {
    const auto& now = grid_.rows[r].outer;
    const auto& last = grid_.rows[r - 1].outer;
    const int unit = is_numbered_ ? 4 : 2;
    const int inner = grid_.is_wrapped ? 1 : 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i] == last[i]) continue;
      int levels = inner;
      for (std::size_t k = i + 1; k < now.size(); ++k) {
        levels += states_.extents()[grid_.down[k]] > 1 ? 1 : 0;
      }
      return std::min(levels, 3) * unit + (is_block_loop(grid_.down[i]) ? 2 * unit : 0);
    }
    return 0;
  }

  void draw_rim() {
    draw_rim_across();
    int x = is_cut_ ? 20 : 0;
    if (is_cut_) drawing_.text(0, top_ - 6, "\xE2\x80\xA6", TextStyle::Label);
    for (const auto& [i, width] : rim_) {
      const std::size_t loop = grid_.down[i];
      const std::string type = type_of(loop);
      drawing_.text(x, top_ - (type.empty() ? 6 : 6 + kHeaderLine - 2),
                    shortened(names_[loop], kLongestLoop), TextStyle::Label, Anchor::Start,
                    "strong");
      if (!type.empty()) drawing_.text(x, top_ - 6, type, TextStyle::Small, Anchor::Start, "muted");
      number_rows(x, i);
      x += width;
    }
    if (has_thread_column()) {
      drawing_.text(x, top_ - 6, "thread", TextStyle::Small, Anchor::Start, "muted");
      std::vector<std::int64_t> point;
      for (std::size_t r = 0; r < grid_.rows.size(); ++r) {
        grid_.point_at(grid_.rows[r], 0, states_.extents(), point);
        if (is_numbered_ || r % 2 == 0) {
          drawing_.text(x, base(rows_[r]), thread_text(numbers_.at(point)), TextStyle::Small,
                        Anchor::Start, "muted");
        }
      }
    }
    for (std::size_t r = 0; r < grid_.rows.size(); ++r) {
      if (grid_.is_wrapped && (is_numbered_ || r % 2 == 0)) {
        drawing_.text(left_ - 6, base(rows_[r]), start_text(grid_.rows[r].start), TextStyle::Small,
                      Anchor::End, "muted");
      }
      if (grid_.rows[r].left_out > 0) {
        const std::int64_t out = grid_.rows[r].left_out;
        drawing_.note(left_, rows_[r] - 7,
                      out == HoleGrid::kUncounted
                          ? "more rows than 64 bits can count left out"
                          : fmt::format("{} row{} left out", out, out == 1 ? "" : "s"));
      }
    }
  }
  // The index of a loop that goes down, wherever it or one further out changes.
  void number_rows(int x, std::size_t i) {
    const bool is_innermost = i == rim_.back().first && !grid_.is_wrapped;
    const std::int64_t step = is_numbered_ || !is_innermost ? 1 : 4;
    int last_y = -100;
    for (std::size_t r = 0; r < grid_.rows.size(); ++r) {
      const HoleGrid::Row& row = grid_.rows[r];
      const bool is_same = r > 0 && row.left_out == 0 &&
                           row.outer[i] == grid_.rows[r - 1].outer[i] && same_before(r, i);
      if (is_same || row.outer[i] % step != 0 || rows_[r] - last_y < 12) continue;
      last_y = rows_[r];
      drawing_.text(x, base(rows_[r]), std::to_string(row.outer[i]), TextStyle::Label);
    }
  }
  int base(int row) const { return row + cell_height_ / 2 + 4; }
  bool same_before(std::size_t r, std::size_t i) const {
    const auto& now = grid_.rows[r].outer;
    const auto& last = grid_.rows[r - 1].outer;
    return std::equal(now.begin(), now.begin() + std::ptrdiff_t(i), last.begin());
  }

  void draw_rim_across() {
    std::int64_t run = grid_.columns;
    for (std::size_t k = 0; k < grid_.across.size(); ++k) {
      const std::size_t loop = grid_.across[k];
      const int lines = int(grid_.across.size() - k) + (threads_ == Threads::Across ? 1 : 0);
      const int y = top_ - 6 - kHeaderLine * (lines - 1);
      drawing_.text(columns_.back() + cell_width_ + 8, y, rim_text(loop), TextStyle::Small,
                    Anchor::Start, "strong");
      const std::int64_t n = states_.extents()[loop];
      run = grid_.is_wrapped ? 1 : run / n;
      number_columns(y, run, n, [](std::int64_t index) { return std::to_string(index); });
    }
    if (threads_ == Threads::Across) {
      drawing_.text(columns_.back() + cell_width_ + 8, top_ - 6, "thread", TextStyle::Small,
                    Anchor::Start, "strong");
      std::vector<std::int64_t> point;
      number_columns(top_ - 6, 1, grid_.columns, [&](std::int64_t column) {
        grid_.point_at(grid_.rows[0], column, states_.extents(), point);
        return std::to_string(numbers_.at(point));
      });
    }
  }
  // A number over every run of columns, or every few where they would touch.
  template <class TextOf>
  void number_columns(int y, std::int64_t run, std::int64_t n, TextOf text_of) {
    const int needed = text_width(text_of(n - 1), TextStyle::Small) + 5;
    std::int64_t step = 1;
    for (std::int64_t s : {1, 2, 4, 8, 16, 32, 64, 128}) {
      step = s;
      if (s * run * cell_width_ >= needed) break;
    }
    for (std::int64_t c = 0; c < grid_.columns; c += run) {
      const std::int64_t index = c / run % n;
      if (index % step != 0) continue;
      const int from = columns_[std::size_t(c)];
      const int to = columns_[std::size_t(std::min(c + run, grid_.columns) - 1)] + cell_width_;
      drawing_.text((from + to) / 2, y, text_of(index), TextStyle::Small, Anchor::Middle, "muted");
    }
  }

  // With more points, only holes have a title with their indices.
  static constexpr std::int64_t kMostTold = 400;
  // I3 = 1, I4 = 0: item 6
  std::string title_of(const std::vector<std::int64_t>& point, const PointState& state) const {
    std::string title;
    if (grid_.columns * std::int64_t(grid_.rows.size()) > kMostTold &&
        state.kind == PointState::Kind::Valid) {
      return title;
    }
    for (std::size_t i = 0; i < point.size() && i < 12; ++i) {
      title += (title.empty() ? "" : ", ") + names_[i] + " = " + std::to_string(point[i]);
    }
    if (point.size() > 12) title += ", ...";
    if (!numbers_.is_plain()) title += fmt::format("; thread {}", numbers_.at(point));
    if (state.kind != PointState::Kind::Hole) title += fmt::format(": item {}", state.item);
    if (state.kind == PointState::Kind::Valid) return title;
    std::string out;
    for (std::size_t k = 0; k < state.out.size() && k < 8; ++k) {
      out += (out.empty() ? "" : ", ") + tensor_.name_of(states_.domains()[state.out[k]]) + " = " +
             std::to_string(states_.index(state.out[k]));
    }
    if (state.out.size() > 8) out += ", ...";
    return title + (state.kind == PointState::Kind::Hole ? ": hole, " : " again, ") + out +
           " out of bounds";
  }

  template <class Visit>
  void for_each_cell(Visit visit) {
    std::vector<std::int64_t> point;
    for (std::size_t r = 0; r < grid_.rows.size(); ++r) {
      for (std::int64_t c = 0; c < grid_.columns; ++c) {
        if (!grid_.point_at(grid_.rows[r], c, states_.extents(), point)) continue;
        const std::optional<PointState> state = states_.at(point);
        if (state) {
          visit(columns_[std::size_t(c)], rows_[r], point, *state);
        } else {
          drawing_.rect(columns_[std::size_t(c)], rows_[r], cell_width_ - 1, cell_height_ - 1,
                        "cell empty", "an index leaves 64 bits");
        }
      }
    }
  }
  std::string class_of(const PointState& state) {
    switch (state.kind) {
      case PointState::Kind::Valid: has_valid_ = true; return "valid";
      case PointState::Kind::Repeated: has_repeated_ = true; return "repeated";
      case PointState::Kind::Hole: break;
    }
    used_.insert(state.stop[0]);
    return fmt::format("hole hole-{}", marks_.pattern(state.stop[0]));
  }

  void draw_numbered() {
    for_each_cell([&](int x, int y, const auto& point, const PointState& state) {
      drawing_.rect(x + 1, y + 1, cell_width_ - 2, cell_height_ - 2, "cell " + class_of(state),
                    title_of(point, state), 2);
      const int middle = x + cell_width_ / 2;
      const int lower = threads_ == Threads::Inside ? 4 : 0;  // the number of the thread is above
      if (threads_ == Threads::Inside) {
        drawing_.text(x + 4, y + 11, fmt::format("t{}", numbers_.at(point)), TextStyle::Tiny,
                      Anchor::Start, "halo muted");
      }
      if (state.kind != PointState::Kind::Hole) {
        drawing_.text(middle, base(y) + lower, std::to_string(state.item), TextStyle::Small,
                      Anchor::Middle, state.kind == PointState::Kind::Repeated ? "halo" : "");
        return;
      }
      const int above = 2 * lower;
      const std::vector<std::string> lines = marks_.lines(state, lower > 0 ? 1 : 2);
      const int first = y + above + (cell_height_ - above) / 2 + (lines.size() == 2 ? -2 : 3);
      for (std::size_t k = 0; k < lines.size(); ++k) {
        drawing_.text(middle, first + 9 * int(k), lines[k], TextStyle::Tiny, Anchor::Middle,
                      "halo strong");
      }
    });
  }
  // One path for each kind of point.
  void draw_small() {
    std::map<std::string, std::string> paths;
    for_each_cell([&](int x, int y, const auto&, const PointState& state) {
      fmt::format_to(std::back_inserter(paths[class_of(state)]), "M{0} {1}h{2}v{2}h-{2}z", x, y,
                     kHoleCell);
    });
    for (const auto& [classes, data] : paths) drawing_.path(data, "cell dense " + classes);
  }

  void draw_legend() {
    int x = 0, y = bottom_ + 26;
    const auto entry = [&](const std::string& classes, const std::string& inside,
                           const std::string& what) {
      const int swatch = std::max(24, text_width(inside, TextStyle::Tiny) + 8);
      const int width = swatch + 8 + text_width(what, TextStyle::Note) + 18;
      if (x > 0 && x + width > kPictureWidth) x = 0, y += 24;
      if (!classes.empty()) {
        drawing_.rect(x, y - 13, swatch, 18, classes + (is_numbered_ ? "" : " dense"), {}, 2);
        drawing_.text(x + swatch / 2, y, inside, TextStyle::Tiny, Anchor::Middle,
                      classes == "cell valid" ? "" : "halo strong");
      }
      drawing_.note(x + (classes.empty() ? 0 : swatch + 8), y, what);
      x += width;
    };
    const std::string in_numbers = is_numbered_ ? "7" : "";
    const std::string verb = tensor_.reduces() ? "folds into " : "stores ";
    const std::string does = verb + (is_numbered_ ? "that item" : "an item");
    if (has_valid_) entry("cell valid", in_numbers, does);
    if (has_repeated_) {
      entry("cell repeated", in_numbers, "a hole, and " + does + ": duplicates are allowed");
    }
    for (std::size_t domain : used_) {
      const std::string name = shortened(tensor_.name_of(states_.domains()[domain]), 32);
      entry(fmt::format("cell hole hole-{}", marks_.pattern(domain)),
            is_numbered_ ? marks_.text(domain) : "",
            "hole: " + name + " is out of bounds" +
                (marks_.is_checked(domain) ? ", its check stops the point" : ""));
    }
    if (threads_ == Threads::Inside) entry("", "", "t5: number of the thread in its block");
  }

  const TensorReport& tensor_;
  PointStates states_;
  HoleMarks marks_;
  ThreadNumbers numbers_;
  std::vector<std::string> names_;
  HoleGrid grid_;
  bool is_numbered_ = true;
  int least_width_ = kWideCell;
  int cell_width_ = 0, cell_height_ = 0;
  std::vector<std::pair<std::size_t, int>> rim_;  // loops that go down: their place and width
  bool is_cut_ = false;                           // outer ones are not shown at the rim
  enum class Threads : std::uint8_t { None, Down, Across, Runs, Inside };
  Threads threads_ = Threads::None;
  int left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;
  std::vector<int> columns_, rows_;  // left and upper edges
  bool has_valid_ = false, has_repeated_ = false;
  std::set<std::size_t> used_;
  Drawing drawing_;
};

}  // namespace

std::optional<Drawing> hole_picture(const TensorReport& tensor) {
  std::optional<PointStates> states =
      PointStates::of(tensor.graph(), tensor.tensor(), tensor.analysis);
  if (!states) return std::nullopt;
  return HolePicture(tensor, std::move(*states)).run();
}

}  // namespace selvage
