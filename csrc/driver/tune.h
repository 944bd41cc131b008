#pragma once

#include <selvage/scheduler/automatic.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

class CompileCache;  // runtime/compile_cache.h
class DiskCache;     // runtime/disk_cache.h
class Driver;        // runtime/driver.h

// A plan that was tried for a kernel.
struct TriedPlan {
  RowPlan plan;
  double predicted = 0;  // seconds, by the model by which plans are compared
  double measured = 0;   // seconds: on a GPU the median of the runs; else by counts (lower/cost.h)
  bool is_taken = false;
};
// The plans of one kernel, the fastest first.
struct TunedKernel {
  std::string root;  // the tensor at whose nest it begins
  std::vector<TriedPlan> plans;
};

struct TuneResult {
  AutomaticSchedule made;  // by the fastest plans
  std::vector<TunedKernel> kernels;
  Device device;
  bool is_timed = false;  // on a GPU
  int runs = 0;           // of each plan, if timed
  double seconds = 0;     // that it took
  bool is_kept = false;   // on disk, for later
};

struct TuneProgress {
  int done = 0, all = 0;  // plans; `all` may be too many, as plans that are refused are left out
  std::string kernel, plan;
};

struct TuneRequest {
  std::map<std::string, std::int64_t> sizes = {};  // as auto_schedule() takes them
  // Without it the schedule is for the GPU that is timed on or, where there is none, for
  // default_device(). With it plans are timed only if `driver` is given too.
  std::optional<Device> device = {};
  const Driver* driver = nullptr;    // of the GPU to time on; null: Driver::instance()
  CompileCache* compiled = nullptr;  // of kernels for a GPU; null: CompileCache::instance()
  int most = 8;                      // plans of a kernel
  int runs = 20;                     // of each plan on a GPU
  DiskCache* kept = nullptr;         // null: DiskCache::instance(), where the winner is kept
  std::function<void(const TuneProgress&)> progress = {};  // called before each plan
};

// Schedules what a schedule leaves open as filled_in() does, but tries of each kernel the plans
// that the model finds best: on a GPU each is run, after L2 was filled with other data, and timed
// by events; where there is none, the requests of the lowered kernel are counted exactly, and the
// model of the device makes a time of them. Kernels are tuned one after the other. What is kept on
// disk is found by kept_plans(), so that later schedules need no tuning. Throws what filled_in(),
// lower() and, on a GPU, compile() throw; a plan that is refused is passed over. Of a program that
// does not run at these sizes nothing is tried.
TuneResult tune(const Schedule& schedule, const TuneRequest& request = {});
TuneResult tune(const Fusion& fusion, const TuneRequest& request = {});

}  // namespace selvage
