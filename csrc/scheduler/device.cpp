#include <selvage/scheduler/device.h>

#include <algorithm>
#include <array>

namespace selvage {

namespace {

constexpr std::int64_t kKilo = 1 << 10, kMega = 1 << 20;

constexpr Device hopper(std::string_view name, double dram_bandwidth, double flight_knee) {
  return {.name = name,
          .multiprocessors = 132,
          .dram_bandwidth = dram_bandwidth,
          .l2_bandwidth = 5.5e12,
          .l2_bytes = 50 * kMega,
          .shared_bytes = 228 * kKilo,
          .clock = 1.755e9,
          .latency = 600e-9,
          .flight_knee = flight_knee,
          .flight_power = 2};
}

// The fits of bandwidth over bytes in flight are of A100 and of a 132-SM Hopper with 3.9 TB/s; the
// knee of other devices is scaled by their bandwidth for each multiprocessor.
constexpr std::array<Device, 5> kDevices{{
    {.name = "a100",
     .multiprocessors = 108,
     .dram_bandwidth = 2.04e12,
     .l2_bandwidth = 5.1e12,
     .l2_bytes = 40 * kMega,
     .shared_bytes = 164 * kKilo,
     .clock = 1.41e9,
     .latency = 600e-9,
     .flight_knee = 12.1 * 1024,
     .flight_power = 3.2},
    hopper("h100", 3.35e12, 13.9 * 1024),
    hopper("h200", 4.8e12, 19.9 * 1024),
    {.name = "b200",
     .multiprocessors = 148,
     .dram_bandwidth = 8.0e12,
     .l2_bandwidth = 1.0e13,
     .l2_bytes = 126 * kMega,
     .shared_bytes = 228 * kKilo,
     .clock = 1.85e9,
     .latency = 650e-9,
     .flight_knee = 29.5 * 1024,
     .flight_power = 2},
    {.name = "rtx4090",
     .multiprocessors = 128,
     .dram_bandwidth = 1.008e12,
     .l2_bandwidth = 4.0e12,
     .l2_bytes = 72 * kMega,
     .shared_bytes = 100 * kKilo,
     .threads = 1536,
     .blocks = 24,
     .clock = 2.52e9,
     .latency = 550e-9,
     .flight_knee = 5.0 * 1024,
     .flight_power = 3.2},
}};

}  // namespace

std::span<const Device> known_devices() { return kDevices; }

const Device& usual_device() { return kDevices[1]; }

const Device* find_device(std::string_view name) {
  const auto found = std::ranges::find(kDevices, name, &Device::name);
  return found == kDevices.end() ? nullptr : &*found;
}

}  // namespace selvage
