// What the images of modules hold. Kernels and their parameters are found in a real cubin, in PTX,
// and in a cubin of a test's own: an ELF header of 64 bytes with nothing but PTX behind it. PTX
// with
// "!!" in it does not compile.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>

#include "tests/driver_stub/state.h"
#include "tests/support/matches.h"

namespace driver_stub {

namespace {

using selvage::test::matches;

template <class Number>
Number number_at(const std::byte* image, std::size_t at) {
  Number n;
  std::memcpy(&n, image + at, sizeof n);
  return n;
}

std::size_t bytes_of(const std::string& type) {
  const std::size_t bits = std::stoul(type.substr(1));
  return bits / 8;
}

std::vector<Kernel> kernels_of_text(const std::string& text) {
  const std::string entry = R"(\.entry\s+([[:alnum:]_$]+)\s*(\(([^)]*)\))?)";
  const std::string parameter =
      R"(\.param\s+(\.align\s+[0-9]+\s+)?\.([subf][0-9]+)\s+[[:alnum:]_$]+(\[([0-9]+)\])?)";
  std::vector<Kernel> kernels;
  for (const auto& e : matches(text, entry)) {
    Kernel kernel{.name = e[1], .parameters = {}};
    for (const auto& p : matches(e[3], parameter)) {
      kernel.parameters.push_back(bytes_of(p[2]) * (p[4].empty() ? 1 : std::stoul(p[4])));
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

// Of .nv.info.NAME: records of a format, an attribute and a size or value. Format 4 has bytes of
// its own; attribute 0x17 describes one parameter: its number at 4, its bytes above bit 18 at 8.
std::vector<std::size_t> parameters_of(const std::byte* info, std::size_t bytes) {
  std::map<int, std::size_t> found;
  for (std::size_t at = 0; at + 4 <= bytes;) {
    const auto format = number_at<std::uint8_t>(info, at);
    const auto attribute = number_at<std::uint8_t>(info, at + 1);
    const auto value = number_at<std::uint16_t>(info, at + 2);
    at += 4;
    if (format != 4) continue;
    if (attribute == 0x17 && at + 12 <= bytes) {
      found[number_at<std::uint16_t>(info, at + 4)] = number_at<std::uint32_t>(info, at + 8) >> 18U;
    }
    at += value;
  }
  std::vector<std::size_t> parameters;
  for (const auto& [number, size] : found) parameters.push_back(size);
  return parameters;
}

std::optional<std::vector<Kernel>> kernels_of_elf(const std::byte* image) {
  const auto sections = number_at<std::uint64_t>(image, 40);
  const auto stride = number_at<std::uint16_t>(image, 58);
  const auto count = number_at<std::uint16_t>(image, 60);
  if (sections == 0) {
    const std::string text(reinterpret_cast<const char*>(image) + 64);
    if (text.find(".entry") == text.npos) return std::nullopt;
    return kernels_of_text(text);
  }
  const auto section = [&](std::size_t i) { return image + sections + i * stride; };
  const auto offset = [&](std::size_t i) { return number_at<std::uint64_t>(section(i), 24); };
  const std::size_t names = offset(number_at<std::uint16_t>(image, 62));
  std::map<std::string, std::size_t> by_name;
  for (std::size_t i = 0; i < count; ++i) {
    by_name[reinterpret_cast<const char*>(image) + names +
            number_at<std::uint32_t>(section(i), 0)] = i;
  }
  std::vector<Kernel> kernels;
  for (const auto& [name, i] : by_name) {
    if (name.rfind(".text.", 0) != 0) continue;
    Kernel kernel{.name = name.substr(6), .parameters = {}};
    if (const auto info = by_name.find(".nv.info." + kernel.name); info != by_name.end()) {
      kernel.parameters = parameters_of(image + offset(info->second),
                                        number_at<std::uint64_t>(section(info->second), 32));
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace

std::optional<std::vector<Kernel>> kernels_of(const void* image, int& why, std::string& log) {
  const State& s = state();
  const auto* bytes = static_cast<const std::byte*>(image);
  why = kInvalidValue;
  if (image == nullptr) return std::nullopt;
  why = kInvalidImage;
  if (std::strncmp(static_cast<const char*>(image),
                   "\x7F"
                   "ELF",
                   4) == 0) {
    if (s.version / 1000 < s.cubin_version / 1000) return std::nullopt;
    return kernels_of_elf(bytes);
  }
  const std::string text = static_cast<const char*>(image);
  // The version stands before anything but comments.
  std::size_t at = 0;
  while (text.compare(at, 2, "//") == 0 || (at < text.size() && std::isspace(text[at]) != 0)) {
    at = text[at] == '/' ? std::min(text.find('\n', at), text.size()) : at + 1;
  }
  int major = 0;
  int minor = 0;
  if (std::sscanf(text.c_str() + at, ".version %d.%d", &major, &minor) != 2) return std::nullopt;
  // PTX 9.0 came with CUDA 13.0, 8.0 with 12.0, and so on.
  if (major > s.version / 1000 - 4) {
    why = kUnsupportedPtxVersion;
    log = fmt::format("ptxas application ptx input, line 1; fatal   : Unsupported .version {}.{}",
                      major, minor);
    return std::nullopt;
  }
  const auto target = matches(text, R"(\.target\s+sm_([0-9]+))");
  if (!target.empty() && std::stoi(target[0][1]) > s.major * 10 + s.minor) {
    why = kNoBinary;
    return std::nullopt;
  }
  if (const std::size_t wrong = text.find("!!"); wrong != text.npos) {
    why = kInvalidPtx;
    log = fmt::format(
        "ptxas application ptx input, line {}; error   : Parsing error near '!!'\n"
        "ptxas fatal   : Ptx assembly aborted due to errors",
        1 + std::count(text.begin(), text.begin() + std::ptrdiff_t(wrong), '\n'));
    return std::nullopt;
  }
  return kernels_of_text(text);
}

}  // namespace driver_stub
