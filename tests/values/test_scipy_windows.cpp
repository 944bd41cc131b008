// Windows over images in every access mode, against results of SciPy (tests/values).
#include <gtest/gtest.h>
#include <selvage/driver/run.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/lower/program.h>
#include <tests/support/counts.h>
#include <tests/values/number_table.h>

#include <sstream>

namespace selvage::test {

namespace {

// x at these subscripts under a mode.
std::string read(const std::string& x, const std::string& mode, const std::string& i,
                 const std::string& j) {
  if (mode == "fill") return "fill(" + x + "[" + i + ", " + j + "], 7)";
  return x + "[" + mode + "(" + i + "), " + mode + "(" + j + ")]";
}

std::vector<std::string> statements(const std::string& filter, const std::string& mode) {
  const auto at = [&](const char* i, const char* j) { return read("x", mode, i, j); };
  if (filter == "correlate") return {"sum(w[p, q] * " + at("i + p - 1", "j + q - 2") + ")"};
  if (filter == "convolve") return {"sum(w[p, q] * " + at("i - p + 1", "j - q + 2") + ")"};
  if (filter == "sum") return {"sum[p < 5, q < 5](" + at("i + p - 2", "j + q - 2") + ")"};
  if (filter == "greatest") return {"max[p < 5, q < 3](" + at("i + p - 2", "j + q - 1") + ")"};
  if (filter.starts_with("median")) {
    const std::string n = filter.substr(6), r = std::to_string(std::stoi(n) / 2);
    const std::string x = read("x", mode, "i + p - " + r, "j + q - " + r);
    return {"median[p < " + n + ", q < " + n + "](" + x + ")"};
  }
  // A difference along one axis, and a smoothing along the other one.
  const auto d = [&](const char* i, const char* j) { return read("d", mode, i, j); };
  if (filter == "sobel0") {
    return {at("i + 1", "j") + " - " + at("i - 1", "j"),
            d("i", "j - 1") + " + 2 * d[i, j] + " + d("i", "j + 1")};
  }
  return {at("i", "j + 1") + " - " + at("i", "j - 1"),
          d("i - 1", "j") + " + 2 * d[i, j] + " + d("i + 1", "j")};
}

std::int64_t pixel(std::int64_t i, std::int64_t j) {
  return (7 * i + 13 * j + 5 * i * j + i * i) % 256;
}

// The table has thousandths, rounded.
void expect_bilateral(const std::string& mode, std::int64_t h, std::int64_t w,
                      const std::vector<std::int64_t>& wanted) {
  const std::string shape = "[" + std::to_string(h) + ", " + std::to_string(w) + "]";
  const std::string x = read("x", mode, "i + p - 2", "j + q - 2");
  const std::string text = "inputs: {x: {shape: " + shape +
                           ", dtype: double}}\noutputs: {y: {shape: " + shape +
                           "}}\nshapes: {weight: [" + std::to_string(h) + ", " + std::to_string(w) +
                           ", 5, 5], total: " + shape + ", weights: " + shape +
                           "}\ncompute:\n  - \"weight[i, j, p, q] = exp(-double((p - 2) * (p - 2) "
                           "+ (q - 2) * (q - 2)) / 8 "
                           "- (" +
                           x + " - x[i, j]) * (" + x + " - x[i, j]) / 5000)\"\n" +
                           "  - \"weights[i, j] = sum[p < 5, q < 5](weight[i, j, p, q])\"\n" +
                           "  - \"total[i, j] = sum[p < 5, q < 5](weight[i, j, p, q] * " + x +
                           ")\"\n" + "  - \"y[i, j] = total[i, j] / weights[i, j]\"\n";
  const ScheduleFile file = read_schedule_text(text, "a.yaml");
  RunRequest request{.on = Machine::Emulate, .on_all = true};
  Array& image = request.inputs["x"] = Array(DataType::Double, {h, w});
  for (std::int64_t k = 0; k < h * w; ++k) image.set(k, double(pixel(k / w, k % w)));
  const RunResult result = run(*file.fusion, lower(*file.schedule), request);
  EXPECT_TRUE(result.passed());
  const Array& y = result.outputs.at("y");
  ASSERT_EQ(y.size(), std::int64_t(wanted.size()));
  for (std::int64_t k = 0; k < y.size(); ++k) {
    ASSERT_NEAR(1000 * y.get(k), double(wanted[std::size_t(k)]), 0.51) << "item " << k;
  }
}

TEST(ScipyWindows, AreWhatSciPyComputes) {
  std::size_t row = 0;
  for (const auto& [key, wanted] : number_table("scipy_windows.txt")) {
    SCOPED_TRACE(key);
    constexpr std::size_t kShareOfSanitized = 8;
    if (row++ % kShareOfSanitized != 0 && !is_sample_large()) continue;
    // Large windows of many items take seconds of emulation each.
    const bool is_large = key.find(" 14 ") != std::string::npos &&
                          (key.starts_with("median7") || key.starts_with("median13"));
    if (is_large && key.find("median7 mirror") == std::string::npos && count(0, 1) == 0) continue;
    std::istringstream words(key);
    std::string filter, mode;
    std::int64_t h = 0, w = 0;
    words >> filter >> mode >> h >> w;
    const std::string shape = "[" + std::to_string(h) + ", " + std::to_string(w) + "]";
    const bool has_weights = filter == "correlate" || filter == "convolve";
    std::string text = "inputs: {x: {shape: " + shape + ", dtype: int64}" +
                       (has_weights ? ", w: {shape: [3, 5], dtype: int64}" : "") +
                       "}\noutputs: {y: {shape: " + shape + "}}\n";
    if (filter == "bilateral") {
      expect_bilateral(mode, h, w, wanted);
      continue;
    }
    const std::vector<std::string> all = statements(filter, mode);
    if (all.size() == 2) text += "shapes: {d: " + shape + "}\n";
    text += "compute:\n";
    for (std::size_t k = 0; k < all.size(); ++k) {
      text +=
          std::string("  - \"") + (k + 1 < all.size() ? "d" : "y") + "[i, j] = " + all[k] + "\"\n";
    }
    const ScheduleFile file = read_schedule_text(text, "a.yaml");
    RunRequest request{.on = Machine::Emulate, .on_all = true};
    Array& x = request.inputs["x"] = Array(DataType::Int64, {h, w});
    for (std::int64_t k = 0; k < h * w; ++k) x.set_int(k, pixel(k / w, k % w));
    if (has_weights) {
      Array& weights = request.inputs["w"] = Array(DataType::Int64, {3, 5});
      for (std::int64_t k = 0; k < 15; ++k) weights.set_int(k, (k * 11) % 17 - 8);
    }
    const RunResult result = run(*file.fusion, lower(*file.schedule), request);
    EXPECT_TRUE(result.passed());
    const Array& y = result.outputs.at("y");
    ASSERT_EQ(y.size(), std::int64_t(wanted.size()));
    for (std::int64_t k = 0; k < y.size(); ++k) {
      ASSERT_EQ(y.get_int(k), wanted[std::size_t(k)]) << "item " << k;
    }
  }
}

}  // namespace

}  // namespace selvage::test
