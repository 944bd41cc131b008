#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/runtime/compile_error.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/runtime/shared_library.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace selvage {

namespace {

using NvrtcProgram = struct OpaqueNvrtcProgram*;
using NvrtcResult = int;  // 0 is success

// Results that callers handle, besides reporting them.
constexpr NvrtcResult kInvalidOption = 5;
constexpr NvrtcResult kCompilationError = 6;

constexpr int kMostArchitectures = 1'000;

const std::string kLibraries[] = {
    "libnvrtc.so.13",
    "libnvrtc.so.12",
    "libnvrtc.so",
    "/usr/local/cuda/lib64/libnvrtc.so",
    "/usr/local/cuda/targets/x86_64-linux/lib/libnvrtc.so",
};

constexpr std::string_view kBinary = "sm_";
constexpr std::string_view kPtxOnly = "compute_";
const std::string kMinimal = "--minimal";  // leaves out what emitted text does not use

bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }

// The number of an architecture, 90 of sm_90a; nothing if `arch` is not of that form.
std::optional<int> number_of(std::string_view arch) {
  if (!arch.starts_with(kBinary)) return std::nullopt;
  arch.remove_prefix(kBinary.size());
  int number = 0;
  const auto [end, error] = std::from_chars(arch.data(), arch.data() + arch.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

// The sources as one text. Each is in a namespace of its own, so that helpers of the same name do
// not clash; the kernels are extern "C".
std::string text_of(std::span<const KernelSource> sources) {
  std::string text;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const KernelSource& source = sources[i];
    for (std::size_t k = 0; k < i; ++k) SELVAGE_CHECK(sources[k].name != source.name);
    text += "namespace selvage_" + std::to_string(i) + " {\n#line 1 \"" + source.name + "\"\n" +
            source.text + "\n}\n";
  }
  return text;
}

}  // namespace

// The entry points of one NVRTC library.
struct NvrtcCalls {
  SharedLibrary library;
  const char* (*GetErrorString)(NvrtcResult) = nullptr;
#define CALL(name, parameters) NvrtcResult(*name) parameters = nullptr;
#define NEWER_CALL(name, parameters, since) CALL(name, parameters)
#include <selvage/runtime/nvrtc_calls.def>
#undef NEWER_CALL
#undef CALL

  // Sets `missing` to the first required symbol that the library lacks.
  NvrtcCalls(SharedLibrary from, std::string& missing) : library(std::move(from)) {
    const auto need = [&](auto& call, const char* name) {
      if (!library.bind(call, name) && missing.empty()) missing = name;
    };
    need(GetErrorString, "nvrtcGetErrorString");
#define CALL(name, parameters) need(name, "nvrtc" #name);
#define NEWER_CALL(name, parameters, since) library.bind(name, "nvrtc" #name);
#include <selvage/runtime/nvrtc_calls.def>
#undef NEWER_CALL
#undef CALL
  }

  // Throws Error E704 for a result other than success, with `what` and the library's message.
  void check(NvrtcResult result, const std::string& what) const {
    if (result != 0) refuse<Error>("E704", what + " fails: " + GetErrorString(result), "");
  }

  // The bytes that a pair of calls gives, the first their number and the second their contents.
  template <class Bytes>
  Bytes bytes(NvrtcProgram program, NvrtcResult (*size_of)(NvrtcProgram, std::size_t*),
              NvrtcResult (*get)(NvrtcProgram, char*), const char* what) const {
    std::size_t size = 0;
    check(size_of(program, &size), what);
    Bytes bytes(size, {});
    if (size > 0) check(get(program, reinterpret_cast<char*>(bytes.data())), what);
    return bytes;
  }
  // The same without the zero at its end.
  std::string text(NvrtcProgram program, NvrtcResult (*size_of)(NvrtcProgram, std::size_t*),
                   NvrtcResult (*get)(NvrtcProgram, char*), const char* what) const {
    auto text = bytes<std::string>(program, size_of, get, what);
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

  std::vector<int> architectures() const {
    int count = 0;
    if (GetNumSupportedArchs == nullptr || GetSupportedArchs == nullptr) return {};
    if (GetNumSupportedArchs(&count) != 0 || count < 1 || count > kMostArchitectures) return {};
    std::vector<int> numbers(static_cast<std::size_t>(count));
    if (GetSupportedArchs(numbers.data()) != 0) return {};
    std::ranges::sort(numbers);
    return numbers;
  }
};

namespace {

// One program of the library, from its creation to its end.
class Compilation {
 public:
  Compilation(const NvrtcCalls& calls, const std::string& text,
              const std::vector<std::string>& words)
      : calls_(calls) {
    calls.check(calls.CreateProgram(&program, text.c_str(), "selvage", 0, nullptr, nullptr),
                "nvrtcCreateProgram");
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    result = calls.CompileProgram(program, static_cast<int>(argv.size()), argv.data());
  }
  ~Compilation() { calls_.DestroyProgram(&program); }
  Compilation(const Compilation&) = delete;

  NvrtcProgram program = nullptr;
  NvrtcResult result = 0;

 private:
  const NvrtcCalls& calls_;
};

}  // namespace

struct Nvrtc::Loaded {
  std::unique_ptr<const Nvrtc> nvrtc;
  std::string why;
};

Nvrtc::Nvrtc(std::unique_ptr<const NvrtcCalls> calls)
    : calls_(std::move(calls)), architectures_(calls_->architectures()) {}
Nvrtc::~Nvrtc() = default;

std::unique_ptr<const Nvrtc> Nvrtc::try_open(const std::string& path, std::string& why) {
  auto library = SharedLibrary::open(path, why);
  if (!library) return nullptr;
  std::string missing;
  auto calls = std::make_unique<const NvrtcCalls>(std::move(*library), missing);
  if (missing.empty()) return std::unique_ptr<const Nvrtc>(new Nvrtc(std::move(calls)));
  why = calls->library.path() + " has no " + missing;
  return nullptr;
}

const Nvrtc::Loaded& Nvrtc::loaded() {
  // Never freed: the library has threads and exit handlers of its own.
  static const Loaded& loaded = *[] {
    auto* loaded = new Loaded;
    for (const std::string& path : kLibraries) {
      std::string why;
      loaded->nvrtc = try_open(path, why);
      if (loaded->nvrtc != nullptr) break;
      loaded->why += (loaded->why.empty() ? "" : "; ") + why;
    }
    return loaded;
  }();
  return loaded;
}

const Nvrtc* Nvrtc::instance() { return loaded().nvrtc.get(); }
const std::string& Nvrtc::why_absent() { return loaded().why; }

std::unique_ptr<const Nvrtc> Nvrtc::open(const std::string& library) {
  std::string why;
  auto nvrtc = try_open(library, why);
  if (nvrtc != nullptr) return nvrtc;
  refuse<Error>("E713", "there is no NVRTC to compile for the GPU: " + why,
                "name the libnvrtc.so of a CUDA toolkit, or run on the virtual device");
}

int Nvrtc::version() const {
  int major = 0;
  int minor = 0;
  calls_->check(calls_->Version(&major, &minor), "nvrtcVersion");
  return 1000 * major + minor;
}

std::string Nvrtc::library() const { return calls_->library.path(); }

// Refuses what the architecture has no instructions for: the assembler would say so line by line.
static void check_instructions(std::span<const KernelSource> sources, const std::string& arch) {
  struct Instructions {
    const char *word, *what;
    int from;  // which architecture on GPUs have them
  };
  constexpr Instructions kInstructions[] = {
      {"end_copy_group()", "copies that end later (cp.async)", 80},
      {"begin_box_copy_", "copies of boxes by tensor maps (cp.async.bulk.tensor)", 90},
      {"store_box_", "stores of boxes by tensor maps (cp.async.bulk.tensor)", 90},
      {"combine_box_", "boxes that are combined by tensor maps (cp.reduce.async.bulk.tensor)", 90},
      {"  combine_bytes(", "bulk copies that combine (cp.reduce.async.bulk)", 90},
      {"  store_bytes(", "stores by bulk copies (cp.async.bulk)", 90},
      {"begin_bulk_copy(", "bulk copies (cp.async.bulk)", 90},
      {"init_object(", "barrier objects (mbarrier)", 80}};
  const std::optional<int> number = number_of(arch);
  for (const KernelSource& source : sources) {
    if (arch != "sm_90a" && source.text.find("begin_mma(") != std::string::npos) {
      refuse<Error>("E704",
                    fmt::format("{} has matrix multiplications by warpgroups (wgmma), which sm_90a "
                                "alone has, and is compiled for {}",
                                source.name, arch),
                    "compile for sm_90a");
    }
    for (const Instructions& i : kInstructions) {
      if (number.value_or(i.from) >= i.from) continue;
      if (source.text.find(i.word) == std::string::npos) continue;
      refuse<Error>("E704",
                    fmt::format("{} has {}, which GPUs have from sm_{} on, and is compiled for {}",
                                source.name, i.what, i.from, arch),
                    fmt::format("compile for sm_{} or newer; or {}", i.from,
                                i.from > 80 ? "copy by cp_async, or ldst, in its schedule"
                                            : "load and store, by: ldst in its schedule"));
    }
  }
}

// The target to compile for so that the result runs on `arch`. PTX for an architecture runs on
// every newer one; PTX for one with a letter, compute_90a, runs on that architecture alone.
std::string Nvrtc::target_for(const std::string& arch) const {
  const std::optional<int> number = number_of(arch);
  if (!number) return arch;
  if (architectures_.empty() || std::ranges::binary_search(architectures_, *number)) {
    if (calls_->GetCUBIN != nullptr && calls_->GetCUBINSize != nullptr) return arch;
    return std::string(kPtxOnly) + arch.substr(kBinary.size());
  }
  const auto newer = std::ranges::upper_bound(architectures_, *number);
  if (newer != architectures_.begin()) {
    return std::string(kPtxOnly) + std::to_string(*std::prev(newer));
  }
  const std::string oldest = std::string(kBinary) + std::to_string(architectures_.front());
  refuse<Error>("E704",
                library() + ", NVRTC " + std::to_string(version() / 1000) + "." +
                    std::to_string(version() % 1000) + ", no longer knows " + arch +
                    ": its oldest architecture is " + oldest,
                "install the NVRTC of an older CUDA toolkit, or compile for " + oldest);
}

CompiledKernels Nvrtc::compile(const KernelSource& source, const NvrtcOptions& options) const {
  return compile({&source, 1}, options);
}

CompiledKernels Nvrtc::compile(std::span<const KernelSource> sources,
                               const NvrtcOptions& options) const {
  const NvrtcCalls& calls = *calls_;
  check_instructions(sources, options.arch);
  const std::string text = text_of(sources);
  const std::string target = target_for(options.arch);
  const bool is_binary = !target.starts_with(kPtxOnly);

  std::vector<std::string> words = {"--gpu-architecture=" + target,
                                    options.fmad ? "--fmad=true" : "--fmad=false", kMinimal};
  if (is_binary) words.emplace_back("-Xptxas=-v");
  words.insert(words.end(), options.more.begin(), options.more.end());

  auto program = std::make_unique<Compilation>(calls, text, words);
  // Older toolkits reject --minimal and the letter of sm_90a; emitted text needs neither.
  if (program->result == kInvalidOption) {
    std::erase(words, kMinimal);
    program = std::make_unique<Compilation>(calls, text, words);
  }
  if (program->result == kInvalidOption && is_small_letter(target.back())) {
    words.front().pop_back();
    program = std::make_unique<Compilation>(calls, text, words);
  }
  const NvrtcProgram handle = program->program;
  CompiledKernels compiled;
  compiled.log =
      calls.text(handle, calls.GetProgramLogSize, calls.GetProgramLog, "nvrtcGetProgramLog");
  // Toolkits that know letters report a letter that this architecture lacks with --nv_arch.
  if (program->result == kCompilationError && is_small_letter(target.back()) &&
      compiled.log.find("--nv_arch") != std::string::npos) {
    refuse<Error>("E704", library() + " knows no " + options.arch,
                  "compile for " + options.arch.substr(0, options.arch.size() - 1));
  }
  if (program->result == kCompilationError) {
    throw Error(compile_error("E704", "NVRTC", sources, compiled.log));
  }
  if (program->result == kInvalidOption) {
    refuse<Error>("E704",
                  library() + " refuses to compile for " + target + ": " + line_of(compiled.log, 1),
                  "install an NVRTC that knows " + options.arch + " and the options");
  }
  calls.check(program->result, "nvrtcCompileProgram for " + target);
  if (is_binary) {
    compiled.cubin = calls.bytes<std::vector<std::byte>>(handle, calls.GetCUBINSize, calls.GetCUBIN,
                                                         "nvrtcGetCUBIN");
    compiled.kernels = parse_ptxas_log(compiled.log);
  }
  if (options.ptx || !is_binary) {
    compiled.ptx = calls.text(handle, calls.GetPTXSize, calls.GetPTX, "nvrtcGetPTX");
  }
  return compiled;
}

const KernelResources& CompiledKernels::kernel(std::string_view name) const {
  const auto at = std::ranges::find(kernels, name, &KernelResources::name);
  SELVAGE_CHECK(at != kernels.end());
  return *at;
}

}  // namespace selvage
