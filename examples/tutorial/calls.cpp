#include <selvage/selvage.h>

#include <iostream>

using namespace selvage;

int main() {
  Fusion f;
  const Expr M = f.extent("M"), N = f.extent("N", 0);  // N may be 0
  const Tensor x = f.input("x", {M, N}, DataType::Float);
  const Tensor y = f.output("y", sum(x * x, {1}));
  Schedule s(f);
  schedule_pointwise(s, y.id());

  const CompileOptions on_the_cpu{.target = Target::Virtual};  // else a GPU, if there is one
  const Executable run = compile(lower(s), on_the_cpu);
  for (const std::int64_t n : {3, 1027, 0}) {
    Array in(DataType::Float, {2, n}), out(DataType::Float, {2});
    for (std::int64_t k = 0; k < in.size(); ++k) in.set(k, 1 + k % 2);
    run({in, out});  // inputs, then outputs; M and N are told by their shapes
    std::cout << "N = " << n << ": " << out.get(0) << ", " << out.get(1) << '\n';
  }
  try {
    Array in(DataType::Float, {2, 3}), out(DataType::Float, {3});
    run({in, out});
  } catch (const BadInput& e) {
    std::cout << e.what() << '\n';
  }
  return 0;
}
