// schedule_inspect: what a schedule file means, for a person or as JSON.
#include <tools/schedule_inspect/command.h>

#include <iostream>

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  int status = selvage::perform_command(argc, argv, std::cin, std::cout, std::cerr);
  if (!std::cout.flush()) {
    std::cerr << "schedule_inspect: error: cannot write to standard output\n";
    status = 2;
  }
  return status;
}
