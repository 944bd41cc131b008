#include <selvage/base/check.h>
#include <selvage/runtime/driver.h>

namespace selvage {

void Driver::copy_in(DeviceAddress to, std::span<const std::byte> from, Stream stream) const {
  if (from.empty()) return;
  make_current();
  check(calls_.MemcpyHtoDAsync(to, from.data(), from.size(), stream), "cuMemcpyHtoDAsync",
        from.size());
}

void Driver::copy_out(std::span<std::byte> to, DeviceAddress from, Stream stream) const {
  if (to.empty()) return;
  make_current();
  check(calls_.MemcpyDtoHAsync(to.data(), from, to.size(), stream), "cuMemcpyDtoHAsync", to.size());
}

void Driver::copy(DeviceAddress to, DeviceAddress from, std::size_t bytes, Stream stream) const {
  if (bytes == 0) return;
  make_current();
  check(calls_.MemcpyDtoDAsync(to, from, bytes, stream), "cuMemcpyDtoDAsync", bytes);
}

void Driver::fill(DeviceAddress to, std::byte value, std::size_t bytes, Stream stream) const {
  if (bytes == 0) return;
  make_current();
  check(calls_.MemsetD8Async(to, std::to_integer<unsigned char>(value), bytes, stream),
        "cuMemsetD8Async", bytes);
}

// cuMemAlloc refuses 0 bytes; an empty buffer has no address.
DeviceBuffer::DeviceBuffer(const Driver& driver, std::size_t bytes)
    : memory_(nullptr, {&driver}), size_(bytes) {
  if (bytes == 0) return;
  driver.make_current();
  DeviceAddress address = 0;
  driver.check(driver.calls().MemAlloc(&address, bytes), "cuMemAlloc", bytes);
  memory_.reset(reinterpret_cast<void*>(address));
}

DeviceBuffer::DeviceBuffer(const Driver& driver, std::size_t bytes, Driver::Stream stream)
    : memory_(nullptr, {&driver, true, stream}), size_(bytes) {
  if (bytes == 0) return;
  driver.make_current();
  const DriverCalls& calls = driver.calls();
  DriverResult result = kNotSupported;
  DeviceAddress address = 0;
  if (calls.MemAllocAsync != nullptr && calls.MemFreeAsync != nullptr) {
    result = calls.MemAllocAsync(&address, bytes, stream);
  }
  if (result == kNotSupported) {
    *this = DeviceBuffer(driver, bytes);
  } else {
    driver.check(result, "cuMemAllocAsync", bytes);
    memory_.reset(reinterpret_cast<void*>(address));
  }
}

void DeviceBuffer::Free::operator()(void* memory) const noexcept {
  driver->make_current_if_possible();
  const auto address = reinterpret_cast<DeviceAddress>(memory);
  is_ordered ? driver->calls().MemFreeAsync(address, stream) : driver->calls().MemFree(address);
}

void DeviceBuffer::copy_from(std::span<const std::byte> host) {
  SELVAGE_CHECK(host.size() == size_);
  if (size_ == 0) return;
  driver().make_current();
  driver().check(driver().calls().MemcpyHtoD(address(), host.data(), size_), "cuMemcpyHtoD");
}

void DeviceBuffer::copy_to(std::span<std::byte> host) const {
  SELVAGE_CHECK(host.size() == size_);
  if (size_ == 0) return;
  driver().make_current();
  const LaunchRecord::Mark mark = driver().record().mark();
  driver().check(driver().calls().MemcpyDtoH(host.data(), address(), size_), "cuMemcpyDtoH");
  driver().record().finished(nullptr, mark);
}

}  // namespace selvage
