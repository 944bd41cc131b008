#include <selvage/base/words.h>
#include <selvage/debugger/frames.h>
#include <selvage/debugger/views.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace selvage {

namespace {

constexpr std::int64_t kCell = 8, kMargin = 16, kHead = 56;  // pixels
// Of a cell: nothing is in it; it was stored before; loaded; stored; loaded and stored.
constexpr const char* kColours[] = {"#f0f0f0", "#bdbdbd", "#74a9cf", "#fdae6b", "#d9480f"};

}  // namespace

void Frames::begin_kernel(const RunView& view) {
  names_.emplace(view, shapes_);
  kernel_ = view.kernel().name;
  drawn_.clear();
  std::int64_t width = kMargin, height = kHead;
  for (BufferId b = 0; b < view.kernel().buffers.size(); ++b) {
    const Buffer& buffer = view.kernel().buffers[b];
    if (buffer.memory == Memory::Local || buffer.is_for_failures()) continue;
    Drawn d{.buffer = b, .name = buffer.name, .is_shared = buffer.memory == Memory::Shared};
    d.row = std::max<std::int64_t>(names_->row_length(b).value_or(32), 1);
    const std::int64_t rows = (view.elements(b) + d.row - 1) / d.row;
    d.columns = std::min({d.row, view.elements(b), kMostCells});
    d.rows = std::min(rows, kMostCells);
    d.cells.resize(std::size_t(d.columns * d.rows));
    const std::int64_t label = 8 * std::int64_t(d.name.size());
    width += std::max(d.columns * kCell, label) + kMargin;
    height = std::max(height, kHead + d.rows * kCell + kMargin);
    drawn_.push_back(std::move(d));
  }
  width_ = std::max(width_, width);
  height_ = std::max(height_, height);
}

Frames::Cell* Frames::cell(BufferId b, std::int64_t address) {
  for (Drawn& d : drawn_) {
    if (d.buffer != b) continue;
    const std::int64_t row = address / d.row, column = address % d.row;
    if (row >= d.rows || column >= d.columns) return nullptr;
    return &d.cells[std::size_t(row * d.columns + column)];
  }
  return nullptr;
}

void Frames::loaded(const RunView&, BufferId b, std::int64_t address, Scalar) {
  if (Cell* c = cell(b, address)) c->is_loaded = true;
}

void Frames::stored(const RunView&, BufferId b, std::int64_t address, Scalar) {
  if (Cell* c = cell(b, address)) c->is_stored = true;
}

void Frames::begin_block(const RunView& view) {
  end_block();
  block_ = index_text(LaunchGeometry::at(view.block(), view.geometry().grid));
  for (Drawn& d : drawn_) {
    if (d.is_shared) d.cells.assign(d.cells.size(), {});
  }
}

void Frames::end_block() {
  if (!block_.empty()) draw("the end of block " + block_);
  block_.clear();
}

void Frames::end_kernel(const RunView&) { end_block(); }

void Frames::met(const RunView&, PlaceId at, std::span<const RunView::Thread> threads) {
  draw(fmt::format("block {}, {} at the barrier in line {}", block_,
                   counted(std::int64_t(threads.size()), "thread"), names_->line_of(at)));
}

void Frames::draw(const std::string& title) {
  std::string body = fmt::format("<text x=\"{}\" y=\"20\" font-weight=\"bold\">{}: {}</text>\n",
                                 kMargin, kernel_, title);
  std::int64_t left = kMargin;
  for (Drawn& d : drawn_) {
    body += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", left, kHead - 8,
                        d.is_shared ? " font-style=\"italic\"" : "", d.name);
    // The cells of one colour are one path.
    std::array<std::string, std::size(kColours)> paths;
    for (std::size_t k = 0; k < d.cells.size(); ++k) {
      Cell& c = d.cells[k];
      const std::size_t colour = c.is_stored    ? (c.is_loaded ? 4 : 3)
                                 : c.is_loaded  ? 2
                                 : c.was_stored ? 1
                                                : 0;
      paths[colour] += fmt::format("M{} {}h7v7h-7z", left + std::int64_t(k) % d.columns * kCell,
                                   kHead + std::int64_t(k) / d.columns * kCell);
      c = {.was_stored = c.was_stored || c.is_stored};
    }
    for (std::size_t colour = 0; colour < paths.size(); ++colour) {
      if (paths[colour].empty()) continue;
      body += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", kColours[colour], paths[colour]);
    }
    left += std::max(d.columns * kCell, 8 * std::int64_t(d.name.size())) + kMargin;
  }
  if (bodies_.size() < kMostFrames) {
    bodies_.push_back(std::move(body));
  } else {
    ++left_out_;
  }
}

std::string Frames::document(const std::string& body) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" "
      "font-family=\"monospace\" font-size=\"13\">\n"
      "<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n{}</svg>\n",
      width_, height_, width_, height_, body);
}

std::vector<std::string> Frames::pictures() const {
  std::vector<std::string> all;
  for (const std::string& body : bodies_) all.push_back(document(body));
  return all;
}

std::string Frames::animated() const {
  std::string all;
  const double each = 0.5, whole = each * double(bodies_.size());
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const double from = double(k) / double(bodies_.size()),
                 to = double(k + 1) / double(bodies_.size());
    const std::string times = k + 1 == bodies_.size() ? fmt::format("0;{:.6f}", from)
                                                      : fmt::format("0;{:.6f};{:.6f}", from, to);
    const char* shown = k + 1 == bodies_.size() ? "none;inline" : "none;inline;none";
    all += fmt::format("<g display=\"{}\">\n", k == 0 ? "inline" : "none");
    if (bodies_.size() > 1) {
      all += fmt::format(
          "<animate attributeName=\"display\" values=\"{}\" keyTimes=\"{}\" "
          "dur=\"{}s\" calcMode=\"discrete\" repeatCount=\"indefinite\"/>\n",
          shown, times, whole);
    }
    all += bodies_[k] + "</g>\n";
  }
  return document(all);
}

}  // namespace selvage
