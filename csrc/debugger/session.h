#pragma once

#include <selvage/debugger/breakpoint.h>
#include <selvage/debugger/kernel_names.h>
#include <selvage/emulate/error_bounds.h>
#include <selvage/emulate/reference.h>
#include <selvage/report/lines.h>
#include <selvage/scheduler/device.h>

#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace selvage {

// Where commands come from: a terminal, or lines of a file.
class CommandSource {
 public:
  virtual ~CommandSource() = default;
  // The next line; nothing: there are no more.
  virtual std::optional<std::string> next(const std::string& prompt) = 0;
};

// What a debugger asks of the program that it runs.
struct DebuggedProgram {
  Shapes shapes = {};
  Device device;
  std::set<std::string> memories = {};  // the names of those of all kernels
  // The place in the file of a statement of a kernel, "a.yaml:7:9"; empty: none.
  std::function<std::string(const RunView&, PlaceId)> source = {};
  // The values that tensors should have, by name; empty: nothing says so.
  std::function<std::map<std::string, BoundedArray>()> expected = {};
  // Prints who makes an item, y[17, 3]. Throws BadInput if there is none.
  std::function<void(const std::string& item, Lines& out)> where = {};
};

// Reads commands while a run stands still, and lets it go on until the next moment at which it is
// to stop: a breakpoint, a fault, the end of a step. The run calls it as its watcher. Throws
// Session::Quit or Session::Restart out of the run.
class Session : public RunWatcher {
 public:
  struct Quit {};
  struct Restart {};

  Session(const DebuggedProgram& program, CommandSource& commands, std::ostream& out)
      : program_(program), commands_(commands), out_(out) {}

  RunOrder order() const { return order_; }
  // Before each run, and when it has come to its end: with what is said of its results.
  void begin_run();
  void end_run(const std::string& results);

  void begin_kernel(const RunView& view) override;
  void begin_block(const RunView& view) override;
  void come_to(const RunView& view) override;
  void loaded(const RunView& view, BufferId b, std::int64_t address, Scalar value) override;
  void stored(const RunView& view, BufferId b, std::int64_t address, Scalar value) override;
  void met(const RunView& view, PlaceId at, std::span<const RunView::Thread> threads) override;
  void found(const RunView& view, const Fault& fault) override;

 private:
  // The moment up to which the run goes on.
  enum class Goal : std::uint8_t {
    Breakpoint,
    Statement,
    Thread,
    Block,
    Barrier,
    Kernel,
    Difference
  };
  struct Numbered {
    int number;
    Breakpoint breakpoint;
  };
  using Action = void (Session::*)(const std::string& rest);
  struct Command;
  static const std::vector<Command>& commands();

  void say(const std::string& text) { out_ << text << '\n'; }
  void stop(const RunView& view, const std::string& why);
  void prompt(const RunView* view);
  void perform(const std::string& line);
  const RunView& running() const;
  bool is_in_order(const RunView& view) const;
  void stop_at_access(const RunView& view, bool is_store, BufferId b, std::int64_t address,
                      Scalar value);
  bool stop_at_difference(const RunView& view, BufferId b, std::int64_t address, Scalar value);
  void go(Goal goal);
  void go_from_start(Goal goal);

  void start(const std::string& rest);
  void help(const std::string& rest);
  void run(const std::string& rest);
  void go_on(const std::string& rest);
  void step(const std::string& rest);
  void next(const std::string& rest);
  void add_breakpoint(const std::string& rest);
  void remove_breakpoint(const std::string& rest);
  void list_breakpoints(const std::string& rest);
  void list(const std::string& rest);
  void print(const std::string& rest);
  void show(const std::string& rest);
  void where(const std::string& rest);
  void why_not(const std::string& rest);
  void difference(const std::string& rest);
  void set_order(const std::string& rest);
  void quit(const std::string& rest);

  const DebuggedProgram& program_;
  CommandSource& commands_;
  std::ostream& out_;
  RunOrder order_;
  std::vector<Numbered> breakpoints_;
  int last_number_ = 0;
  std::string last_line_;

  // Of the run.
  const RunView* view_ = nullptr;  // while it stands still
  std::optional<KernelNames> names_;
  bool is_started_ = false, goes_ = false;
  Goal goal_ = Goal::Breakpoint;
  std::int64_t steps_ = 0;  // of Goal::Statement, those that are left
  // The thread that ran last, of the launch; the one that a step follows.
  std::int64_t last_thread_ = -1, followed_ = -1;
  std::int64_t last_block_ = -1;
  std::map<std::string, BoundedArray> expected_;
};

}  // namespace selvage
