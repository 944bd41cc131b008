#include <selvage/base/check.h>
#include <selvage/runtime/compile_error.h>
#include <selvage/runtime/shared_library.h>
#include <selvage/runtime/virtual_prelude.h>
#include <selvage/runtime/virtual_unit.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace selvage {

namespace {

// A directory that only this user can read, removed with all it holds.
class PrivateDirectory {
 public:
  PrivateDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "selvage-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), name);
    }
    path_ = name;
  }
  ~PrivateDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Runs a program found on PATH, its errors written to the file `log`. Returns its exit status, or
// why it did not start as a negative errno.
int run(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  // Messages in plain English, whatever the user speaks.
  std::string locale = "LC_ALL=C";
  std::vector<char*> variables = {locale.data()};
  for (char** v = environ; *v != nullptr; ++v) {
    if (!std::string_view(*v).starts_with("LC_ALL=")) variables.push_back(*v);
  }
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -failed;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -errno;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

SharedLibrary load(const KernelSource& source, const std::string& path) {
  std::string why;
  auto library = SharedLibrary::open(path, why);
  if (!library) throw Error(compile_error("E701", "gcc", {&source, 1}, "error: " + why));
  return std::move(*library);
}

class GccUnit : public VirtualUnit {
 public:
  GccUnit(SharedLibrary library, KernelSource source, std::shared_ptr<const std::string> bytes)
      : library_(std::move(library)), source_(std::move(source)), bytes_(std::move(bytes)) {}
  void* symbol(const char* name) const override {
    void* address = library_.symbol(name);
    SELVAGE_CHECK(address != nullptr);
    return address;
  }
  // The loader takes one file for one library, so it gets another.
  std::unique_ptr<VirtualUnit> again() const override {
    const PrivateDirectory directory;
    const std::string path = directory.file("kernel.so");
    std::ofstream(path, std::ios::binary) << *bytes_;
    return std::make_unique<GccUnit>(load(source_, path), source_, bytes_);
  }

 private:
  SharedLibrary library_;
  KernelSource source_;
  std::shared_ptr<const std::string> bytes_;  // of the library's file
};

const char* const kCompilers[] = {"gcc", "cc"};

}  // namespace

bool has_gcc() {
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable == nullptr ? "/bin:/usr/bin" : variable);
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const std::string compiler : kCompilers) {
      if (::access((folder.empty() ? compiler : folder + "/" + compiler).c_str(), X_OK) == 0) {
        return true;
      }
    }
  }
  return false;
}

std::unique_ptr<VirtualUnit> compile_by_gcc(const KernelSource& source, bool checked) {
  const PrivateDirectory directory;
  const std::string text = directory.file("kernel.c");
  const std::string unit = directory.file("kernel.so");
  const std::string log = directory.file("log");
  std::ofstream(text) << virtual_text(source, checked);

  // Kernels read float* as float4*, hence -fno-strict-aliasing; the C library and its mathematics
  // are those of this process.
  // clang-format off
  std::vector<std::string> words = {
      "gcc", "-x", "c", "-std=gnu11", "-O1", "-shared", "-fPIC", "-ffp-contract=off",
      "-fno-strict-aliasing", "-fgnu89-inline", "-fdiagnostics-color=never",
      "-Werror=implicit-function-declaration", "-Werror=implicit-int", "-Werror=int-conversion",
      "-Werror=incompatible-pointer-types", "-Werror=discarded-qualifiers",
      "-Wl,-Bsymbolic", "-nostdlib", text, "-o", unit, "-lgcc"};
  // clang-format on
  if (checked)
    // A load of an element with a constant address may else be moved in front of a loop and of the
    // guard in it.
    words.insert(words.end(), {"-fsanitize=thread", "-fno-inline", "-fno-toplevel-reorder",
                               "-fno-tree-loop-im"});
  int status = 0;
  for (const char* compiler : kCompilers) {
    words.front() = compiler;
    status = run(words, log);
    if (status != -ENOENT) break;
  }
  if (status < 0) {
    throw Error(compile_error("E701", "gcc", {&source, 1},
                              std::string("error: it does not start: ") + std::strerror(-status)));
  }
  if (status > 0) throw Error(compile_error("E701", "gcc", {&source, 1}, contents(log)));

  return std::make_unique<GccUnit>(load(source, unit), source,
                                   std::make_shared<const std::string>(contents(unit)));
}

}  // namespace selvage
