#pragma once

#include <selvage/emulate/emulate_faults.h>
#include <selvage/ir/scalar.h>
#include <selvage/kernel/statement_tree.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// An emulated run that stands still while its watcher looks at it.
class RunView {
 public:
  using Thread = std::uint32_t;  // its number in the block

  virtual ~RunView() = default;
  virtual const Kernel& kernel() const = 0;
  virtual const StatementTree& tree() const = 0;
  virtual const LaunchGeometry& geometry() const = 0;
  // The thread that runs, its block by number, and the statement that it runs or comes to.
  virtual Thread thread() const = 0;
  virtual std::int64_t block() const = 0;
  virtual PlaceId at() const = 0;
  // The statements whose variables the thread has, outer ones first.
  virtual const std::vector<PlaceId>& scope() const = 0;
  // The value that a variable or a size has for the thread; nothing: it has none yet.
  virtual std::optional<std::int64_t> variable(Expr symbol) const = 0;
  // An element of memory; of local memory, of the thread's own. Nothing: there is no such element,
  // or nothing was stored there yet.
  virtual std::optional<Scalar> element(BufferId b, std::int64_t address) const = 0;
  virtual std::int64_t elements(BufferId b) const = 0;
  // Of any thread of the block.
  virtual bool has_ended(Thread t) const = 0;
  virtual std::optional<PlaceId> waits_at(Thread t) const = 0;
};

// Is told what an emulated run does, as it does it. A watcher may throw to end the run.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  virtual void begin_kernel(const RunView&) {}
  virtual void begin_block(const RunView&) {}
  // The thread comes to the statement RunView::at(), or to a further iteration of that loop.
  virtual void come_to(const RunView&) {}
  virtual void loaded(const RunView&, BufferId, std::int64_t /*address*/, Scalar) {}
  // The value as memory holds it afterwards.
  virtual void stored(const RunView&, BufferId, std::int64_t /*address*/, Scalar) {}
  // These threads have met at the statement, and go on.
  virtual void met(const RunView&, PlaceId, std::span<const RunView::Thread>) {}
  virtual void found(const RunView&, const Fault&) {}
  virtual void end_kernel(const RunView&) {}
};

}  // namespace selvage
