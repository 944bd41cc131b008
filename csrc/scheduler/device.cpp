#include <selvage/scheduler/device.h>

#include <algorithm>
#include <array>

namespace selvage {

namespace {

constexpr std::int64_t kKilo = 1 << 10, kMega = 1 << 20;

Device hopper(const char* name, double dram_bandwidth, double flight_knee) {
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
const std::array<Device, 5>& devices() {
  static const std::array<Device, 5> list{{
      {.name = "a100",
       .multiprocessors = 108,
       .dram_bandwidth = 2.04e12,
       .l2_bandwidth = 5.1e12,
       .l2_bytes = 40 * kMega,
       .shared_bytes = 164 * kKilo,
       .clock = 1.41e9,
       .latency = 600e-9,
       .flight_knee = 12.1 * 1024,
       .flight_power = 3.2,
       .has_clusters = false},
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
       .flight_power = 3.2,
       .has_clusters = false},
  }};
  return list;
}

}  // namespace

std::span<const Device> known_devices() { return devices(); }

const Device& usual_device() { return devices()[1]; }

const Device* find_device(std::string_view name) {
  const auto found = std::ranges::find(devices(), name, &Device::name);
  return found == devices().end() ? nullptr : &*found;
}

void scale_fit(Device& device, const Device& from) {
  const auto own = [](const Device& d) { return d.dram_bandwidth / double(d.multiprocessors); };
  device.flight_knee = from.flight_knee * own(device) / own(from);
  device.flight_power = from.flight_power;
}

}  // namespace selvage
