// A small fusion to schedule, and its schedules as text.
#pragma once

#include <selvage/expr/text.h>
#include <selvage/ir/schedule.h>

#include <string>

namespace selvage {

// t[m, n] = relu(x[m, n]), y[m, n] = relu(t[m, n]); x of M (at least 1) by 32.
struct ScheduleCase {
  ScheduleCase() {
    x = f.input("x", {M, f.constant(32)}, DataType::Float);
    t = copy_of(x, "t");
    y = f.output("y", copy_of(t, ""));
  }
  Tensor copy_of(Tensor from, const std::string& name) {
    const Expr m = f.pool().symbol("m"), n = f.pool().symbol("n");
    const ValueId element = f.values().read(DataType::Float, index_of(from.id()), {m, n});
    return f.compute(name, {m, n}, {M, f.constant(32)},
                     f.values().apply(Function::Relu, {element}));
  }
  Expr c(std::int64_t v) { return f.constant(v); }
  ScheduledLoop loop(const Schedule& s, std::size_t k) const { return s.loops(y.id())[k]; }

  Fusion f;
  Expr M = f.extent("M");
  Tensor x, t, y;
};

// The nest of a tensor: "m {M} BIDx, n {32}".
inline std::string nest(const Schedule& s, Tensor t) {
  std::string text;
  for (ScheduledLoop l : s.loops(t.id())) {
    text += (text.empty() ? "" : ", ") + s.name(t.id(), l.domain) + " {" +
            to_string(s.graph()[l.domain].extent) + "}";
    const ParallelType bound = s.parallel(t.id(), l.domain);
    if (bound != ParallelType::Serial) text += " " + std::string(to_string(bound));
  }
  return text + (s.is_inlined(t.id()) ? " inlined" : "");
}
// All that a schedule says, to see that nothing has changed.
inline std::string everything(const Schedule& s) {
  std::string text = std::to_string(s.graph().size());
  for (std::size_t k = 0; k < s.fusion().size(); ++k) {
    const auto t = TensorId(k);
    text += "; " + std::to_string(s.transforms(t).size()) + " ";
    for (DomainId d : s.loop_domains(t)) {
      text += s.name(t, d) + "#" + std::to_string(index_of(d)) + " " +
              std::string(to_string(s.parallel(t, d))) + " ";
    }
    text += s.is_inlined(t) ? "inlined" : "stored";
  }
  return text;
}

}  // namespace selvage
