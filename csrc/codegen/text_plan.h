#pragma once

#include <selvage/codegen/buffer_text.h>
#include <selvage/codegen/plan.h>
#include <selvage/codegen/scope.h>
#include <selvage/kernel/forms.h>

#include <cstdint>
#include <unordered_set>

namespace selvage {

// What a text is made by before a line of it is written. Kernels that differ in the width of their
// indices alone have one: nothing of it depends on what the integers of the text hold.
struct TextPlan {
  // The kernel must outlive it.
  explicit TextPlan(const Kernel& k)
      : kernel(k),
        forms(forms_of(k)),
        scope(k, *forms),
        temporaries(plan(k, *forms, scope)),
        choosers(choosers_of_local_elements(k, forms->computed())) {}
  TextPlan(const TextPlan&) = delete;
  TextPlan& operator=(const TextPlan&) = delete;

  const Kernel& kernel;
  std::shared_ptr<const Forms> forms;
  Scope scope;
  Plan temporaries;
  std::unordered_set<std::uint32_t> choosers;  // loop variables, by id
};

}  // namespace selvage
