#include <gtest/gtest.h>

#include "../support/counts.h"
#include "run.h"

namespace selvage {
namespace {

using namespace test;

constexpr DataType kValueTypes[] = {
    DataType::Bool,     DataType::Int8,   DataType::Int16,  DataType::Int32,  DataType::Int64,
    DataType::UInt8,    DataType::UInt16, DataType::UInt32, DataType::UInt64, DataType::Half,
    DataType::BFloat16, DataType::Float,  DataType::Double};

Scalar element(const Array& a, std::int64_t k) {
  const DataType compute = compute_type(a.type);
  if (a.type == DataType::Float || a.type == DataType::Half || a.type == DataType::BFloat16) {
    return Scalar::of(float(a.get(k)));
  }
  return a.type == DataType::Double ? Scalar::of(a.get(k)) : Scalar::of(compute, a.get_int(k));
}

void set_element(Array& a, std::int64_t k, Scalar v) {
  v = convert(v, a.type);
  if (v.type == DataType::Float) {
    a.set(k, double(v.single));
  } else if (v.type == DataType::Double) {
    a.set(k, v.real);
  } else {
    a.set_int(k, v.integer);
  }
}

// One kernel that reads a, b and c at i < 300 and stores one value after the other.
struct Pointwise {
  static constexpr std::int64_t kItems = 300;

  Pointwise(std::string name, DataType type) : h(std::move(name)) {
    h.kernel.launch.grid[0] = h.c(3);
    h.kernel.launch.block[0] = h.c(128);
    bx = h.variable("bx", h.c(3));
    tx = h.variable("tx", h.c(128));
    at = bx * 128 + tx;
    for (const char* name : {"a", "b"}) h.input(name, type, h.c(kItems));
    h.input("c", DataType::Bool, h.c(kItems));
  }
  void add(DataType type, ValueId value) {
    const BufferId y = h.output("y" + std::to_string(stores.size()), type, h.c(kItems));
    stores.push_back(store(y, at, value, {at < kItems}));
  }
  const Kernel& kernel() {
    h.kernel.body = {loop(bx, h.c(3),
                          {loop(tx, h.c(128), {guard(at < kItems, stores)}, ParallelType::TIDx)},
                          ParallelType::BIDx)};
    return h.kernel;
  }

  HandKernel h;
  Expr bx, tx, at;
  Body stores;
};

// Every conversion from one type: from memory, in a cast, into memory.
Pointwise conversions(DataType from) {
  Pointwise p("from_" + std::string(to_string(from)), from);
  for (DataType to : kValueTypes) {
    p.add(to, p.h.read(0, p.at));
    // Through a narrow type into a wide one, so that what the cast rounds off shows.
    const DataType wide = is_floating(to) ? DataType::Double : DataType::Int64;
    p.add(wide, p.h.kernel.values.cast(p.h.read(0, p.at), to));
  }
  return p;
}

TEST(CudaValues, EveryConversionIsThatOfScalars) {
  for (DataType from : kValueTypes) {
    Pointwise p = conversions(from);
    std::vector<Array> expected = arrays_for(p.kernel(), {});
    for (std::int64_t k = 0; k < Pointwise::kItems; ++k) {
      std::size_t y = 3;
      for (DataType to : kValueTypes) {
        set_element(expected[y++], k, element(expected[0], k));
        set_element(expected[y++], k, convert(element(expected[0], k), to));
      }
    }
    expect_agreement(p.kernel(), {}, expected);
  }
}

constexpr Function kFunctions[] = {
#define X(name, ...) Function::name,
    SELVAGE_FUNCTIONS(X)
#undef X
};

// Every function of one type that there is; promotion inserts the casts. Bits are those of
// integers.
Pointwise functions(DataType type) {
  Pointwise p("functions_of_" + std::string(to_string(type)), type);
  ValueGraph& values = p.h.kernel.values;
  const ValueId a = p.h.read(0, p.at), b = p.h.read(1, p.at), c = p.h.read(2, p.at);
  for (Function f : kFunctions) {
    std::vector<ValueId> operands = {a, b};
    if (f == Function::Select) operands = {c, a, b};
    if (is_of_integers(f) && is_floating(type)) {
      for (ValueId& v : operands) v = values.cast(v, DataType::Int64);
    }
    operands.resize(std::size_t(info(f).arity));
    const ValueId v = values.apply(f, operands);
    p.add(compute_type(values[v].type), v);
  }
  return p;
}

TEST(CudaValues, EveryFunctionIsThatOfScalars) {
  for (DataType type : kValueTypes) {
    Pointwise p = functions(type);
    std::vector<Array> expected = arrays_for(p.kernel(), {});
    for (std::int64_t k = 0; k < Pointwise::kItems; ++k) {
      std::size_t y = 3;
      for (Function f : kFunctions) {
        // What the operands are converted to can be seen from the value's own operands.
        // A sum of narrow integers stands inside of the cast that wraps it around.
        const Store& s = std::get<Store>(p.stores[y - 3].node);
        const ValueNode& outer = p.h.kernel.values[s.value];
        const bool wraps = outer.kind == ValueNode::Kind::Cast;
        const ValueNode& node = wraps ? p.h.kernel.values[outer.operands[0]] : outer;
        const auto operand = [&](std::size_t i, std::size_t array) {
          const DataType t = p.h.kernel.values[node.operands[i]].type;
          return convert(element(expected[array], k), compute_type(t));
        };
        std::vector<Scalar> operands;
        if (f == Function::Select) operands.push_back(operand(0, 2));
        for (std::size_t i = operands.size(); i < node.operands.size(); ++i) {
          operands.push_back(operand(i, i - (f == Function::Select ? 1 : 0)));
        }
        set_element(expected[y++], k, as_element(selvage::apply(f, operands), outer.type));
      }
    }
    expect_agreement(p.kernel(), {}, expected);
  }
}

// Every kind of literal, compared with the number itself.
TEST(CudaValues, LiteralsAreExact) {
  Pointwise p("literals", DataType::Float);
  ValueGraph& values = p.h.kernel.values;
  const double reals[] = {0.0,
                          -0.0,
                          1.0,
                          -1.0,
                          0.1,
                          1.0 / 3,
                          1e30,
                          -2.5e-8,
                          16777217.0,
                          5e-324,
                          1.401298464324817e-45,
                          HUGE_VAL,
                          -HUGE_VAL,
                          double(NAN)};
  const std::int64_t integers[] = {0, -1, 1, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1LL << 40};
  std::vector<Scalar> numbers;
  for (double r : reals) {
    for (DataType type : {DataType::Float, DataType::Double}) {
      numbers.push_back(convert(Scalar::of(r), type));
      p.add(type, values.constant(type, r, false));
    }
  }
  for (std::int64_t n : integers) {
    for (DataType type : {DataType::Bool, DataType::Int32, DataType::Int64}) {
      numbers.push_back(Scalar::of(type, n));
      p.add(type, values.constant(type, numbers.back().integer, false));
    }
  }
  std::vector<Array> expected = arrays_for(p.kernel(), {});
  for (std::size_t y = 0; y < numbers.size(); ++y) {
    for (std::int64_t k = 0; k < Pointwise::kItems; ++k)
      set_element(expected[y + 3], k, numbers[y]);
  }
  expect_agreement(p.kernel(), {}, expected);
}

TEST(CudaValues, GccTakesTheTextAlike) {
  std::vector<Kernel> kernels = {
      conversions(DataType::Float).kernel(), conversions(DataType::Half).kernel(),
      functions(DataType::Int64).kernel(),   functions(DataType::Double).kernel(),
      functions(DataType::Float).kernel(),   functions(DataType::UInt64).kernel(),
      functions(DataType::Int8).kernel(),    functions(DataType::Bool).kernel()};
  for (const Kernel& k : kernels) {
    std::vector<Array> emulated = arrays_for(k, {}), run = emulated;
    run_emulated(k, {}, emulated);
    run_text(k, {}, run, VirtualCompiler::Gcc);
    for (std::size_t b = 0; b < run.size(); ++b) {
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < run[b].size(); ++i)
        wrong += !same_element(run[b], emulated[b], i);
      EXPECT_EQ(wrong, 0) << k.name << ", " << k.buffers[b].name;
    }
  }
}

TEST(CudaValues, NvrtcTakesThemAll) {
  std::vector<Kernel> kernels;
  for (DataType type : kValueTypes) {
    kernels.push_back(conversions(type).kernel());
    kernels.push_back(functions(type).kernel());
  }
  expect_gpu_code(kernels);
}

// Amounts of every kind by bits of every kind, and what random bytes leave out: the ends.
TEST(CudaValues, ShiftsByAnyAmountAreThoseOfScalars) {
  const std::int64_t amounts[] = {0,  1,  7,  8,   9,   15,        16,        31,        32,
                                  33, 63, 64, 100, -1,  -8,        INT32_MIN, INT32_MAX, -64,
                                  65, 62, 30, 127, 255, INT64_MIN, INT64_MAX, 1LL << 32};
  for (DataType type : kValueTypes) {
    if (is_floating(type)) continue;
    Pointwise p("shifts_of_" + std::string(to_string(type)), type);
    ValueGraph& values = p.h.kernel.values;
    const ValueId a = p.h.read(0, p.at);
    std::vector<std::pair<Function, Scalar>> rows;
    for (std::int64_t n : amounts) {
      for (Function f : {Function::ShiftLeft, Function::ShiftRight}) {
        const DataType own = type == DataType::Bool ? DataType::Int32 : type;
        const Scalar amount = convert(Scalar::of(DataType::Int64, n), own);
        const ValueId v = values.apply(f, {a, values.constant(own, amount.integer, false)});
        p.add(own, v);
        rows.emplace_back(f, amount);
      }
    }
    std::vector<Array> expected = arrays_for(p.kernel(), {});
    for (std::int64_t k = 0; k < Pointwise::kItems; ++k) {
      for (std::size_t y = 0; y < rows.size(); ++y) {
        const auto& [f, amount] = rows[y];
        const Scalar operands[] = {convert(element(expected[0], k), amount.type), amount};
        set_element(expected[3 + y], k, selvage::apply(f, operands));
      }
    }
    expect_agreement(p.kernel(), {}, expected);
  }
}

// A pad: the read is out of bounds wherever the select does not ask for it.
TEST(CudaValues, ASelectReadsOneBranchOnly) {
  Pointwise p("padded", DataType::Float);
  ValueGraph& values = p.h.kernel.values;
  const ValueId inside =
      values.cast(values.index(select(p.at < 297, p.h.c(1), p.h.c(0))), DataType::Bool);
  ValueId x = p.h.read(0, p.at + 3);
  // Each square reads the one before twice; written out, the text would double every time.
  for (int i = 0; i < 40; ++i) x = values.apply(Function::Mul, {x, x});
  p.add(DataType::Float,
        values.apply(Function::Select, {inside, x, values.constant(DataType::Float, -1.0, false)}));
  EXPECT_LT(cuda(p.kernel()).text.size(), 4000U);
  std::vector<Array> expected = arrays_for(p.kernel(), {});
  for (std::int64_t k = 0; k < Pointwise::kItems; ++k) {
    float x = -1;
    if (k < 297) {
      x = float(expected[0].get(k + 3));
      for (int i = 0; i < 40; ++i) x *= x;
    }
    expected[3].set(k, double(x));
  }
  expect_agreement(p.kernel(), {}, expected);
}

TEST(CudaValues, ALongChainIsBrokenIntoLines) {
  Pointwise p("chain", DataType::Float);
  ValueGraph& values = p.h.kernel.values;
  ValueId x = p.h.read(0, p.at);
  for (int i = 0; i < 1000; ++i) x = values.apply(Function::Add, {x, p.h.read(1, p.at)});
  p.add(DataType::Float, x);
  std::vector<Array> expected = arrays_for(p.kernel(), {});
  for (std::int64_t k = 0; k < Pointwise::kItems; ++k) {
    auto x = float(expected[0].get(k));
    for (int i = 0; i < 1000; ++i) x += float(expected[1].get(k));
    expected[3].set(k, double(x));
  }
  expect_agreement(p.kernel(), {}, expected);
  std::size_t longest = 0, start = 0;
  const std::string text = cuda(p.kernel()).text;
  for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    longest = std::max(longest, end - start);
  }
  EXPECT_LT(longest, 140U);
}

TEST(CudaValues, SumsAndProductsStoredInThirtyTwoBitsAreDoneInThem) {
  const auto text = [](DataType type) {
    Pointwise p("low_half", DataType::Int64);
    ValueGraph& values = p.h.kernel.values;
    const ValueId sum =
        values.apply(Function::Add, {values.index(p.tx), values.whole(5'000'000'000)});
    p.add(type, values.apply(Function::Mul, {sum, p.h.read(0, p.at)}));
    const std::string whole = cuda(p.kernel()).text;
    const std::size_t at = whole.find(" = wrap_");
    return whole.substr(at, whole.find('\n', at) - at);
  };
  EXPECT_EQ(text(DataType::Int64),
            " = wrap_mul_long(wrap_add_long((long long)tx, 5000000000LL), a[t0]);");
  EXPECT_EQ(text(DataType::Int32), " = wrap_mul(wrap_add(tx, 705032704), (int)a[t0]);");
}

// What is of 64 bits by its type alone, and comes from 32.
TEST(CudaValues, IndicesOfThirtyTwoBitsCompareAndConvertAsTheyAre) {
  const auto text = [](auto make, DataType type = DataType::Float,
                       IndexType index = IndexType::Int32) {
    Pointwise p("small", DataType::Int32);
    p.h.kernel.index_type = index;
    p.add(type, make(p.h.kernel.values, p));
    const std::string whole = cuda(p.kernel()).text;
    const std::size_t at = whole.find("] = ");
    return whole.substr(at + 4, whole.find('\n', at) - at - 4);
  };
  using V = ValueGraph&;
  using P = Pointwise&;
  const auto least = [](V v, P p) {
    const ValueId less = v.apply(Function::Le, {v.index(p.tx), v.index(p.bx)});
    return v.apply(Function::Select, {less, v.constant(DataType::Float, 1.5, false),
                                      v.constant(DataType::Float, 2.5, false)});
  };
  EXPECT_EQ(text(least), "tx <= bx ? 1.5f : 2.5f;");
  EXPECT_EQ(text(least, DataType::Float, IndexType::Int64), "tx <= bx ? 1.5f : 2.5f;");
  EXPECT_EQ(
      text(
          [](V v, P p) {
            return v.apply(Function::Lt, {v.cast(p.h.read(0, p.at), DataType::Int64), v.whole(7)});
          },
          DataType::Bool),
      "a[t0] < 7;");
  // What only 64 bits hold, and what 32 just hold.
  const auto below = [&](std::int64_t number) {
    return text(
        [=](V v, P p) {
          return v.apply(Function::Lt, {v.index(p.tx), v.whole(number)});
        },
        DataType::Bool);
  };
  EXPECT_EQ(below(5'000'000'000), "(long long)tx < 5000000000LL;");
  EXPECT_EQ(below(std::int64_t{INT32_MAX} + 1), "(long long)tx < 2147483648LL;");
  EXPECT_EQ(below(INT32_MAX), "tx < 2147483647;");
  EXPECT_EQ(below(INT32_MIN), "tx < -2147483647 - 1;");
  EXPECT_EQ(below(std::int64_t{INT32_MIN} - 1), "(long long)tx < -2147483649LL;");
  EXPECT_EQ(text([](V v, P p) { return v.cast(v.index(p.tx), DataType::Float); }), "(float)tx;");
  EXPECT_EQ(text([](V v, P) { return v.cast(v.whole(1024), DataType::Float); }), "1024.0f;");
  EXPECT_EQ(text([](V v, P p) { return v.cast(v.index(p.h.c(1024)), DataType::Float); }),
            "1024.0f;");
  // 2^24 + 1 is rounded as the cast rounds it.
  EXPECT_EQ(text([](V v, P p) { return v.cast(v.index(p.h.c(16'777'217)), DataType::Float); }),
            "(float)16777217;");
  // What is computed is of 64 bits, whatever it comes from.
  const auto square = [](V v, P p) {
    const ValueId x = v.cast(p.h.read(0, p.at), DataType::Int64);
    return v.apply(Function::Mul, {x, x});
  };
  const auto below_seven = [=](V v, P p) {
    return v.apply(Function::Lt, {square(v, p), v.whole(7)});
  };
  EXPECT_EQ(text(below_seven, DataType::Bool), "wrap_mul_long(v0, v0) < 7LL;");
  EXPECT_EQ(text([=](V v, P p) { return v.cast(square(v, p), DataType::Float); }),
            "(float)wrap_mul_long(v0, v0);");
}

// Values of 64 bits and casts, some used more than once: emulation does all of them in 64 bits.
TEST(CudaValues, RandomValuesAreTheSameWhereLowHalvesDo) {
  int shorter = 0;
  for (int seed = 0; seed < count(60, 2000); ++seed) {
    std::mt19937_64 random(std::uint64_t(seed) + 1);
    const auto draw = [&](std::size_t n) { return std::size_t(random() % n); };
    Pointwise p("mixed", seed % 3 == 0 ? DataType::Int32 : DataType::Int64);
    ValueGraph& values = p.h.kernel.values;
    std::vector<ValueId> some = {p.h.read(0, p.at), p.h.read(1, p.at), values.index(p.tx),
                                 values.constant(DataType::Int64, std::int64_t{7000000001}, false),
                                 values.whole(-3)};
    const ValueId condition = p.h.read(2, p.at);
    constexpr Function kSome[] = {Function::Add,      Function::Sub,       Function::Mul,
                                  Function::Neg,      Function::Add,       Function::Sub,
                                  Function::Mul,      Function::Neg,       Function::Min,
                                  Function::Select,   Function::BitAnd,    Function::BitOr,
                                  Function::BitXor,   Function::BitNot,    Function::Sign,
                                  Function::FloorDiv, Function::ShiftLeft, Function::ShiftRight};
    for (std::size_t n = 4 + draw(12); n > 0; --n) {
      const auto one = [&] { return some[draw(2) == 0 ? draw(some.size()) : some.size() - 1]; };
      if (draw(5) == 0) {
        some.push_back(values.cast(one(), kValueTypes[1 + draw(8)]));
        continue;
      }
      const Function f = kSome[draw(std::size(kSome))];
      const ValueId x = one();
      if (info(f).arity == 1) {
        some.push_back(values.apply(f, {x}));
        continue;
      }
      ValueId y = one();
      const ValueNode &a = values[x], &b = values[y];
      if (!promote(a.type, a.weak, b.type, b.weak) || a.weak || b.weak) {
        y = values.cast(y, a.type);
      }
      if (f == Function::Select) {
        some.push_back(values.apply(f, {condition, x, y}));
      } else {
        some.push_back(values.apply(f, {x, y}));
      }
    }
    for (std::size_t k = 0; k < 3; ++k) p.add(kValueTypes[1 + draw(8)], some[some.size() - 1 - k]);
    std::vector<Array> expected = arrays_for(p.kernel(), {});
    run_emulated(p.kernel(), {}, expected);
    expect_agreement(p.kernel(), {}, expected);
    shorter += cuda(p.kernel()).text.find(" int wrap_") != std::string::npos;
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(shorter, count(60, 2000) / 4);
}

}  // namespace
}  // namespace selvage
