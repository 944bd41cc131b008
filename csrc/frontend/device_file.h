#pragma once

#include <selvage/frontend/schedule_file.h>
#include <selvage/scheduler/device.h>

#include <span>
#include <string>
#include <string_view>

namespace selvage {

// A device that nobody has to build in is a YAML file with the numbers of a data sheet, each with
// its unit:
//   name: l40s
//   based_on: rtx4090
//   multiprocessors: 142
//   dram_bandwidth: 864 GB/s
// `based_on` names a known device, whose numbers hold for every key that is left out; without it
// only those with a default may be left out. Where the fit of bandwidth over bytes in flight is
// left out, it is scaled from that device (scale_fit), and `scaled_from` says so.

// Throw BadFile with all errors: E101 to E107, E110 as for any file, E304 there is no known device
// of that name, E320 a value without a unit that fits, or one that no GPU has.
Device read_device_file(const std::string& path);  // "-": standard input
Device read_device_text(std::string_view text, const std::string& path);

struct DeviceKey {
  std::string_view name;
  std::string_view value;  // in words: "bytes a second, such as 3.35 TB/s"
  std::string_view says;
  bool is_needed = false;  // where no device is named to start from
};
// All keys of such a file, in order.
std::span<const DeviceKey> device_keys();

}  // namespace selvage
