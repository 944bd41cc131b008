#pragma once

#include <selvage/runtime/driver_calls.h>
#include <selvage/scheduler/device.h>

#include <string>

namespace selvage {

// A GPU as the cost model sees it. The driver tells its name, multiprocessors, clock, bus and clock
// of its memory (the peak bandwidth is their product), L2, and what a multiprocessor holds. What no
// driver tells (latency, bandwidth of L2 and over bytes in flight) or tells as 0 is that of the
// known device of the nearest architecture, scaled; `scaled_from` names that device. No context is
// made. Throws Error (E705) if there is no driver or no such GPU.
Device gpu_device(int ordinal = 0, const std::string& library = kDriverLibrary);
// The same through a driver that is loaded and initialised.
Device gpu_device(const DriverCalls& calls, int ordinal);

// The device that schedules are made for where nobody names one: the first GPU of this machine, or
// else usual_device(). The driver is asked once.
const Device& default_device();

}  // namespace selvage
