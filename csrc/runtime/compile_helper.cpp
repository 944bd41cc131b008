#include <selvage/base/diagnostic.h>
#include <selvage/runtime/compile_helper.h>
#include <selvage/runtime/message.h>
#include <selvage/runtime/packed_kernels.h>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace selvage {

namespace {

// Run with the socket as its input and output, and none of this process's other descriptors.
std::optional<pid_t> spawn(const std::string& program, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, 0);
  posix_spawn_file_actions_adddup2(&actions, 0, 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  // Whatever this thread blocks, or this program ignores, is as usual in the helper.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char* const argv[] = {const_cast<char*>(program.c_str()), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, program.c_str(), &actions, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;
  return child;
}

std::string if_executable(const std::string& program) {
  return ::access(program.c_str(), X_OK) == 0 ? program : "";
}

}  // namespace

std::string CompileHelper::path() {
  if (const char* named = ::secure_getenv("SELVAGE_COMPILE_HELPER")) return if_executable(named);
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const std::string beside = if_executable(self.parent_path() / "selvage_compile");
    if (!beside.empty()) return beside;
  }
  return if_executable(SELVAGE_COMPILE_HELPER_INSTALLED);
}

std::unique_ptr<CompileHelper> CompileHelper::start(const std::string& program) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return nullptr;
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  const auto process = spawn(program, theirs.get());
  if (!process) return nullptr;
  return std::unique_ptr<CompileHelper>(new CompileHelper(*process, std::move(ours)));
}

CompileHelper::CompileHelper(pid_t process, Descriptor socket)
    : process_(process), socket_(std::move(socket)) {}

CompileHelper::~CompileHelper() { end(); }

void CompileHelper::end() {
  if (process_ == 0) return;
  socket_.close();
  // It leaves nothing behind that it could tidy up.
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {}
  process_ = 0;
}

std::optional<CompiledKernels> CompileHelper::compile(const CompileRequest& request, int toolkit,
                                                      std::chrono::milliseconds limit) {
  if (process_ == 0) return std::nullopt;
  const Deadline deadline = std::chrono::steady_clock::now() + limit;
  std::optional<std::vector<std::byte>> answer;
  if (send_message(socket_.get(), packed(request), deadline)) {
    answer = receive_message(socket_.get(), deadline);
  }
  if (answer) {
    int theirs = 0;
    std::vector<std::byte> result;
    if (Unpacker(*answer).get(theirs, result).finished() && theirs == toolkit) {
      if (result.empty()) return std::nullopt;  // it was refused
      if (auto kernels = unpacked<CompiledKernels>(result)) return kernels;
    }
  }
  end();
  return std::nullopt;
}

int serve_compile_requests(int from, int to) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) return 1;
  while (const auto message = receive_message(from)) {
    const auto request = unpacked<CompileRequest>(*message);
    if (!request) return 1;
    std::vector<std::byte> result;
    try {
      result = packed(nvrtc->compile(request->sources, request->options));
    } catch (const Error&) {
      // An empty result: the asking process compiles itself and gets the same error.
    }
    if (!send_message(to, Packer().put(nvrtc->version(), result).take())) return 1;
  }
  return 0;
}

}  // namespace selvage
