#pragma once

#include <selvage/debugger/kernel_names.h>

#include <optional>
#include <ostream>

namespace selvage {

// Writes what a run does, a JSON object in each line (debugger/debug_file.h).
class Trace : public RunWatcher {
 public:
  Trace(Shapes shapes, std::ostream& out) : shapes_(std::move(shapes)), out_(out) {}

  void begin_kernel(const RunView& view) override;
  void loaded(const RunView& view, BufferId b, std::int64_t address, Scalar value) override;
  void stored(const RunView& view, BufferId b, std::int64_t address, Scalar value) override;
  void met(const RunView& view, PlaceId at, std::span<const RunView::Thread> threads) override;
  void found(const RunView& view, const Fault& fault) override;

 private:
  void access(const char* what, const RunView& view, BufferId b, std::int64_t address,
              Scalar value);

  Shapes shapes_;
  std::ostream& out_;
  std::optional<KernelNames> names_;
};

}  // namespace selvage
