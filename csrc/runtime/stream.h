#pragma once

#include <selvage/runtime/driver.h>

#include <memory>

namespace selvage {

class Event;

// A queue of work for one device. Its work runs in order, beside that of other streams. The driver
// outlives it. Work that it was given goes on after its destruction.
class Stream {
 public:
  enum class Order : std::uint8_t {
    WithDefault,  // waits for the default stream, and the default stream for it
    Independent,
  };
  explicit Stream(const Driver& driver, Order order = Order::WithDefault);

  Driver::Stream handle() const { return stream_.get(); }
  void synchronize() const { driver().synchronize(handle()); }
  bool is_done() const { return driver().is_done(handle()); }

 private:
  const Driver& driver() const { return *stream_.get_deleter().driver; }
  std::unique_ptr<OpaqueStream, DriverDelete<&DriverCalls::StreamDestroy>> stream_;
};

// A point in the work of a stream. The driver outlives it.
class Event {
 public:
  enum class Timing : std::uint8_t { Off, On };
  explicit Event(const Driver& driver, Timing timing = Timing::Off);

  // Sets the point: after all work that the stream was given so far. A second call moves it.
  void record(Driver::Stream stream);
  // Work that the stream is given from now on begins after the point; an event that was not
  // recorded holds nothing up. The host does not wait.
  void hold_up(Driver::Stream stream) const;
  void synchronize() const;
  bool is_done() const;  // without waiting
  // The time between the points of two events with timing. Throws E705 if one is not reached yet.
  static float milliseconds(const Event& start, const Event& end);

 private:
  const Driver& driver() const { return *event_.get_deleter().driver; }
  std::unique_ptr<OpaqueEvent, DriverDelete<&DriverCalls::EventDestroy>> event_;
  Driver::Stream stream_ = nullptr;  // of the last record(), and its mark in the launch record
  LaunchRecord::Mark mark_ = 0;
};

}  // namespace selvage
