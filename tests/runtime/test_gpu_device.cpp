// A GPU as the cost model sees it, read through the driver.
#include <selvage/runtime/gpu_device.h>
#include <tests/runtime/stub_driver.h>

namespace selvage {

namespace {

constexpr int kClock = 13, kMultiprocessors = 16, kMemoryClock = 36, kBusBits = 37, kL2 = 38,
              kThreads = 39, kShared = 81, kRegisters = 82, kBlocks = 106;

class GpuDevice : public test::StubbedDriver {
 protected:
  Device read(int ordinal = 0) const { return gpu_device(ordinal, test::kStub); }
};

TEST_F(GpuDevice, HasTheNumbersThatTheDriverTells) {
  for (const auto& [which, value] : std::map<int, int>{{kClock, 1500000},
                                                       {kMultiprocessors, 114},
                                                       {kMemoryClock, 1593000},
                                                       {kBusBits, 5120},
                                                       {kL2, 48 << 20},
                                                       {kThreads, 1536},
                                                       {kShared, 100 << 10},
                                                       {kRegisters, 32768},
                                                       {kBlocks, 24}}) {
    stub.set_attribute(which, value);
  }
  const Device device = read();
  EXPECT_EQ(device.name, "Stub");
  EXPECT_DOUBLE_EQ(device.clock, 1.5e9);
  EXPECT_EQ(device.multiprocessors, 114);
  EXPECT_DOUBLE_EQ(device.dram_bandwidth, 2 * 1.593e9 * 5120 / 8);
  EXPECT_EQ(device.l2_bytes, 48 << 20);
  EXPECT_EQ(device.threads, 1536);
  EXPECT_EQ(device.shared_bytes, 100 << 10);
  EXPECT_EQ(device.registers, 32768);
  EXPECT_EQ(device.blocks, 24);
}

TEST_F(GpuDevice, TakesTheFitOfItsArchitectureScaledByBandwidth) {
  const Device& h100 = *find_device("h100");
  const Device whole = read();
  EXPECT_EQ(whole.scaled_from, "h100");
  EXPECT_NEAR(whole.dram_bandwidth, h100.dram_bandwidth, 0.01 * h100.dram_bandwidth);
  EXPECT_NEAR(whole.flight_knee, h100.flight_knee, 0.01 * h100.flight_knee);
  stub.set_attribute(kBusBits, 2560);
  const Device half = read();
  EXPECT_NEAR(half.flight_knee, whole.flight_knee / 2, 1);
  EXPECT_EQ(half.flight_power, h100.flight_power);
}

TEST_F(GpuDevice, IsMostLikeTheKnownDeviceOfItsArchitecture) {
  const auto like = [&](int major, int minor) {
    stub.set_capability(major, minor);
    return read().scaled_from;
  };
  EXPECT_EQ(like(7, 5), "a100");
  EXPECT_EQ(like(8, 0), "a100");
  EXPECT_EQ(like(8, 6), "rtx4090");
  EXPECT_EQ(like(8, 9), "rtx4090");
  EXPECT_EQ(like(9, 0), "h100");
  EXPECT_EQ(like(10, 3), "b200");
  EXPECT_EQ(like(12, 0), "rtx4090");
  EXPECT_EQ(like(13, 0), "b200");
  stub.set_attribute(kBusBits, 6144);
  stub.set_attribute(kMemoryClock, 3201000);
  EXPECT_EQ(like(9, 0), "h200");
}

TEST_F(GpuDevice, TakesFromThatDeviceWhatTheDriverDoesNotTell) {
  for (const int which : {kClock, kMemoryClock, kBusBits, kL2}) stub.set_attribute(which, 0);
  for (const int which : {kBlocks, kRegisters}) stub.set_attribute(which, -1);
  const Device &h100 = *find_device("h100"), device = read();
  EXPECT_EQ(device.clock, h100.clock);
  EXPECT_EQ(device.dram_bandwidth, h100.dram_bandwidth);
  EXPECT_EQ(device.l2_bytes, h100.l2_bytes);
  EXPECT_EQ(device.blocks, h100.blocks);
  EXPECT_EQ(device.registers, h100.registers);
}

TEST_F(GpuDevice, IsReadWithoutMakingAContext) {
  read();
  EXPECT_EQ(stub.count("cuDevicePrimaryCtxRetain"), 0);
}

TEST_F(GpuDevice, IsRefusedWhereThereIsNone) {
  EXPECT_EQ(refusal([&] { read(3); }),
            "selvage: error[E705]: cuDeviceGet of device 3 fails: invalid device ordinal (101); "
            "help: name a GPU that there is, or run on the virtual device");
  stub.set_devices(0);
  EXPECT_EQ(refusal([&] { read(); }).substr(0, 42), "selvage: error[E705]: cuInit fails: no CUD");
}

TEST_F(GpuDevice, IsTheUsualOneOnAMachineWithoutADriver) {
  if (Driver::instance() != nullptr) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(&default_device(), &default_device());
  EXPECT_EQ(default_device().name, usual_device().name);
}

}  // namespace

}  // namespace selvage
