// What a fusion is for sizes that leave some of its tensors no items.
#include <selvage/driver/run.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/schedule_writer.h>
#include <selvage/ir/ops.h>
#include <selvage/lower/specialised.h>

#include <gmock/gmock.h>

#include "tests/support/refusal.h"

namespace selvage {
namespace {

using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Fusion> at(const Fusion& f, std::map<std::string, std::int64_t> values) {
  SizeValues sizes;
  for (Expr n : f.sizes()) {
    sizes.symbols.push_back(n);
    sizes.values.push_back(values.at(std::string(n.name())));
  }
  return specialised(f, sizes).fusion;
}

RunResult run_all(const Fusion& f, const Program& program, RunRequest request) {
  request.on = Machine::Emulate;
  request.on_all = true;
  const RunResult r = run(f, program, request);
  EXPECT_TRUE(r.passed());
  for (const std::string& fault : r.faults) ADD_FAILURE() << fault;
  for (const Comparison& c : r.comparisons) EXPECT_EQ(c.failures, 0) << c.first;
  return r;
}

// At sizes at which some extent is 0: none of a program's own kernels is run.
RunResult run_all(const Fusion& f, RunRequest request) { return run_all(f, Program(), request); }

std::string file_of(const Fusion& f) { return to_schedule_file(f, Schedule(f)); }

TEST(Specialised, HasNumbersForExtentsAndOnlyTensorsWithItems) {
  Fusion f;
  const Expr m = f.extent("M", 0), n = f.extent("N", 0);
  const Tensor x = f.input("x", {m, n}, DataType::Float), y = f.input("y", {m}, DataType::Float);
  f.output("z", y + sum(x, {1}));
  f.output("w", x * 2);
  const auto made = at(f, {{"M", 7}, {"N", 0}});
  EXPECT_TRUE(made->sizes().empty());
  EXPECT_FALSE(made->find("x").has_value());
  EXPECT_FALSE(made->find("w").has_value());
  EXPECT_EQ(to_string(made->shape(*made->find("z"))[0]), "7");
  EXPECT_THAT(file_of(*made), Not(HasSubstr("sum")));
  // The fusion that it is made from is as it was.
  EXPECT_TRUE(f.find("x").has_value());
  EXPECT_EQ(f.sizes().size(), 2U);
}

TEST(Specialised, FoldsOfNothingAreWhatTheyBeginWith) {
  for (const DataType type : {DataType::Float, DataType::Half, DataType::Int8, DataType::UInt8}) {
    Fusion f;
    const Tensor x = f.input("x", {f.constant(3), f.extent("N", 0)}, type);
    f.output("a", sum(x, {1}));
    f.output("b", prod(x, {1}));
    f.output("c", max(x, {1}));
    f.output("d", min(x, {1}));
    f.output("e", mean(x, {1}));
    f.output("g", variance(x, {1}));
    f.output("h", any(x, {1}));
    f.output("i", all(x, {1}));
    f.output("j", argmax(x, {1}));
    f.output("k", argmin(x, {1}));
    run_all(f, {.sizes = {{"N", 0}}});
  }
}

// A pad has a root, that of the input, and the root has no items.
TEST(Specialised, PadsOfNothingAreWhatTheyPadWith) {
  Fusion f;
  const Expr n = f.extent("N", 0);
  const Tensor x = f.input("x", {n, f.constant(4)}, DataType::Int32);
  const Tensor wide = pad(x, {{1, 2}, {0, 3}}, 7);
  f.output("wide", wide);
  f.output("again", pad(reshape(wide, {-1}), {{2, 2}}, 9) + 1);
  f.output("first", slice(wide, 0, 0, 1));  // x[-1]: 0 < N is no help here
  f.output("second", slice(wide, 0, 1, 2));
  const RunResult r = run_all(f, {.sizes = {{"N", 0}}});
  EXPECT_EQ(r.outputs.at("second").get_int(0), 7);
}

// Its definition is over indices of the root: each item is the place at which it would lie there.
TEST(Specialised, PadsOfNothingCountFromWhereTheirRootWouldBegin) {
  Fusion f;
  const Expr i = f.fresh_index("i");
  const auto padded = [&](DomainGraph& graph, const std::vector<DomainId>& root) {
    return std::vector{graph.resize(root[0], f.constant(2), f.constant(1))};
  };
  f.output("y", f.compute_view("", {i}, {f.extent("N", 0)}, padded, f.values().index(i)));
  const RunResult r = run_all(f, {.sizes = {{"N", 0}}});
  EXPECT_EQ(r.outputs.at("y").size(), 3);
  for (std::int64_t k = 0; k < 3; ++k) EXPECT_EQ(r.outputs.at("y").get_int(k), k - 2);
}

TEST(Specialised, OutputsLieAsTheirFusionSays) {
  Fusion f;
  const Expr n = f.extent("N", 0);
  const Tensor x = f.input("x", {n}, DataType::Int32),
               y = f.input("y", {f.constant(6)}, DataType::Int32);
  const Tensor z = f.output("z", concatenate({y, x}, 0));
  const auto [rows, columns] = f.domains().split(f[z.id()].logical[0], f.constant(4));
  f.edit(z.id()).allocation = {columns, rows};
  const RunResult r = run_all(f, {.sizes = {{"N", 0}}, .as_in_memory = true});
  EXPECT_EQ(r.outputs.at("z").shape, (std::vector<std::int64_t>{4, 2}));
}

TEST(Specialised, WhatIsReadThoughItIsNotThereIsRefused) {
  Fusion f;
  const Expr n = f.extent("N", 0);
  const Tensor x = f.input("x", {n}, DataType::Int32);
  const ValueId read = f.values().read(DataType::Int32, std::uint32_t(x.id()), {f.constant(0)});
  const Tensor y = f.compute("y", {f.fresh_index("i")}, {f.constant(3)}, read);
  f.output("y", y);
  EXPECT_EQ(refusal_by<BadInput>([&] {
              at(f, {{"N", 0}});
            }),
            "selvage: error[E616]: x is read by y, and has no items: its shape is [0]; help: keep "
            "the subscripts below the extents");
  EXPECT_EQ(at(f, {{"N", 1}})->size(), 2U);
}

// Nothing is without items, and what is read depends on the size itself.
TEST(Specialised, ASizeMayBeZeroThoughNoExtentIs) {
  Fusion f;
  const Expr n = f.extent("N", 0, 4), i = f.fresh_index("i");
  const Tensor x = f.input("x", {f.constant(4)}, DataType::Int32);
  const auto last =
      f.values().read(DataType::Int32, std::uint32_t(x.id()), {max(n - 1, f.constant(0))});
  f.output("y", f.compute("", {i}, {f.constant(3)}, last));
  const Program program = lower(f, Schedule(f));
  for (const std::int64_t size : {0, 1, 4}) {
    const RunResult r = run_all(f, program, {.sizes = {{"N", size}}});
    EXPECT_EQ(r.outputs.at("y").get_int(2), r.inputs.at("x").get_int(size == 4 ? 3 : 0)) << size;
  }
}

// N - 3 items: that a size is at least 1 does not say that there are some.
TEST(Specialised, AnExtentMayBeZeroThoughNoSizeIs) {
  Fusion f;
  const Expr n = f.extent("N", 3);
  const Tensor x = f.input("x", {n - 3}, DataType::Int32);
  f.output("y", pad(x, {{2, 0}}, 5));
  f.output("z", x + 1);
  const RunResult r = run_all(f, {.sizes = {{"N", 3}}});
  EXPECT_EQ(r.outputs.at("y").get_int(1), 5);
  EXPECT_EQ(r.outputs.at("z").size(), 0);
}

}  // namespace
}  // namespace selvage
