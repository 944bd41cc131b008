#include <selvage/selvage.h>

#include <iostream>

int main() {
  selvage::Array a(selvage::DataType::Float, {2, 3});
  a.set(5, 0.5);
  const selvage::BadInput error({.code = "E000", .message = "nothing is wrong"});
  std::cout << error.what() << "\n";
  const bool ok = a.size() == 6 && a.get(5) == 0.5 && a.get(0) == 0 &&
                  std::string(error.what()) == "selvage: error[E000]: nothing is wrong";
  return ok ? 0 : 1;
}
