// What differs in more than the width of its indices has no proof in common.
#include <selvage/kernel/same_kernel.h>
#include <selvage/kernel/statements.h>

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "tests/codegen/random_fusion.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

// Changes of which each is one that a proof may depend on.
std::vector<std::pair<std::string, std::function<bool(Kernel&)>>> changes() {
  const auto first = [](Kernel& k, auto change) {
    bool is_done = false;
    for_each_statement(k.body, [&](Statement& s) { is_done = is_done || change(s); });
    return is_done;
  };
  return {
      {"an address",
       [=](Kernel& k) {
         return first(k, [](Statement& s) {
           auto* store = std::get_if<Store>(&s.node);
           if (store != nullptr) store->address = store->address + 1;
           return store != nullptr;
         });
       }},
      {"a guard",
       [=](Kernel& k) {
         return first(k, [](Statement& s) {
           auto* guard = std::get_if<Guard>(&s.node);
           if (guard != nullptr) guard->condition = !guard->condition;
           return guard != nullptr;
         });
       }},
      {"an extent",
       [=](Kernel& k) {
         return first(k, [](Statement& s) {
           auto* loop = std::get_if<Loop>(&s.node);
           if (loop != nullptr) loop->extent = loop->extent + 1;
           return loop != nullptr;
         });
       }},
      {"a statement less",
       [](Kernel& k) {
         k.body.pop_back();
         return true;
       }},
      {"the elements of a buffer",
       [](Kernel& k) {
         k.buffers.back().elements = k.buffers.back().elements + 1;
         return true;
       }},
      {"the launch",
       [](Kernel& k) {
         k.launch.block[0] = k.launch.block[0] + 1;
         return true;
       }},
      {"a fact",
       [](Kernel& k) {
         if (k.sizes.empty()) return false;
         k.facts.assume(k.sizes[0] % 5 <= 3);
         return true;
       }},
      {"the premise",
       [](Kernel& k) {
         if (k.sizes.empty()) return false;
         k.premise = k.sizes[0] < 1'000;
         return true;
       }},
      {"a value",
       [](Kernel& k) {
         k.values.constant(DataType::Float, 1.5, false);
         return true;
       }},
  };
}

TEST(SameKernel, WidthsShareAProofAndNothingElseDoes) {
  std::mt19937_64 rng(31);
  int pairs = 0, changed = 0;
  for (int i = 0; i < count(40, 400); ++i) {
    const test::RandomFusion r(rng, true);
    const Program program = r.lowered();
    for (const ProgramStep& step : program.steps) {
      for (std::size_t k = 1; k < step.variants.size(); ++k) {
        const Kernel &a = step.variants[k - 1], &b = step.variants[k];
        const bool is_wider = a.index_type != b.index_type && b.name == a.name + "_64";
        EXPECT_EQ(differ_in_width_alone(a, b), is_wider) << a.name << " " << b.name;
        if (!is_wider) continue;
        ++pairs;
        for (const auto& [what, change] : changes()) {
          Kernel other = b;
          if (!change(other)) continue;
          ++changed;
          EXPECT_FALSE(differ_in_width_alone(a, other)) << what;
        }
      }
    }
  }
  EXPECT_GT(pairs, more_than(10));
  EXPECT_GT(changed, more_than(60));
}

}  // namespace
}  // namespace selvage
