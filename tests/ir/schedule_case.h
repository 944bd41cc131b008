// Small fusions to schedule, their schedules as text, and how a primitive refuses.
#pragma once

#include <selvage/expr/text.h>
#include <selvage/ir/schedule.h>

#include <gtest/gtest.h>

#include <string>

#include "tests/support/refusal.h"

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
  const Fusion& f = s.fusion();
  std::string text = std::to_string(s.graph().size()) + " " + std::to_string(f.values().size());
  for (std::size_t k = 0; k < f.size(); ++k) {
    const auto t = TensorId(k);
    text += "; " + f[t].name + " " + std::to_string(f[t].definition ? int(*f[t].definition) : -1);
    for (DomainId d : f[t].root) text += " root " + std::to_string(index_of(d));
    for (DomainId d : f[t].logical) text += " axis " + std::to_string(index_of(d));
    for (Expr e : f[t].indices) text += " " + to_string(e);
    if (f[t].fold) {
      const Fold& fold = *f[t].fold;
      for (DomainId d : fold.domains) text += " over " + std::to_string(index_of(d));
      for (DomainId d : fold.original) text += " once " + std::to_string(index_of(d));
      for (Expr e : fold.indices) text += " " + to_string(e);
      text += std::string(fold.is_partial ? " partial" : "") + (fold.merges ? " merges" : "");
    }
    for (TransformId id : s.transforms(t)) text += " by " + std::to_string(index_of(id));
    for (DomainId d : s.loop_domains(t)) {
      text += " " + s.name(t, d) + "#" + std::to_string(index_of(d)) + " " +
              std::string(to_string(s.parallel(t, d))) + (s.is_folded(t, d) ? " folded" : "");
    }
    text += s.is_inlined(t) ? " inlined" : s.follows(t) ? " follows" : " stored";
    if (const auto& site = s.site(t)) {
      text += " at " + std::to_string(index_of(site->tensor)) + " " +
              (site->loop ? std::to_string(index_of(*site->loop)) : "-");
    }
    if (const auto memory = s.memory(t)) text += " memory " + std::to_string(int(*memory));
  }
  return text;
}

// The message with which a primitive refuses, "accepted" where it does not; a schedule that refuses
// is what it was.
template <class F>
std::string refusal(const Schedule& s, F primitive) {
  const std::string before = everything(s);
  const std::string said = refusal_by<Illegal>(primitive);
  EXPECT_EQ(everything(s), before) << "a refusing primitive has changed the schedule";
  return said;
}

// "at m of y", "in y", or nothing; and the memory.
inline std::string place(const Schedule& s, Tensor t) {
  static constexpr const char* kMemories[] = {" global", " shared", " local"};
  std::string text = s.follows(t.id()) ? "follows" : "";
  if (const auto& site = s.site(t.id())) {
    const std::string& host = s.fusion()[site->tensor].name;
    text += site->loop ? "at " + s.name(site->tensor, *site->loop) + " of " + host : "in " + host;
  }
  if (const auto memory = s.memory(t.id())) text += kMemories[std::size_t(*memory)];
  return text;
}

// Fusions in index notation, by few words.
struct Notation {
  Expr index(const char* name) { return f.pool().symbol(name); }
  ValueId read(Tensor t, std::vector<Expr> at) {
    return f.values().read(f[t.id()].type, index_of(t.id()), std::move(at));
  }
  ValueId apply(Function function, ValueId a, ValueId b) {
    return f.values().apply(function, {a, b});
  }
  Tensor input(const char* name, std::vector<Expr> shape, DataType type = DataType::Float) {
    return f.input(name, std::move(shape), type);
  }
  Tensor sum(const char* name, std::vector<Expr> at, std::vector<Expr> shape,
             std::vector<Expr> over, std::vector<Expr> extents, ValueId v) {
    return f.compute_fold(name, std::move(at), std::move(shape),
                          {.how = Reduction::Sum, .indices = over, .shape = extents}, v);
  }
  Tensor output(const char* name, std::vector<Expr> at, std::vector<Expr> shape, ValueId v) {
    return f.output(name, f.compute("", std::move(at), std::move(shape), v));
  }

  Fusion f;
  Expr M = f.extent("M"), N = f.extent("N");
  Expr m = index("m"), n = index("n"), k = index("k");
};

// s[m] = sum over n of x[m, n]; y[m, n] = x[m, n] / s[m].
struct RowSums : Notation {
  Tensor x = input("x", {M, N});
  Tensor s = sum("s", {m}, {M}, {n}, {N}, read(x, {m, n}));
  Tensor y = output("y", {m, n}, {M, N}, apply(Function::TrueDiv, read(x, {m, n}), read(s, {m})));
};

}  // namespace selvage
