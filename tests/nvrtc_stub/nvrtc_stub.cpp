// A stand-in for NVRTC of a time before Hopper's features: version 11.8, sm_70 to sm_90, neither
// --minimal nor letters of architectures. It reads the names and parameters of kernels, which is
// all that the stand-in of the driver looks for in what it gives out. Built as the file
// libnvrtc.so.13 of a folder of its own, so that LD_LIBRARY_PATH puts it in the real one's place;
// and with calls left out:
//   NVRTC_STUB_BEFORE_11_1   those that came with CUDA 11.1 and 11.2
//   NVRTC_STUB_BROKEN        one that nothing goes without
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string>

namespace {

constexpr int kInvalidOption = 5;
constexpr int kArchitectures[] = {90, 70, 75, 80};  // in no order

struct Program {
  std::string text, log, ptx, cubin;
};

std::string parameters(const std::string& list) {
  std::string out;
  int number = 0;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string one = list.substr(at, end - at);
    const bool is_wide = one.find('*') != one.npos || one.find("long long") != one.npos;
    out += std::string(number > 0 ? ", " : "") + ".param " + (is_wide ? ".u64" : ".u32") + " p" +
           std::to_string(number);
    ++number;
    at = end + 1;
  }
  return out;
}

// Each kernel begins KERNEL(name)(parameters) at the head of a line.
void compile(Program& program, const std::string& arch, bool is_binary) {
  program.ptx = ".version 7.8\n.target sm_" + arch + "\n.address_size 64\n";
  const std::string word = "\nKERNEL(";
  const std::string& text = program.text;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t name = at + word.size(), end = text.find(")(", name);
    const std::size_t close = text.find(')', end + 2);
    const std::string kernel = text.substr(name, end - name);
    program.ptx += ".visible .entry " + kernel + "(" +
                   parameters(text.substr(end + 2, close - end - 2)) + ") { ret; }\n";
    if (!is_binary) continue;
    program.log += "ptxas info    : Compiling entry function '" + kernel + "' for 'sm_" + arch +
                   "'\nptxas info    : Used 8 registers, used 0 barriers\n";
  }
  if (!is_binary) return;
  program.cubin =
      "\x7F"
      "ELF\2";
  program.cubin.resize(64, '\0');
  program.cubin += program.ptx + '\0';
}

int give(const std::string& bytes, char* to) {
  std::memcpy(to, bytes.data(), bytes.size());
  return 0;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 11;
  *minor = 8;
  return 0;
}

const char* nvrtcGetErrorString(int result) {
  return result == kInvalidOption ? "NVRTC_ERROR_INVALID_OPTION" : "NVRTC_ERROR";
}

int nvrtcCreateProgram(Program** program, const char* text, const char*, int, const char* const*,
                       const char* const*) {
  *program = new Program{text, {}, {}, {}};
  return 0;
}

int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return 0;
}

int nvrtcCompileProgram(Program* program, int count, const char* const* words) {
  std::string arch;
  bool is_binary = false;
  for (int i = 0; i < count; ++i) {
    const std::string word = words[i];
    const std::string value = word.substr(word.find('=') + 1);
    if (word.rfind("--gpu-architecture=", 0) == 0) {
      is_binary = value.rfind("sm_", 0) == 0;
      arch = value.substr(is_binary ? 3 : 8);
      bool is_known = false;
      for (const int known : kArchitectures) is_known = is_known || arch == std::to_string(known);
      if (!is_known) program->log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
    } else if (word != "-Xptxas=-v" && word.rfind("--fmad=", 0) != 0) {
      program->log = "nvrtc: error: unrecognized option " + word + " found\n";
    }
  }
  if (!program->log.empty()) return kInvalidOption;
  compile(*program, arch, is_binary);
  return 0;
}

int nvrtcGetProgramLogSize(Program* program, std::size_t* bytes) {
  *bytes = program->log.size() + 1;
  return 0;
}
int nvrtcGetProgramLog(Program* program, char* to) { return give(program->log + '\0', to); }
int nvrtcGetPTXSize(Program* program, std::size_t* bytes) {
  *bytes = program->ptx.size() + 1;
  return 0;
}
#ifndef NVRTC_STUB_BROKEN
int nvrtcGetPTX(Program* program, char* to) { return give(program->ptx + '\0', to); }
#endif

#ifndef NVRTC_STUB_BEFORE_11_1
int nvrtcGetCUBINSize(Program* program, std::size_t* bytes) {
  *bytes = program->cubin.size();
  return 0;
}
int nvrtcGetCUBIN(Program* program, char* to) { return give(program->cubin, to); }
int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(std::size(kArchitectures));
  return 0;
}
int nvrtcGetSupportedArchs(int* numbers) {
  std::memcpy(numbers, kArchitectures, sizeof kArchitectures);
  return 0;
}
#endif
}
