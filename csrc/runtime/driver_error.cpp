#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/runtime/driver.h>

namespace selvage {

namespace {

// After these the context answers nothing but the same, until the process ends.
bool is_loss(DriverResult result) {
  switch (result) {
    case 214:  // uncorrectable ECC error
    case 226:  // contained error
    case 700:  // illegal address
    case 702:  // timeout
    case 710:  // assert
    case 714:  // hardware stack error
    case 715:  // illegal instruction
    case 716:  // misaligned address
    case 717:  // invalid address space
    case 718:  // invalid program counter
    case 719:  // launch failed
      return true;
    default: return false;
  }
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

constexpr const char* kStartAnew =
    "start the process anew; run the same on the virtual device, or under compute-sanitizer, to "
    "see where the kernel goes wrong";

}  // namespace

std::string Driver::help(DriverResult result) const {
  switch (result) {
    case 1:
    case 400:
    case 201: return "use what was made by this device's driver and is not yet destroyed";
    case kOutOfMemory: return "use smaller sizes, or free memory on the GPU";
    case 100:
    case 101: return "use a device from 0 to device_count() - 1, or run on the virtual device";
    case 200:
    case 209:
    case 218: {
      int major = 0;
      int minor = 0;
      calls_.DeviceGetAttribute(&major, 75, device_);
      calls_.DeviceGetAttribute(&minor, 76, device_);
      return "compile for sm_" + std::to_string(major) + std::to_string(minor) +
             (major >= 9 ? "a" : "") + ", which this GPU is";
    }
    case 221:
    case 222:
      return "install a driver at least as new as the CUDA toolkit; this one is of CUDA " +
             version_text(version_);
    case 500: return "ask for a kernel by the name in its text, declared extern \"C\"";
    case kNotReady: return "wait for it first";
    case 701: return "give a block fewer threads, or compile for fewer registers";
    case kNotSupported: return "run on a device that can, or on the virtual device";
    default: break;
  }
  if (result >= 900 && result <= 908) {
    return "while a stream is captured, give it launches, copies and fills only, and wait for it "
           "after the capture's end";
  }
  return "run on the virtual device, or start the process anew";
}

void Driver::fail(DriverResult result, const std::string& call,
                  std::vector<std::string> notes) const {
  const std::string what = call + " fails: " + calls_.words(result);
  std::string loss;
  {
    const std::lock_guard lock(mutex_);
    if (loss_.empty() && is_loss(result)) {
      loss_ = what;
      for (const std::string* name : record_.pending()) suspects_.push_back(*name);
    }
    loss = loss_;
    if (!loss.empty() && loss != what) notes.push_back("the GPU is lost to this process: " + loss);
    if (!suspects_.empty()) {
      notes.push_back("launched and not known to have finished, last first: " + joined(suspects_));
    }
  }
  const bool is_lost = !loss.empty();
  refuse<Error>(is_lost ? "E715" : "E705", what, is_lost ? kStartAnew : help(result),
                std::move(notes));
}

void Driver::refuse_missing(const std::string& call, const std::string& since) const {
  refuse<Error>("E705", "the driver, of CUDA " + version_text(version_) + ", has no " + call,
                "install a driver of CUDA " + since + " or later");
}

}  // namespace selvage
