#include <selvage/base/diagnostic.h>
#include <selvage/base/refuse.h>
#include <selvage/runtime/gpu_device.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace selvage {

namespace {

// CUdevice_attribute.
enum class Attribute : int {
  ClockKilohertz = 13,
  Multiprocessors = 16,
  MemoryClockKilohertz = 36,
  MemoryBusBits = 37,
  L2Bytes = 38,
  Threads = 39,
  Major = 75,
  Minor = 76,
  SharedBytes = 81,
  Registers = 82,
  Blocks = 106,
};

class GpuReader {
 public:
  GpuReader(const DriverCalls& calls, int ordinal) : calls_(calls) {
    check(calls_.DeviceGet(&device_, ordinal), "cuDeviceGet of device " + std::to_string(ordinal));
  }

  Device read() const {
    const double bandwidth = 2 * 1e3 * ask(Attribute::MemoryClockKilohertz).value_or(0) *
                             ask(Attribute::MemoryBusBits).value_or(0) / 8;
    const Device& known = nearest_device(bandwidth);
    Device device = known;
    device.name = name();
    device.scaled_from = known.name;
    device.multiprocessors = whole(Attribute::Multiprocessors, known.multiprocessors);
    if (bandwidth > 0) device.dram_bandwidth = bandwidth;
    device.l2_bytes = whole(Attribute::L2Bytes, known.l2_bytes);
    device.shared_bytes = whole(Attribute::SharedBytes, known.shared_bytes);
    device.has_late_copies = ask(Attribute::Major).value_or(8) >= 8;
    device.has_clusters = ask(Attribute::Major).value_or(8) >= 9;
    device.registers = whole(Attribute::Registers, known.registers);
    device.threads = whole(Attribute::Threads, known.threads);
    device.blocks = whole(Attribute::Blocks, known.blocks);
    device.clock = 1e3 * ask(Attribute::ClockKilohertz).value_or(known.clock / 1e3);
    device.l2_bandwidth *= double(device.multiprocessors) / double(known.multiprocessors);
    device.l2_bandwidth = std::max(device.l2_bandwidth, device.dram_bandwidth);
    scale_fit(device, known);
    return device;
  }

 private:
  void check(DriverResult result, const std::string& call) const {
    if (result == 0) return;
    refuse<Error>("E705", call + " fails: " + calls_.words(result),
                  "name a GPU that there is, or run on the virtual device");
  }

  std::string name() const {
    char name[256] = {};
    check(calls_.DeviceGetName(name, sizeof name, device_), "cuDeviceGetName");
    return name;
  }

  // Nothing where the driver does not know the attribute, or has no number for it.
  std::optional<double> ask(Attribute which) const {
    int value = 0;
    if (calls_.DeviceGetAttribute(&value, int(which), device_) != 0 || value <= 0) {
      return std::nullopt;
    }
    return value;
  }
  std::int64_t whole(Attribute which, std::int64_t otherwise) const {
    return std::int64_t(ask(which).value_or(double(otherwise)));
  }

  // Of the same architecture, or else of the one before; of Hopper's two the one whose bandwidth is
  // nearer.
  const Device& nearest_device(double bandwidth) const {
    const auto major = int(ask(Attribute::Major).value_or(0));
    const auto minor = int(ask(Attribute::Minor).value_or(0));
    const bool is_ada = major == 12 || (major == 8 && minor != 0 && minor != 7);
    if (is_ada) return *find_device("rtx4090");
    if (major > 9) return *find_device("b200");
    if (major < 9) return *find_device("a100");
    const Device &h100 = *find_device("h100"), &h200 = *find_device("h200");
    const auto distance = [&](const Device& d) { return std::abs(bandwidth - d.dram_bandwidth); };
    return distance(h200) < distance(h100) ? h200 : h100;
  }

  const DriverCalls& calls_;
  int device_ = 0;
};

}  // namespace

Device gpu_device(int ordinal, const std::string& library) {
  const DriverCalls calls = DriverCalls::open(library);
  calls.initialise();
  return gpu_device(calls, ordinal);
}

Device gpu_device(const DriverCalls& calls, int ordinal) {
  return GpuReader(calls, ordinal).read();
}

const Device& default_device() {
  static const Device device = [] {
    try {
      return gpu_device();
    } catch (const Error&) {
      return usual_device();
    }
  }();
  return device;
}

}  // namespace selvage
