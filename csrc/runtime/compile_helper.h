#pragma once

#include <selvage/runtime/descriptor.h>
#include <selvage/runtime/nvrtc.h>

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace selvage {

// A process that compiles by NVRTC. Several processes are faster, as the front end of NVRTC takes
// one kernel at a time in a process. A helper may be missing, die, hang or answer wrongly: then
// compile() returns nullopt, and the caller compiles itself.
class CompileHelper {
 public:
  // $SELVAGE_COMPILE_HELPER (none if it is set to nothing); else selvage_compile beside this
  // program; else in the folder where it is installed. Empty if there is no such file.
  static std::string path();

  // Null if the program does not start.
  static std::unique_ptr<CompileHelper> start(const std::string& program);
  // Ends the process, and waits for its end.
  ~CompileHelper();
  CompileHelper(const CompileHelper&) = delete;
  CompileHelper& operator=(const CompileHelper&) = delete;

  // One request at a time. nullopt if it cannot be compiled, if the answer is of an NVRTC of
  // another version than `toolkit`, or does not come within `limit`; after one of the latter two
  // the helper is not used any more.
  std::optional<CompiledKernels> compile(
      const CompileRequest& request, int toolkit,
      std::chrono::milliseconds limit = std::chrono::seconds(60));

 private:
  CompileHelper(pid_t process, Descriptor socket);
  void end();

  pid_t process_;  // 0: ended
  Descriptor socket_;
};

// The helper's main loop: answers requests from one descriptor on another until there are no more.
// Returns its exit status.
int serve_compile_requests(int from, int to);

}  // namespace selvage
