// Scans that blocks share: what each part comes to, what is before it, the scan within it.
#include <selvage/base/diagnostic.h>
#include <selvage/ir/ops.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {

namespace {

using test::expect_agreement;
using test::SizeList;
using testing::HasSubstr;

const SizeList kPartedRows = {{{"B", 3}, {"H", 1}},
                              {{"B", 1}, {"H", 32}},
                              {{"B", 2}, {"H", 33}},
                              {{"B", 5}, {"H", 127}},
                              {{"B", 2}, {"H", 1027}}};

struct Parted {
  explicit Parted(Reduction how, int axis = 1, DataType type = DataType::Int32)
      : f(), y(made(how, axis, type)), s(f) {
    const auto [b, h] = s.loops<2>(y);
    const auto [part, item] = s.split(axis == 1 ? h : b, 32, {.outer = "part", .inner = "item"});
    parts = s.scan_in_parts(y, item);
    s.keep_in(parts.sums, Memory::Global).keep_in(parts.before, Memory::Global);
    row = axis == 1 ? b : h;
    this->part = part;
    this->item = item;
  }
  Tensor made(Reduction how, int axis, DataType type) {
    const auto [b, h] = f.extents("B", "H");
    return f.output("y", scan(how, f.input("x", {b, h}, type, {"b", "h"}) * 2, axis));
  }
  // A block to a part, with 16 threads of 2 items each.
  void bind() {
    s.bind(s.merge(row, part, "block"), ParallelType::BIDx);
    const auto [thread, v] = s.split(item, 2, {.outer = "thread", .inner = "v"});
    s.bind(thread, ParallelType::TIDx).bind(v, ParallelType::Vectorize);
    s.like(parts.sums, y.id()).like(parts.own, y.id());
    s.compute_at(parts.own, s.loops(y)[0]).keep_in(parts.own, Memory::Local);
    s.bind({parts.before, row.domain}, ParallelType::BIDx);
    s.bind(s.split({parts.before, part.domain}, 32).second, ParallelType::TIDx);
  }
  Fusion f;
  Tensor y;
  Schedule s;
  Schedule::ScanParts parts;
  ScheduledLoop row, part, item;
};

TEST(ScansInParts, AgreeAsTheyAre) {
  for (const Reduction how : {Reduction::Sum, Reduction::Prod, Reduction::Max, Reduction::FMin}) {
    for (const int axis : {0, 1}) {
      SCOPED_TRACE(scan_name(how) + " along " + std::to_string(axis));
      Parted p(how, axis);
      const auto in_order = [&](TensorId t) {
        p.s.reorder({{t, p.row.domain}, {t, p.part.domain}, {t, p.item.domain}});
      };
      in_order(p.y.id());
      in_order(p.parts.sums);
      in_order(p.parts.own);
      p.s.reorder({{p.parts.before, p.row.domain}, {p.parts.before, p.part.domain}});
      p.s.compute_at(p.parts.own, p.part);
      EXPECT_EQ(expect_agreement(p.f, p.s, kPartedRows).steps.size(), 3u);
      if (HasFailure()) return;
    }
  }
}

TEST(ScansInParts, AgreeByBlocks) {
  for (const DataType type : {DataType::Int32, DataType::Float, DataType::Half}) {
    SCOPED_TRACE(to_string(type));
    Parted p(Reduction::Sum, 1, type);
    p.bind();
    EXPECT_EQ(expect_agreement(p.f, p.s, kPartedRows).steps.size(), 3u);
  }
}

TEST(ScansInParts, AreMadeOfNothingElse) {
  Parted p(Reduction::Sum);
  Schedule s(p.f);
  const auto [b, h] = s.loops<2>(p.y);
  const Schedule before = s;
  EXPECT_EQ(refusal_by<Illegal>([&] { s.scan_in_parts(p.y, h); }),
            "selvage: error[E421]: i1 is not the inner of two loops that i1, along which y scans, "
            "was split into; help: split i1 once, and scan in parts before the two are cut up");
  const auto [part, item] = s.split(h, 8);
  EXPECT_THAT(refusal_by<Illegal>([&] { s.scan_in_parts(p.y, part); }), HasSubstr("E421"));
  EXPECT_THAT(refusal_by<Illegal>([&] {
                s.scan_in_parts(p.y.id(), item, {.sums = "a", .before = "x", .own = "b"});
              }),
              HasSubstr("E502"));
  EXPECT_FALSE(s.fusion().find("a"));
  s.scan_in_parts(p.y, item);
  EXPECT_EQ(refusal_by<Illegal>([&] { s.scan_in_parts(p.y, item); }),
            "selvage: error[E421]: y is no scan; help: leave scan_in_parts out: of a reduction, "
            "rfactor makes parts");
}

}  // namespace

}  // namespace selvage
