#include <selvage/threads/event_helps.h>
#include <selvage/threads/helps.h>
#include <selvage/threads/lower_threads.h>
#include <selvage/threads/race_helps.h>
#include <selvage/threads/refusal_mends.h>

namespace selvage {

void check_helps(const ThreadProgram& program, LoweredThreads& out) {
  const ThreadCheck check = [](const ThreadProgram& tried) {
    constexpr std::int64_t kMostBlocks = 64;  // of those that are looked at
    std::vector<Diagnostic> wrong;
    const LevelTree levels = level_tree(tried, wrong);
    const bool is_small = levels.chains.empty() || levels.chains.front().blocks() <= kMostBlocks;
    return lower_threads(tried, {.verifies = is_small, .checks_helps = false}).diagnostics;
  };
  if (!out.kernel) {
    if (check_event_helps(program, out.tree, check, out.diagnostics)) return;
    check_race_helps(program, out.tree, check, out.diagnostics);
  }
  check_tried_helps(program, out.tree, check, refusal_mends, out.diagnostics);
}

}  // namespace selvage
