#pragma once

#include <selvage/codegen/buffer_text.h>
#include <selvage/codegen/local_arrays.h>
#include <selvage/codegen/plan.h>
#include <selvage/codegen/scope.h>
#include <selvage/kernel/forms.h>

#include <memory>

namespace selvage {

// All that is worked out about a kernel before its text is written. Kernels that differ only in the
// width of their indices share one TextPlan, since nothing in it depends on that width.
struct TextPlan {
  // The kernel must outlive it.
  explicit TextPlan(const Kernel& k)
      : kernel(k),
        forms(forms_of(k)),
        scope(k, *forms),
        temporaries(plan(k, *forms, scope)),
        arrays(local_arrays(k, forms->computed())) {}
  TextPlan(const TextPlan&) = delete;
  TextPlan& operator=(const TextPlan&) = delete;

  const Kernel& kernel;
  std::shared_ptr<const Forms> forms;
  Scope scope;
  Plan temporaries;
  LocalArrays arrays;
};

}  // namespace selvage
