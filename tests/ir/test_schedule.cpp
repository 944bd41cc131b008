#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/ir/schedule.h>

#include <gtest/gtest.h>

#include <thread>

namespace selvage {
namespace {

// y[m, n] = relu(t), t = x + 1; x of M (at least 1) by 32.
struct Case {
  Case() {
    x = f.input("x", {M, f.constant(32)}, DataType::Float);
    t = x + 1;
    y = f.output("y", relu(t));
  }
  Expr c(std::int64_t v) { return f.constant(v); }
  ScheduledLoop loop(const Schedule& s, std::size_t k) const { return s.loops(y.id())[k]; }

  Fusion f;
  Expr M = f.extent("M");
  Tensor x, t, y;
};

// The nest of a tensor: "m {M} BIDx, n {32}".
std::string nest(const Schedule& s, Tensor t) {
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
std::string everything(const Schedule& s) {
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

template <class F>
std::string refusal(const Schedule& s, F primitive) {
  const std::string before = everything(s);
  std::string said = "accepted";
  try {
    primitive();
  } catch (const Illegal& e) {
    said = e.what();
  }
  EXPECT_EQ(everything(s), before) << "a refusing primitive has changed the schedule";
  return said;
}

TEST(Schedule, BeginsWithSerialNestsAndInlinesWhatOnlyOthersRead) {
  const Case k;
  const Schedule s(k.f);
  EXPECT_EQ(nest(s, k.y), "i0 {M}, i1 {32}");
  EXPECT_EQ(nest(s, k.t), "i0 {M}, i1 {32} inlined");
  EXPECT_EQ(nest(s, k.x), "x_0 {M}, x_1 {32}");
}

TEST(Schedule, ASplitTakesTheLoopsPlace) {
  Case k;
  Schedule s(k.f);
  const auto [outer, inner] = s.split(k.loop(s, 0), 4);
  EXPECT_EQ(nest(s, k.y), "i0o {(M + 3) / 4}, i0i {4}, i1 {32}");
  s.split(inner, k.c(2), false, "few", "many");
  EXPECT_EQ(nest(s, k.y), "i0o {(M + 3) / 4}, few {2}, many {2}, i1 {32}");
  EXPECT_EQ(s.transforms(k.y.id()).size(), 2u);
  EXPECT_EQ(s.transforms(k.t.id()).size(), 0u);
}

TEST(Schedule, AMergeStandsWhereItsOuterLoopStood) {
  Case k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  const auto [outer, inner] = s.split(m, 4);
  s.merge(inner, n, "rest");
  EXPECT_EQ(nest(s, k.y), "i0o {(M + 3) / 4}, rest {128}");
}

TEST(Schedule, ResizeAndSwizzleKeepThePlaces) {
  Case k;
  Schedule s(k.f);
  const auto [outer, inner] = s.split(k.loop(s, 0), 4);
  const ScheduledLoop wider = s.resize(inner, k.c(1), k.c(3));
  EXPECT_EQ(nest(s, k.y), "i0o {(M + 3) / 4}, i0ir {8}, i1 {32}");
  s.swizzle(SwizzleKind::Xor, wider, k.loop(s, 2), "row");
  EXPECT_EQ(nest(s, k.y), "i0o {(M + 3) / 4}, row {8}, i1s {32}");
}

TEST(Schedule, ReorderAndBind) {
  Case k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.reorder({n, m}).bind(n, ParallelType::TIDx).bind(m, ParallelType::BIDx);
  EXPECT_EQ(nest(s, k.y), "i1 {32} TIDx, i0 {M} BIDx");
  s.bind(n, ParallelType::Serial).bind(m, ParallelType::TIDx);
  EXPECT_EQ(nest(s, k.y), "i1 {32}, i0 {M} TIDx");
  s.reorder({});
  EXPECT_EQ(nest(s, k.y), "i1 {32}, i0 {M} TIDx");
}

TEST(Schedule, StoresAndInlinesOnRequest) {
  Case k;
  Schedule s(k.f);
  s.materialize(k.t.id());
  EXPECT_FALSE(s.is_inlined(k.t.id()));
  s.inline_into_readers(k.t.id());
  EXPECT_TRUE(s.is_inlined(k.t.id()));
}

// Two tensors that cut one iterdomain the same way share what comes out, each by its own names.
TEST(Schedule, EqualCutsOfSharedIterdomainsAreShared) {
  Case k;
  Schedule s(k.f);
  const auto [o, i] = s.split(s.loops(k.y.id())[0], k.c(4), true, "a", "b");
  const auto [p, q] = s.split(s.loops(k.t.id())[0], k.c(4), true, "c", "d");
  EXPECT_EQ(o.domain, p.domain);
  EXPECT_EQ(i.domain, q.domain);
  EXPECT_EQ(nest(s, k.y), "a {(M + 3) / 4}, b {4}, i1 {32}");
  EXPECT_EQ(nest(s, k.t), "c {(M + 3) / 4}, d {4}, i1 {32} inlined");
}

TEST(Schedule, CopiesAreIndependent) {
  Case k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.split(m, 4);
  const std::string before = everything(s);
  Schedule copy = s;
  copy.bind(copy.split(n, 8).second, ParallelType::TIDx);
  copy.materialize(k.t.id());
  EXPECT_EQ(everything(s), before);
  EXPECT_EQ(nest(copy, k.y), "i0o {(M + 3) / 4}, i0i {4}, i1o {4}, i1i {8} TIDx");
  s.split(n, 16);
  EXPECT_EQ(nest(copy, k.y), "i0o {(M + 3) / 4}, i0i {4}, i1o {4}, i1i {8} TIDx");
  EXPECT_EQ(nest(s, k.y), "i0o {(M + 3) / 4}, i0i {4}, i1o {2}, i1i {16}");
}

TEST(Schedule, SeveralThreadsMayTryTheirOwnCopies) {
  Case k;
  const Schedule s(k.f);
  std::vector<std::string> nests(8);
  std::vector<std::thread> threads;
  for (std::size_t j = 0; j < nests.size(); ++j) {
    threads.emplace_back([&, j] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        Schedule copy = s;
        copy.split(copy.loops(k.y.id())[0], std::int64_t(j) + 2);
        nests[j] = nest(copy, k.y);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(nests[0], "i0o {(M + 1) / 2}, i0i {2}, i1 {32}");
  EXPECT_EQ(nests[7], "i0o {(M + 8) / 9}, i0i {9}, i1 {32}");
}

TEST(Schedule, TakesOtherLoopsFromWhichTheItemsFollow) {
  Case k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  const std::vector<DomainId> parts =
      s.derive(k.y.id(), Split{m.domain, {}, {}, k.c(4)}, {"tile", "row"});
  EXPECT_EQ(nest(s, k.y), "i0 {M}, i1 {32}");  // nothing is replaced
  s.set_loops(k.y.id(), {n.domain, parts[1], parts[0]});
  EXPECT_EQ(nest(s, k.y), "i1 {32}, row {4}, tile {(M + 3) / 4}");
}

TEST(ScheduleRefuses, WhatIsNoLoopAnyMore) {
  Case k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  const auto [o, i] = s.split(m, 4);
  const char* const gone =
      "error[E410]: i0 is not a loop of y any more: it was split, merged, resized or swizzled; "
      "help: take what came out of that transform";
  EXPECT_EQ(refusal(s, [&, m = m] { s.split(m, 2); }), gone);
  EXPECT_EQ(refusal(s, [&, m = m, n = n] { s.merge(n, m); }), gone);
  EXPECT_EQ(refusal(s, [&, m = m, n = n] { s.merge(m, n); }), gone);
  EXPECT_EQ(refusal(s, [&, m = m] { s.resize(m, k.c(0), k.c(1)); }), gone);
  EXPECT_EQ(refusal(s, [&, m = m, n = n] { s.swizzle(SwizzleKind::CyclicShift, n, m); }), gone);
  EXPECT_EQ(refusal(s, [&, m = m] { s.bind(m, ParallelType::TIDx); }), gone);
  EXPECT_EQ(refusal(s, [&, m = m, n = n] { s.reorder({n, m}); }), gone);
  EXPECT_EQ(refusal(s, [&, i = i] { s.split(i, 2); }).substr(0, 11), "error[E410]") << "twice";
}

TEST(ScheduleRefuses, LoopsOfTwoTensors) {
  Case k;
  Schedule s(k.f);
  const ScheduledLoop of_y = s.loops(k.y.id())[0], of_t = s.loops(k.t.id())[1];
  EXPECT_EQ(refusal(s, [&] { s.merge(of_y, of_t); }),
            "error[E411]: a merge takes two loops of one tensor; help: merge two different loops "
            "of it");
  EXPECT_EQ(refusal(s, [&] { s.merge(of_y, of_y); }),
            "error[E411]: a merge takes two loops of one tensor; help: merge two different loops "
            "of it");
  EXPECT_EQ(refusal(s, [&] { s.swizzle(SwizzleKind::CyclicShift, of_y, of_t); }),
            "error[E411]: a swizzle takes two loops of one tensor; help: swizzle two loops of it");
  EXPECT_EQ(refusal(s,
                    [&] {
                      s.reorder({of_y, of_t});
                    }),
            "error[E411]: a reorder takes the loops of one tensor; help: reorder each apart");
}

TEST(ScheduleRefuses, WhatTheGraphRefuses) {
  Case k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  EXPECT_EQ(refusal(s, [&, n = n] { s.split(n, 0); }),
            "error[E401]: the factor of the split of i1 is 0; help: a factor is at least 1");
  EXPECT_EQ(refusal(s, [&, n = n] { s.resize(n, k.c(-16), k.c(-16)); }),
            "error[E403]: the resize of i1 by -16 and -16 leaves an extent of 0; help: resize by "
            "more; an extent is at least 1");
  EXPECT_EQ(refusal(s, [&, n = n] { s.swizzle(SwizzleKind::CyclicShift, n, n); }),
            "error[E404]: the swizzle of i1 with itself is no permutation; help: swizzle two "
            "different iterdomains");
}

TEST(ScheduleRefuses, AnOrderThatIsNoPermutation) {
  Case k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  EXPECT_EQ(refusal(s, [&, n = n] { s.reorder({n}); }),
            "error[E412]: the order of the loops of y is no permutation of them; help: name every "
            "loop once; missing or repeated: i0");
  EXPECT_EQ(refusal(s,
                    [&, n = n, m = m] {
                      s.reorder({n, m, n});
                    }),
            "error[E412]: the order of the loops of y is no permutation of them; help: name every "
            "loop once; missing or repeated: i1");
  EXPECT_EQ(refusal(s, [&] { s.loops<3>(k.y); }),
            "error[E412]: 3 loops were asked for and the tensor has 2; help: ask for 2");
  EXPECT_EQ(refusal(s,
                    [&, m = m, n = n] {
                      s.set_loops(k.y.id(), {m.domain, n.domain, m.domain});
                    }),
            "error[E412]: i0 is a loop of y twice; help: name every loop once");
}

TEST(ScheduleRefuses, ATypeThatIsTakenOrNotSupported) {
  Case k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  s.bind(m, ParallelType::TIDx);
  EXPECT_EQ(refusal(s, [&, n = n] { s.bind(n, ParallelType::TIDx); }),
            "error[E413]: TIDx of y is bound to i0 already, and now to i1; help: merge the two, or "
            "bind one of them to another type");
  EXPECT_EQ(refusal(s, [&, n = n] { s.bind(n, ParallelType::Vectorize); }),
            "error[E414]: binding i1 to Vectorize is not supported yet; help: bind it to BIDx..z "
            "or TIDx..z, or leave it serial");
  // A type is free again once its loop is gone.
  s.split(m, 4);
  EXPECT_EQ(refusal(s, [&, n = n] { Schedule(s).bind(n, ParallelType::TIDx); }), "accepted");
}

TEST(ScheduleRefuses, ToInlineInputsAndOutputs) {
  Case k;
  Schedule s(k.f);
  EXPECT_EQ(refusal(s, [&] { s.inline_into_readers(k.x.id()); }),
            "error[E415]: x is an input and cannot be inlined; help: inline tensors that only "
            "other tensors read");
  EXPECT_EQ(refusal(s, [&] { s.inline_into_readers(k.y.id()); }),
            "error[E415]: y is an output and cannot be inlined; help: inline tensors that only "
            "other tensors read");
}

TEST(ScheduleRefuses, LoopsFromWhichTheItemsDoNotFollow) {
  Case k;
  Schedule s(k.f);
  const auto [m, n] = s.loops<2>(k.y);
  EXPECT_EQ(refusal(s, [&, m = m] { s.set_loops(k.y.id(), {m.domain}); }),
            "error[E416]: the index of i1 of y does not follow from its loops; help: take loops "
            "from which every logical iterdomain follows");
}

}  // namespace
}  // namespace selvage
