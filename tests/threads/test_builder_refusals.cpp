// What a thread program that is built in C++ is refused for, and the change that mends it.
#include <selvage/driver/run_threads.h>
#include <selvage/threads/builder.h>

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

#include <functional>
#include <stdexcept>

namespace selvage {
namespace {

// A[6, 4], indices p of 6 and q of 4, and what a test does with them.
struct Built {
  ThreadBuilder b{"built"};
  ArrayRef A = b.array("A", {6, 4}, DataType::Int32);
  ThreadIndex p = b.index("p", 6), q = b.index("q", 4);
};
using BuilderAct = std::function<void(Built&)>;

std::string refusal(const BuilderAct& act) {
  Built x;
  return refusal_by<BadInput>([&] { act(x); });
}

// `wrong` is refused, and what the help names is accepted, and lowered to a kernel.
void expect_mended(const BuilderAct& wrong, const std::string& message, const BuilderAct& mended) {
  EXPECT_EQ(refusal(wrong), "selvage: error" + message);
  Built x;
  EXPECT_EQ(refusal_by<Error>([&] { mended(x); }), "accepted") << message;
  const LoweredThreads lowered = lower_threads(x.b.take());
  EXPECT_TRUE(lowered.is_legal()) << message << "\n" << to_text(lowered.diagnostics);
}

std::vector<std::int64_t> run(ThreadBuilder& b) {
  const ThreadRun done = run_threads(b.take(), {.on = Machine::Virtual});
  EXPECT_TRUE(done.passed());
  std::vector<std::int64_t> out;
  const Array& a = done.outputs.at("A");
  for (std::int64_t k = 0; k < a.size(); ++k) out.push_back(a.get_int(k));
  return out;
}

TEST(BuilderRefusals, NamesAreWhatTheyAreInFiles) {
  const auto name = [](const std::string& of) { return [of](Built& x) { x.b.index(of, 4); }; };
  expect_mended(name("2p"),
                "[E201]: '2p' is not a name; help: names consist of letters, digits and '_' and do "
                "not begin with a digit",
                name("p2"));
  expect_mended(name("min"),
                "[E202]: 'min' is an operator of expressions; help: choose another name, such as "
                "'min_'",
                name("min_"));
  expect_mended(name("int"),
                "[E203]: 'int' is a keyword or built-in of C++ or CUDA; help: choose another name, "
                "such as 'int_'",
                name("int_"));
  expect_mended(name("A"), "[E204]: the name A is taken; help: give it another name", name("B"));
  expect_mended([](Built& x) { x.b.symbol("p", 0); },
                "[E204]: the name p is taken; help: give it another name",
                [](Built& x) { x.b.symbol("s", 0); });
  EXPECT_EQ(refusal_by<BadInput>([] { ThreadBuilder("no name; really"); }),
            "selvage: error[E201]: 'no name; really' is not a name; help: names consist of "
            "letters, digits and '_' and do not begin with a digit");
  EXPECT_EQ(refusal_by<BadInput>([] { ThreadBuilder("no_name"); }), "accepted");
}

TEST(BuilderRefusals, ANameThatIsRefusedIsNotTaken) {
  Built x;
  EXPECT_NE(refusal_by<BadInput>([&] { x.b.index("z", 0); }), "accepted");
  EXPECT_NE(refusal_by<BadInput>([&] { x.b.array("z", {2, 0}, DataType::Int32); }), "accepted");
  EXPECT_NE(refusal_by<BadInput>([&] { x.b.symbol("z", 5, 3); }), "accepted");
  EXPECT_EQ(refusal_by<BadInput>([&] { x.b.index("z", 1); }), "accepted");
}

TEST(BuilderRefusals, ExtentsSubscriptsAndSymbolsHaveTheirRanges) {
  expect_mended([](Built& x) { x.b.array("B", {0}, DataType::Float); },
                "[E305]: the extent 0 of B is below 1; help: write a number of 1 or more",
                [](Built& x) { x.b.array("B", {1}, DataType::Float); });
  expect_mended([](Built& x) { x.b.index("z", -4); },
                "[E305]: the extent -4 of z is below 1; help: write a number of 1 or more",
                [](Built& x) { x.b.index("z", 1); });
  expect_mended([](Built& x) { x.A(0) = 1; },
                "[E503]: A has rank 2 and stands with 1 subscript; help: give one subscript for "
                "each axis",
                [](Built& x) { x.A(0, 0) = 1; });
  expect_mended([](Built& x) { x.b.symbol("s", 5, 3); },
                "[E509]: no value of s is at least 5 and at most 3; help: give it a max that is "
                "not below its min",
                [](Built& x) { x.b.symbol("s", 5, 5); });
  const auto value = [](std::uint64_t n) {
    return [n](Built& x) {
      const ArrayRef L = x.b.array("L", {1}, DataType::Int64);
      L(0) = n;
    };
  };
  expect_mended(value(9223372036854775808u),
                "[E305]: the number 9223372036854775808 is not of 64 bits; help: write one of at "
                "most 2^63 - 1",
                value(9223372036854775807u));
}

TEST(BuilderRefusals, AnIndexStandsInItsLevelOrLoop) {
  const std::string used =
      " uses q, the index of no level or loop around; help: use it inside a level or a loop over q";
  const auto in_loop = [](const BuilderAct& act) {
    return [act](Built& x) { x.b.parallel({x.p}, [&] { x.b.loop(x.q, [&] { act(x); }); }); };
  };
  const auto in_level = [](const BuilderAct& act) {
    return [act](Built& x) { x.b.parallel({x.p}, [&] { act(x); }); };
  };
  for (const auto& [act, what] : std::vector<std::pair<BuilderAct, std::string>>{
           {[](Built& x) { x.A(x.p, x.q) = 1; }, "a subscript"},
           {[](Built& x) { x.A(x.p, 0) += x.A(x.p, x.q); }, "a subscript"},
           {[](Built& x) { x.A(x.p, 0) = x.q; }, "the value"},
           {[](Built& x) { x.A(x.p, 0) += x.q + 1; }, "the value"},
           {[](Built& x) { x.b.inthreads_async(x.p + 4 * x.q.symbol < 3, [] {}); },
            "the condition"},
           {[](Built& x) { x.b.loop(x.b.index("i", 2), x.q < 3, [] {}); }, "the condition"}}) {
    expect_mended(in_level(act), "[E302]: " + what + used, in_loop(act));
  }
  // Behind its loop it is as it was before, also in what has been made inside.
  expect_mended(
      [](Built& x) {
        x.b.parallel({x.p}, [&] {
          x.b.loop(x.q, [&] { x.A(x.p, x.q) = 1; });
          x.A(x.p, 0) = x.q + 10;
        });
      },
      "[E302]: the value" + used,
      [](Built& x) {
        x.b.parallel({x.p}, [&] {
          x.b.loop(x.q, [&] {
            x.A(x.p, x.q) = 1;
            x.A(x.p, 0) = x.q + 10;
          });
        });
      });
  expect_mended(
      [](Built& x) {
        std::optional<ThreadValue> made;
        x.b.parallel({x.p}, [&] {
          x.b.loop(x.q, [&] { made = x.A(x.p, x.q) + 1; });
          x.A(x.p, 0) = *made;
        });
      },
      "[E302]: a subscript" + used,
      [](Built& x) {
        std::optional<ThreadValue> made;
        x.b.parallel({x.p}, [&] {
          x.b.loop(x.q, [&] {
            made = x.A(x.p, x.q) + 1;
            x.A(x.p, 0) = *made;
          });
        });
      });
  expect_mended([](Built& x) { x.b.inthreads(x.p.symbol.pool().symbol("zz") < 3, [] {}); },
                "[E302]: the condition uses zz, which nothing declares; help: declare it with "
                "symbol(), or make an index of it",
                [](Built& x) {
                  const Expr zz = x.b.symbol("zz", 0, 2);
                  x.b.parallel({x.p}, [&] { x.b.inthreads_async(x.p < zz, [] {}); });
                });
}

TEST(BuilderRefusals, AnIndexIsOfOneLevelOrOfLoopsOneAfterTheOther) {
  const std::string help = " already; help: go over an index of its own";
  const BuilderAct mended = [](Built& x) { x.b.parallel({x.p, x.q}, [&] { x.A(x.p, x.q) = 1; }); };
  expect_mended(
      [](Built& x) {
        x.b.parallel({x.p, x.p}, [&] { x.A(x.p, 0) = 1; });
      },
      "[E204]: p is the index of a level here" + help, mended);
  expect_mended(
      [](Built& x) {
        x.b.parallel({{x.p, x.p}}, [&] { x.A(x.p, 0) = 1; });
      },
      "[E204]: p is the index of a level here" + help, mended);
  expect_mended([](Built& x) { x.b.parallel({x.p}, [&] { x.b.parallel({x.p}, [] {}); }); },
                "[E204]: p is the index of a level here" + help,
                [](Built& x) { x.b.parallel({x.p}, [&] { x.b.parallel({x.q}, [] {}); }); });
  expect_mended(
      [](Built& x) { x.b.parallel({x.p}, [&] { x.b.loop(x.p, [&] { x.A(x.p, 0) = 1; }); }); },
      "[E204]: p is the index of a level here" + help,
      [](Built& x) { x.b.parallel({x.p}, [&] { x.b.loop(x.q, [&] { x.A(x.p, 0) = 1; }); }); });
  expect_mended(
      [](Built& x) { x.b.parallel({x.p}, [&] { x.b.loop(x.q, [&] { x.b.loop(x.q, [] {}); }); }); },
      "[E204]: q is the index of a loop here" + help,
      [](Built& x) {
        const ThreadIndex i = x.b.index("i", 4);
        x.b.parallel({x.p}, [&] { x.b.loop(x.q, [&] { x.b.loop(i, [] {}); }); });
      });
  expect_mended(
      [](Built& x) {
        x.b.loop(x.q, [] {});
        x.b.parallel({x.q}, [] {});
      },
      "[E204]: q is the index of a loop" + help,
      [](Built& x) {
        x.b.loop(x.q, [] {});
        x.b.loop(x.q, [] {});
        x.b.parallel({x.p}, [] {});
      });
  expect_mended(
      [](Built& x) {
        x.b.parallel({x.p}, [] {});
        x.b.loop(x.p, [] {});
      },
      "[E204]: p is the index of a level" + help,
      [](Built& x) {
        x.b.parallel({x.p}, [] {});
        x.b.loop(x.q, [] {});
      });
}

TEST(BuilderRefusals, AnIndexIsGivenAsItWasMade) {
  const std::string help = "; help: make an index with index(name, extent), and give it as it is";
  const BuilderAct mended = [](Built& x) { x.b.parallel({x.p}, [] {}); };
  expect_mended([](Built& x) { x.b.parallel({ThreadIndex{}}, [] {}); },
                "[E508]: a level or a loop goes over what is no index of this program" + help,
                mended);
  expect_mended(
      [](Built& x) {
        x.b.loop(ThreadIndex{x.p + 1, 6}, [] {});
      },
      "[E508]: a level or a loop goes over what is no index of this program" + help, mended);
  expect_mended(
      [](Built& x) {
        x.b.parallel({ThreadIndex{x.p.symbol, 12}}, [] {});
      },
      "[E508]: p was made with the extent 6 and stands with 12" + help, mended);
  expect_mended(
      [](Built& x) { x.b.leave(x.q); },
      "[E826]: no loop around goes over q; help: name the index of a loop that stands around",
      [](Built& x) { x.b.loop(x.q, [&] { x.b.leave(x.q); }); });
  EXPECT_EQ(refusal([](Built& x) { x.b.next(ThreadIndex{}); }),
            "selvage: error[E826]: what is to be left is no index of this program; help: name the "
            "index of a loop that stands around");
}

TEST(BuilderRefusals, AnExpressionIsThereAndOfItsKind) {
  const auto in_level = [](const std::function<void(Built&)>& act) {
    return [act](Built& x) { x.b.parallel({x.p}, [&] { act(x); }); };
  };
  const auto masked = [&](const std::function<Expr(Built&)>& when) {
    return in_level([when](Built& x) { x.b.inthreads(when(x), [&] { x.A(x.p, 0) = 1; }); });
  };
  expect_mended(masked([](Built&) { return Expr(); }),
                "[E508]: the condition is no expression; help: give one of indices, symbols and "
                "numbers",
                masked([](Built& x) { return x.p < 3; }));
  expect_mended(masked([](Built& x) { return x.p + 1; }),
                "[E303]: the condition is a number, no condition; help: compare with <, <=, >, >= "
                "or eq()",
                masked([](Built& x) { return eq(x.p + 1, 2); }));
  expect_mended(masked([](Built& x) {
                  const Expr p = x.p;
                  return p.pool().call("f", std::span(&p, 1)) < 3;
                }),
                "[E316]: the condition has f(...), which is opaque; help: use indices, symbols and "
                "integers",
                masked([](Built& x) { return x.p < 3; }));
  expect_mended(in_level([](Built& x) { x.A(x.p < 3, 0) = 1; }),
                "[E303]: a subscript is a condition, no number; help: give a number, such as p - 1",
                in_level([](Built& x) { x.A(x.p, 0) = 1; }));
  expect_mended(in_level([](Built& x) { x.A(x.p, 0) = Expr(); }),
                "[E508]: the value is no expression; help: give one of indices, symbols and "
                "numbers",
                in_level([](Built& x) { x.A(x.p, 0) = x.p < 3; }));
  expect_mended(in_level([](Built& x) { x.A(x.p, 0) = ThreadValue(1.5) + 2; }),
                "[E508]: no operand of Add is of a program; help: give it an element of an array, "
                "or write an expression of indices",
                in_level([](Built& x) { x.A(x.p, 0) = x.A(x.p, 0) + 2; }));
  expect_mended(in_level([](Built& x) { x.A(x.p, 0) = apply(Function::Max, {x.A(x.p, 0)}); }),
                "[E315]: Max takes 2 operands, not 1; help: give it as many",
                in_level([](Built& x) {
                  x.A(x.p, 0) = apply(Function::Max, {x.A(x.p, 0), 1});
                }));
  expect_mended([](Built& x) { x.b.together({}); },
                "[E508]: a construct has no body; help: give it one, such as [&] {}",
                [](Built& x) { x.b.together([&] {}); });
}

TEST(BuilderRefusals, AnExpressionHasSoManyParts) {
  const auto value = [](int terms) {
    return [terms](Built& x) {
      x.b.parallel({x.p}, [&] {
        ThreadValue sum = x.A(x.p, 0);
        for (int k = 1; k < terms; ++k) sum = sum + x.A(x.p, k % 4);
        x.A(x.p, 0) = sum;
      });
    };
  };
  expect_mended(
      value(1001),
      "[E104]: the value has more than 2000 parts; help: store a part of it in an array first",
      value(1000));
  // Nobody writes this one down.
  const auto squares = [](int times) {
    return [times](Built& x) {
      x.b.parallel({x.p}, [&] {
        Expr e = x.p;
        for (int k = 0; k < times; ++k) e = e * e % (k + 5);
        x.b.inthreads_async(e < 3, [&] { x.A(x.p, 0) = 1; });
      });
    };
  };
  expect_mended(
      squares(60),
      "[E104]: the condition has more than 2000 parts; help: store a part of it in an array first",
      squares(8));
}

TEST(BuilderRefusals, WhatIsOfAnotherProgramStaysThere) {
  const auto with_other = [](const std::function<void(Built & own, Built & other)>& act) {
    return [act](Built& x) {
      Built other;
      x.b.parallel({x.p}, [&] { other.b.parallel({other.p}, [&] { act(x, other); }); });
    };
  };
  const auto own = [&](const std::function<void(Built & x)>& act) {
    return with_other([act](Built& x, Built&) { act(x); });
  };
  const std::string use = "; help: use the indices and symbols of the program that it stands in";
  expect_mended(
      with_other([](Built& x, Built& y) { x.A(x.p, 0) = y.A(y.p, 0); }),
      "[E508]: the value is one of another program; help: use the arrays of the program that it "
      "stands in",
      own([](Built& x) { x.A(x.p, 0) = x.A(x.p, 0); }));
  expect_mended(
      with_other([](Built& x, Built& y) { x.A(x.p, 0) = x.A(x.p, 0) + y.A(y.p, 0); }),
      "[E508]: the value is one of another program; help: use the arrays of the program that it "
      "stands in",
      own([](Built& x) { x.A(x.p, 0) = x.A(x.p, 0) + x.A(x.p, 0); }));
  expect_mended(with_other([](Built& x, Built& y) { x.A(y.p, 0) = 1; }),
                "[E508]: a subscript is one of another program" + use,
                own([](Built& x) { x.A(x.p, 0) = 1; }));
  expect_mended(with_other([](Built& x, Built& y) { x.A(x.p + y.p * 0, 0) = 1; }),
                "[E508]: a subscript is one of another program" + use,
                own([](Built& x) { x.A(x.p + x.p * 0, 0) = 1; }));
  expect_mended(with_other([](Built& x, Built& y) { x.A(x.p, 0) = y.p; }),
                "[E508]: the value is one of another program" + use,
                own([](Built& x) { x.A(x.p, 0) = x.p; }));
  expect_mended(with_other([](Built& x, Built& y) { x.b.inthreads_async(y.p < 3, [] {}); }),
                "[E508]: the condition is one of another program" + use,
                own([](Built& x) { x.b.inthreads_async(x.p < 3, [] {}); }));
  expect_mended(with_other([](Built& x, Built& y) { x.b.loop(y.q, [] {}); }),
                "[E508]: a level or a loop goes over what is no index of this program; help: make "
                "an index with index(name, extent), and give it as it is",
                own([](Built& x) { x.b.loop(x.q, [] {}); }));
}

TEST(BuilderRefusals, NothingComesBehindTake) {
  const std::string message =
      "selvage: error[E513]: the program is taken, and nothing is added to it any more; help: call "
      "take() last, or build another program";
  for (const BuilderAct& late : std::vector<BuilderAct>{
           [](Built& x) { x.b.symbol("s", 0); }, [](Built& x) { x.b.index("i", 4); },
           [](Built& x) { x.b.array("B", {4}, DataType::Float); },
           [](Built& x) { x.b.parallel({x.q}, [] {}); },
           [](Built& x) { x.b.inthreads(x.p < 3, [] {}); },
           [](Built& x) { x.b.inthreads_async(Expr(), [] {}); },
           [](Built& x) { x.b.loop(x.q, [] {}); }, [](Built& x) { x.b.leave(x.q); },
           [](Built& x) { x.b.next(x.q); }, [](Built& x) { x.b.sync_shared(); },
           [](Built& x) { x.b.sync_warp(); }, [](Built& x) { x.b.sync_region(); },
           [](Built& x) { x.b.together([] {}); }, [](Built& x) { x.A(0, 0) = 1; },
           [](Built& x) { x.A(x.p, x.q) += 1; }, [](Built& x) { ThreadValue(x.A(x.p, x.q)); },
           [](Built& x) { x.b.take(); }}) {
    EXPECT_EQ(refusal([&](Built& x) {
                x.b.parallel({x.p}, [&] { x.A(x.p, 0) = 1; });
                const ThreadProgram program = x.b.take();
                late(x);
              }),
              message);
  }
  expect_mended([](Built& x) { x.b.parallel({x.p}, [&] { x.b.take(); }); },
                "[E513]: the program is taken inside one of its constructs; help: call take() "
                "behind all of them",
                [](Built& x) { x.b.parallel({x.p}, [] {}); });
  // A value that was made before.
  Built x;
  std::optional<ThreadValue> made;
  x.b.parallel({x.p}, [&] { made = x.A(x.p, 0) + 1; });
  const ThreadProgram program = x.b.take();
  EXPECT_EQ(refusal_by<BadInput>([&] { made = *made + 1; }), message);
}

TEST(BuilderRefusals, AConstructInWhichSomethingIsThrownIsNoneOfTheProgram) {
  Built x;
  EXPECT_THROW(x.b.parallel({x.p},
                            [&] {
                              x.b.loop(x.q, [] {});
                              x.b.inthreads(x.p < 3, [] { throw std::runtime_error("outside"); });
                            }),
               std::runtime_error);
  EXPECT_THROW(x.b.together([&] { x.b.loop(x.q, [&] { x.A(x.q, 0, 0) = 1; }); }), BadInput);
  // Both indices are free again, and what follows stands in no construct.
  x.b.parallel({x.p, x.q}, [&] { x.A(x.p, x.q) = x.p; });
  std::vector<std::int64_t> wanted;
  for (std::int64_t k = 0; k < 24; ++k) wanted.push_back(k / 4);
  EXPECT_EQ(run(x.b), wanted);
}

}  // namespace
}  // namespace selvage
