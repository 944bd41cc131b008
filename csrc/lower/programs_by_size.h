#pragma once

#include <selvage/lower/program.h>
#include <selvage/scheduler/automatic.h>
#include <selvage/scheduler/size_classes.h>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace selvage {

// Automatic schedules of one fusion for the classes of its sizes (scheduler/size_classes.h), and
// the programs that they lower to, each made when it is first asked for. Any number of threads may
// ask.
class ProgramsBySize {
 public:
  // Plans that somebody has chosen for the schedule for all sizes are wishes here.
  ProgramsBySize(const Fusion& fusion, std::vector<SizeClass> classes, const Device& device,
                 PlanChoices choices, LowerOptions options);

  struct Sized {
    AutomaticSchedule made;
    Program program;
  };
  const std::vector<SizeClass>& classes() const { return classes_; }
  // What class k lowers to; null where that is refused: then the program for all sizes is right.
  std::shared_ptr<const Sized> of_class(std::size_t k) const;
  // The first class whose condition holds.
  std::optional<std::size_t> class_of(const SizeValues& sizes) const;
  // Its program; null if there is no such class. `sizes` may have what
  // data tell, as well (scheduler/row_schedules.h): without it, no condition over that holds.
  std::shared_ptr<const Program> of_sizes(const SizeValues& sizes) const;

 private:
  std::shared_ptr<const Fusion> fusion_;
  std::vector<SizeClass> classes_;
  Device device_;
  PlanChoices choices_;
  LowerOptions options_;
  mutable std::mutex lock_;
  mutable std::vector<std::optional<std::shared_ptr<const Sized>>> made_;  // by class
};

// The program of an automatic schedule for all sizes, with Program::by_size where sizes of the
// fusion are open. Arguments as auto_schedule() takes them. Throws what lower() throws.
Program lower_automatically(const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes,
                            const Device& device, const PlanChoices& choices,
                            const LowerOptions& options = {});
// Null for a fusion that has no such classes.
std::shared_ptr<const ProgramsBySize> programs_by_size(
    const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes, const Device& device,
    const PlanChoices& choices, const LowerOptions& options = {});

}  // namespace selvage
