#include <selvage/selvage.h>

#include <iostream>

using namespace selvage;

int main() {
  Fusion f;  // what is computed
  const auto [M, N] = f.extents("M", "N");
  const Tensor a = f.input("a", {M, N}, DataType::Float);
  const Tensor b = f.input("b", {N}, DataType::Float);
  const Tensor y = f.output("y", relu(a + b));

  Schedule s(f);  // and how: a value, copied like any other
  const auto [m, n] = s.loops<2>(y);
  const auto mn = s.merge(m, n, "mn");
  const auto [block, thread] = s.split(mn, 128, {.outer = "block", .inner = "thread"});
  s.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);

  const Program p = lower(s);
  std::cout << loop_nest(p) << '\n' << cuda(p.steps[0].variants[0]).text << '\n';
  for (const Kernel& k : p.steps[0].variants) {
    std::cout << k.name << " if " << to_string(k.condition) << '\n';
  }
  for (const LaunchCheck& c : p.checks) std::cout << "only if " << to_string(c.condition) << '\n';

  const RunResult r = run(f, p, {.sizes = {{"M", 1027}, {"N", 772}}, .on = Machine::Virtual});
  std::cout << r.outputs.at("y").size() << " items, "
            << (r.passed() ? "as without a schedule" : "wrong") << "\n\n";

  Schedule idle = s;  // leave the last thread of every block out
  idle.resize(thread, f.constant(0), f.constant(-1), "thread_127");
  try {
    lower(idle);
  } catch (const Illegal& e) {
    std::cout << e.what() << '\n';
  }
  return 0;
}
