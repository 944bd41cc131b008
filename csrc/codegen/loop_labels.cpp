#include <selvage/base/check.h>
#include <selvage/codegen/loop_labels.h>
#include <selvage/kernel/expressions.h>

#include <algorithm>

namespace selvage {

LoopLabels::Labels LoopLabels::open(const Loop& loop, const std::string& name) {
  const LoopExits exits = exits_from_inside(loop);
  Labels labels;
  if (exits.ends) labels.behind = declare_label("behind_" + name);
  if (exits.goes_on) labels.next = declare_label("next_" + name);
  loops_.push_back({loop.variable, labels});
  return labels;
}

// A label's scope is the whole function, so each gets a name of its own.
std::string LoopLabels::declare_label(const std::string& wanted) {
  std::string name = wanted;
  for (int n = 2; !labels_.insert(name).second; ++n) name = wanted + "_" + std::to_string(n);
  return name;
}

std::string LoopLabels::leave(const Leave& leave) const {
  const auto at = std::find_if(loops_.rbegin(), loops_.rend(),
                               [&](const Opened& l) { return same(l.variable, leave.loop); });
  SELVAGE_CHECK(at != loops_.rend());
  if (at == loops_.rbegin()) return leave.is_next ? "continue;" : "break;";
  return "goto " + (leave.is_next ? at->labels.next : at->labels.behind) + ";";
}

}  // namespace selvage
