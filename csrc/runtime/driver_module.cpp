#include <selvage/base/refuse.h>
#include <selvage/runtime/compile_error.h>
#include <selvage/runtime/driver.h>

#include <array>
#include <cstring>
#include <map>

namespace selvage {

namespace {

constexpr int kDynamicSharedLimit = 8;  // of a function's attributes
constexpr int kErrorLogBuffer = 5;      // options of the driver's compiler
constexpr int kErrorLogBytes = 6;
constexpr std::size_t kLogBytes = 8192;
constexpr std::size_t kLogLines = 20;

template <class Number>
Number number_at(std::span<const std::byte> image, std::size_t at) {
  Number n = 0;
  if (at + sizeof n <= image.size()) std::memcpy(&n, image.data() + at, sizeof n);
  return n;
}

enum class Image { Elf, Fatbin, Ptx };

Image kind_of(std::span<const std::byte> image) {
  const auto magic = number_at<std::uint32_t>(image, 0);
  return magic == 0x464C457F ? Image::Elf : magic == 0xBA55ED50 ? Image::Fatbin : Image::Ptx;
}

// Whether the image has all the bytes that its headers announce: the driver is given no size and
// reads that far. Headers are compared with the size one by one, so that no sum overflows.
bool is_whole(std::span<const std::byte> image) {
  const auto fits = [&](std::uint64_t at, std::uint64_t bytes) {
    return at <= image.size() && bytes <= image.size() - at;
  };
  switch (kind_of(image)) {
    case Image::Ptx: return !image.empty();
    case Image::Fatbin:  // magic, version, size of the header, size of what follows
      return fits(0, 16) &&
             fits(number_at<std::uint16_t>(image, 6), number_at<std::uint64_t>(image, 8));
    case Image::Elf: break;
  }
  if (!fits(0, 64)) return false;
  const auto table = [&](std::size_t at, std::size_t size, std::size_t count) {
    return fits(number_at<std::uint64_t>(image, at),
                std::uint64_t{number_at<std::uint16_t>(image, size)} *
                    number_at<std::uint16_t>(image, count));
  };
  if (!table(32, 54, 56) || !table(40, 58, 60)) return false;  // segments, sections
  const auto sections = number_at<std::uint64_t>(image, 40);
  for (std::size_t i = 0; i < number_at<std::uint16_t>(image, 60); ++i) {
    const std::size_t at = sections + i * number_at<std::uint16_t>(image, 58);
    constexpr std::uint32_t kNoBits = 8;  // a section without bytes in the file
    if (number_at<std::uint32_t>(image, at + 4) != kNoBits &&
        !fits(number_at<std::uint64_t>(image, at + 24), number_at<std::uint64_t>(image, at + 32)))
      return false;
  }
  return true;
}

std::vector<std::string> notes_of(const char* log) {
  std::vector<std::string> notes;
  for (std::string_view line : lines_of(log)) {
    if (!line.empty() && notes.size() < kLogLines) notes.emplace_back(line);
  }
  return notes;
}

ModuleHandle load(const Driver& driver, std::span<const std::byte> image) {
  if (!is_whole(image)) {
    refuse<Error>("E705",
                  image.empty() ? "a module's image is empty"
                                : "a module's image of " + std::to_string(image.size()) +
                                      " bytes is cut off: its headers speak of more",
                  "compile the kernel anew");
  }
  driver.make_current();
  ModuleHandle module = nullptr;
  if (kind_of(image) != Image::Ptx) {
    driver.check(driver.calls().ModuleLoadData(&module, image.data()), "cuModuleLoadData");
    return module;
  }
  const std::string text(reinterpret_cast<const char*>(image.data()), image.size());
  std::array<char, kLogBytes> log{};
  std::array<int, 2> options{kErrorLogBuffer, kErrorLogBytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  const DriverResult result =
      driver.calls().ModuleLoadDataEx(&module, text.c_str(), 2, options.data(), values.data());
  if (result != 0) driver.fail(result, "cuModuleLoadDataEx of PTX", notes_of(log.data()));
  return module;
}

}  // namespace

struct Module::Loaded {
  std::unique_ptr<OpaqueModule, DriverDelete<&DriverCalls::ModuleUnload>> module;
  std::mutex mutex = {};
  std::map<std::string, LoadedFunction> functions = {};
};

Module::Module(const Driver& driver, std::span<const std::byte> image)
    : loaded_(new Loaded{{load(driver, image), {&driver}}}) {}
Module::Module(const Driver& driver, std::string_view ptx)
    : Module(driver, std::as_bytes(std::span(ptx))) {}
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::~Module() = default;

Driver::Function Module::function(const std::string& name) const {
  const std::lock_guard lock(loaded_->mutex);
  if (const auto at = loaded_->functions.find(name); at != loaded_->functions.end()) {
    return &at->second;
  }
  const Driver& driver = *loaded_->module.get_deleter().driver;
  driver.make_current();
  FunctionHandle handle = nullptr;
  driver.check(driver.calls().ModuleGetFunction(&handle, loaded_->module.get(), name.c_str()),
               "cuModuleGetFunction", name);
  int shared_bytes = 0;
  driver.check(driver.calls().FuncGetAttribute(&shared_bytes, kDynamicSharedLimit, handle),
               "cuFuncGetAttribute");
  LoadedFunction& function = loaded_->functions[name];
  function.handle = handle;
  function.name = driver.keep(name);
  function.shared_bytes = shared_bytes;
  return &function;
}

}  // namespace selvage
