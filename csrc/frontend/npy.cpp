#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <selvage/base/integer.h>
#include <selvage/base/names.h>
#include <selvage/frontend/npy.h>
#include <selvage/frontend/whole_file.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>

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

[[noreturn]] void refuse_read(const NpyPlace& place, const std::string& why, std::string help) {
  throw BadInput(
      {.code = "E602",
       .place = {place.path, 0, 0},
       .message = (place.member.empty() ? "" : "the member " + place.member + ": ") + why,
       .help = std::move(help)});
}

// The bytes of a file or of a member of one, in order.
struct Bytes {
  std::int64_t left = 0;
  std::function<bool(void* to, std::size_t n)> next;
};

Bytes bytes_in_memory(std::string_view bytes) {
  return {static_cast<std::int64_t>(bytes.size()), [bytes](void* to, std::size_t n) mutable {
            if (n != 0) std::memcpy(to, bytes.data(), n);
            bytes.remove_prefix(n);
            return true;
          }};
}

void take(Bytes& from, void* to, std::size_t n, const NpyPlace& place) {
  from.left -= static_cast<std::int64_t>(n);
  if (from.left < 0 || !from.next(to, n)) {
    refuse_read(place, "the .npy header stops short", place.again);
  }
}

// The header is a dictionary as Python prints it, and nothing else:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const NpyPlace& place) : rest_(text), place_(place) {}

  NpyHeader read() {
    NpyHeader header;
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
    refuse_read(place_, "bad .npy header: " + why, place_.again);
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
  const NpyPlace& place_;
};

const Descr& type_of(const std::string& descr, const NpyPlace& place) {
  const bool is_member = !place.member.empty();
  for (const Descr& d : kDescrs) {
    if (d.text != descr) continue;
    if (!d.is_complex || !is_member) return d;
    refuse_read(place, "the type " + shown(descr) + " is complex",
                "save the real and the imaginary part as matrices of their own: a.real, a.imag");
  }
  const std::string little = '<' + descr.substr(std::min<std::size_t>(descr.size(), 1));
  const bool is_known = std::any_of(std::begin(kDescrs), std::end(kDescrs),
                                    [&](const Descr& d) { return d.text == little; });
  if (descr.starts_with('>') && is_known) {
    refuse_read(place, "the type " + shown(descr) + " is big-endian",
                "save it little-endian: a.astype('" + little + "')");
  }
  refuse_read(place, "the type " + shown(descr) + " is not supported",
              is_member ? "use bool, int8 to int64, uint8 to uint64, or float16 to float64"
                        : "use bool, int8 to int64, uint8 to uint64, float16 to float64, complex64 "
                          "or complex128");
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

// All that stands before the data, in version 1.0.
std::string header_bytes(std::string_view descr, const std::vector<std::int64_t>& shape) {
  std::string text = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, ";
  text += "'shape': (";
  for (const std::int64_t n : shape) {
    text += std::to_string(n) + (shape.size() == 1 ? "," : ", ");
  }
  if (shape.size() > 1) text.resize(text.size() - 2);
  text += "), }";
  const std::size_t before = kMagic.size() + 4;  // the version and the length
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  SELVAGE_CHECK(text.size() < 65536);
  std::string bytes(kMagic);
  bytes += {1, 0, static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
  return bytes + text;
}

NpyHeader header_of(Bytes& from, const NpyPlace& place) {
  unsigned char start[8] = {};
  if (from.left >= 8) take(from, start, sizeof start, place);
  if (std::memcmp(start, kMagic.data(), kMagic.size()) != 0) {
    refuse_read(place, "not a .npy file: it does not begin with \\x93NUMPY",
                place.member.empty() ? "save the array with numpy.save" : place.again);
  }
  if (start[6] < 1 || start[6] > 3 || start[7] != 0) {
    refuse_read(place,
                "version " + std::to_string(start[6]) + "." + std::to_string(start[7]) +
                    " of the .npy format is not known",
                "save the array in version 1.0, 2.0 or 3.0");
  }
  std::uint32_t length = 0;
  take(from, &length, start[6] == 1 ? 2 : 4, place);
  if (length > kLongestHeader) {
    refuse_read(place, "bad .npy header: it is " + std::to_string(length) + " bytes long",
                place.again);
  }
  std::string text(length, '\0');
  take(from, text.data(), text.size(), place);
  NpyHeader header = HeaderReader(text, place).read();
  header.data_bytes = from.left;
  return header;
}

Array array_of(Bytes& from, const NpyPlace& place) {
  NpyHeader header = header_of(from, place);
  const auto [text_of_type, type, is_complex] = type_of(header.descr, place);
  // In Fortran order the parts of a number still lie side by side: reversed, they are the last
  // axis.
  std::vector<std::int64_t> shape = header.shape;
  if (header.fortran_order) std::reverse(shape.begin(), shape.end());
  if (is_complex) shape.push_back(2);
  const std::optional<std::int64_t> bytes = byte_count(type, shape);
  if (!bytes || *bytes != header.data_bytes) {
    refuse_read(place,
                "the header promises " +
                    (bytes ? std::to_string(*bytes) : std::string("more than 2^63")) +
                    " bytes of data, but " + std::to_string(header.data_bytes) + " follow",
                place.again);
  }
  Array array(type, shape);
  take(from, array.bytes.data(), array.bytes.size(), place);
  if (type == DataType::Bool) {
    for (std::byte& b : array.bytes) b = std::byte{b != std::byte{0}};
  }
  return header.fortran_order ? transposed(array, std::move(header.shape), is_complex) : array;
}

}  // namespace

Array read_npy(const std::string& path) {
  const FileToRead in = open_regular_file(path, "array", ".npy");
  Bytes bytes{in.size, [&](void* to, std::size_t n) {
                return n == 0 || std::fread(to, 1, n, in.file.get()) == n;
              }};
  return array_of(bytes, {path, "", "save the array again with numpy.save"});
}

NpyHeader npy_header(std::string_view bytes, const NpyPlace& place) {
  Bytes from = bytes_in_memory(bytes);
  return header_of(from, place);
}

Array npy_array(std::string_view bytes, const NpyPlace& place) {
  Bytes from = bytes_in_memory(bytes);
  return array_of(from, place);
}

std::string npy_bytes(std::string_view descr, const std::vector<std::int64_t>& shape,
                      std::span<const std::byte> data) {
  std::string bytes = header_bytes(descr, shape);
  bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
  return bytes;
}

void write_npy(const std::string& path, const Array& array, bool is_complex) {
  SELVAGE_CHECK(byte_count(array.type, array.shape) ==
                static_cast<std::int64_t>(array.bytes.size()));
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
  const std::string header = header_bytes(descr->text, shape);
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(header)), array.bytes};
  write_whole_file(path, "array", parts);
}

}  // namespace selvage
