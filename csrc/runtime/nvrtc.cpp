#include <selvage/base/check.h>
#include <selvage/runtime/compile_error.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/runtime/shared_library.h>

#include <algorithm>

namespace selvage {

namespace {

using Program = struct OpaqueProgram*;
using Result = int;  // 0 is success
constexpr Result kCompilationError = 6;

const std::string kLibraries[] = {
    "libnvrtc.so.13",
    "libnvrtc.so.12",
    "libnvrtc.so",
    "/usr/local/cuda/lib64/libnvrtc.so",
    "/usr/local/cuda/targets/x86_64-linux/lib/libnvrtc.so",
};

}  // namespace

// The calls that Selvage makes, each under its name in the library without "nvrtc".
struct Nvrtc::Calls {
  SharedLibrary library;
  Result (*Version)(int*, int*) = nullptr;
  const char* (*GetErrorString)(Result) = nullptr;
  Result (*CreateProgram)(Program*, const char*, const char*, int, const char* const*,
                          const char* const*) = nullptr;
  Result (*DestroyProgram)(Program*) = nullptr;
  Result (*CompileProgram)(Program, int, const char* const*) = nullptr;
  Result (*GetProgramLogSize)(Program, std::size_t*) = nullptr;
  Result (*GetProgramLog)(Program, char*) = nullptr;
  Result (*GetCUBINSize)(Program, std::size_t*) = nullptr;
  Result (*GetCUBIN)(Program, char*) = nullptr;
  Result (*GetPTXSize)(Program, std::size_t*) = nullptr;
  Result (*GetPTX)(Program, char*) = nullptr;

  explicit Calls(SharedLibrary from) : library(std::move(from)) {}

  // The first symbol that the library lacks; empty when it has all.
  std::string bind() {
    SymbolBinder bind(library);
    bind(Version, "nvrtcVersion");
    bind(GetErrorString, "nvrtcGetErrorString");
    bind(CreateProgram, "nvrtcCreateProgram");
    bind(DestroyProgram, "nvrtcDestroyProgram");
    bind(CompileProgram, "nvrtcCompileProgram");
    bind(GetProgramLogSize, "nvrtcGetProgramLogSize");
    bind(GetProgramLog, "nvrtcGetProgramLog");
    bind(GetCUBINSize, "nvrtcGetCUBINSize");
    bind(GetCUBIN, "nvrtcGetCUBIN");
    bind(GetPTXSize, "nvrtcGetPTXSize");
    bind(GetPTX, "nvrtcGetPTX");
    return bind.missing();
  }

  void check(Result result, const std::string& what) const {
    if (result == 0) return;
    Diagnostic d;
    d.code = "E704";
    d.message = what + " fails: " + GetErrorString(result);
    throw Error(std::move(d));
  }

  // The bytes that a pair of calls, size then contents, gives out.
  template <typename Bytes>
  Bytes contents(Program program, Result (*size_of)(Program, std::size_t*),
                 Result (*get)(Program, char*), const char* what) const {
    std::size_t size = 0;
    check(size_of(program, &size), what);
    Bytes bytes(size, typename Bytes::value_type{});
    if (size > 0) check(get(program, reinterpret_cast<char*>(bytes.data())), what);
    return bytes;
  }

  std::string text(Program program, Result (*size_of)(Program, std::size_t*),
                   Result (*get)(Program, char*), const char* what) const {
    auto text = contents<std::string>(program, size_of, get, what);
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }
};

struct Nvrtc::Loaded {
  std::unique_ptr<const Nvrtc> nvrtc;
  std::string why;
};

Nvrtc::Nvrtc(std::unique_ptr<const Calls> calls) : calls_(std::move(calls)) {}
Nvrtc::~Nvrtc() = default;

const Nvrtc::Loaded& Nvrtc::loaded() {
  // Never freed: the library has threads and exit handlers of its own.
  static const Loaded& loaded = *[] {
    auto* loaded = new Loaded;
    auto library = SharedLibrary::open(kLibraries, loaded->why);
    if (!library) return loaded;
    auto calls = std::make_unique<Calls>(std::move(*library));
    const std::string missing = calls->bind();
    if (missing.empty()) {
      loaded->nvrtc.reset(new Nvrtc(std::move(calls)));
    } else {
      loaded->why = "NVRTC has no " + missing;
    }
    return loaded;
  }();
  return loaded;
}

const Nvrtc* Nvrtc::instance() { return loaded().nvrtc.get(); }
const std::string& Nvrtc::why_absent() { return loaded().why; }

int Nvrtc::version() const {
  int major = 0;
  int minor = 0;
  calls_->check(calls_->Version(&major, &minor), "nvrtcVersion");
  return 1000 * major + minor;
}

std::string Nvrtc::library() const { return calls_->library.path(); }

CompiledKernels Nvrtc::compile(const KernelSource& source, const NvrtcOptions& options) const {
  return compile({&source, 1}, options);
}

CompiledKernels Nvrtc::compile(std::span<const KernelSource> sources,
                               const NvrtcOptions& options) const {
  // A namespace each, so that helpers of the same name do not meet; the kernels are extern "C".
  std::string text;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const KernelSource& source = sources[i];
    for (std::size_t k = 0; k < i; ++k) SELVAGE_CHECK(sources[k].name != source.name);
    text += "namespace selvage_" + std::to_string(i) + " {\n#line 1 \"" + source.name + "\"\n" +
            source.text + "\n}\n";
  }

  std::vector<std::string> words = {"--gpu-architecture=" + options.arch, "--minimal", "-Xptxas=-v",
                                    options.fmad ? "--fmad=true" : "--fmad=false"};
  words.insert(words.end(), options.more.begin(), options.more.end());
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());

  const Calls& calls = *calls_;
  Program program = nullptr;
  calls.check(calls.CreateProgram(&program, text.c_str(), "selvage", 0, nullptr, nullptr),
              "nvrtcCreateProgram");
  const auto destroy = [&](Program p) { calls.DestroyProgram(&p); };
  const std::unique_ptr<OpaqueProgram, decltype(destroy)> owner(program, destroy);

  const Result result = calls.CompileProgram(program, static_cast<int>(argv.size()), argv.data());
  CompiledKernels compiled;
  compiled.log =
      calls.text(program, calls.GetProgramLogSize, calls.GetProgramLog, "nvrtcGetProgramLog");
  if (result == kCompilationError) {
    throw Error(compile_error("E704", "NVRTC", sources, compiled.log));
  }
  calls.check(result, "nvrtcCompileProgram for " + options.arch);
  compiled.cubin = calls.contents<std::vector<std::byte>>(program, calls.GetCUBINSize,
                                                          calls.GetCUBIN, "nvrtcGetCUBIN");
  if (options.ptx)
    compiled.ptx = calls.text(program, calls.GetPTXSize, calls.GetPTX, "nvrtcGetPTX");
  compiled.kernels = parse_ptxas_log(compiled.log);
  return compiled;
}

const KernelResources& CompiledKernels::kernel(std::string_view name) const {
  const auto at = std::ranges::find(kernels, name, &KernelResources::name);
  SELVAGE_CHECK(at != kernels.end());
  return *at;
}

}  // namespace selvage
