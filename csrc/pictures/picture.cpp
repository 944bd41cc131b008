#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/pictures/parts.h>
#include <selvage/pictures/picture.h>
#include <selvage/pictures/picture_style.h>
#include <selvage/report/cost_lines.h>
#include <selvage/report/holes.h>
#include <selvage/report/thread_lines.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace selvage {

namespace {

constexpr int kMargin = 16;
constexpr int kBetweenParts = 30, kBetweenTensors = 44;
constexpr int kLongestName = 28, kLongestAxes = 32, kLongestSizes = 60;  // columns

// T0 [I0 {15}] float, in shared memory
std::string title_of(const TensorReport& tensor) {
  std::string axes;
  for (DomainId d : tensor.tensor().logical) {
    const Expr extent = tensor.graph()[d].extent;
    axes += (axes.empty() ? "" : ", ") + tensor.name_of(d) + " {" +
            (text_length(extent, 40) > 40 ? "..." : to_string(extent)) + "}";
  }
  const Memory memory = tensor.tensor().memory;
  return shortened(tensor.name(), kLongestName) + " [" + shortened(axes, kLongestAxes) + "] " +
         std::string(to_string(said_type(tensor.tensor()))) +
         (memory == Memory::Shared  ? " in shared memory"
          : memory == Memory::Local ? " in local memory"
                                    : "");
}

// 32 loop points: 15 valid, 17 holes; nothing where a size is open or there are too many.
std::string counts_of(const TensorReport& tensor) {
  const std::optional<Holes> holes = holes_of(tensor);
  if (!holes) return "";
  const std::int64_t valid = holes->valid();
  return counted(holes->points(), "loop point") + ": " + std::to_string(valid) + " valid, " +
         counted(holes->points() - valid, "hole");
}

// The sizes that keep the points from being drawn.
std::string open_sizes(const TensorReport& tensor) {
  std::vector<Expr> used = tensor.tensor().strides;
  for (const auto& [name, d] : tensor.iterdomains) {
    used.push_back(tensor.graph()[d].extent);
    used.push_back((*tensor.analysis.coordinates)[d]);
  }
  std::string text;
  for (Expr symbol : symbols_of(used)) {
    const auto& sizes = tensor.fusion().sizes();
    if (std::none_of(sizes.begin(), sizes.end(), [&](Expr s) { return same(s, symbol); })) continue;
    text += (text.empty() ? "" : ", ") + std::string(symbol.name());
  }
  return shortened(text, kLongestSizes);
}

class Page {
 public:
  void add(const TensorReport& tensor) {
    if (y_ > kMargin) y_ += kBetweenTensors;
    line(title_of(tensor), TextStyle::Title, 18, "");
    const std::string counts = counts_of(tensor);
    if (!counts.empty()) line(counts, TextStyle::Note, 20, "muted");
    description_ += (description_.empty() ? "" : " ") + title_of(tensor) +
                    (counts.empty() ? "." : ": " + counts + ".");
    y_ -= 10;
    part("How the index is cut up", graph_picture(tensor));
    const std::optional<Drawing> holes = hole_picture(tensor);
    if (holes) {
      part(tensor.reduces() ? "What each loop point folds into" : "What each loop point stores",
           *holes);
    } else {
      y_ += 8;
      line("Loop points are drawn once all sizes are known. Open: " + open_sizes(tensor) +
               " (--size NAME=VALUE).",
           TextStyle::Note, 20, "muted");
    }
    if (const auto banks = bank_picture(tensor)) part("How it lies in the banks", *banks);
    if (const auto ring = ring_timeline(*tensor.schedule, tensor.analysis.tensor)) {
      part("How its copies go round", ring_picture(*ring));
    }
  }
  void add(const FusionReport& fusion) {
    const ProgramCost& cost = *fusion.cost;
    std::string sizes;
    for (const auto& [name, value] : cost.sizes) {
      sizes += fmt::format("{}{} = {}", sizes.empty() ? ", at " : ", ", name, value);
    }
    diagram(
        "Roofline on " + shortened(cost.device.name, kLongestName),
        fmt::format("{}, {} by the model{}", counted(std::int64_t(cost.kernels.size()), "kernel"),
                    time_text({.seconds = cost.seconds}), shortened(sizes, kLongestSizes)),
        roofline_picture(cost));
  }
  void add(const RowLoad& load) {
    diagram("Load of " + shortened(load.tensor, kLongestName),
            fmt::format("{} of {}, {}, the longest {}; {:.0f} % of the threads busy in {}",
                        counted(load.rows, "row"), shortened(load.offsets, kLongestName),
                        counted(load.items, "item"), load.longest, 100 * load.utilisation(),
                        counted(load.steps, "step")),
            load_picture(load));
  }
  void add(const ThreadReport& threads) {
    const LoweredThreads& lowered = threads.lowered;
    line("Threads of " + threads.program->name, TextStyle::Title, 18, "");
    const std::string counts = lowered.tree.chains.empty()
                                   ? ""
                                   : counted(lowered.tree.chains[0].blocks(), "block") + " of " +
                                         counted(lowered.tree.chains[0].threads(), "thread") +
                                         ", " +
                                         counted(std::int64_t(lowered.regions.size()), "region");
    if (!counts.empty()) line(counts, TextStyle::Note, 20, "muted");
    description_ = "Threads of " + threads.program->name + ": " + counts + ".";
    y_ -= 10;
    std::vector<NamedMask> masks;
    for (const ThreadRegion& region : lowered.regions) {
      if (region.who.iterations.empty()) masks.push_back({region.when, region.who.mask});
      for (const NamedIteration& iteration : named_iterations(region.who)) {
        masks.push_back({region.when + ", " + iteration.name, iteration.mask});
      }
    }
    if (!masks.empty()) part("Who runs each region", mask_list_picture(masks));
    std::vector<TimelineStep> steps;
    for (const ThreadStep& s : lowered.steps) steps.push_back(drawn(s));
    if (!steps.empty()) part("One thing after the other", timeline_picture(steps));
    if (steps.empty() && lowered.kernel && lowered.tree.chains.size() > 1) {
      y_ += 8;
      line("Levels side by side number the threads in different ways: there is no timeline.",
           TextStyle::Note, 20, "muted");
    }
  }
  void line(const std::string& text, TextStyle style, int height, std::string_view classes) {
    drawing_.text(kMargin, y_ + height - 4, text, style, Anchor::Start, classes);
    y_ += height;
  }

  int height() const { return y_; }
  std::string svg(const std::string& file) const {
    const int width = std::min(drawing_.width() + kMargin, kPictureWidth + 2 * kMargin);
    const int height = drawing_.height() + kMargin;
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" class="selvage" width="{0}" height="{1}")"
        R"( viewBox="0 0 {0} {1}" role="img" aria-labelledby="selvage-title selvage-desc">)"
        "\n<title id=\"selvage-title\">Schedule {2}</title>\n<desc id=\"selvage-desc\">{3}</desc>\n"
        "{4}{5}</svg>\n",
        width, height, xml_escaped(file), xml_escaped(description_), picture_style(),
        drawing_.elements());
  }

 private:
  static TimelineStep drawn(const ThreadStep& s) {
    TimelineStep step{
        .label = s.label, .threads = s.threads, .depth = s.depth, .is_async = s.is_async};
    switch (s.kind) {
      case ThreadStep::Kind::Code: step.kind = TimelineStep::Kind::Code; break;
      case ThreadStep::Kind::Region:
      case ThreadStep::Kind::Loop: step.kind = TimelineStep::Kind::Region; break;
      case ThreadStep::Kind::Barrier: step.kind = TimelineStep::Kind::Barrier; break;
    }
    return step;
  }

  // A drawing of its own, below its title and what is counted in it.
  void diagram(const std::string& title, const std::string& counts, const Drawing& picture) {
    if (y_ > kMargin) y_ += kBetweenTensors;
    line(title, TextStyle::Title, 18, "");
    line(counts, TextStyle::Note, 20, "muted");
    description_ += (description_.empty() ? "" : " ") + title + ": " + counts + ".";
    y_ += 12;
    drawing_.place(picture, kMargin, y_);
    y_ += picture.height();
  }

  void part(const std::string& heading, const Drawing& picture) {
    y_ += kBetweenParts;
    drawing_.text(kMargin, y_, heading, TextStyle::Heading);
    y_ += 12;
    drawing_.place(picture, kMargin, y_);
    y_ += picture.height();
  }

  Drawing drawing_;
  std::string description_;
  int y_ = kMargin;
};

}  // namespace

std::string to_svg(const Report& report) {
  Page page;
  if (report.threads) {
    page.add(*report.threads);
    return page.svg(report.file);
  }
  bool has_diagrams = false;
  for (const FusionReport& fusion : report.fusions) {
    if (!fusion.cost || page.height() >= kLastTensor) continue;
    page.add(fusion);
    has_diagrams = true;
  }
  for (const FusionReport& fusion : report.fusions) {
    for (const RowLoad& load : fusion.loads) {
      if (page.height() < kLastTensor) page.add(load);
      has_diagrams = true;
    }
  }
  if (has_diagrams) return page.svg(report.file);
  std::size_t drawn = 0;
  for (; drawn < report.tensors.size() && page.height() < kLastTensor; ++drawn) {
    page.add(report.tensors[drawn]);
  }
  const std::size_t left = report.tensors.size() - drawn;
  if (drawn == 0) page.line("There is no tensor to draw.", TextStyle::Note, 20, "muted");
  if (left > 0) {
    page.line(counted(std::int64_t(left), "more tensor") + " not drawn.", TextStyle::Note, 40,
              "muted");
  }
  return page.svg(report.file);
}

void write_svg(const Report& report, const std::string& path) {
  const std::string text = to_svg(report);
  const auto fail = [&] {
    throw BadInput({.code = "E802",
                    .place = {path, 0, 0},
                    .message = std::string("cannot write the picture: ") + std::strerror(errno),
                    .help = "name a file in a folder that exists and can be written to"});
  };
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) fail();
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  const bool is_closed = std::fclose(file) == 0;
  if (!is_written) errno = error;
  if (!is_written || !is_closed) fail();
}

}  // namespace selvage
