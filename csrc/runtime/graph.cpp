#include <selvage/base/check.h>
#include <selvage/runtime/graph.h>

namespace selvage {

namespace {

// Only this thread is kept from calls that a capture forbids.
constexpr int kThreadLocal = 1;

std::string name_of(const std::vector<const std::string*>& last_first) {
  std::string names;
  for (const std::string* name : last_first) {
    names = *name + (names.empty() ? "" : ", ") + names;
  }
  if (names.empty()) return "graph without kernels";
  return (last_first.size() == LaunchRecord::kNames ? "graph ending in " : "graph of ") + names;
}

}  // namespace

void Graph::launch(Driver::Stream stream) const {
  const Driver& driver = *graph_.get_deleter().driver;
  driver.make_current();
  const DriverResult result = driver.calls().GraphLaunch(graph_.get(), stream);
  if (result != 0) driver.fail(result, "cuGraphLaunch of a " + *name_);
  driver.record().launched(stream, name_);
}

Capture::Capture(const Driver& driver, Driver::Stream stream)
    : driver_(driver), stream_(stream), since_(driver.record().mark()) {
  if (driver.calls().GraphInstantiate == nullptr) {
    driver.refuse_missing("cuGraphInstantiateWithFlags", "11.4");
  }
  driver.make_current();
  driver.check(driver.calls().StreamBeginCapture(stream, kThreadLocal), "cuStreamBeginCapture");
}

Capture::Captured Capture::stop(DriverResult& result) noexcept {
  is_ended_ = true;
  driver_.make_current_if_possible();
  GraphHandle graph = nullptr;
  result = driver_.calls().StreamEndCapture(stream_, &graph);
  return {graph, {&driver_}};
}

Capture::~Capture() {
  if (is_ended_) return;
  DriverResult result = 0;
  stop(result);
  driver_.record().forget(stream_, since_);
}

Graph Capture::end() {
  SELVAGE_CHECK(!is_ended_);
  const std::string name = name_of(driver_.record().pending(stream_, since_));
  driver_.record().forget(stream_, since_);
  DriverResult result = 0;
  const Captured captured = stop(result);
  driver_.check(result, "cuStreamEndCapture");
  GraphExecHandle graph = nullptr;
  driver_.check(driver_.calls().GraphInstantiate(&graph, captured.get(), 0), "cuGraphInstantiate",
                "a " + name);
  return {{graph, {&driver_}}, driver_.keep(name)};
}

}  // namespace selvage
