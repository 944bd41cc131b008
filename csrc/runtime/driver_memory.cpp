#include <selvage/base/check.h>
#include <selvage/runtime/driver.h>

#include <utility>

namespace selvage {

namespace {

std::string of_bytes(std::size_t bytes) { return " of " + std::to_string(bytes) + " bytes"; }

}  // namespace

void Driver::copy_in(DeviceAddress to, std::span<const std::byte> from, Stream stream) const {
  if (from.empty()) return;
  make_current();
  const DriverResult result = calls_.MemcpyHtoDAsync(to, from.data(), from.size(), stream);
  if (result != 0) fail(result, "cuMemcpyHtoDAsync" + of_bytes(from.size()));
}

void Driver::copy_out(std::span<std::byte> to, DeviceAddress from, Stream stream) const {
  if (to.empty()) return;
  make_current();
  const DriverResult result = calls_.MemcpyDtoHAsync(to.data(), from, to.size(), stream);
  if (result != 0) fail(result, "cuMemcpyDtoHAsync" + of_bytes(to.size()));
}

void Driver::copy(DeviceAddress to, DeviceAddress from, std::size_t bytes, Stream stream) const {
  if (bytes == 0) return;
  make_current();
  const DriverResult result = calls_.MemcpyDtoDAsync(to, from, bytes, stream);
  if (result != 0) fail(result, "cuMemcpyDtoDAsync" + of_bytes(bytes));
}

void Driver::fill(DeviceAddress to, std::byte value, std::size_t bytes, Stream stream) const {
  if (bytes == 0) return;
  make_current();
  const DriverResult result =
      calls_.MemsetD8Async(to, std::to_integer<unsigned char>(value), bytes, stream);
  if (result != 0) fail(result, "cuMemsetD8Async" + of_bytes(bytes));
}

// cuMemAlloc refuses 0 bytes; an empty buffer has no address.
DeviceBuffer::DeviceBuffer(const Driver& driver, std::size_t bytes)
    : driver_(&driver), size_(bytes) {
  if (bytes == 0) return;
  driver.make_current();
  const DriverResult result = driver.calls().MemAlloc(&address_, bytes);
  if (result != 0) driver.fail(result, "cuMemAlloc" + of_bytes(bytes));
}

DeviceBuffer::DeviceBuffer(const Driver& driver, std::size_t bytes, Driver::Stream stream)
    : driver_(&driver), size_(bytes), stream_(stream) {
  if (bytes == 0) return;
  driver.make_current();
  const DriverCalls& calls = driver.calls();
  if (calls.MemAllocAsync != nullptr && calls.MemFreeAsync != nullptr) {
    const DriverResult result = calls.MemAllocAsync(&address_, bytes, stream);
    is_ordered_ = result == 0;
    if (is_ordered_) return;
    if (result != kNotSupported) driver.fail(result, "cuMemAllocAsync" + of_bytes(bytes));
  }
  const DriverResult result = calls.MemAlloc(&address_, bytes);
  if (result != 0) driver.fail(result, "cuMemAlloc" + of_bytes(bytes));
}

DeviceBuffer::~DeviceBuffer() {
  if (address_ == 0) return;
  driver_->make_current_if_possible();
  is_ordered_ ? driver_->calls().MemFreeAsync(address_, stream_)
              : driver_->calls().MemFree(address_);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : driver_(other.driver_),
      address_(std::exchange(other.address_, 0)),
      size_(std::exchange(other.size_, 0)),
      is_ordered_(other.is_ordered_),
      stream_(other.stream_) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  std::swap(is_ordered_, other.is_ordered_);
  std::swap(stream_, other.stream_);
  return *this;
}

void DeviceBuffer::copy_from(std::span<const std::byte> host) {
  SELVAGE_CHECK(host.size() == size_);
  if (size_ == 0) return;
  driver_->make_current();
  driver_->check(driver_->calls().MemcpyHtoD(address_, host.data(), size_), "cuMemcpyHtoD");
}

void DeviceBuffer::copy_to(std::span<std::byte> host) const {
  SELVAGE_CHECK(host.size() == size_);
  if (size_ == 0) return;
  driver_->make_current();
  const LaunchRecord::Mark mark = driver_->record().mark();
  driver_->check(driver_->calls().MemcpyDtoH(host.data(), address_, size_), "cuMemcpyDtoH");
  driver_->record().finished(nullptr, mark);
}

}  // namespace selvage
