#include <selvage/threads.h>

#include <iostream>

using namespace selvage;

int main() {
  ThreadBuilder b("columns");
  const ArrayRef A = b.array("A", {6, 4}, DataType::Int32);
  const ArrayRef row = b.array("row", {4}, DataType::Int32, Memory::Shared);
  const ThreadIndex p = b.index("p", 6), q = b.index("q", 4);
  b.parallel({p, q}, [&] {  // 6 blocks of 4 threads
    b.inthreads(eq(q, 0), [&] { row(q) = 10 * p; });
    A(p, q) = row(0) + q;
    b.inthreads(p <= 2 && q > 0, [&] { A(p, q) *= -1; });
  });
  const ThreadProgram program = b.take();

  const LoweredThreads lowered = lower_threads(program);
  for (const ThreadRegion& region : lowered.regions) {
    std::cout << region.when << ": " << region.who.mask->text() << '\n';
  }
  std::cout << '\n' << loop_nest(*lowered.kernel) << '\n';

  const ThreadRun run = run_threads(program, {.on = Machine::Virtual});
  const Array& out = run.outputs.at("A");
  for (std::int64_t k = 0; k < out.size(); ++k) {
    std::cout << out.get_int(k) << (k % 4 == 3 ? '\n' : ' ');
  }
  std::cout << (run.passed() ? "as the masks say" : "wrong") << "\n\n";

  ThreadBuilder forgetful("forgetful");  // nobody waits before another one reads
  const ArrayRef B = forgetful.array("B", {64}, DataType::Int32);
  const ArrayRef S = forgetful.array("S", {64}, DataType::Int32, Memory::Shared);
  const ThreadIndex t = forgetful.index("t", 64);
  forgetful.parallel({t}, [&] {
    S(t) = t;
    B(t) = S(63 - t);
  });
  for (const Diagnostic& d : lower_threads(forgetful.take()).diagnostics) {
    std::cout << to_text(d) << '\n';
  }
  return 0;
}
