// Kernels for the verifier, written down statement by statement.
#pragma once

#include <selvage/kernel/print.h>
#include <selvage/kernel/verify_parts.h>

#include <gtest/gtest.h>

#include <string>

#include "tests/support/hand_kernel.h"

namespace selvage::test {

struct VerifyCase : HandKernel {
  // One block of x by y threads; `grid`, where it is given, along x.
  VerifyCase(std::int64_t x, std::int64_t y = 1, Expr grid = {}) : HandKernel("k") {
    kernel.launch.block = {c(x), c(y), c(1)};
    if (grid.valid()) kernel.launch.grid[0] = grid;
    tx = pool->symbol("tx");
    ty = pool->symbol("ty");
    bx = pool->symbol("bx");
    by = pool->symbol("by");
  }

  BufferId shared(const std::string& name, std::int64_t n, std::optional<std::int64_t> offset = {},
                  DataType type = DataType::Float) {
    kernel.buffers.push_back({.name = name,
                              .type = type,
                              .memory = Memory::Shared,
                              .elements = c(n),
                              .is_written = true,
                              .offset = offset});
    return BufferId(kernel.buffers.size() - 1);
  }
  BufferId local(const std::string& name, std::int64_t n) {
    kernel.buffers.push_back({name, DataType::Float, Memory::Local, c(n), true});
    return BufferId(kernel.buffers.size() - 1);
  }
  ValueId one() { return kernel.values.constant(DataType::Float, 1.0, false); }
  ValueId sum(ValueId a, ValueId b) { return kernel.values.apply(Function::Add, {a, b}); }
  // The value where the condition holds, else 0.
  ValueId where(Expr condition, ValueId v) {
    ValueGraph& g = kernel.values;
    const ValueId in = g.cast(g.index(condition), DataType::Bool);
    return g.apply(Function::Select, {in, v, g.constant(DataType::Float, 0.0, false)});
  }
  Statement put(BufferId b, Expr address, ValueId v) { return store(b, address, v); }

  // The body inside loops over bx, by, ty and tx.
  const Kernel& with(Body body) {
    struct Axis {
      Expr variable, extent;
      ParallelType type;
    };
    const Axis axes[] = {{tx, kernel.launch.block[0], ParallelType::TIDx},
                         {ty, kernel.launch.block[1], ParallelType::TIDy},
                         {bx, kernel.launch.grid[0], ParallelType::BIDx},
                         {by, kernel.launch.grid[1], ParallelType::BIDy}};
    for (const Axis& a : axes) {
      Loop loop{a.variable, a.extent, a.type, std::move(body)};
      body = {};
      body.push_back({std::move(loop)});
    }
    kernel.body = std::move(body);
    return kernel;
  }
  struct Verified : Verification {
    std::shared_ptr<ExprPool> pool;  // of the points
  };
  Verified verified(Body body) { return {verify(with(std::move(body))), pool}; }

  Expr tx, ty, bx, by;
};

inline Statement warp_barrier() { return {Barrier{Barrier::Scope::Warp}}; }

inline std::string findings(const Verification& v) {
  std::string text;
  for (const KernelFinding& f : v.findings) {
    text += std::string(to_string(f.hazard)) + " " + std::string(to_string(f.verdict)) + ": " +
            f.text + "\n";
  }
  return text;
}
inline std::string first_text(const Verification& v, Hazard h) {
  for (const KernelFinding& f : v.findings) {
    if (f.hazard == h) return std::string(to_string(f.verdict)) + ": " + f.text;
  }
  return "proved";
}

}  // namespace selvage::test
