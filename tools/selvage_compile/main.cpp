// Compiles kernels for another process (csrc/runtime/compile_helper.h): requests come on standard
// input, results go to standard output. Not for use by hand.
#include <selvage/runtime/compile_helper.h>

#include <fcntl.h>
#include <unistd.h>

int main() {
  // What a library prints must not come between the results.
  const int results = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (results < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
  return selvage::serve_compile_requests(STDIN_FILENO, results);
}
