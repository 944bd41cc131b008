#include <selvage/selvage.h>

#include <iostream>

using namespace selvage;

int main() {
  Fusion f;
  auto [M, N] = f.extents("M", "N");
  Tensor a = f.input("a", {M, N}, DataType::Float), b = f.input("b", {N}, DataType::Float);
  Tensor y = f.output("y", relu(a + b));

  Schedule s(f);  // a value: copy it, try something, drop it
  auto [m, n] = s.loops<2>(y);
  auto [block, thread] = s.split(s.merge(m, n), 128);
  s.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);

  Program p = lower(s);  // throws Illegal: what, at which point, what mends it
  std::cout << loop_nest(p);

  Executable run = compile(p, {.target = Target::Virtual});  // proves p first; else: a GPU, if any
  Array in(DataType::Float, {3, 5}), bias(DataType::Float, {5}), out(DataType::Float, {3, 5});
  in.set(14, 1.5), bias.set(4, 2);
  run({in, bias, out});  // any memory; M and N are told by the shapes
  std::cout << "y[2, 4] = " << out.get(14) << '\n';
  return 0;
}
