#include <selvage/frontend/device_file.h>
#include <tests/support/text_files.h>

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace selvage {

namespace {

constexpr const char* kWhole = R"(name: mine
multiprocessors: 96
dram_bandwidth: 1.5 TB/s
l2_bandwidth: 4000 GB/s
l2: 48 MiB
shared_memory: 164 KiB
clock: 1500 MHz
latency: 0.7 us
flight_knee: 8 KiB
)";

std::string device_refusal(const std::string& text) {
  try {
    read_device_text(text, "d.yaml");
  } catch (const BadFile& bad) {
    const std::string said = bad.what();
    return said.substr(0, said.size() - 1);  // without the end of the line
  }
  return "accepted";
}

// The text with one line more, or instead of the one of the same key.
std::string changed_device(std::string text, const std::string& line) {
  const std::string key = "\n" + line.substr(0, line.find(':') + 1);
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return text + line + "\n";
  return text.replace(at + 1, text.find('\n', at + 1) - at - 1, line);
}

TEST(DeviceFile, HasTheUnitsOfADataSheet) {
  const Device d = read_device_text(kWhole, "d.yaml");
  EXPECT_EQ(d.name, "mine");
  EXPECT_EQ(d.multiprocessors, 96);
  EXPECT_DOUBLE_EQ(d.dram_bandwidth, 1.5e12);
  EXPECT_DOUBLE_EQ(d.l2_bandwidth, 4e12);
  EXPECT_EQ(d.l2_bytes, 48 << 20);
  EXPECT_EQ(d.shared_bytes, 164 << 10);
  EXPECT_DOUBLE_EQ(d.clock, 1.5e9);
  EXPECT_DOUBLE_EQ(d.latency, 700e-9);
  EXPECT_DOUBLE_EQ(d.flight_knee, 8192);
  EXPECT_EQ(d.scaled_from, "");
  // What may be left out.
  EXPECT_EQ(d.threads, 2048);
  EXPECT_EQ(d.blocks, 32);
  EXPECT_EQ(d.registers, 65536);
  EXPECT_DOUBLE_EQ(
      read_device_text(changed_device(kWhole, "dram_share: 90 %"), "d.yaml").dram_share, 0.9);
  EXPECT_DOUBLE_EQ(read_device_text(changed_device(kWhole, "dram_share: 0.9"), "d.yaml").dram_share,
                   0.9);
}

TEST(DeviceFile, ChangesAFewNumbersOfAKnownDevice) {
  const Device& h100 = *find_device("h100");
  const Device d = read_device_text("{name: pcie, based_on: h100, multiprocessors: 114}", "d.yaml");
  EXPECT_EQ(d.multiprocessors, 114);
  EXPECT_EQ(d.l2_bytes, h100.l2_bytes);
  EXPECT_EQ(d.scaled_from, "h100");
  EXPECT_DOUBLE_EQ(d.flight_knee, h100.flight_knee * 132 / 114);
  const Device fitted =
      read_device_text("{name: own, based_on: h100, flight_knee: 10 KiB}", "d.yaml");
  EXPECT_DOUBLE_EQ(fitted.flight_knee, 10240);
  EXPECT_EQ(fitted.scaled_from, "");
}

TEST(DeviceFile, OfTheExampleIsRead) {
  const Device d = read_device_file((kRepository / "examples/devices/l40s.yaml").string());
  EXPECT_EQ(d.name, "l40s");
  EXPECT_EQ(d.multiprocessors, 142);
}

TEST(DeviceFile, IsRefusedByPlaceAndHelp) {
  EXPECT_EQ(device_refusal(changed_device(kWhole, "clock: 1500")),
            "d.yaml:7:8: error[E320]: clock is '1500': a unit is missing; help: write clock: "
            "1.755 GHz, or what your GPU has in MHz, GHz, kHz, Hz");
  EXPECT_EQ(device_refusal(changed_device(kWhole, "clock: 15 MB")),
            "d.yaml:7:8: error[E320]: clock is '15 MB': 'MB' is no unit of it; help: write clock: "
            "1.755 GHz, or what your GPU has in MHz, GHz, kHz, Hz");
  EXPECT_EQ(device_refusal(changed_device(kWhole, "clock: fast")),
            "d.yaml:7:8: error[E320]: clock is 'fast': no number; help: write clock: "
            "1.755 GHz, or what your GPU has in MHz, GHz, kHz, Hz");
  EXPECT_EQ(device_refusal(changed_device(kWhole, "latency: 5 s")),
            "d.yaml:8:10: error[E320]: latency is '5 s': no GPU has that; it is 10 ns to 100 us; "
            "help: write latency: 600 ns, or what your GPU has in ns, us, ms, s");
  EXPECT_EQ(device_refusal(changed_device(kWhole, "multiprocessors: 9.5")),
            "d.yaml:2:18: error[E320]: multiprocessors is '9.5': no whole number; help: write "
            "multiprocessors: 132, or what your GPU has");
  EXPECT_EQ(device_refusal(changed_device(kWhole, "threads: 1500")),
            "d.yaml:10:10: error[E320]: threads is '1500': not a number of whole warps of 32; "
            "help: write threads: 2048, or what your GPU has");
  EXPECT_EQ(device_refusal(changed_device(kWhole, "l2_bandwidth: 1 TB/s")),
            "d.yaml:4:15: error[E320]: l2_bandwidth is '1 TB/s': less than dram_bandwidth, and all "
            "of that comes through L2; help: write l2_bandwidth: 5.5 TB/s, or what your GPU has in "
            "GB/s, TB/s, MB/s, GiB/s, TiB/s");
  EXPECT_EQ(
      device_refusal(changed_device(kWhole, "multiprocesors: 9")),
      "d.yaml:10:1: error[E106]: the device: unknown key 'multiprocesors'; help: it may also "
      "have based_on, registers, threads, blocks, l2_latency, launch, block_start, dram_share, "
      "read_share, flight_power");
  EXPECT_EQ(device_refusal("{name: x, based_on: h300}"),
            "d.yaml:1:21: error[E304]: based_on: 'h300' is none of a100, h100, h200, b200, "
            "rtx4090; help: did you mean 'h100'?");
  EXPECT_EQ(
      device_refusal("{based_on: h100}"),
      "d.yaml:1:1: error[E110]: the device: the key 'name' is missing; help: add 'name: ...'");
}

TEST(DeviceFile, NamesEachNumberThatIsMissing) {
  const std::string text = device_refusal("{name: x}");
  for (const DeviceKey& key : device_keys()) {
    const bool is_named = text.find("no '" + std::string(key.name) + "'") != std::string::npos;
    EXPECT_EQ(is_named, key.is_needed && key.name != "name") << key.name;
  }
}

// Damaged files are read or refused with a place; the numbers that are read are those of a GPU.
TEST(DeviceFile, NeverCrashesOnDamage) {
  std::mt19937 rng(7);
  const std::string characters = "0123456789.:-+eE%/ {}[]\nGMKTBisnu#'\"\\x\xff";
  int read = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = kWhole;
    for (unsigned k = rng() % 2 + 1; k-- > 0;) {
      text[rng() % text.size()] = characters[rng() % characters.size()];
    }
    try {
      const Device d = read_device_text(text, "d.yaml");
      ++read;
      EXPECT_GE(d.l2_bandwidth, d.dram_bandwidth) << text;
      EXPECT_GT(d.dram_bandwidth, 0) << text;
      EXPECT_GT(d.flight_knee, 0) << text;
    } catch (const BadFile& bad) {
      for (const Diagnostic& d : bad.diagnostics()) {
        EXPECT_EQ(d.place.file, "d.yaml") << text;
        EXPECT_FALSE(d.help.empty()) << text;
      }
    }
  }
  EXPECT_GT(read, 50);
}

}  // namespace

}  // namespace selvage
