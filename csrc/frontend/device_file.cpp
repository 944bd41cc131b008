#include <selvage/base/number_text.h>
#include <selvage/frontend/device_file.h>
#include <selvage/frontend/readers.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <variant>
#include <vector>

namespace selvage {

namespace {

constexpr double kKibi = 1 << 10, kMebi = 1 << 20, kGibi = 1 << 30;

struct QuantityUnit {
  std::string_view name;
  double factor;
};
constexpr QuantityUnit kPlain[] = {{"", 1}};
constexpr QuantityUnit kShares[] = {{"%", 0.01}, {"", 1}};
constexpr QuantityUnit kBytes[] = {{"B", 1},    {"KiB", kKibi}, {"MiB", kMebi}, {"GiB", kGibi},
                                   {"KB", 1e3}, {"MB", 1e6},    {"GB", 1e9}};
constexpr QuantityUnit kBandwidths[] = {
    {"GB/s", 1e9}, {"TB/s", 1e12}, {"MB/s", 1e6}, {"GiB/s", kGibi}, {"TiB/s", kGibi* kKibi}};
constexpr QuantityUnit kFrequencies[] = {{"MHz", 1e6}, {"GHz", 1e9}, {"kHz", 1e3}, {"Hz", 1}};
constexpr QuantityUnit kTimes[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};

// One number of a device: its units, the value that stands in messages, and what a GPU may have.
struct DeviceField {
  DeviceKey key;
  std::variant<std::int64_t Device::*, double Device::*> member;
  std::span<const QuantityUnit> units;
  std::string_view example;
  double least, most;  // in the units of Device
};

constexpr bool kNeeded = true;

const DeviceField kDeviceFields[] = {
    {{"multiprocessors", "a number", "how many the GPU has", kNeeded},
     &Device::multiprocessors,
     kPlain,
     "132",
     1,
     4096},
    {{"dram_bandwidth", "bytes a second, such as 3.35 TB/s", "of its memory, peak", kNeeded},
     &Device::dram_bandwidth,
     kBandwidths,
     "3.35 TB/s",
     1e9,
     1e15},
    {{"l2_bandwidth", "bytes a second", "of reads that L2 serves", kNeeded},
     &Device::l2_bandwidth,
     kBandwidths,
     "5.5 TB/s",
     1e9,
     1e16},
    {{"l2", "bytes, such as 50 MiB", "of the L2 cache", kNeeded},
     &Device::l2_bytes,
     kBytes,
     "50 MiB",
     64 * kKibi,
     64 * kGibi},
    {{"shared_memory", "bytes, such as 228 KiB", "of a multiprocessor", kNeeded},
     &Device::shared_bytes,
     kBytes,
     "228 KiB",
     16 * kKibi,
     16 * kMebi},
    {{"registers", "a number", "of 4 bytes, of a multiprocessor; default 65536"},
     &Device::registers,
     kPlain,
     "65536",
     8192,
     1 << 24},
    {{"threads", "a number", "that run at once on a multiprocessor; default 2048"},
     &Device::threads,
     kPlain,
     "2048",
     1024,
     65536},
    {{"blocks", "a number", "that run at once on a multiprocessor; default 32"},
     &Device::blocks,
     kPlain,
     "32",
     1,
     1024},
    {{"clock", "cycles a second, such as 1.755 GHz", "of the multiprocessors", kNeeded},
     &Device::clock,
     kFrequencies,
     "1.755 GHz",
     1e8,
     1e11},
    {{"latency", "a time, such as 600 ns", "from a load that misses L2 to its value", kNeeded},
     &Device::latency,
     kTimes,
     "600 ns",
     1e-8,
     1e-4},
    {{"l2_latency", "a time", "from a load that hits L2 to its value; default 270 ns"},
     &Device::l2_latency,
     kTimes,
     "270 ns",
     1e-8,
     1e-4},
    {{"launch", "a time", "of a kernel that does nothing; default 3.5 us"},
     &Device::launch,
     kTimes,
     "3.5 us",
     1e-7,
     1e-2},
    {{"block_start", "a time", "from the start of a block to that of the next one; default 0.7 ns"},
     &Device::block_start,
     kTimes,
     "0.7 ns",
     1e-11,
     1e-6},
    {{"dram_share", "a share, such as 90 %",
      "of the peak bandwidth, that a copy of large arrays reaches; default 90 %"},
     &Device::dram_share,
     kShares,
     "90 %",
     0.1,
     1},
    {{"read_share", "a share", "of the peak bandwidth, that reads alone reach; default 95 %"},
     &Device::read_share,
     kShares,
     "95 %",
     0.1,
     1},
    {{"flight_knee", "bytes, such as 13.9 KiB",
      "x0 of the fit: with x bytes in flight on each multiprocessor r / (1 + r^p)^(1/p) of the "
      "bandwidth is reached, r = x / x0",
      kNeeded},
     &Device::flight_knee,
     kBytes,
     "13.9 KiB",
     64,
     16 * kMebi},
    {{"flight_power", "a number", "p of the fit; default 2"},
     &Device::flight_power,
     kPlain,
     "2",
     0.5,
     16},
};
constexpr DeviceKey kDeviceName = {"name", "a text", "what the device is called", kNeeded};
constexpr DeviceKey kDeviceBase = {"based_on", "a known device",
                                   "whose numbers hold for other keys"};

double number_of(const Device& device, const DeviceField& field) {
  return std::visit([&](auto member) { return double(device.*member); }, field.member);
}

std::string units_of(const DeviceField& field) {
  std::vector<std::string> names;
  for (const QuantityUnit& unit : field.units) {
    if (!unit.name.empty()) names.emplace_back(unit.name);
  }
  return names.empty() ? "" : " in " + joined(names);
}

// A value of Device as a file would say it, in the unit that leaves the shortest number of at
// least 1.
std::string quantity_text(double value, const DeviceField& field) {
  std::string best;
  for (const QuantityUnit& unit : field.units) {
    const double own = value / unit.factor;
    const double rounded = std::round(own * 1e6) / 1e6;
    std::string text = shortest(rounded == std::floor(rounded) ? std::floor(rounded) : rounded);
    if (!unit.name.empty()) text += " " + std::string(unit.name);
    if (own >= 1 && (best.empty() || text.size() < best.size())) best = text;
  }
  return best.empty()
             ? shortest(value / field.units[0].factor) + " " + std::string(field.units[0].name)
             : best;
}

[[noreturn]] void refuse_value(const DeviceField& field, const Node& node, const std::string& why) {
  refuse("E320", node.place, std::string(field.key.name) + " is " + shown(node.text) + ": " + why,
         "write " + std::string(field.key.name) + ": " + std::string(field.example) +
             ", or what your GPU has" + units_of(field));
}

// "3.35 TB/s" in bytes a second. What stands behind the number is compared as it is.
double read_quantity(const DeviceField& field, const Node& node) {
  const std::string& text = as_text(node, field.key.name);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) refuse_value(field, node, "no number");
  std::string_view unit(end, std::size_t(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto known =
      std::ranges::find_if(field.units, [&](const QuantityUnit& u) { return u.name == unit; });
  if (known == field.units.end()) {
    refuse_value(field, node,
                 unit.empty() ? "a unit is missing" : shown(unit) + " is no unit of it");
  }
  value *= known->factor;
  const bool is_whole = std::holds_alternative<std::int64_t Device::*>(field.member);
  if (is_whole && value != std::floor(value)) refuse_value(field, node, "no whole number");
  if (!(value >= field.least && value <= field.most)) {
    refuse_value(field, node,
                 "no GPU has that; it is " + quantity_text(field.least, field) + " to " +
                     quantity_text(field.most, field));
  }
  return value;
}

std::vector<std::string_view> names_of_devices() {
  return words_of(known_devices(), [](const Device& d) { return std::string_view(d.name); });
}

class DeviceReader {
 public:
  explicit DeviceReader(Node root) : root_(std::move(root)) {}

  Device read() {
    std::vector<std::string_view> keys;
    for (const DeviceKey& key : device_keys()) keys.push_back(key.name);
    expect_map(root_, "the device", keys, &errors_);
    Device device;
    read_key(root_, kDeviceBase.name, errors_, [&](const Node& node) { read_base(node, device); });
    errors_.attempt([&] { read_name(device); });
    for (const DeviceField& field : kDeviceFields) {
      errors_.attempt([&] { read_field(field, device); });
    }
    if (errors_.empty()) errors_.attempt([&] { check(device); });
    if (!errors_.empty()) throw BadFile(errors_.list());
    return device;
  }

 private:
  void read_base(const Node& node, Device& device) {
    const std::vector<std::string_view> names = names_of_devices();
    base_ = &known_devices()[one_of(as_text(node, kDeviceBase.name), node.place, kDeviceBase.name,
                                    names)];
    device = *base_;
  }

  void read_name(Device& device) const {
    const Node& name = require(root_, "the device", kDeviceName.name);
    device.name = as_text(name, kDeviceName.name);
    if (!device.name.empty()) return;
    refuse("E107", name.place, "name is empty", "call the device something, such as l40s");
  }

  void read_field(const DeviceField& field, Device& device) {
    const Node* node = root_.find(field.key.name);
    if (node == nullptr) {
      if (!field.key.is_needed || root_.find(kDeviceBase.name) != nullptr) return;
      refuse("E110", root_.place, "the device has no '" + std::string(field.key.name) + "'",
             "add " + std::string(field.key.name) + ": " + std::string(field.example) +
                 ", as your GPU has it; or name the known device that it is most like, "
                 "based_on: h100");
    }
    const double value = read_quantity(field, *node);
    std::visit([&](auto member) { device.*member = decltype(device.*member + 0)(value); },
               field.member);
  }

  // What is wrong with numbers together; scales the fit where nobody has given it.
  void check(Device& device) const {
    const auto refuse_field = [&](std::string_view key, const std::string& why) {
      const auto field = std::ranges::find_if(
          kDeviceFields, [&](const DeviceField& f) { return f.key.name == key; });
      const Node* node = root_.find(key);
      Node as_if;
      as_if.place = root_.place;
      as_if.text = quantity_text(number_of(device, *field), *field);
      refuse_value(*field, node != nullptr ? *node : as_if, why);
    };
    if (device.threads % 32 != 0) refuse_field("threads", "not a number of whole warps of 32");
    if (device.l2_bandwidth < device.dram_bandwidth) {
      refuse_field("l2_bandwidth", "less than dram_bandwidth, and all of that comes through L2");
    }
    if (base_ == nullptr) return;
    const bool is_fitted = root_.find("flight_knee") != nullptr;
    if (!is_fitted && root_.find("flight_power") == nullptr) scale_fit(device, *base_);
    if (!is_fitted) device.scaled_from = base_->name;
  }

  const Node root_;
  Diagnostics errors_;
  const Device* base_ = nullptr;  // null: it starts from nothing
};

template <typename Read>
Device read_device(Read read_root) {
  try {
    return DeviceReader(read_root()).read();
  } catch (const BadInput& e) {
    throw BadFile({e.diagnostic()});
  }
}

}  // namespace

Device read_device_file(const std::string& path) {
  return read_device([&] { return read_document_file(path); });
}

Device read_device_text(std::string_view text, const std::string& path) {
  return read_device([&] { return read_document(text, path); });
}

std::span<const DeviceKey> device_keys() {
  static const auto keys = [] {
    std::vector<DeviceKey> list = {kDeviceName, kDeviceBase};
    for (const DeviceField& field : kDeviceFields) list.push_back(field.key);
    return list;
  }();
  return keys;
}

}  // namespace selvage
