#include <selvage/runtime/stream.h>

namespace selvage {

namespace {

constexpr unsigned kNonBlocking = 1;    // of a stream's flags
constexpr unsigned kDisableTiming = 2;  // of an event's

}  // namespace

Stream::Stream(const Driver& driver, Order order) : stream_(nullptr, {&driver}) {
  driver.make_current();
  StreamHandle stream = nullptr;
  driver.check(driver.calls().StreamCreate(&stream, order == Order::Independent ? kNonBlocking : 0),
               "cuStreamCreate");
  stream_.reset(stream);
}

Event::Event(const Driver& driver, Timing timing) : event_(nullptr, {&driver}) {
  driver.make_current();
  EventHandle event = nullptr;
  driver.check(driver.calls().EventCreate(&event, timing == Timing::On ? 0 : kDisableTiming),
               "cuEventCreate");
  event_.reset(event);
}

void Event::record(Driver::Stream stream) {
  driver().make_current();
  const LaunchRecord::Mark mark = driver().record().mark();
  driver().check(driver().calls().EventRecord(event_.get(), stream), "cuEventRecord");
  stream_ = stream;
  mark_ = mark;
}

void Event::hold_up(Driver::Stream stream) const {
  driver().make_current();
  driver().check(driver().calls().StreamWaitEvent(stream, event_.get(), 0), "cuStreamWaitEvent");
}

void Event::synchronize() const {
  driver().make_current();
  driver().check(driver().calls().EventSynchronize(event_.get()), "cuEventSynchronize");
  driver().record().finished(stream_, mark_);
}

bool Event::is_done() const {
  driver().make_current();
  const DriverResult result = driver().calls().EventQuery(event_.get());
  if (result == kNotReady) return false;
  driver().check(result, "cuEventQuery");
  driver().record().finished(stream_, mark_);
  return true;
}

float Event::milliseconds(const Event& start, const Event& end) {
  const Driver& driver = start.driver();
  driver.make_current();
  float milliseconds = 0;
  driver.check(driver.calls().EventElapsedTime(&milliseconds, start.event_.get(), end.event_.get()),
               "cuEventElapsedTime");
  return milliseconds;
}

}  // namespace selvage
