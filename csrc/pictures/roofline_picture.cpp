// The roofline of a program: how fast its kernels work, against what they work on each byte.
#include <selvage/base/words.h>
#include <selvage/pictures/parts.h>
#include <selvage/report/cost_lines.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

constexpr int kPlotLeft = 56, kPlotTop = 24, kPlotWidth = 756, kPlotHeight = 400;
constexpr int kMark = 12, kWordRow = 18;
constexpr int kLongestKernel = 30;  // columns

// The positions of powers of ten along an axis of so many pixels.
struct LogAxis {
  double low = 0, high = 1;  // exponents of ten
  int pixels = 0;

  int at(double value) const {
    return int(std::lround((std::log10(value) - low) / (high - low) * pixels));
  }
};

// 1.2e12 as "1.2 T".
std::string with_prefix(double value) {
  constexpr const char* kPrefixes[] = {"", " k", " M", " G", " T", " P"};
  int k = 0;
  for (; value >= 999.5 && k < 5; ++k) value /= 1000;
  return fmt::format("{:.3g}{}", value, kPrefixes[k]);
}

class RooflinePicture {
 public:
  explicit RooflinePicture(const ProgramCost& cost) : cost_(cost), device_(cost.device) {
    for (const KernelCost& k : cost.kernels) {
      add(k.name, k.work.instructions, k.work.dram_bytes, k.work.l2_bytes, k.time.seconds,
          std::string(limit_text(k.time.limiter)));
    }
    if (points_.size() > kMostRooflinePoints) points_.resize(kMostRooflinePoints);
    shown_ = points_.size();
    double instructions = 0, l2 = 0;
    for (const KernelCost& k : cost.kernels) {
      instructions += k.work.instructions;
      l2 += k.work.l2_bytes;
    }
    if (cost.kernels.size() > 1) {
      add("all kernels", instructions, cost.dram_bytes, l2, cost.seconds, "");
      is_summed_ = points_.size() > shown_;
    }
  }

  Drawing run() {
    if (points_.empty()) {
      drawing_.note(0, 14, "No kernel runs at these sizes, or none takes a time.");
      return std::move(drawing_);
    }
    choose_axes();
    draw_grid();
    draw_roofs();
    for (std::size_t k = 0; k < points_.size(); ++k) draw_point(k);
    draw_rows();
    return std::move(drawing_);
  }

 private:
  struct RooflinePoint {
    std::string name;
    double rate = 0;               // instructions of threads, a second
    double dram = 0, l2 = 0;       // instructions for each byte; 0: there is none
    double seconds = 0, roof = 0;  // roof: the share of what the lowest roof above it allows
    std::string limit;
  };

  void add(const std::string& name, double instructions, double dram_bytes, double l2_bytes,
           double seconds, const std::string& limit) {
    if (!(instructions > 0 && seconds > 0 && std::isfinite(seconds))) return;
    RooflinePoint p{
        .name = name, .rate = instructions / seconds, .seconds = seconds, .limit = limit};
    if (dram_bytes > 0) p.dram = instructions / dram_bytes;
    if (l2_bytes > 0) p.l2 = instructions / l2_bytes;
    double roof = issue_rate();
    if (p.dram > 0) roof = std::min(roof, p.dram * device_.dram_bandwidth);
    if (p.l2 > 0) roof = std::min(roof, p.l2 * device_.l2_bandwidth);
    p.roof = p.rate / roof;
    points_.push_back(std::move(p));
  }

  double issue_rate() const { return issue_slots(device_); }

  void choose_axes() {
    double least_x = issue_rate() / device_.l2_bandwidth,
           most_x = issue_rate() / device_.dram_bandwidth;
    double least_y = issue_rate(), most_y = issue_rate();
    for (const RooflinePoint& p : points_) {
      for (const double x : {p.dram, p.l2}) {
        if (x <= 0) continue;
        least_x = std::min(least_x, x);
        most_x = std::max(most_x, x);
      }
      least_y = std::min(least_y, p.rate);
      most_y = std::max(most_y, p.rate);
    }
    x_ = {std::floor(std::log10(least_x / 2)), std::ceil(std::log10(most_x * 2)), kPlotWidth};
    y_ = {std::floor(std::log10(least_y / 2)), std::ceil(std::log10(most_y * 1.5)), kPlotHeight};
  }

  int x_of(double intensity) const { return kPlotLeft + x_.at(intensity); }
  int y_of(double rate) const { return kPlotTop + kPlotHeight - y_.at(rate); }

  void draw_grid() {
    const int bottom = kPlotTop + kPlotHeight, right = kPlotLeft + kPlotWidth;
    for (double e = x_.low; e <= x_.high; ++e) {
      const double value = std::pow(10, e);
      drawing_.line(x_of(value), kPlotTop, x_of(value), bottom, "grid");
      drawing_.text(x_of(value), bottom + 16, fmt::format("{:g}", value), TextStyle::Small,
                    Anchor::Middle);
    }
    for (double e = y_.low; e <= y_.high; ++e) {
      const double value = std::pow(10, e);
      drawing_.line(kPlotLeft, y_of(value), right, y_of(value), "grid");
      drawing_.text(kPlotLeft - 8, y_of(value) + 4, with_prefix(value), TextStyle::Small,
                    Anchor::End);
    }
    drawing_.text(right, bottom + 34, "instructions of threads for each byte", TextStyle::Note,
                  Anchor::End, "muted");
    drawing_.text(kPlotLeft, kPlotTop - 10, "instructions of threads, a second", TextStyle::Note,
                  Anchor::Start, "muted");
    drawing_.cover(right + 20, bottom + 40);
  }

  // From the lower or the left edge of the plot up to the issue rate.
  void draw_slope(double bandwidth, const char* classes, const std::string& name, bool is_below) {
    const double least = std::pow(10, x_.low), lowest = std::pow(10, y_.low);
    const double from = std::max(least, lowest / bandwidth), to = issue_rate() / bandwidth;
    drawing_.line(x_of(from), y_of(from * bandwidth), x_of(to), y_of(issue_rate()), classes);
    // Below a roof, near its foot, are few kernels.
    const double at = from * std::pow(to / from, is_below ? 0.2 : 0.6);
    const int x = x_of(at), y = y_of(at * bandwidth);
    drawing_.text(is_below ? x + 10 : x - 10, is_below ? y + 14 : y - 6, name, TextStyle::Small,
                  is_below ? Anchor::Start : Anchor::End, "halo");
  }

  void draw_roofs() {
    draw_slope(device_.l2_bandwidth, "roof dashed",
               "L2 " + with_prefix(device_.l2_bandwidth) + "B/s", false);
    draw_slope(device_.dram_bandwidth, "roof",
               "memory " + with_prefix(device_.dram_bandwidth) + "B/s", true);
    const int y = y_of(issue_rate());
    drawing_.line(x_of(issue_rate() / device_.l2_bandwidth), y, kPlotLeft + kPlotWidth, y, "roof");
    drawing_.text(kPlotLeft + kPlotWidth - 6, y - 6,
                  "issue " + with_prefix(issue_rate()) + " instructions/s", TextStyle::Small,
                  Anchor::End, "halo");
  }

  bool is_sum(std::size_t k) const { return is_summed_ && k + 1 == points_.size(); }
  std::string label(std::size_t k) const { return is_sum(k) ? "all" : std::to_string(k + 1); }

  void dot(int x, int y, const char* classes, bool is_sum, const std::string& title) {
    drawing_.rect(x - kMark / 2, y - kMark / 2, kMark, kMark, classes, title,
                  is_sum ? 1 : kMark / 2);
  }

  // One mark over the bytes of memory and one over those of L2, at the same height.
  void draw_point(std::size_t k) {
    const RooflinePoint& p = points_[k];
    const int y = y_of(p.rate);
    if (p.dram > 0 && p.l2 > 0) drawing_.line(x_of(p.dram), y, x_of(p.l2), y, "wire");
    if (p.l2 > 0) {
      dot(x_of(p.l2), y, "store outline", is_sum(k), p.name + ", bytes from and to L2");
    }
    if (p.dram > 0) {
      dot(x_of(p.dram), y, "store solid", is_sum(k), p.name + ", bytes from and to memory");
    }
    const int x = std::max(p.dram > 0 ? x_of(p.dram) : 0, p.l2 > 0 ? x_of(p.l2) : 0);
    int label_y = y + 4;
    const auto is_taken = [&] {
      return std::ranges::any_of(labels_, [&](const auto& at) {
        return std::abs(at.first - x) < 24 && std::abs(at.second - label_y) < 11;
      });
    };
    while (is_taken()) label_y += 11;
    labels_.emplace_back(x, label_y);
    drawing_.text(x + 10, label_y, label(k), TextStyle::Small, Anchor::Start, "strong halo");
  }

  void draw_rows() {
    int y = kPlotTop + kPlotHeight + 62;
    for (std::size_t k = 0; k < points_.size(); ++k, y += kWordRow) {
      const RooflinePoint& p = points_[k];
      drawing_.text(34, y, label(k), TextStyle::Label, Anchor::End, "strong");
      drawing_.text(44, y, shortened(p.name, kLongestKernel), TextStyle::Label);
      drawing_.text(292, y,
                    fmt::format("{} us, {:.0f} % of the lowest roof above it{}",
                                fmt::format("{:.1f}", p.seconds * 1e6), 100 * p.roof,
                                p.limit.empty() ? "" : ", limited by " + p.limit),
                    TextStyle::Note, Anchor::Start, "muted");
    }
    y += 8;
    dot(10, y - 4, "store solid", false, "");
    drawing_.note(22, y, "over the bytes from and to memory");
    dot(262, y - 4, "store outline", false, "");
    drawing_.note(274, y, "over the bytes from and to L2");
    const std::size_t left = cost_.kernels.size() - std::min(shown_, cost_.kernels.size());
    if (left > 0) {
      drawing_.note(0, y + kWordRow,
                    counted(std::int64_t(left), "more kernel") + " not drawn, counted in all");
    }
    drawing_.cover(0, y + 2 * kWordRow);
  }

  const ProgramCost& cost_;
  const Device& device_;
  std::vector<RooflinePoint> points_;
  std::vector<std::pair<int, int>> labels_;
  std::size_t shown_ = 0;  // kernels
  bool is_summed_ = false;
  LogAxis x_, y_;
  Drawing drawing_;
};

}  // namespace

Drawing roofline_picture(const ProgramCost& cost) { return RooflinePicture(cost).run(); }

}  // namespace selvage
