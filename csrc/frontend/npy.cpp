#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <selvage/base/integer.h>
#include <selvage/base/names.h>
#include <selvage/frontend/npy.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

namespace selvage {

static_assert(std::endian::native == std::endian::little, "arrays are copied as they lie");

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint32_t kLongestHeader = 1 << 20;
constexpr std::size_t kHighestRank = 64;

struct Descr {
  std::string_view text;
  DataType type;
  bool is_complex = false;
};

// clang-format off
constexpr Descr kDescrs[] = {
    {"|b1", DataType::Bool},
    {"|i1", DataType::Int8},   {"<i2", DataType::Int16},
    {"<i4", DataType::Int32},  {"<i8", DataType::Int64},
    {"|u1", DataType::UInt8},  {"<u2", DataType::UInt16},
    {"<u4", DataType::UInt32}, {"<u8", DataType::UInt64},
    {"<f2", DataType::Half},   {"<f4", DataType::Float},  {"<f8", DataType::Double},
    {"<c8", DataType::Float, true}, {"<c16", DataType::Double, true},
    {"<i1", DataType::Int8},   {"<u1", DataType::UInt8},    // read, never written
};
// clang-format on

using File = std::unique_ptr<std::FILE, decltype([](std::FILE* f) { std::fclose(f); })>;

[[noreturn]] void refuse_read(const std::string& path, std::string why, std::string help) {
  throw BadInput(
      {.code = "E602", .place = {path, 0, 0}, .message = std::move(why), .help = std::move(help)});
}

[[noreturn]] void refuse_write(const std::string& path, const std::string& why) {
  throw BadInput({.code = "E603",
                  .place = {path, 0, 0},
                  .message = "cannot write the array: " + why,
                  .help = "name a file in a directory that exists and can be written to"});
}

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

// The header is a dictionary as Python prints it, and nothing else:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  Header read() {
    Header header;
    bool seen[3] = {};
    const auto once = [&](int i, const std::string& key) {
      if (seen[i]) refuse("the key '" + key + "' stands twice");
      seen[i] = true;
    };
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        once(0, key);
        skip_space();
        if (rest_.starts_with('[')) refuse("structured types cannot be read");
        header.descr = quoted();
      } else if (key == "fortran_order") {
        once(1, key);
        header.fortran_order = boolean();
      } else if (key == "shape") {
        once(2, key);
        header.shape = tuple();
      } else {
        refuse("unknown key " + shown(key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) refuse("text follows the dictionary");
    if (!seen[0] || !seen[1] || !seen[2]) refuse("'descr', 'fortran_order' or 'shape' is missing");
    return header;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    refuse_read(path_, "bad .npy header: " + why, "save the array again with numpy.save");
  }

  void skip_space() {
    const std::size_t n = rest_.find_first_not_of(" \n");
    rest_.remove_prefix(std::min(n, rest_.size()));
  }
  bool accept(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (accept(c)) return;
    refuse("expected '" + std::string(1, c) + "', found " +
           (rest_.empty() ? "its end" : shown(rest_.substr(0, 1))));
  }
  std::string quoted() {
    skip_space();
    const char quote = rest_.starts_with('"') ? '"' : '\'';
    expect(quote);
    const std::size_t n = rest_.find(quote);
    if (n == std::string_view::npos) refuse("a quote is not closed");
    std::string text(rest_.substr(0, n));
    rest_.remove_prefix(n + 1);
    return text;
  }
  bool boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    refuse("'fortran_order' is neither True nor False");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    bool comma = true;
    expect('(');
    while (!accept(')')) {
      if (!comma) expect(',');
      values.push_back(extent());
      comma = accept(',');
      if (values.size() > kHighestRank) {
        refuse("more than " + std::to_string(kHighestRank) + " axes");
      }
    }
    if (values.size() == 1 && !comma) refuse("the shape is not a tuple");
    return values;
  }
  std::int64_t extent() {
    skip_space();
    if (rest_.starts_with('-')) refuse("a negative extent");
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::result_out_of_range) refuse("an extent that does not fit in 64 bits");
    if (error != std::errc{}) refuse("an extent that is not an integer");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  std::string_view rest_;
  const std::string& path_;
};

const Descr& type_of(const std::string& descr, const std::string& path) {
  for (const Descr& d : kDescrs) {
    if (d.text == descr) return d;
  }
  const std::string little = '<' + descr.substr(std::min<std::size_t>(descr.size(), 1));
  const bool is_known = std::any_of(std::begin(kDescrs), std::end(kDescrs),
                                    [&](const Descr& d) { return d.text == little; });
  if (descr.starts_with('>') && is_known) {
    refuse_read(path, "the type " + shown(descr) + " is big-endian",
                "save it little-endian: a.astype('" + little + "')");
  }
  refuse_read(
      path, "the type " + shown(descr) + " is not supported",
      "use bool, int8 to int64, uint8 to uint64, float16 to float64, complex64 or complex128");
}

// Bytes of an array, if 64 bits can count them.
std::optional<std::int64_t> byte_count(DataType type, const std::vector<std::int64_t>& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::optional<std::int64_t> bytes = size_of(type);
  for (const std::int64_t n : shape) {
    if (bytes) bytes = checked_mul(*bytes, n);
  }
  return bytes;
}

// Fortran order is the row-major order of the reversed shape, its axes reversed; the parts of a
// complex number stay side by side.
Array transposed(const Array& source, std::vector<std::int64_t> shape, bool is_complex) {
  const std::size_t parts = is_complex ? 2 : 1;
  const std::size_t rank = shape.size();
  const std::int64_t items = source.size() / std::int64_t(parts);
  if (is_complex) shape.push_back(2);
  Array result(source.type, std::move(shape));
  const std::size_t element = static_cast<std::size_t>(size_of(result.type)) * parts;
  std::vector<std::int64_t> at(rank, 0);
  std::vector<std::int64_t> stride;
  for (std::int64_t items_inside = 1; stride.size() < rank;) {
    const std::int64_t extent = result.shape[stride.size()];
    stride.push_back(items_inside);
    items_inside *= extent;
  }
  std::int64_t from = 0;
  for (std::int64_t k = 0; k < items; ++k) {
    std::memcpy(&result.bytes[static_cast<std::size_t>(k) * element],
                &source.bytes[static_cast<std::size_t>(from) * element], element);
    for (std::size_t axis = rank; axis-- > 0;) {  // the next point: an odometer
      from += stride[axis];
      if (++at[axis] < result.shape[axis]) break;
      from -= stride[axis] * result.shape[axis];
      at[axis] = 0;
    }
  }
  return result;
}

std::string header_text(const Array& array, bool is_complex) {
  const DataType type = array.type == DataType::BFloat16 ? DataType::UInt16 : array.type;
  const auto* descr = std::find_if(std::begin(kDescrs), std::end(kDescrs), [&](const Descr& d) {
    return d.type == type && d.is_complex == is_complex;
  });
  SELVAGE_CHECK(descr != std::end(kDescrs));
  std::vector<std::int64_t> shape = array.shape;
  if (is_complex) {
    SELVAGE_CHECK(!shape.empty() && shape.back() == 2);
    shape.pop_back();
  }
  std::string text = "{'descr': '" + std::string(descr->text) + "', 'fortran_order': False, ";
  text += "'shape': (";
  for (const std::int64_t n : shape) {
    text += std::to_string(n) + (shape.size() == 1 ? "," : ", ");
  }
  if (shape.size() > 1) text.resize(text.size() - 2);
  text += "), }";
  const std::size_t before = kMagic.size() + 4;  // the version and the length
  text.append(63 - (before + text.size()) % 64, ' ');
  return text + '\n';
}

void write_to(std::FILE* out, const Array& array, bool is_complex, const std::string& path) {
  const std::string header = header_text(array, is_complex);
  SELVAGE_CHECK(header.size() < 65536);
  const char version[4] = {1, 0, static_cast<char>(header.size() & 255),
                           static_cast<char>(header.size() >> 8)};
  const auto put = [&](const void* data, std::size_t n) {
    if (n != 0 && std::fwrite(data, 1, n, out) != n) refuse_write(path, std::strerror(errno));
  };
  put(kMagic.data(), kMagic.size());
  put(version, sizeof version);
  put(header.data(), header.size());
  put(array.bytes.data(), array.bytes.size());
  if (std::fflush(out) != 0) refuse_write(path, std::strerror(errno));
}

}  // namespace

Array read_npy(const std::string& path) {
  constexpr const char* kName = "name a .npy file that can be read";
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    refuse_read(path, "cannot read the array: " + std::string(std::strerror(errno)), kName);
  }
  if (!S_ISREG(status.st_mode)) {
    refuse_read(path, "cannot read the array: it is not a regular file", kName);
  }
  const File in(std::fopen(path.c_str(), "rb"));
  if (!in) refuse_read(path, "cannot read the array: " + std::string(std::strerror(errno)), kName);

  std::int64_t left = status.st_size;
  const auto get = [&](void* data, std::size_t n) {
    left -= static_cast<std::int64_t>(n);
    if (left < 0 || (n != 0 && std::fread(data, 1, n, in.get()) != n)) {
      refuse_read(path, "the .npy header stops short", "save the array again with numpy.save");
    }
  };
  unsigned char start[8] = {};
  if (left >= 8) get(start, sizeof start);
  if (std::memcmp(start, kMagic.data(), kMagic.size()) != 0) {
    refuse_read(path, "not a .npy file: it does not begin with \\x93NUMPY",
                "save the array with numpy.save");
  }
  if (start[6] < 1 || start[6] > 3 || start[7] != 0) {
    refuse_read(path,
                "version " + std::to_string(start[6]) + "." + std::to_string(start[7]) +
                    " of the .npy format is not known",
                "save the array in version 1.0, 2.0 or 3.0");
  }
  std::uint32_t length = 0;
  get(&length, start[6] == 1 ? 2 : 4);
  if (length > kLongestHeader) {
    refuse_read(path, "bad .npy header: it is " + std::to_string(length) + " bytes long",
                "save the array again with numpy.save");
  }
  std::string text(length, '\0');
  get(text.data(), text.size());

  Header header = HeaderReader(text, path).read();
  const auto [text_of_type, type, is_complex] = type_of(header.descr, path);
  // In Fortran order the parts of a number still lie side by side: reversed, they are the last
  // axis.
  std::vector<std::int64_t> shape = header.shape;
  if (header.fortran_order) std::reverse(shape.begin(), shape.end());
  if (is_complex) shape.push_back(2);
  const std::optional<std::int64_t> bytes = byte_count(type, shape);
  if (!bytes || *bytes != left) {
    refuse_read(path,
                "the header promises " +
                    (bytes ? std::to_string(*bytes) : std::string("more than 2^63")) +
                    " bytes of data, but " + std::to_string(left) + " follow",
                "save the array again with numpy.save");
  }
  Array array(type, shape);
  get(array.bytes.data(), array.bytes.size());
  if (type == DataType::Bool) {
    for (std::byte& b : array.bytes) b = std::byte{b != std::byte{0}};
  }
  return header.fortran_order ? transposed(array, std::move(header.shape), is_complex) : array;
}

void write_npy(const std::string& path, const Array& array, bool is_complex) {
  SELVAGE_CHECK(byte_count(array.type, array.shape) ==
                static_cast<std::int64_t>(array.bytes.size()));
  // What a link points to is replaced, not the link.
  std::error_code error;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  if (error) refuse_write(path, error.message());
  const std::filesystem::file_status status = std::filesystem::status(target, error);
  if (std::filesystem::is_directory(status)) refuse_write(path, "it is a directory");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    const File out(std::fopen(path.c_str(), "wb"));  // a device or a pipe cannot be replaced
    if (!out) refuse_write(path, std::strerror(errno));
    write_to(out.get(), array, is_complex, path);
    return;
  }

  static std::atomic<int> count = 0;
  const std::string part =
      target.string() + "." + std::to_string(getpid()) + "-" + std::to_string(count++) + ".part";
  try {
    const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) refuse_write(path, std::strerror(errno));
    const File out(fdopen(fd, "wb"));
    SELVAGE_CHECK(out != nullptr);
    write_to(out.get(), array, is_complex, path);
    if (std::rename(part.c_str(), target.c_str()) != 0) refuse_write(path, std::strerror(errno));
  } catch (...) {
    unlink(part.c_str());
    throw;
  }
}

}  // namespace selvage
