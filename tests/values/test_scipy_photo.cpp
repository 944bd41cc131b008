// The filters of the examples over the photograph of scripts/photo, 512 x 512 and 509 x 383, in
// every access mode, against results of SciPy (tests/values).
#include <gtest/gtest.h>
#include <selvage/frontend/npy.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/executable.h>
#include <tests/support/counts.h>
#include <tests/support/temporary_folder.h>
#include <tests/values/number_table.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <regex>

namespace selvage::test {

namespace {

// An example whose reads outside of the image are under another mode.
std::string under(const std::string& mode, std::string text) {
  if (mode != "fill") {
    return std::regex_replace(text, std::regex("\\b(mirror|clamped|reflect)\\("), mode + "(");
  }
  // A read with modes inside: one level of parentheses in each subscript.
  text = std::regex_replace(
      text, std::regex("(\\w+\\[[^\\[\\]]*\\b(mirror|clamped|reflect)\\([^\\[\\]]*\\])"),
      "fill($1, 7)");
  return std::regex_replace(text, std::regex("\\b(mirror|clamped|reflect)\\(([^()]*)\\)"), "$2");
}

Array photograph(std::int64_t h, std::int64_t w) {
  const TemporaryFolder folder;
  const std::string path = (folder / "photo.npy").string();
  const std::string make = "python3 '" + (kRepository / "scripts/photo").string() + "' make '" +
                           path + "' " + std::to_string(h) + " " + std::to_string(w);
  EXPECT_EQ(std::system(make.c_str()), 0);
  return read_npy(path);
}

std::int64_t crc32(const std::vector<std::int64_t>& items) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t c = byte;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1U) : c >> 1U;
    table[byte] = c;
  }
  std::uint32_t crc = 0xFFFFFFFFU;
  for (std::int64_t item : items) {
    for (int byte = 0; byte < 8; ++byte) {
      const auto next = std::uint32_t(std::uint64_t(item) >> (8U * unsigned(byte))) & 0xFFU;
      crc = table[(crc ^ next) & 0xFFU] ^ (crc >> 8U);
    }
  }
  return std::int64_t(crc ^ 0xFFFFFFFFU);
}

// The whole numbers that the table speaks of.
std::int64_t whole(const std::string& filter, double y) {
  if (filter == "blur") return std::llround(1024 * y);
  if (filter == "sobel") return std::llround(y * y);
  return std::llround(y);
}

Array filtered(const std::string& filter, const std::string& mode, const Array& photo) {
  const bool is_median = filter.starts_with("median");
  const std::string name = is_median ? "median" : filter;
  std::map<std::string, std::int64_t> sizes = {{"H", photo.shape[0]}, {"W", photo.shape[1]}};
  if (is_median) sizes["K"] = std::stoi(filter.substr(6));
  if (filter == "convolution") sizes.insert({{"P", 5}, {"Q", 7}});
  const ScheduleFile file = read_schedule_text(
      under(mode, contents(kRepository / "examples" / (name + ".yaml"))), name + ".yaml", sizes);
  const DataType type = filter == "blur" ? DataType::Half : DataType::Float;
  Array x(type, photo.shape), w(DataType::Float, {5, 7}), y(type, photo.shape);
  for (std::int64_t k = 0; k < x.size(); ++k) x.set(k, photo.get(k));
  for (std::int64_t k = 0; k < w.size(); ++k) w.set(k, double(k * 11 % 17 - 8));
  std::vector<Argument> arguments = {std::as_const(x)};
  if (filter == "convolution") arguments.emplace_back(std::as_const(w));
  arguments.emplace_back(y);
  compile(lower(*file.schedule), {.target = Target::Virtual})(arguments);
  return y;
}

TEST(ScipyPhotographs, AreWhatTheExamplesMake) {
  std::map<std::string, Array> photos;
  int compared = 0;
  for (const auto& [key, wanted] : number_table("scipy_photo.txt")) {
    SCOPED_TRACE(key);
    std::istringstream words(key);
    std::string filter, mode, h, w;
    words >> filter >> mode >> h >> w;
    // Without a large sample: what is computed in a moment, in one mode.
    const bool is_quick =
        mode == "mirror" && h == "509" && filter.size() < 8 && filter <= "median3";
    if (!is_quick && count(0, 2) < 2) continue;
    Array& photo = photos[h + " " + w];
    if (photo.shape.empty()) photo = photograph(std::stoi(h), std::stoi(w));
    const Array y = filtered(filter, mode, photo);
    ++compared;
    if (filter != "bilateral") {
      std::vector<std::int64_t> items;
      for (std::int64_t k = 0; k < y.size(); ++k) items.push_back(whole(filter, y.get(k)));
      EXPECT_EQ(crc32(items), wanted.front());
      continue;
    }
    for (std::int64_t k = 0; k < std::int64_t(wanted.size()); ++k) {
      EXPECT_NEAR(1000 * y.get(k * 4093 % y.size()), double(wanted[std::size_t(k)]), 2) << k;
    }
  }
  EXPECT_GE(compared, 2);
}

}  // namespace

}  // namespace selvage::test
