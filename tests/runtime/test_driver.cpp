#include <selvage/base/diagnostic.h>
#include <selvage/runtime/driver.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/runtime/shared_library.h>
#include <selvage/runtime/virtual_device.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "kernels.h"

namespace selvage {
namespace {

using namespace test;

std::string refusal(const auto& action) { return refusal_by<Error>(action); }

// The driver over driver_stub.c, compiled next to the tests' other temporary files.
class StubbedDriver : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto source = std::filesystem::path(__FILE__).parent_path() / "driver_stub.c";
    path = testing::TempDir() + "selvage_driver_stub_" + std::to_string(getpid()) + ".so";
    const std::string command = "gcc -shared -fPIC -o '" + path + "' '" + source.string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  static void TearDownTestSuite() { std::filesystem::remove(path); }

  void SetUp() override {
    std::string why;
    stub = SharedLibrary::open({&path, 1}, why);
    ASSERT_TRUE(stub) << why;
    log()[0] = '\0';
  }
  char* log() const { return static_cast<char*>(stub->symbol("stub_log")); }

  static inline std::string path;
  std::optional<SharedLibrary> stub;
};

const std::byte kImage[] = {std::byte{'c'}};
const std::byte kBadImage[] = {std::byte{'!'}};

TEST_F(StubbedDriver, ALaunchPassesItsShapeAndWhatIsOwnedIsGivenBack) {
  {
    const auto driver = Driver::open(path);
    EXPECT_EQ(driver->device_name(), "Stub");
    EXPECT_EQ(driver->arch(), "sm_90a");
    EXPECT_EQ(driver->multiprocessors(), 132);
    const Module module(*driver, kImage);
    const DeviceBuffer buffer(*driver, 64);
    int n = 42;
    void* const arguments[] = {&n};
    const auto function = module.function("k");
    driver->launch(function, {.grid = {7, 5, 3}, .block = {32, 4, 2}}, arguments);
    driver->launch(function, {.grid = {0, 5, 3}}, arguments);  // empty: no call
    driver->launch(function, {.shared_bytes = 65536}, arguments);
    driver->synchronize();
  }
  EXPECT_STREQ(log(),
               "retain\nload\n"
               "launch 7 5 3, 32 4 2, 0, argument 42\n"
               "attribute 8 = 65536\n"
               "launch 1 1 1, 1 1 1, 65536, argument 42\n"
               "synchronize\nfree\nunload\nrelease\n");
}

TEST_F(StubbedDriver, ABufferKeepsItsBytesAndMoves) {
  const auto driver = Driver::open(path);
  const std::vector<std::byte> in(100, std::byte{7});
  std::vector<std::byte> out(100);
  DeviceBuffer a(*driver, 100);
  a.copy_from(in);
  DeviceBuffer b = std::move(a);
  DeviceBuffer c(*driver, 0);
  c = std::move(b);
  c.copy_to(out);
  EXPECT_EQ(out, in);
  EXPECT_EQ(c.size(), 100u);
}

TEST_F(StubbedDriver, WhatFailsIsToldInTheDriversWords) {
  const auto driver = Driver::open(path);
  EXPECT_EQ(refusal([&] { Module(*driver, kBadImage); }),
            "selvage: error[E705]: cuModuleLoadData fails: device kernel image is invalid (200)");
  const Module module(*driver, kImage);
  EXPECT_EQ(refusal([&] { module.function("absent"); }),
            "selvage: error[E705]: cuModuleGetFunction of absent fails: named symbol not found "
            "(500)");
  EXPECT_EQ(refusal([&] { DeviceBuffer(*driver, std::size_t{1} << 41); }),
            "selvage: error[E705]: cuMemAlloc of 2199023255552 bytes fails: unknown error (2)");
  EXPECT_EQ(refusal([&] {
              driver->launch(module.function("k"), {.block = {2048, 1, 1}}, {});
            }).substr(0, 20),
            "selvage: error[E703]");
}

TEST_F(StubbedDriver, ALibraryWithoutADeviceOrACallIsRefused) {
  setenv("STUB_NO_DEVICE", "1", 1);
  EXPECT_EQ(refusal([&] { Driver::open(path); }),
            "selvage: error[E705]: cuInit fails: no CUDA-capable device is detected (100)");
  unsetenv("STUB_NO_DEVICE");
  EXPECT_EQ(refusal([&] { Driver::open("libm.so.6"); }),
            "selvage: error[E705]: libm.so.6 has no cuInit");
  EXPECT_EQ(refusal([&] { Driver::open("libno_such.so.1"); }),
            "selvage: error[E705]: libno_such.so.1: cannot open shared object file: No such file "
            "or directory");
}

// y of a launch over M x N, by whoever runs it.
struct Grid {
  long long M = 257, N = 1031;
  LaunchShape shape() const {
    return {.grid = {(N + 31) / 32, (M + 3) / 4, 1}, .block = {32, 4, 1}};
  }
};

TEST(Gpu, APointwiseKernelEqualsTheVirtualDevice) {
  const Driver* driver = Driver::instance();
  if (driver == nullptr) GTEST_SKIP() << Driver::why_absent();
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << Nvrtc::why_absent();

  Grid grid;
  std::vector<float> a(static_cast<std::size_t>(grid.M * grid.N));
  std::vector<float> b(static_cast<std::size_t>(grid.N));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 997) * 0.01F - 5.0F;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i) * 0.25F;
  std::vector<float> y(a.size());
  std::vector<float> expected(a.size());

  const float* pa = a.data();
  const float* pb = b.data();
  float* py = expected.data();
  void* const host[] = {&pa, &pb, &py, &grid.M, &grid.N};
  VirtualKernel(pointwise()).launch(grid.shape(), host);

  const Module module(*driver, nvrtc->compile(pointwise(), {.arch = driver->arch()}).cubin);
  DeviceBuffer da(*driver, a.size() * 4);
  DeviceBuffer db(*driver, b.size() * 4);
  DeviceBuffer dy(*driver, y.size() * 4);
  da.copy_from(std::as_bytes(std::span(a)));
  db.copy_from(std::as_bytes(std::span(b)));
  std::uint64_t ra = da.address();
  std::uint64_t rb = db.address();
  std::uint64_t ry = dy.address();
  void* const device[] = {&ra, &rb, &ry, &grid.M, &grid.N};
  driver->launch(module.function("pointwise"), grid.shape(), device);
  driver->synchronize();
  dy.copy_to(std::as_writable_bytes(std::span(y)));
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-6F * 300) << i;
}

}  // namespace
}  // namespace selvage
