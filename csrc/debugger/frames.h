#pragma once

#include <selvage/debugger/kernel_names.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// Draws a run: a picture whenever threads have met at a barrier, and when a block has ended. Each
// element of global and shared memory is a cell, a row for each row of the tensor:
//   blue      loaded since the last picture
//   orange    stored since then; dark, if it was loaded as well
//   grey      stored before
class Frames : public RunWatcher {
 public:
  static constexpr std::size_t kMostFrames = 200;
  static constexpr std::int64_t kMostCells = 64;  // of a memory, along either side

  explicit Frames(Shapes shapes) : shapes_(std::move(shapes)) {}

  // The pictures, each an SVG; and one that shows them one after the other, half a second each.
  std::vector<std::string> pictures() const;
  std::string animated() const;
  std::size_t left_out() const { return left_out_; }  // past the limit

  void begin_kernel(const RunView& view) override;
  void begin_block(const RunView& view) override;
  void loaded(const RunView& view, BufferId b, std::int64_t address, Scalar value) override;
  void stored(const RunView& view, BufferId b, std::int64_t address, Scalar value) override;
  void met(const RunView& view, PlaceId at, std::span<const RunView::Thread> threads) override;
  void end_kernel(const RunView& view) override;

 private:
  struct Cell {
    bool is_loaded = false, is_stored = false, was_stored = false;
  };
  struct Drawn {
    BufferId buffer = 0;
    std::string name;
    bool is_shared = false;
    std::int64_t columns = 1, rows = 1;  // that are shown
    std::int64_t row = 1;                // elements from one row to the next
    std::vector<Cell> cells = {};        // of those that are shown
  };
  Cell* cell(BufferId b, std::int64_t address);
  void end_block();
  void draw(const std::string& title);
  std::string document(const std::string& body) const;

  Shapes shapes_;
  std::optional<KernelNames> names_;
  std::vector<Drawn> drawn_;
  std::string kernel_, block_;  // that runs; empty: none
  std::vector<std::string> bodies_;
  std::size_t left_out_ = 0;
  std::int64_t width_ = 320, height_ = 60;
};

}  // namespace selvage
