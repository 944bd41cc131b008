#include <selvage/base/diagnostic.h>
#include <selvage/base/words.h>
#include <selvage/debugger/session.h>
#include <selvage/debugger/views.h>
#include <selvage/emulate/memory.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/npy.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace selvage {

struct Session::Command {
  std::string name, short_name, form, what;
  Action action;
};

const std::vector<Session::Command>& Session::commands() {
  static const std::vector<Command> all = {
      {"start", "", "start", "at the beginning again, before the first statement", &Session::start},
      {"run", "r", "run", "from the beginning to the next stop", &Session::run},
      {"continue", "c", "continue", "to the next stop: a breakpoint or a fault", &Session::go_on},
      {"step", "s", "step [N]", "N statements of this thread", &Session::step},
      {"next", "n", "next thread|block|barrier|kernel",
       "until another thread, block or kernel begins, or threads "
       "have met",
       &Session::next},
      {"break", "b", "break WHAT [if CONDITION]",
       "stop at: store y[17, 3], load x, y[17, 3], line "
       "7, barrier, thread 5, block 2; the condition is on variables, or nan",
       &Session::add_breakpoint},
      {"delete", "d", "delete [N]", "a breakpoint, or all", &Session::remove_breakpoint},
      {"breaks", "", "breaks", "the breakpoints", &Session::list_breakpoints},
      {"list", "l", "list [all]", "the lines of the loops, > where the thread is", &Session::list},
      {"print", "p", "print WHAT", "a variable, an expression, or an element y[17, 3]",
       &Session::print},
      {"show", "", "show WHAT",
       "shared, local or a memory's name: its elements; threads: what each "
       "does; lanes: those of the warp; occupancy: what limits it",
       &Session::show},
      {"where", "w", "where [ITEM]", "where the thread is; who makes y[17, 3], and of what",
       &Session::where},
      {"why", "", "why not THREAD [LINE]", "the mask that keeps a thread of the block from a line",
       &Session::why_not},
      {"difference", "", "difference [TENSOR FILE.npy]",
       "to the first store that differs from the "
       "unscheduled program, or from the values of a file",
       &Session::difference},
      {"order", "", "order forwards|backwards|SEED", "run again, threads and blocks in that order",
       &Session::set_order},
      {"help", "h", "help", "these commands", &Session::help},
      {"quit", "q", "quit", "end", &Session::quit}};
  return all;
}

// ---- what the run tells ----

void Session::begin_run() {
  names_.reset();
  last_thread_ = followed_ = last_block_ = -1;
  steps_ = 0;
}

void Session::end_run(const std::string& results) {
  view_ = nullptr;
  names_.reset();
  if (goal_ == Goal::Difference) say("No store differs.");
  goal_ = Goal::Breakpoint;
  say(results);
  prompt(nullptr);
}

void Session::begin_kernel(const RunView& view) {
  names_.emplace(view, program_.shapes);
  const LaunchGeometry& geometry = view.geometry();
  say(fmt::format("{}: {} of {}", view.kernel().name, counted(geometry.blocks(), "block"),
                  counted(geometry.threads(), "thread")));
  for (Numbered& b : breakpoints_) {
    const std::string wrong = b.breakpoint.begin_kernel(view, *names_);
    if (!wrong.empty()) say(fmt::format("breakpoint {}: {}", b.number, wrong));
  }
  if (is_started_ && goal_ == Goal::Kernel) {
    goal_ = Goal::Breakpoint;
    return prompt(&view);
  }
  if (is_started_) return;
  is_started_ = true;
  say("It stands before its first statement; help lists the commands.");
  prompt(&view);
}

void Session::begin_block(const RunView& view) {
  last_thread_ = -1;
  if (goal_ == Goal::Block && view.block() != last_block_) {
    last_block_ = view.block();
    goal_ = Goal::Thread;  // its first thread
    return;
  }
  last_block_ = view.block();
}

void Session::come_to(const RunView& view) {
  const std::int64_t thread = view.block() * view.geometry().threads() + view.thread();
  const bool is_first = last_thread_ == -1, is_other = thread != last_thread_;
  last_thread_ = thread;
  for (const Numbered& b : breakpoints_) {
    const bool stops = b.breakpoint.stops_at_statement(view) ||
                       (is_other && b.breakpoint.stops_at_thread(view, is_first));
    if (stops) return stop(view, fmt::format("breakpoint {}: {}", b.number, b.breakpoint.text()));
  }
  if (goal_ == Goal::Thread && is_other) return stop(view, "");
  if (goal_ != Goal::Statement) return;
  // A thread that has ended is followed no longer.
  const bool is_followed = followed_ == -1 || thread == followed_;
  const std::int64_t block = followed_ / std::max<std::int64_t>(view.geometry().threads(), 1);
  const bool is_gone =
      followed_ != -1 && (block != view.block() ||
                          view.has_ended(RunView::Thread(followed_ % view.geometry().threads())));
  if (!is_followed && !is_gone) return;
  if (--steps_ <= 0) stop(view, "");
}

void Session::loaded(const RunView& view, BufferId b, std::int64_t address, Scalar value) {
  stop_at_access(view, false, b, address, value);
}

void Session::stored(const RunView& view, BufferId b, std::int64_t address, Scalar value) {
  if (goal_ == Goal::Difference && stop_at_difference(view, b, address, value)) return;
  stop_at_access(view, true, b, address, value);
}

void Session::stop_at_access(const RunView& view, bool is_store, BufferId b, std::int64_t address,
                             Scalar value) {
  for (const Numbered& n : breakpoints_) {
    if (!n.breakpoint.stops_at_access(view, is_store, b, address, value)) continue;
    return stop(view, fmt::format("breakpoint {}: {} {} {}", n.number, names_->element(b, address),
                                  is_store ? "is stored:" : "is loaded:", value_text(value)));
  }
}

bool Session::stop_at_difference(const RunView& view, BufferId b, std::int64_t address,
                                 Scalar value) {
  const Buffer& buffer = view.kernel().buffers[b];
  if (buffer.memory != Memory::Global) return false;
  const auto it = expected_.find(buffer.name);
  const auto item = names_->item(b, address);
  if (it == expected_.end() || !item) return false;
  const Array& values = it->second.values;
  if (item->size() != values.shape.size()) return false;
  std::int64_t k = 0;
  for (std::size_t i = 0; i < item->size(); ++i) {
    if ((*item)[i] >= values.shape[i]) return false;
    k = k * values.shape[i] + (*item)[i];
  }
  const Scalar wanted = load_element(values, k);
  const double error = it->second.errors.empty() ? 0 : it->second.errors[std::size_t(k)];
  const bool is_alike = value_text(wanted) == value_text(value);
  if (is_alike || is_within(as_real(wanted), as_real(value), error, buffer.type)) return false;
  stop(view, fmt::format("{} is stored: {}, and should be {}", names_->element(b, address),
                         value_text(value), value_text(wanted)));
  return true;
}

void Session::met(const RunView& view, PlaceId at, std::span<const RunView::Thread> threads) {
  const std::string what =
      fmt::format("{} have met at line {}, {}", counted(std::int64_t(threads.size()), "thread"),
                  names_->line_of(at), names_->text_of(at));
  for (const Numbered& b : breakpoints_) {
    if (!b.breakpoint.stops_at_meeting(view)) continue;
    return stop(view, fmt::format("breakpoint {}: {}", b.number, what));
  }
  if (goal_ == Goal::Barrier) stop(view, what);
}

void Session::found(const RunView& view, const Fault& fault) {
  const auto element = std::ranges::find(view.kernel().buffers, fault.buffer, &Buffer::name);
  std::string text = fault.text.substr(0, fault.text.find(", at block ("));
  if (element != view.kernel().buffers.end()) {
    const auto b = BufferId(element - view.kernel().buffers.begin());
    const std::string by_address = fmt::format("{}[{}]", fault.buffer, fault.address);
    if (text.starts_with(by_address) && names_->item(b, fault.address)) {
      text = names_->element(b, fault.address) + text.substr(by_address.size());
    }
  }
  stop(view, "fault: " + text);
}

// ---- stops ----

// Prints why and where the run stops, and reads commands.
void Session::stop(const RunView& view, const std::string& why) {
  if (!why.empty()) say(why);
  if (view.at() != kTop) {
    const std::string source = program_.source(view, view.at());
    Lines lines;
    lines.line(0, position(view) + (source.empty() ? "" : ", " + source));
    out_ << lines.take();
    say(fmt::format("> {:>3}  {}", names_->line_of(view.at()), names_->text_of(view.at())));
  }
  goal_ = Goal::Breakpoint;
  prompt(&view);
}

void Session::prompt(const RunView* view) {
  view_ = view;
  goes_ = false;
  while (!goes_) {
    std::optional<std::string> line = commands_.next("(selvage) ");
    if (!line) throw Quit();
    while (!line->empty() && (line->back() == ' ' || line->back() == '\r')) line->pop_back();
    line->erase(0, std::min(line->find_first_not_of(' '), line->size()));
    if (line->empty()) line = last_line_;  // the last command again
    if (line->empty() || line->starts_with('#')) continue;
    last_line_ = *line;
    try {
      perform(*line);
    } catch (const BadCommand& wrong) {
      say(std::string("error: ") + wrong.what());
    } catch (const BadInput& wrong) {
      say("error: " + wrong.diagnostic().message + "; help: " + wrong.diagnostic().help);
    }
    out_.flush();
  }
  view_ = nullptr;
}

void Session::perform(const std::string& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string word = line.substr(0, end);
  const std::string rest = line.substr(std::min(line.find_first_not_of(' ', end), line.size()));
  for (const Command& command : commands()) {
    if (word == command.name || word == command.short_name) return (this->*command.action)(rest);
  }
  throw BadCommand("there is no command '" + word + "'; help lists them");
}

const RunView& Session::running() const {
  if (view_ == nullptr)
    throw BadCommand("nothing runs; start stands at the beginning, run goes on from there");
  return *view_;
}

void Session::go(Goal goal) {
  const RunView& view = running();
  followed_ = view.at() == kTop ? -1 : view.block() * view.geometry().threads() + view.thread();
  goal_ = goal;
  goes_ = true;
}

// ---- commands ----

void Session::help(const std::string&) {
  Lines lines;
  for (const Command& c : commands()) {
    const std::string names = c.short_name.empty() ? c.form : c.form + "  (" + c.short_name + ")";
    lines.line(2, fmt::format("{:<34} {}", names, c.what));
  }
  lines.line(2, "An empty line is the last command again.");
  out_ << lines.take();
}

void Session::start(const std::string&) {
  is_started_ = false;
  goal_ = Goal::Breakpoint;
  throw Restart();
}

// Up to a goal from the beginning; a run that has not begun needs no other.
void Session::go_from_start(Goal goal) {
  if (view_ != nullptr && view_->at() == kTop) return go(goal);
  goal_ = goal;
  throw Restart();
}

void Session::run(const std::string&) { go_from_start(Goal::Breakpoint); }

void Session::go_on(const std::string&) { go(Goal::Breakpoint); }

void Session::step(const std::string& rest) {
  std::int64_t n = 1;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
  if (!rest.empty() && (error != std::errc{} || end != rest.data() + rest.size() || n < 1)) {
    throw BadCommand("'" + rest + "' is no number of steps; write step 10");
  }
  go(Goal::Statement);
  steps_ = n;
}

void Session::next(const std::string& rest) {
  if (rest == "thread") return go(Goal::Thread);
  if (rest == "block") return go(Goal::Block);
  if (rest == "barrier") return go(Goal::Barrier);
  if (rest == "kernel") return go(Goal::Kernel);
  throw BadCommand("write next thread, next block, next barrier or next kernel");
}

void Session::add_breakpoint(const std::string& rest) {
  if (rest.empty()) throw BadCommand("break at what? write break store y[0], break line 3, ...");
  const RunView& view = running();
  const std::string memory = Breakpoint::memory_of(rest);
  const bool is_elsewhere = !names_->has(memory) && program_.memories.contains(memory);
  Breakpoint breakpoint = is_elsewhere ? Breakpoint(rest) : Breakpoint(rest, view, *names_);
  breakpoints_.push_back({++last_number_, std::move(breakpoint)});
  say(fmt::format("breakpoint {}: {}{}", last_number_, rest,
                  is_elsewhere ? ", in another kernel" : ""));
}

void Session::remove_breakpoint(const std::string& rest) {
  const std::size_t before = breakpoints_.size();
  std::erase_if(breakpoints_, [&](const Numbered& b) {
    return rest.empty() || rest == std::to_string(b.number);
  });
  if (breakpoints_.size() == before) {
    throw BadCommand(rest.empty() ? "there are no breakpoints"
                                  : "there is no breakpoint " + rest + "; breaks lists them");
  }
}

void Session::list_breakpoints(const std::string&) {
  if (breakpoints_.empty()) say("  none");
  for (const Numbered& b : breakpoints_) {
    say(fmt::format("  {}: {}", b.number, b.breakpoint.text()));
  }
}

void Session::list(const std::string& rest) {
  const RunView& view = running();
  Lines lines;
  show_lines(view, *names_, rest == "all", lines);
  out_ << lines.take();
}

void Session::print(const std::string& rest) {
  const RunView& view = running();
  const std::string name = rest.substr(0, rest.find('['));
  if (names_->has(name)) {
    const KernelNames::Element e = names_->find(rest);
    Lines lines;
    if (!e.address) {
      show_memory(view, *names_, e.buffer, lines);
      out_ << lines.take();
      return;
    }
    const auto value = view.element(e.buffer, *e.address);
    return say("  " + names_->element(e.buffer, *e.address) +
               (value ? " = " + value_text(*value) : ": nothing was stored there yet"));
  }
  if (rest.empty()) throw BadCommand("print what? write print y[0], print t, print t % 32");
  const Expr e = read_expression(view, rest);
  const auto value = value_of(view, e);
  if (!value) throw BadCommand(rest + " has no value here");
  say(fmt::format("  {} = {}", rest, *value));
}

void Session::show(const std::string& rest) {
  const RunView& view = running();
  Lines lines;
  if (rest == "threads") {
    if (view.at() == kTop) throw BadCommand("no thread has begun; step first");
    show_threads(view, *names_, lines);
  } else if (rest == "lanes") {
    if (view.at() == kTop) throw BadCommand("no thread has begun; step first");
    show_lanes(view, lines);
  } else if (rest == "shared") {
    show_memory(view, *names_, Memory::Shared, lines);
  } else if (rest == "local") {
    show_memory(view, *names_, Memory::Local, lines);
  } else if (rest == "occupancy") {
    show_occupancy(view, program_.device, lines);
  } else if (rest.empty()) {
    throw BadCommand("show what? write show shared, local, threads, lanes, occupancy or a name");
  } else {
    show_memory(view, *names_, names_->find(rest).buffer, lines);
  }
  out_ << lines.take();
}

void Session::where(const std::string& rest) {
  Lines lines;
  if (!rest.empty()) {
    if (!program_.where) throw BadCommand("items of arrays have no maker; break store stops there");
    program_.where(rest, lines);
  } else {
    const RunView& view = running();
    if (view.at() == kTop) throw BadCommand("no thread has begun; step first");
    const std::string source = program_.source(view, view.at());
    lines.line(2, view.kernel().name + ", " + position(view));
    if (!source.empty()) lines.line(2, source);
    lines.verbatim(
        2, fmt::format("> {:>3}  {}", names_->line_of(view.at()), names_->text_of(view.at())));
  }
  out_ << lines.take();
}

void Session::why_not(const std::string& rest) {
  const RunView& view = running();
  std::string who = rest;
  if (!who.starts_with("not ")) throw BadCommand("write why not THREAD, or why not THREAD LINE");
  who.erase(0, 4);
  PlaceId at = view.at();
  if (const std::size_t space = who.find(' '); space != std::string::npos) {
    std::int64_t line = 0;
    std::from_chars(who.data() + space + 1, who.data() + who.size(), line);
    at = names_->at_line(line);
    who.erase(space);
  }
  if (at == kTop) throw BadCommand("no thread has begun; name a line, too: why not 5 7");
  const auto thread = number_in(who, view.geometry().block, "thread");
  Lines lines;
  show_why_not(view, *names_, RunView::Thread(thread), at, lines);
  out_ << lines.take();
}

void Session::difference(const std::string& rest) {
  if (rest.empty()) {
    expected_ = program_.expected();
    if (expected_.empty()) {
      throw BadCommand("nothing says what is right; write difference NAME FILE.npy");
    }
  } else {
    const std::size_t space = rest.find(' ');
    if (space == std::string::npos) throw BadCommand("write difference NAME FILE.npy");
    const std::string name = rest.substr(0, space);
    if (names_) names_->find(name);
    expected_ = {{name, BoundedArray{read_npy(rest.substr(space + 1))}}};
  }
  go_from_start(Goal::Difference);
}

void Session::set_order(const std::string& rest) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), seed);
  const bool is_seed = error == std::errc{} && end == rest.data() + rest.size();
  if (rest == "forwards") {
    order_ = {RunOrder::Kind::Forwards};
  } else if (rest == "backwards") {
    order_ = {RunOrder::Kind::Backwards};
  } else if (is_seed) {
    order_ = {RunOrder::Kind::Drawn, seed};
  } else {
    throw BadCommand("write order forwards, order backwards, or order and a number as the seed");
  }
  goal_ = Goal::Breakpoint;
  throw Restart();
}

void Session::quit(const std::string&) { throw Quit(); }

}  // namespace selvage
