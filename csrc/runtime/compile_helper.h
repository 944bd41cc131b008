#pragma once

#include <selvage/runtime/descriptor.h>
#include <selvage/runtime/nvrtc.h>

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace selvage {

// A process of its own that compiles by NVRTC, of which one process lets one kernel at a time
// through its front end. It is a convenience: where there is none, where it dies, hangs, or says
// anything odd, there is no answer, and who asked compiles itself.
class CompileHelper {
 public:
  // $SELVAGE_COMPILE_HELPER (none where it is set to nothing); else selvage_compile beside this
  // program; else where it was to be installed. Empty where there is no such file.
  static std::string path();

  // Null where the program does not start.
  static std::unique_ptr<CompileHelper> start(const std::string& program);
  // Ends the process, and waits for its end.
  ~CompileHelper();
  CompileHelper(const CompileHelper&) = delete;
  CompileHelper& operator=(const CompileHelper&) = delete;

  // One request at a time. None where it cannot be compiled, where the answer is of an NVRTC of
  // another version than `toolkit`, or does not come in `limit`; after the latter two, never again.
  std::optional<CompiledKernels> compile(
      const CompileRequest& request, int toolkit,
      std::chrono::milliseconds limit = std::chrono::seconds(60));

 private:
  CompileHelper(pid_t process, Descriptor socket);
  void end();

  pid_t process_;  // 0: ended
  Descriptor socket_;
};

// What the helper does: answers requests from one descriptor on another until there are no more.
// Returns its exit status.
int serve_compile_requests(int from, int to);

}  // namespace selvage
