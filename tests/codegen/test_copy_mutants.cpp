// Rings with one thing wrong: every wait, closing, arrival, fence and barrier left out, doubled,
// moved by one statement, or waiting for more or fewer groups, or for another phase. What the
// verifier accepts is right in every order of threads and copies that is drawn; what it refuses
// goes wrong in one, or is a fault that the emulator finds.
#include <selvage/base/diagnostic.h>
#include <selvage/base/random.h>
#include <selvage/ir/ops.h>
#include <selvage/kernel/print.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "run.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using namespace test;

// C = A * B of 16 x 16 by tiles of 8 x 8, K of 40: 64 threads, each reads what others copied.
// `has_role`: a warp of its own copies. `is_multicast`: two blocks of a cluster have the same tile
// of B, of which each copies a half for both; with a role, a warp of each. `is_repeated`: a block
// computes one row of tiles of C after the other.
Kernel product(std::int64_t stages, std::int64_t ahead, CopyBy by, bool has_role,
               bool is_multicast = false, bool is_repeated = false) {
  Fusion f;
  const Tensor A = f.input("A", {f.constant(16), f.constant(40)}, DataType::Float);
  const Tensor B = f.input("B", {f.constant(16), f.constant(40)}, DataType::Float);
  const Tensor C = f.output("C", sum(unsqueeze(A, 1) * unsqueeze(B, 0), {2}));
  Schedule s(f);
  const auto [m, n, k] = s.loops<3>(C);
  const auto [mo, mi] = s.split(m, 8);
  const auto [no, ni] = s.split(n, 8);
  const auto [ko, ki] = s.split(k, 8);
  s.reorder({mo, no, mi, ni, ko, ki});
  const ParallelType rows = is_multicast  ? ParallelType::CIDx
                            : is_repeated ? ParallelType::Serial
                                          : ParallelType::BIDy;
  s.bind(mo, rows).bind(no, ParallelType::BIDx);
  s.bind(mi, ParallelType::TIDy).bind(ni, ParallelType::TIDx);
  const auto tile = [&](Tensor x, const std::string& name, ParallelType block, ParallelType row) {
    const TensorId t = s.cache(x, name, Memory::Shared);
    const auto [r, c] = s.loops<2>(t);
    const auto [ro, ri] = s.split(r, 8);
    const auto [co, ci] = s.split(c, 8);
    s.reorder({ro, co, ri, ci});
    s.bind(ro, block);
    s.compute_at(t, ko).stages(t, stages).copy(t, by, ahead);
    if (has_role) s.role(t, {});
    if (by != CopyBy::CpAsync) {
      // Rows of the first tile are copied by a thread each, of the other one by one thread.
      const bool is_shared_out = is_multicast && block == ParallelType::BIDx;
      const auto [rz, own] = s.split(ri, is_shared_out ? 4 : 8);
      const bool is_box = by == CopyBy::Tma;
      s.reorder({ro, co, rz, own, ci});
      s.bind(ci, is_box ? ParallelType::Bulk : ParallelType::Vectorize);
      if (is_shared_out) s.bind(rz, ParallelType::Multicast);
      if (is_box) {
        s.bind(own, ParallelType::Bulk);
      } else if (row == ParallelType::TIDy && !has_role) {
        s.bind(own, row);
      }
      return;
    }
    s.bind(ri, row);
    s.bind(ci, row == ParallelType::TIDy ? ParallelType::TIDx : ParallelType::TIDy);
  };
  tile(A, "a", rows, ParallelType::TIDy);
  tile(B, "b", ParallelType::BIDx, ParallelType::TIDx);
  return lower(f, s).steps[0].variants[0];
}

// C = sums of rows of 160, by clusters of two blocks, to each of which tiles of 32 come.
Kernel row_sums(std::int64_t stages, std::int64_t ahead, CopyBy by) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(2), f.constant(320)}, DataType::Float);
  const Tensor C = f.output("C", sum(x, {1}));
  Schedule s(f);
  const auto cut = [&](TensorId t) {
    const auto [m, n] = s.loops<2>(t);
    const auto [rank, part] = s.split(n, 2, {.inner_split = false});
    const auto [step, item] = s.split(part, 32);
    s.bind(m, ParallelType::BIDx).bind(rank, ParallelType::CIDx);
    return std::pair(step, item);
  };
  const auto [step, thread] = cut(C.id());
  s.bind(thread, ParallelType::TIDx);
  const TensorId xs = s.cache(x, "xs", Memory::Shared);
  const auto [tile, item] = cut(xs);
  s.bind(item, by == CopyBy::CpAsync ? ParallelType::TIDx
               : by == CopyBy::Bulk  ? ParallelType::Vectorize
                                     : ParallelType::Bulk);
  s.compute_at(xs, step).stages(xs, stages).copy(xs, by, ahead);
  return lower(f, s).steps[0].variants[0];
}

// C = sums of columns of 24 x 32, of which each block adds `rows` to C, a tile of 8 columns after
// the other: by boxes or rows that are combined with C.
Kernel column_sums(std::int64_t rows, CopyBy by) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(24), f.constant(32)}, DataType::Float);
  const Tensor C = f.output("C", sum(x, {0}));
  Schedule s(f);
  const auto [n, m] = s.loops<2>(C);
  const auto [mo, mi] = s.split(m, rows);
  const auto [no, ni] = s.split(n, 8);
  s.reorder({mo, no, ni, mi});
  const TensorId part = s.rfactor(C.id(), {mi}, "part");
  s.keep_in(part, Memory::Shared);
  const auto [block, tile, box] = s.loops<3>(C);
  s.bind(block, ParallelType::BIDy);
  s.bind(box, by == CopyBy::Tma ? ParallelType::Bulk : ParallelType::Vectorize);
  s.meet_atomically(C).copy(C, by);
  const auto [own_block, own_tile, column, row] = s.loops<4>(part);
  s.bind(own_block, ParallelType::BIDy)
      .bind(column, ParallelType::TIDx)
      .bind(row, ParallelType::TIDy);
  s.compute_at(part, tile);
  return lower(f, s).steps[1].variants[0];
}

// C = -x of 16 x 36, of which a block computes one tile of `rows` x 8 after the other, and stores
// it from there.
Kernel stored_tiles(std::int64_t rows, CopyBy by) {
  Fusion f;
  const Tensor C = f.output("C", -f.input("x", {f.constant(16), f.constant(36)}, DataType::Float));
  Schedule s(f);
  const TensorId tile = s.cache(C, "tile", Memory::Shared);
  const auto cut = [&](TensorId t) {
    const auto [m, n] = s.loops<2>(t);
    const auto [mo, mi] = s.split(m, rows);
    const auto [no, ni] = s.split(n, 8);
    s.reorder({mo, no, mi, ni});
    s.bind(mo, ParallelType::BIDx);
    return std::tuple(no, mi, ni);
  };
  const auto [no, row, column] = cut(C.id());
  if (by == CopyBy::Tma) s.bind(row, ParallelType::Bulk);
  s.bind(column, by == CopyBy::Tma ? ParallelType::Bulk : ParallelType::Vectorize);
  s.copy(C, by);
  const auto [of, own_row, own_column] = cut(tile);
  s.bind(own_row, ParallelType::TIDy).bind(own_column, ParallelType::TIDx);
  s.compute_at(tile, no);
  return lower(f, s).steps[0].variants[0];
}

bool is_order(const Statement& s) {
  const auto* copy = std::get_if<AsyncCopy>(&s.node);
  if (copy != nullptr && copy->by_rank.valid()) return true;
  return std::holds_alternative<Wait>(s.node) || std::holds_alternative<Arrive>(s.node) ||
         std::holds_alternative<ProxyFence>(s.node) || std::holds_alternative<Barrier>(s.node);
}

struct Mutant {
  std::string what;
  Kernel kernel;
};

// All of one statement, the n-th of those that order; none: there is no n-th.
std::vector<Mutant> mutants_of(const Kernel& kernel, std::size_t n) {
  std::vector<Mutant> list;
  using Change = std::function<bool(Body&, std::size_t)>;  // false: it cannot be made
  const auto add = [&](const std::string& what, const Change& change) {
    Kernel other = kernel;
    std::size_t left = n;
    bool is_made = false;
    const std::function<bool(Body&)> visit = [&](Body& body) {
      for (std::size_t i = 0; i < body.size(); ++i) {
        if (is_order(body[i]) && left-- == 0) {
          is_made = change(body, i);
          return true;
        }
        for (Body* inner : bodies(body[i])) {
          if (visit(*inner)) return true;
        }
      }
      return false;
    };
    visit(other.body);
    if (is_made) list.push_back({what, std::move(other)});
  };
  add("left out", [](Body& body, std::size_t i) {
    body.erase(body.begin() + std::ptrdiff_t(i));
    return true;
  });
  add("doubled", [](Body& body, std::size_t i) {
    body.insert(body.begin() + std::ptrdiff_t(i), Statement(body[i]));
    return true;
  });
  add("moved up", [](Body& body, std::size_t i) {
    if (i == 0) return false;
    std::swap(body[i - 1], body[i]);
    return true;
  });
  add("moved down", [](Body& body, std::size_t i) {
    if (i + 1 == body.size()) return false;
    std::swap(body[i], body[i + 1]);
    return true;
  });
  if (kernel.launch.is_cluster) {
    const auto add_to_multicast = [&](const std::string& what, auto change_copy) {
      add(what, [change_copy](Body& body, std::size_t i) {
        auto* copy = std::get_if<AsyncCopy>(&body[i].node);
        if (copy == nullptr) return false;
        change_copy(*copy);
        return true;
      });
    };
    add_to_multicast("made by the next rank", [](AsyncCopy& c) { c.by_rank = c.by_rank + 1; });
    add_to_multicast("made by the first rank", [](AsyncCopy& c) { c.by_rank = c.by_rank * 0; });
    add_to_multicast("made by the other rank", [](AsyncCopy& c) { c.by_rank = 1 - c.by_rank; });
    add_to_multicast("made by each rank for itself", [](AsyncCopy& c) { c.by_rank = {}; });
    add_to_multicast("announced by none", [](AsyncCopy& c) { c.announces = false; });
    add("at the first rank alone", [&](Body& body, std::size_t i) {
      auto* arrive = std::get_if<Arrive>(&body[i].node);
      if (arrive == nullptr || !arrive->object) return false;
      const Buffer& objects = kernel.buffers[arrive->object->buffer];
      arrive->object->address = arrive->object->address % objects.piece(kernel.launch.ranks());
      return true;
    });
    add("of each block of the cluster alone", [](Body& body, std::size_t i) {
      auto* barrier = std::get_if<Barrier>(&body[i].node);
      if (barrier == nullptr || barrier->scope != Barrier::Scope::Block) return false;
      barrier->scope = Barrier::Scope::Rank;
      return true;
    });
  }
  for (std::int64_t by : {-1, 1, 2}) {
    add("waiting for " + std::to_string(-by) + " groups more", [&](Body& body, std::size_t i) {
      auto* wait = std::get_if<Wait>(&body[i].node);
      if (wait == nullptr || wait->object || wait->pending + by < 0) return false;
      wait->pending += by;
      return true;
    });
  }
  for (std::int64_t by : {-1, 1}) {
    add("waiting " + std::to_string(by) + " phases later", [&](Body& body, std::size_t i) {
      auto* wait = std::get_if<Wait>(&body[i].node);
      if (wait == nullptr || !wait->object) return false;
      wait->phase = wait->phase + by;
      return true;
    });
  }
  return list;
}

std::vector<Array> given_to(const Kernel& kernel) {
  std::vector<Array> arrays = arrays_for(kernel, {});
  for (std::size_t b = 0; b < arrays.size(); ++b) {
    if (kernel.buffers[b].is_written) continue;
    for (std::int64_t i = 0; i < arrays[b].size(); ++i) arrays[b].set(i, double(i * 7 % 13) - 6);
  }
  return arrays;
}
Array result_of(const Kernel& kernel, VirtualOrder order) {
  std::vector<Array> arrays = given_to(kernel);
  run_text(kernel, {}, arrays, default_virtual_compiler(), order);
  for (std::size_t b = 0; b < arrays.size(); ++b) {
    if (kernel.buffers[b].name == "C") return arrays[b];
  }
  return arrays[0];
}

// The virtual device waits for ever, or makes a barrier object of what is none.
bool goes_wrong_in(const Kernel& kernel, VirtualOrder order, const Array& right) {
  try {
    return result_of(kernel, order).bytes != right.bytes;
  } catch (const Error&) {
    return true;
  }
}

struct Copies {
  CopyBy by;
  bool has_role = false, is_cluster = false, is_multicast = false, is_repeated = false,
       combines = false, stores = false;
  std::string name() const {
    return std::string(to_string(by)) + (has_role ? "_by_role" : "") +
           (is_multicast  ? "_for_all"
            : is_cluster  ? "_in_clusters"
            : is_repeated ? "_again_and_again"
            : combines    ? "_combined"
            : stores      ? "_stored"
                          : "");
  }
};
class CopyMutants : public testing::TestWithParam<Copies> {};

TEST_P(CopyMutants, AreFoundWhereTheyGoWrongAndNowhereElse) {
  const bool is_bulk = is_by_proxy(GetParam().by);
  int all = 0, refused = 0, shown = 0, accepted = 0, faulty = 0;
  SplitMix64 random(20261129);
  for (const auto& [stages, ahead] : {std::pair(1, 0), std::pair(2, 1), std::pair(3, 2),
                                      std::pair(4, 2), std::pair(3, 1), std::pair(2, 0)}) {
    if (GetParam().has_role && (ahead != stages - 1 || ahead == 0)) continue;
    const bool is_longest = stages + ahead == 5;
    if (GetParam().is_cluster && !GetParam().has_role && stages != 1 && !is_longest) continue;
    if ((GetParam().combines || GetParam().stores) && ahead != stages - 1) continue;
    const Kernel kernel = GetParam().combines ? column_sums(2 * stages, GetParam().by)
                          : GetParam().stores ? stored_tiles(4 * stages, GetParam().by)
                          : GetParam().is_cluster && !GetParam().is_multicast
                              ? row_sums(stages, ahead, GetParam().by)
                              : product(stages, ahead, GetParam().by, GetParam().has_role,
                                        GetParam().is_multicast, GetParam().is_repeated);
    const Array right = result_of(kernel, {});
    for (std::size_t n = 0;; ++n) {
      const std::vector<Mutant> mutants = mutants_of(kernel, n);
      if (mutants.empty()) break;
      for (const Mutant& mutant : mutants) {
        const bool is_legal = verify(mutant.kernel).is_legal();
        bool goes_wrong = false;
        const int orders = count(40, 10'000);
        for (int order = 0; order <= orders && !goes_wrong; ++order) {
          const VirtualOrder drawn = order == 0 ? VirtualOrder{} : VirtualOrder{random.next()};
          goes_wrong = goes_wrong_in(mutant.kernel, drawn, right);
        }
        if (is_bulk || GetParam().is_cluster) {
          // Its clocks know of every order, and of fences.
          std::vector<Array> arrays = given_to(mutant.kernel);
          const bool has_fault = run_emulated(mutant.kernel, {}, arrays).fault_count > 0;
          EXPECT_EQ(is_legal, !has_fault) << stages << " stages, " << ahead << " ahead, statement "
                                          << n << " " << mutant.what << "\n"
                                          << loop_nest(mutant.kernel);
          faulty += has_fault;
        }
        EXPECT_FALSE(is_legal && goes_wrong)
            << stages << " stages, " << ahead << " ahead, statement " << n << " " << mutant.what
            << "\n"
            << loop_nest(mutant.kernel);
        ++all;
        accepted += is_legal;
        refused += !is_legal;
        shown += !is_legal && goes_wrong;
        if (!is_legal && !goes_wrong && !is_bulk && !GetParam().is_cluster) {
          std::printf(
              "refused, and right in all orders drawn: %d stages, %d ahead, statement %zu %s\n",
              stages, ahead, n, mutant.what.c_str());
        }
      }
    }
  }
  std::printf("[FIGURE] copy mutants by %s: %d, %d accepted, %d refused, %d of these go wrong\n",
              GetParam().name().c_str(), all, accepted, refused, shown);
  EXPECT_EQ(is_bulk || GetParam().is_cluster ? faulty : shown, refused);
}

INSTANTIATE_TEST_SUITE_P(
    Copies, CopyMutants,
    testing::Values(Copies{CopyBy::CpAsync}, Copies{CopyBy::Bulk}, Copies{CopyBy::Tma},
                    Copies{CopyBy::Bulk, true}, Copies{CopyBy::Tma, true},
                    Copies{CopyBy::CpAsync, false, true}, Copies{CopyBy::Bulk, false, true},
                    Copies{CopyBy::Tma, false, true}, Copies{CopyBy::Bulk, false, true, true},
                    Copies{CopyBy::Tma, false, true, true}, Copies{CopyBy::Bulk, true, true, true},
                    Copies{CopyBy::Tma, true, true, true},
                    Copies{CopyBy::CpAsync, false, false, false, true},
                    Copies{CopyBy::Bulk, false, false, false, true},
                    Copies{CopyBy::Bulk, true, false, false, true},
                    Copies{CopyBy::Tma, true, false, false, true},
                    Copies{CopyBy::Tma, false, false, false, false, true},
                    Copies{CopyBy::Bulk, false, false, false, false, true},
                    Copies{.by = CopyBy::Tma, .stores = true},
                    Copies{.by = CopyBy::Bulk, .stores = true}),
    [](const auto& info) { return info.param.name(); });

}  // namespace
}  // namespace selvage
