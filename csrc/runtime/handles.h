#pragma once

#include <cstdint>

namespace selvage {

// The handles of the driver library, as in cuda.h.
using DriverResult = int;  // 0 is success
using DeviceAddress = std::uint64_t;
using ContextHandle = struct OpaqueContext*;
using ModuleHandle = struct OpaqueModule*;
using FunctionHandle = struct OpaqueFunction*;
using StreamHandle = struct OpaqueStream*;  // null: the default stream
using EventHandle = struct OpaqueEvent*;
using GraphHandle = struct OpaqueGraph*;
using GraphExecHandle = struct OpaqueGraphExec*;

}  // namespace selvage
