#pragma once

#include <selvage/runtime/driver.h>

#include <memory>
#include <string>

namespace selvage {

// Work captured from a stream. It may be launched any number of times, as a whole, with the
// arguments and addresses of the capture. The driver, the modules and the buffers outlive it.
class Graph {
 public:
  void launch(Driver::Stream stream) const;
  // "graph of k1, k2": the kernels in it, at most the last 8; a fault's message names it so.
  const std::string& name() const { return *name_; }

 private:
  friend class Capture;
  using Owned = std::unique_ptr<OpaqueGraphExec, DriverDelete<&DriverCalls::GraphExecDestroy>>;
  Graph(Owned graph, const std::string* name) : graph_(std::move(graph)), name_(name) {}
  Owned graph_;
  const std::string* name_;
};

// While a Capture lives, work given to its stream is captured instead of run. The stream must not
// be the default one. Calls that would wait for the stream throw E705 meanwhile. The thread that
// began a capture must end it.
class Capture {
 public:
  Capture(const Driver& driver, Driver::Stream stream);
  ~Capture();  // drops what was captured, unless it was ended
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // To be called once. Throws E705 if the stream was given work that cannot be captured.
  Graph end();

 private:
  using Captured = std::unique_ptr<OpaqueGraph, DriverDelete<&DriverCalls::GraphDestroy>>;
  Captured stop(DriverResult& result) noexcept;

  const Driver& driver_;
  Driver::Stream stream_;
  LaunchRecord::Mark since_;
  bool is_ended_ = false;
};

}  // namespace selvage
