// Results that are sparse matrices of their own, on every target, beside dense loops.
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/base/stored_arrays.h>
#include <selvage/driver/run.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/lower/proof.h>
#include <tests/frontend/schedule_files.h>
#include <tests/support/counts.h>
#include <tests/support/stored_items.h>

#include <functional>

namespace selvage {

namespace {

namespace stored_results {

using namespace schedule_files;

using At = std::pair<std::int64_t, std::int64_t>;
using Dense = std::map<At, std::int64_t>;  // 0 elsewhere
struct Inputs {
  std::map<std::string, Dense> of;
  std::vector<std::int64_t> x;
  std::int64_t n = 0;

  std::int64_t operator()(const char* name, std::int64_t i, std::int64_t j) const {
    const Dense& own = of.at(name);
    const auto it = own.find({i, j});
    return it == own.end() ? 0 : it->second;
  }
  std::int64_t product(const char* a, const char* b, std::int64_t i, std::int64_t k) const {
    std::int64_t sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += (*this)(a, i, j) * (*this)(b, j, k);
    return sum;
  }
};

struct Case {
  const char *a, *b, *z, *statement;
  // The value at a place, and whether Z has an item there.
  std::int64_t (*value)(const Inputs&, std::int64_t, std::int64_t);
  bool (*has)(const Inputs&, std::int64_t, std::int64_t);
};

bool in(const Inputs& m, const char* name, std::int64_t i, std::int64_t j) {
  return m.of.at(name).contains({i, j});
}
bool in_either(const Inputs& m, std::int64_t i, std::int64_t j) {
  return in(m, "A", i, j) || in(m, "B", i, j);
}
bool in_product(const Inputs& m, std::int64_t i, std::int64_t k) {
  for (std::int64_t j = 0; j < m.n; ++j) {
    if (in(m, "A", i, j) && in(m, "B", j, k)) return true;
  }
  return false;
}

const Case kCases[] = {
    {"csr", "csr", "csr", "A[i, j] + B[i, j]",
     [](auto& m, auto i, auto j) { return m("A", i, j) + m("B", i, j); }, in_either},
    {"csr", "coo", "coo", "max(A[i, j] - 2 * B[i, j], 0)",
     [](auto& m, auto i, auto j) {
       return std::max<std::int64_t>(m("A", i, j) - 2 * m("B", i, j), 0);
     },
     in_either},
    {"csc", "csr", "csc", "A[i, j] * x[j] + x[i] * B[i, j] * A[i, j]",
     [](auto& m, auto i, auto j) {
       return m("A", i, j) * m.x[std::size_t(j)] +
              m.x[std::size_t(i)] * m("B", i, j) * m("A", i, j);
     },
     in_either},
    {"csr", "csr", "csr", "A[i, j] - B[j, i]",
     [](auto& m, auto i, auto j) { return m("A", i, j) - m("B", j, i); },
     [](auto& m, auto i, auto j) { return in(m, "A", i, j) || in(m, "B", j, i); }},
    {"csr", "csr", "csc", "A[i, j]", [](auto& m, auto i, auto j) { return m("A", i, j); },
     [](auto& m, auto i, auto j) { return in(m, "A", i, j); }},
    {"csc", "csr", "coo", "A[i, j]", [](auto& m, auto i, auto j) { return m("A", i, j); },
     [](auto& m, auto i, auto j) { return in(m, "A", i, j); }},
    {"coo", "csr", "csr", "A[j, i]", [](auto& m, auto i, auto j) { return m("A", j, i); },
     [](auto& m, auto i, auto j) { return in(m, "A", j, i); }},
    {"csr", "csr", "csr", "sum[k](A[i, k] * B[k, j])",
     [](auto& m, auto i, auto j) { return m.product("A", "B", i, j); }, in_product},
    {"coo", "csr", "coo", "2 * sum[k](B[k, j] * A[i, k]) - B[i, j] * x[i]",
     [](auto& m, auto i, auto j) {
       return 2 * m.product("A", "B", i, j) - m("B", i, j) * m.x[std::size_t(i)];
     },
     [](auto& m, auto i, auto j) { return in_product(m, i, j) || in(m, "B", i, j); }},
};

Dense dense_of(const StoredMatrix& m) {
  Dense all;
  for (const test::StoredItem& item : test::stored_items(m)) {
    all[{item.row, item.column}] += std::int64_t(item.value);
  }
  return all;
}

TEST(StoredResults, EqualDenseLoops) {
  SplitMix64 random(21);
  for (const Case& c : kCases) {
    const std::string own = c.statement;
    const bool by_columns = std::string_view(c.z) == "csc";
    const std::string text =
        "symbols:\n  N: {min: 0}\n  A_items: {min: 0, max: 100}\n  B_items: {min: 0, max: 100}\n" +
        (own.find("sum") != own.npos ? std::string("  Z_A_B_items: {min: 0, max: 400}\n") : "") +
        "inputs:\n  A: {shape: [N, N], dtype: int32, format: " + c.a +
        "}\n  B: {shape: [N, N], dtype: int32, format: " + c.b +
        "}\n  x: {shape: [N], dtype: int32}\noutputs:\n  Z: {format: " + c.z +
        "}\n  s: {}\ncompute:\n  - Z[i, j] = " + own +
        (by_columns ? "\n  - s[j] = sum[i](Z[i, j] * x[i])\n"
                    : "\n  - s[i] = sum[j](Z[i, j] * x[j])\n");
    SCOPED_TRACE(text);
    const ScheduleFile file = read(text);
    ASSERT_TRUE(file.illegal.empty()) << to_text(file.illegal);
    const Program program = lower_automatically(*file.fusion, {}, usual_device(), {});
    EXPECT_TRUE(prove(program.steps).is_complete());
    for (int k = 0; k < count(4, 40); ++k) {
      Inputs m;
      m.n = k == 0 ? 0 : 1 + std::int64_t(random.next() % 7);
      RunRequest request{
          .sizes = {{"N", m.n}}, .inputs = {}, .on = Machine::Emulate, .on_all = k == 2};
      for (const auto& [name, format] : {std::pair("A", c.a), {"B", c.b}}) {
        const StoredMatrix stored =
            selvage::stored(test::few_items(random, m.n, m.n), storage_format(format).value());
        m.of[name] = dense_of(stored);
        request.inputs.merge(arrays_of(stored, name, DataType::Int32, DataType::Int32));
      }
      Array x(DataType::Int32, {m.n});
      for (std::int64_t i = 0; i < m.n; ++i) {
        m.x.push_back(std::int64_t(random.next() % 9) - 4);
        x.set_int(i, m.x.back());
      }
      request.inputs["x"] = x;
      std::erase_if(request.inputs, [&](const auto& input) {
        const auto t = file.fusion->find(input.first);
        return !t || !(*file.fusion)[*t].is_input;
      });
      const RunResult result = run(*file.fusion, program, request);
      ASSERT_TRUE(result.passed());
      std::map<std::string, Array> arrays = result.outputs;
      const StoredMatrix z =
          matrix_of(arrays, "Z", storage_format(c.z).value(), m.n, m.n, result.outputs.at("Z"));
      Dense wanted;
      std::vector<std::int64_t> sums(std::size_t(m.n), 0);
      for (std::int64_t i = 0; i < m.n; ++i) {
        for (std::int64_t j = 0; j < m.n; ++j) {
          if (!c.has(m, i, j)) continue;
          wanted[{i, j}] = c.value(m, i, j);
          sums[std::size_t(by_columns ? j : i)] +=
              c.value(m, i, j) * m.x[std::size_t(by_columns ? i : j)];
        }
      }
      EXPECT_EQ(dense_of(z), wanted);
      EXPECT_EQ(z.value.size(), wanted.size()) << "a place stands once";
      for (std::int64_t r = 0; r < m.n; ++r) {
        EXPECT_EQ(result.outputs.at("s").get_int(r), sums[std::size_t(r)]) << r;
      }
    }
  }
}

std::string said(const std::string& output, const std::string& statement) {
  return refusal(
      "inputs:\n  A: {shape: [I, J], dtype: float, format: csr}\n"
      "  B: {shape: [J, K], dtype: float, format: csc}\n"
      "  E: {shape: [I, J], dtype: float, format: ell}\n"
      "  x: {shape: [I], dtype: float}\noutputs:\n  Z: {" +
      output + "}\ncompute: [\"" + statement + "\"]\n");
}

TEST(StoredResults, SayWhatTheyCannotBe) {
  EXPECT_EQ(said("format: ell", "Z[i, j] = A[i, j]"),
            "a.yaml:7:15: error[E520]: "
            "Z is computed, and 'ell' is no list of the items of a matrix"
            "; help: write csr, csc or coo\n");
  EXPECT_EQ(said("format: csr, shape: [I, J]", "Z[i, j] = A[i, j]"),
            "a.yaml:7:27: error[E520]: "
            "Z is stored sparse, and its arrays are those of its format"
            "; help: leave shape out\n");
  EXPECT_EQ(said("format: rcs", "Z[i, j] = A[i, j]"),
            "a.yaml:7:15: error[E304]: "
            "Z is computed, and 'rcs' is no format"
            "; help: write csr, csc or coo\n");
  EXPECT_EQ(said("format: csr", "Z[i] = sum[j](A[i, j])"),
            "a.yaml:8:12: error[E520]: "
            "Z is stored sparse, and no matrix"
            "; help: write Z[i, j] = ...\n");
  EXPECT_EQ(
      said("format: csr", "Z[i, j] = A[i, j] + 1"),
      "a.yaml:8:30: error[E520]: "
      "Z is stored sparse, and is not known to be 0 where no item of A is"
      "; help: write sums, products and functions that are 0 at 0; or leave its format out\n");
  EXPECT_EQ(
      said("format: csr", "Z[i, j] = A[i, j] / x[i]"),
      "a.yaml:8:30: error[E520]: "
      "Z is stored sparse, and is not known to be 0 where no item of A is"
      "; help: write sums, products and functions that are 0 at 0; or leave its format out\n");
  EXPECT_EQ(said("format: csr", "Z[i, j] = E[i, j]"),
            "a.yaml:8:22: error[E520]: "
            "E is ell, which has no list of the items that Z takes from it"
            "; help: store E as csr, csc or coo\n");
  EXPECT_EQ(said("format: csr", "Z[i, k] = sum[j](A[i, j] * B[j, k])"),
            "a.yaml:8:39: error[E520]: "
            "B is csc, and the product of two sparse matrices goes through their rows"
            "; help: store B as csr or coo\n");
  EXPECT_EQ(said("format: csr", "Z[i, k] = sum[j](A[i, j] * x[i] * B[j, k])"),
            "a.yaml:8:22: error[E520]: "
            "this sum of sparse matrices is no product of two, which is all that a result that is "
            "stored sparse can fold"
            "; help: write sum[j](A[i, j] * B[j, k]), and compute what else belongs to A or B at "
            "its items before\n");
  EXPECT_EQ(said("format: csr", "Z[i, k] = A[i, k] + A[i + 1, k]"),
            "a.yaml:8:32: error[E520]: "
            "A is sparse, and Z[i, k], which is stored sparse, takes it at other indices"
            "; help: write A[i, k] or A[k, i]\n");
  EXPECT_EQ(said("format: csr", "Z[i, j] = x[i] * x[j]"),
            "a.yaml:8:12: error[E520]: "
            "Z is stored sparse, and is made of no sparse matrix"
            "; help: leave its format out\n");
}

}  // namespace stored_results

}  // namespace

}  // namespace selvage
