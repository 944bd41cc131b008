#include <selvage/base/check.h>
#include <selvage/kernel/effect.h>

namespace selvage {

Effect atomic_effect(Function f) {
  if (f == Function::Min) return Effect::Min;
  if (f == Function::Max) return Effect::Max;
  SELVAGE_CHECK(f == Function::Add);
  return Effect::Add;
}

Effect effect_of(const AccessMap& map, const KernelAccess& a) {
  switch (a.kind) {
    case AccessKind::Read: return Effect::Read;
    case AccessKind::Write: {
      const bool is_global = map.kernel().buffers[a.buffer].memory == Memory::Global;
      return is_global && a.duplicates_allowed ? Effect::Duplicate : Effect::Write;
    }
    case AccessKind::Atomic: return atomic_effect(a.function);
    case AccessKind::Signal: break;
  }
  return Effect::Signal;
}

bool conflict(Effect a, Effect b) { return a != b || a == Effect::Write; }

}  // namespace selvage
