#include <selvage/base/refuse.h>
#include <selvage/ir/sizes.h>
#include <selvage/legality/analysis.h>
#include <selvage/lower/programs_by_size.h>

namespace selvage {

ProgramsBySize::ProgramsBySize(const Fusion& fusion, std::vector<SizeClass> classes,
                               const Device& device, PlanChoices choices, LowerOptions options)
    : fusion_(fusion.snapshot()),
      classes_(std::move(classes)),
      device_(device),
      choices_(std::move(choices)),
      options_(std::move(options)),
      made_(classes_.size()) {
  for (auto& [name, choice] : choices_) choice.is_wish = true;
  options_.after_pass = {};
}

std::shared_ptr<const ProgramsBySize::Sized> ProgramsBySize::of_class(std::size_t k) const {
  const std::scoped_lock guard(lock_);
  if (!made_[k]) {
    const SizeClass& of = classes_[k];
    std::shared_ptr<const Sized>& made = made_[k].emplace();
    refusal_of([&] {
      const auto bounded =
          of.rows ? fusion_
                  : fusion_->where(of.condition, "the schedule is for rows of that length");
      AutomaticSchedule filled = filled_in(Schedule(*bounded), of.typical, device_, choices_,
                                           of.rows.value_or(RowSchedule{}));
      Program program = lower(filled.schedule, options_);
      made = std::make_shared<const Sized>(std::move(filled), std::move(program));
    });
  }
  return *made_[k];
}

std::optional<std::size_t> ProgramsBySize::class_of(const SizeValues& sizes) const {
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    if (sizes(classes_[k].condition) == 1) return k;
  }
  return std::nullopt;
}

std::shared_ptr<const Program> ProgramsBySize::of_sizes(const SizeValues& sizes) const {
  const auto k = class_of(sizes);
  const std::shared_ptr<const Sized> sized = k ? of_class(*k) : nullptr;
  return sized == nullptr ? nullptr : std::shared_ptr<const Program>(sized, &sized->program);
}

std::shared_ptr<const ProgramsBySize> programs_by_size(
    const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes, const Device& device,
    const PlanChoices& choices, const LowerOptions& options) {
  std::vector<SizeClass> classes = size_classes(fusion, sizes, device);
  if (classes.empty()) return nullptr;
  return std::make_shared<const ProgramsBySize>(fusion, std::move(classes), device, choices,
                                                options);
}

Program lower_automatically(const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes,
                            const Device& device, const PlanChoices& choices,
                            const LowerOptions& options) {
  Program program = lower(auto_schedule(fusion, sizes, device, choices), options);
  program.by_size = programs_by_size(fusion, sizes, device, choices, options);
  return program;
}

}  // namespace selvage
