#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify_parts.h>

#include <fmt/format.h>

namespace selvage {

// Threads that take more registers wait until others have given back so many (setmaxnreg). Those
// who give back never wait, so nobody waits for ever if all roles together have no more than the
// block begins with. The registers of a block are handed out by warpgroups, in steps.
std::vector<KernelFinding> register_findings(const Kernel& kernel) {
  std::vector<KernelFinding> findings;
  const auto refuse = [&](const Statement* s, std::string text) {
    findings.push_back({.hazard = Hazard::Divergence,
                        .verdict = Refuted{},
                        .statement = s,
                        .buffer = {},
                        .sizes = {},
                        .first = {},
                        .second = {},
                        .text = std::move(text)});
  };
  std::int64_t threads = 1, wanted = 0, of_roles = 0;
  for (Expr extent : kernel.launch.hardware_block()) {
    threads *= extent.is(Op::Const) ? extent.value() : 0;
  }
  const Statement* last = nullptr;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const auto* region = std::get_if<Region>(&s.node);
    if (region == nullptr || region->registers == 0) return;
    const Barrier members{.scope = Barrier::Scope::Threads, .members = region->members};
    const std::int64_t own = count_of(members, threads);
    for (const auto& [from, to] : runs_of(members, threads)) {
      if (from % kWarpgroup == 0 && to % kWarpgroup == 0) continue;
      refuse(&s, fmt::format("threads {} to {} take or give registers, and are no warpgroups", from,
                             to - 1));
    }
    if (region->registers % kRegisterStep != 0 || region->registers < kLeastSetRegisters ||
        region->registers > kMostSetRegisters) {
      refuse(&s,
             fmt::format("a thread would have {} registers, which is not {} to {} in steps of "
                         "{}",
                         region->registers, kLeastSetRegisters, kMostSetRegisters, kRegisterStep));
    }
    if (threads > 0 && region->usual_registers != registers_at_entry(threads)) {
      refuse(&s, fmt::format("a thread of a block of {} begins with {} registers, not with {}",
                             threads, registers_at_entry(threads), region->usual_registers));
    }
    wanted += own * region->registers;
    of_roles += own;
    last = &s;
  });
  if (last == nullptr) return findings;
  const std::int64_t all = threads * registers_at_entry(std::max<std::int64_t>(threads, 1)),
                     asked =
                         wanted + (threads - of_roles) * (all / std::max<std::int64_t>(threads, 1));
  if (threads == 0 || asked > all) {
    refuse(last, fmt::format("{} threads ask for {} registers together, and the block has {}: who "
                             "takes more waits for ever",
                             threads, asked, all));
  }
  return findings;
}

}  // namespace selvage
