// What the parts of the stand-in share.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>

#include "tests/driver_stub/driver_stub.h"

namespace driver_stub {

// The driver's results, as in cuda.h.
enum Code : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinary = 209,
  kInvalidPtx = 218,
  kUnsupportedPtxVersion = 222,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kNotSupported = 801,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureUnmatched = 903,
  kCaptureIsolation = 905,
  kCapturedEvent = 907,
  kCaptureWrongThread = 908,
};
const char* words(int code);  // null: unknown

// A handle is a number that is given once and never dereferenced.
using Handle = std::uintptr_t;

enum class Kind { Module, Function, Stream, Event, Graph, GraphExec };

struct Kernel {
  std::string name;
  std::vector<std::size_t> parameters;  // bytes of each
};

// What a stream was given: something to do, or an event to wait for.
struct Work {
  std::uint64_t order = 0;  // among all work
  std::function<void()> action;
  std::optional<std::pair<Handle, std::uint64_t>> after;  // a stream, and up to which work
};

struct Object {
  Kind kind;
  int number = 0;  // of its kind
  int device = 0;
  std::vector<Kernel> kernels = {};  // of a module
  Handle module = 0;                 // of a function
  Kernel kernel = {};
  int shared_bytes = 48 << 10;
  std::deque<Work> work = {};  // of a stream
  bool is_independent = false;
  enum class Capture { None, Active, Invalid } capture = Capture::None;
  std::uint64_t capturing_thread = 0;
  std::vector<std::function<void()>> captured = {};  // of a stream while it is captured, or a graph
  bool has_timing = true;                            // of an event
  bool is_recorded = false, is_captured = false;
  Handle stream = 0;
  std::uint64_t order = 0;  // of the work before it
};

struct Allocation {
  std::size_t bytes = 0;
  int device = 0;
  std::unique_ptr<std::byte, void (*)(void*)> memory{nullptr, std::free};
};

struct State {
  std::mutex mutex;

  bool lists_calls = true;
  std::vector<std::string> calls;
  std::map<std::string, int, std::less<>> counts;
  int total = 0;
  struct Armed {
    Fault fault;
    int seen = 0;
    bool has_struck = false;
  };
  std::vector<Armed> faults;
  std::map<std::string, int> kernel_faults;
  std::map<std::string, int> runs;
  std::function<void(const Run&)> on_run;
  std::function<double(const Run&)> duration;
  std::map<std::uint64_t, double> durations;  // of launches, by their order

  bool is_initialized = false;
  std::map<int, int> attributes;  // that were set
  int version = 13000, devices = 1, major = 9, minor = 0, cubin_version = 0;
  bool has_pools = true;
  std::size_t memory = std::size_t{8} << 30;

  std::map<int, int> context_users;  // of each device's primary context
  std::map<int, int> lost;           // the code that each context is lost with
  Handle next_handle = 0x10000;
  std::map<Kind, int> next_number;
  std::map<Handle, Object> objects;
  std::map<int, Object> default_streams;  // of each device
  std::map<std::uint64_t, Allocation> allocations;
  std::uint64_t next_order = 1;
};
State& state();

// The device whose context is current on this thread; -1: none. Contexts have handles of their own.
int current_device();
void set_current_device(int device);
std::uint64_t this_thread();

enum class Needs { Nothing, Init, Context };

// A call that is being made: counted, recorded, and failed where it is told to. Holds the lock.
class Call {
 public:
  template <class Text>
  Call(const char* name, Needs needs, const Text& arguments) : lock_(state().mutex), s(state()) {
    if (count(name) && s.lists_calls) {
      s.calls.push_back(std::string(name) + "(" + arguments() + ")");
    }
    result_ = judge(name, needs);
  }

  explicit operator bool() const { return result_ != 0; }  // it fails at once
  int result() const { return result_; }
  // What destroys does so even where it reports something else that went wrong.
  bool may_destroy() const { return result_ == 0 || is_told_; }
  // The result of what destroys, given what is wrong with its argument.
  int destroyed(int own) const { return result_ != 0 ? result_ : own; }

 private:
  bool count(const char* name);
  int judge(const char* name, Needs needs);

  std::lock_guard<std::mutex> lock_;

 public:
  State& s;

 private:
  int result_ = 0;
  bool is_told_ = false;
};

std::string name_of(Handle handle);           // "stream 2"; "default stream"; "unknown"
std::string place_of(std::uint64_t address);  // "buffer + 16", by what is held
Handle make(Kind kind);
// The live object of this kind in the current context; null, and why not.
Object* find(Kind kind, Handle handle, int& why);
Object* find_stream(Handle handle, int& why);  // 0: the default one
// The live allocation that holds all these bytes.
bool is_memory(std::uint64_t address, std::size_t bytes);

// Gives work to a stream, or to its capture.
int enqueue(Handle stream, std::function<void()> action);
// Does a stream's work up to this one. False: the context was lost on the way.
bool run_until(Handle stream, std::uint64_t order);
bool run_all(int device);
// Nothing on this thread may be captured now: what is, is spoilt.
bool spoils_captures();
int lost_code();  // of the current context; 0: it is well

// What an image holds; else why it is refused, with a log for PTX.
std::optional<std::vector<Kernel>> kernels_of(const void* image, int& why, std::string& log);

}  // namespace driver_stub
