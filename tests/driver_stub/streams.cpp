// Streams, events, launches and graphs.
#include <algorithm>
#include <cstring>

#include "tests/driver_stub/state.h"

namespace driver_stub {

namespace {

Object* stream_at(Handle stream, int device) {
  if (stream == 0) {
    return &state().default_streams.try_emplace(device, Object{.kind = Kind::Stream}).first->second;
  }
  const auto at = state().objects.find(stream);
  return at == state().objects.end() ? nullptr : &at->second;
}

// Up to the work before `order`: a stream's own, and, as the default stream and those ordered with
// it wait for each other, the others'. It ends because orders decrease.
bool run(Handle handle, int device, std::uint64_t order) {
  for (;;) {
    Object* stream = stream_at(handle, device);
    if (stream == nullptr || stream->work.empty() || stream->work.front().order >= order) {
      return !state().lost.contains(device);
    }
    if (state().lost.contains(device)) return false;
    const Work work = std::move(stream->work.front());
    stream->work.pop_front();
    if (handle == 0) {
      std::vector<Handle> others;
      for (const auto& [other, object] : state().objects) {
        if (object.kind == Kind::Stream && object.device == device && !object.is_independent) {
          others.push_back(other);
        }
      }
      for (Handle other : others) run(other, device, work.order);
    } else if (!stream->is_independent) {
      run(0, device, work.order);
    }
    if (work.after) run(work.after->first, device, work.after->second);
    if (state().lost.contains(device)) return false;
    if (work.action) work.action();
  }
}

void run_kernel(const Run& run, int device) {
  State& s = state();
  ++s.runs[run.kernel];
  if (const auto fault = s.kernel_faults.find(run.kernel);
      fault != s.kernel_faults.end() && fault->second != 0) {
    s.lost[device] = fault->second;
    return;
  }
  if (s.on_run) s.on_run(run);
}

std::string text_of(const std::vector<std::byte>& value) {
  if (value.size() == 4) {
    std::int32_t n = 0;
    std::memcpy(&n, value.data(), 4);
    return fmt::format("{}", n);
  }
  std::uint64_t n = 0;
  std::memcpy(&n, value.data(), std::min<std::size_t>(value.size(), 8));
  if (value.size() <= 8) return is_memory(n, 1) ? "[" + place_of(n) + "]" : fmt::format("{}", n);
  return fmt::format("{} bytes", value.size());
}

}  // namespace

Object* find_stream(Handle handle, int& why) {
  why = kSuccess;
  return handle == 0 ? stream_at(0, current_device()) : find(Kind::Stream, handle, why);
}

// Null with why: no such stream, or one that is being captured, which asking spoils.
static Object* stream_asked_about(Handle handle, int& why) {
  Object* stream = find_stream(handle, why);
  if (stream == nullptr || stream->capture == Object::Capture::None) return stream;
  stream->capture = Object::Capture::Invalid;
  why = kCaptureUnsupported;
  return nullptr;
}

int enqueue(Handle handle, std::function<void()> action) {
  int why = kSuccess;
  Object* stream = find_stream(handle, why);
  if (stream == nullptr) return why;
  if (stream->capture == Object::Capture::Invalid) return kCaptureInvalidated;
  if (stream->capture == Object::Capture::Active) {
    stream->captured.push_back(std::move(action));
  } else {
    stream->work.push_back({state().next_order++, std::move(action), std::nullopt});
  }
  return kSuccess;
}

bool run_until(Handle stream, std::uint64_t order) { return run(stream, current_device(), order); }

bool run_all(int device) {
  std::vector<Handle> streams{0};
  for (const auto& [handle, object] : state().objects) {
    if (object.kind == Kind::Stream && object.device == device) streams.push_back(handle);
  }
  for (Handle stream : streams) run(stream, device, UINT64_MAX);
  return !state().lost.contains(device);
}

bool spoils_captures() {
  bool found = false;
  for (auto& [handle, object] : state().objects) {
    if (object.capture == Object::Capture::None || object.capturing_thread != this_thread())
      continue;
    object.capture = Object::Capture::Invalid;
    found = true;
  }
  return found;
}

}  // namespace driver_stub

using namespace driver_stub;

extern "C" {

int cuStreamCreate(Handle* stream, unsigned flags) {
  Call in("cuStreamCreate", Needs::Context, [&] { return fmt::format("{}", flags); });
  if (in) return in.result();
  if (stream == nullptr || flags > 1) return kInvalidValue;
  *stream = make(Kind::Stream);
  in.s.objects.at(*stream).is_independent = flags == 1;
  return kSuccess;
}

int cuStreamDestroy_v2(Handle stream) {
  Call in("cuStreamDestroy_v2", Needs::Context, [&] { return name_of(stream); });
  if (!in.may_destroy()) return in.result();
  int why = kSuccess;
  if (stream == 0 || find(Kind::Stream, stream, why) == nullptr) {
    return in.destroyed(stream == 0 ? int(kInvalidHandle) : why);
  }
  run_until(stream, UINT64_MAX);
  in.s.objects.erase(stream);
  return in.destroyed(kSuccess);
}

int cuStreamSynchronize(Handle stream) {
  Call in("cuStreamSynchronize", Needs::Context, [&] { return name_of(stream); });
  if (in) return in.result();
  int why = kSuccess;
  const Object* object = stream_asked_about(stream, why);
  if (object == nullptr) return why;
  return run_until(stream, UINT64_MAX) ? kSuccess : lost_code();
}

// One piece of work is done at each query, so that who asks often enough sees the end.
int cuStreamQuery(Handle stream) {
  Call in("cuStreamQuery", Needs::Context, [&] { return name_of(stream); });
  if (in) return in.result();
  int why = kSuccess;
  const Object* object = stream_asked_about(stream, why);
  if (object == nullptr) return why;
  if (object->work.empty()) return kSuccess;
  return run_until(stream, object->work.front().order + 1) ? kNotReady : lost_code();
}

int cuStreamIsCapturing(Handle stream, int* status) {
  Call in("cuStreamIsCapturing", Needs::Context, [&] { return name_of(stream); });
  if (in) return in.result();
  if (status == nullptr) return kInvalidValue;
  int why = kSuccess;
  const Object* object = find_stream(stream, why);
  if (object == nullptr) return why;
  *status = static_cast<int>(object->capture);
  return kSuccess;
}

int cuStreamWaitEvent(Handle stream, Handle event, unsigned flags) {
  Call in("cuStreamWaitEvent", Needs::Context,
          [&] { return fmt::format("{}, {}", name_of(stream), name_of(event)); });
  if (in) return in.result();
  int why = kSuccess;
  Object* object = find_stream(stream, why);
  const Object* awaited = object == nullptr ? nullptr : find(Kind::Event, event, why);
  if (awaited == nullptr) return why;
  if (flags != 0) return kInvalidValue;
  if (!awaited->is_recorded) return kSuccess;
  // Captures here have one stream.
  if (awaited->is_captured || object->capture != Object::Capture::None) return kCaptureIsolation;
  object->work.push_back({in.s.next_order++, nullptr, {{awaited->stream, awaited->order}}});
  return kSuccess;
}

int cuEventCreate(Handle* event, unsigned flags) {
  Call in("cuEventCreate", Needs::Context, [&] { return fmt::format("{}", flags); });
  if (in) return in.result();
  if (event == nullptr || (flags & ~3U) != 0) return kInvalidValue;
  *event = make(Kind::Event);
  in.s.objects.at(*event).has_timing = (flags & 2U) == 0;
  return kSuccess;
}

int cuEventDestroy_v2(Handle event) {
  Call in("cuEventDestroy_v2", Needs::Context, [&] { return name_of(event); });
  if (!in.may_destroy()) return in.result();
  int why = kSuccess;
  if (find(Kind::Event, event, why) != nullptr) in.s.objects.erase(event);
  return in.destroyed(why);
}

int cuEventRecord(Handle event, Handle stream) {
  Call in("cuEventRecord", Needs::Context,
          [&] { return fmt::format("{}, {}", name_of(event), name_of(stream)); });
  if (in) return in.result();
  int why = kSuccess;
  const Object* object = find_stream(stream, why);
  Object* recorded = object == nullptr ? nullptr : find(Kind::Event, event, why);
  if (recorded == nullptr) return why;
  recorded->is_recorded = true;
  recorded->is_captured = object->capture == Object::Capture::Active;
  recorded->stream = stream;
  // A mark of its own in the stream, so that reaching it takes a step.
  const int result = enqueue(stream, nullptr);
  recorded->order = in.s.next_order;
  return result;
}

int cuEventSynchronize(Handle event) {
  Call in("cuEventSynchronize", Needs::Context, [&] { return name_of(event); });
  if (in) return in.result();
  int why = kSuccess;
  const Object* object = find(Kind::Event, event, why);
  if (object == nullptr) return why;
  if (object->is_captured) return kCapturedEvent;
  if (!object->is_recorded) return kSuccess;
  return run_until(object->stream, object->order) ? kSuccess : lost_code();
}

int cuEventQuery(Handle event) {
  Call in("cuEventQuery", Needs::Context, [&] { return name_of(event); });
  if (in) return in.result();
  int why = kSuccess;
  const Object* object = find(Kind::Event, event, why);
  if (object == nullptr) return why;
  if (object->is_captured) return kCapturedEvent;
  if (!object->is_recorded) return kSuccess;
  const Object* stream = find_stream(object->stream, why);
  if (stream == nullptr || stream->work.empty() || stream->work.front().order >= object->order) {
    return kSuccess;
  }
  return run_until(object->stream, stream->work.front().order + 1) ? kNotReady : lost_code();
}

// A millisecond for each piece of work between the two, and what launches are told to take.
int cuEventElapsedTime(float* milliseconds, Handle start, Handle end) {
  Call in("cuEventElapsedTime", Needs::Context,
          [&] { return fmt::format("{}, {}", name_of(start), name_of(end)); });
  if (in) return in.result();
  int why = kSuccess;
  const Object* first = find(Kind::Event, start, why);
  const Object* last = first == nullptr ? nullptr : find(Kind::Event, end, why);
  if (last == nullptr) return why;
  if (milliseconds == nullptr) return kInvalidValue;
  for (const Object* event : {first, last}) {
    if (!event->has_timing || !event->is_recorded) return kInvalidHandle;
    const Object* stream = find_stream(event->stream, why);
    if (stream != nullptr && !stream->work.empty() && stream->work.front().order < event->order) {
      return kNotReady;
    }
  }
  double sum = static_cast<double>(last->order) - static_cast<double>(first->order);
  for (auto at = in.s.durations.lower_bound(first->order);
       at != in.s.durations.end() && at->first < last->order; ++at) {
    sum += at->second;
  }
  *milliseconds = static_cast<float>(sum);
  return kSuccess;
}

int cuLaunchKernel(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   Handle stream, void** arguments, void** extra) {
  Call in("cuLaunchKernel", Needs::Context, [&] {
    int why = kSuccess;
    const Object* object = find(Kind::Function, function, why);
    std::vector<std::string> texts;
    for (std::size_t i = 0;
         object != nullptr && arguments != nullptr && i < object->kernel.parameters.size(); ++i) {
      const auto* first = static_cast<const std::byte*>(arguments[i]);
      texts.push_back(text_of({first, first + object->kernel.parameters[i]}));
    }
    return fmt::format("{}, grid {} {} {}, block {} {} {}, shared {}, {}{}{}", name_of(function),
                       grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                       name_of(stream), texts.empty() ? "" : ", arguments ", fmt::join(texts, " "));
  });
  if (in) return in.result();
  int why = kSuccess;
  const Object* object = find(Kind::Function, function, why);
  if (object == nullptr) return why;
  const bool is_grid = grid_x >= 1 && grid_x <= 2147483647U && grid_y >= 1 && grid_y <= 65535 &&
                       grid_z >= 1 && grid_z <= 65535;
  const bool is_block = block_x >= 1 && block_x <= 1024 && block_y >= 1 && block_y <= 1024 &&
                        block_z >= 1 && block_z <= 64 && block_x * block_y * block_z <= 1024;
  if (!is_grid || !is_block || extra != nullptr) return kInvalidValue;
  if (static_cast<int>(shared_bytes) > object->shared_bytes) return kInvalidValue;
  const Kernel& kernel = object->kernel;
  if (arguments == nullptr && !kernel.parameters.empty()) return kInvalidValue;
  // To measure by: what nobody will look at is not put off.
  if (!in.s.lists_calls && !in.s.on_run && !in.s.duration && in.s.kernel_faults.empty() &&
      find_stream(stream, why) != nullptr &&
      find_stream(stream, why)->capture == Object::Capture::None) {
    return kSuccess;
  }
  Run run{kernel.name, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, {}};
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto* first = static_cast<const std::byte*>(arguments[i]);
    run.arguments.emplace_back(first, first + kernel.parameters[i]);
  }
  if (in.s.duration) in.s.durations[in.s.next_order] = in.s.duration(run);
  return enqueue(stream,
                 [run = std::move(run), device = current_device()] { run_kernel(run, device); });
}

int cuStreamBeginCapture_v2(Handle stream, int mode) {
  Call in("cuStreamBeginCapture_v2", Needs::Context,
          [&] { return fmt::format("{}, {}", name_of(stream), mode); });
  if (in) return in.result();
  int why = kSuccess;
  Object* object = find_stream(stream, why);
  if (object == nullptr) return why;
  if (stream == 0) return kCaptureUnsupported;
  if (mode < 0 || mode > 2) return kInvalidValue;
  if (object->capture != Object::Capture::None) return kInvalidValue;
  object->capture = Object::Capture::Active;
  object->capturing_thread = this_thread();
  object->captured.clear();
  return kSuccess;
}

int cuStreamEndCapture(Handle stream, Handle* graph) {
  Call in("cuStreamEndCapture", Needs::Context, [&] { return name_of(stream); });
  if (!in.may_destroy()) return in.result();
  int why = kSuccess;
  Object* object = find_stream(stream, why);
  if (object == nullptr) return in.destroyed(why);
  if (graph == nullptr) return in.destroyed(kInvalidValue);
  *graph = 0;
  if (object->capture == Object::Capture::None) return in.destroyed(kInvalidValue);
  if (object->capturing_thread != this_thread()) return in.destroyed(kCaptureWrongThread);
  const bool is_whole = object->capture == Object::Capture::Active;
  object->capture = Object::Capture::None;
  auto captured = std::move(object->captured);
  object->captured.clear();
  if (in) return in.result();
  if (!is_whole) return kCaptureInvalidated;
  *graph = make(Kind::Graph);
  in.s.objects.at(*graph).captured = std::move(captured);
  return kSuccess;
}

int cuGraphInstantiateWithFlags(Handle* executable, Handle graph, unsigned long long flags) {
  Call in("cuGraphInstantiateWithFlags", Needs::Context, [&] { return name_of(graph); });
  if (in) return in.result();
  int why = kSuccess;
  const Object* object = find(Kind::Graph, graph, why);
  if (object == nullptr) return why;
  if (executable == nullptr || flags != 0) return kInvalidValue;
  *executable = make(Kind::GraphExec);
  in.s.objects.at(*executable).captured = object->captured;
  return kSuccess;
}

int cuGraphLaunch(Handle graph, Handle stream) {
  Call in("cuGraphLaunch", Needs::Context,
          [&] { return fmt::format("{}, {}", name_of(graph), name_of(stream)); });
  if (in) return in.result();
  int why = kSuccess;
  const Object* object = find(Kind::GraphExec, graph, why);
  if (object == nullptr || find_stream(stream, why) == nullptr) return why;
  for (const auto& action : object->captured) {
    if (const int result = enqueue(stream, action); result != kSuccess) return result;
  }
  return kSuccess;
}

int cuGraphExecDestroy(Handle graph) {
  Call in("cuGraphExecDestroy", Needs::Context, [&] { return name_of(graph); });
  if (!in.may_destroy()) return in.result();
  int why = kSuccess;
  if (find(Kind::GraphExec, graph, why) != nullptr) in.s.objects.erase(graph);
  return in.destroyed(why);
}

int cuGraphDestroy(Handle graph) {
  Call in("cuGraphDestroy", Needs::Context, [&] { return name_of(graph); });
  if (!in.may_destroy()) return in.result();
  int why = kSuccess;
  if (find(Kind::Graph, graph, why) != nullptr) in.s.objects.erase(graph);
  return in.destroyed(why);
}

}  // extern "C"
