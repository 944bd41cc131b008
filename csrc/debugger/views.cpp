#include <selvage/base/words.h>
#include <selvage/debugger/breakpoint.h>
#include <selvage/debugger/views.h>
#include <selvage/emulate/memory.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/identity.h>
#include <selvage/kernel/statements.h>
#include <selvage/simplifier/point.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace selvage {

namespace {

constexpr std::int64_t kMostElements = 256;
constexpr std::size_t kLinesAround = 6;

// What a thread of the block does.
enum class Standing : std::uint8_t { Runs, Waits, Ready, Ended };
Standing standing(const RunView& view, RunView::Thread t) {
  if (t == view.thread() && !view.waits_at(t)) return Standing::Runs;
  if (view.waits_at(t)) return Standing::Waits;
  return view.has_ended(t) ? Standing::Ended : Standing::Ready;
}

// The masks on the way to a statement, judged for one thread.
class Masks {
 public:
  Masks(const RunView& view, RunView::Thread thread)
      : view_(view), thread_(LaunchGeometry::at(thread, view.geometry().block)) {
    for (Expr size : view.kernel().sizes) add(size, view.variable(size));
  }

  struct Mask {
    PlaceId place;
    std::string text;
  };
  // The outermost mask that is false.
  std::optional<Mask> false_one(PlaceId at) {
    std::vector<PlaceId> way;
    for (PlaceId p = at; p != kTop; p = view_.tree()[p].parent) way.insert(way.begin(), p);
    const std::vector<PlaceId>* body = &view_.tree().body();
    for (PlaceId p : way) {
      for (PlaceId before : *body) {
        if (before == p) break;
        if (const auto* define = std::get_if<Define>(&statement(before).node)) name(*define);
      }
      if (p == at) return std::nullopt;
      const StatementTree::Node& node = view_.tree()[p];
      body = &node.body;
      if (const auto* loop = std::get_if<Loop>(&statement(p).node)) enter(*loop);
      if (const auto* region = std::get_if<Region>(&statement(p).node)) {
        const Barrier all{.scope = Barrier::Scope::Threads, .members = region->members};
        const Index3& block = view_.geometry().block;
        if (!all.has(thread_[0] + block[0] * (thread_[1] + block[1] * thread_[2]))) {
          return Mask{p, "it is no thread of the region " + region->role};
        }
      }
      const auto* guard = std::get_if<Guard>(&statement(p).node);
      if (guard == nullptr) continue;
      const std::size_t own = std::size_t(std::ranges::find(way, p) - way.begin()) + 1;
      const bool wanted = std::ranges::find(node.otherwise, way[own]) == node.otherwise.end();
      if (!wanted) body = &node.otherwise;
      const auto holds = value_at(guard->condition, point_);
      if (holds && (*holds != 0) != wanted) return Mask{p, reason(guard->condition, wanted)};
      if (holds) last_true_ = reason(guard->condition, !wanted);
      is_sure_ = is_sure_ && holds;
    }
    return std::nullopt;
  }
  // If the thread comes for certain to a break or continue: the innermost condition on the way, or
  // "" if there is none.
  std::optional<std::string> way_to(PlaceId leave) {
    if (false_one(leave) || !is_sure_) return std::nullopt;
    return last_true_;
  }

 private:
  const Statement& statement(PlaceId p) const { return *view_.tree()[p].statement; }
  void add(Expr symbol, std::optional<std::int64_t> value) {
    if (value) point_.emplace_back(symbol, *value);
  }
  void name(const Define& define) {
    add(define.variable,
        define.value.valid() ? value_at(define.value, point_) : view_.variable(define.variable));
  }
  void enter(const Loop& loop) {
    if (!is_index(loop.parallel)) return add(loop.variable, view_.variable(loop.variable));
    const auto k = std::size_t(axis(loop.parallel));
    const Index3 block = LaunchGeometry::at(view_.block(), view_.geometry().grid);
    add(loop.variable, is_block(loop.parallel) ? block[k] : thread_[k]);
  }

  // The first part of a conjunction that is false, and the values of its two sides.
  std::string reason(Expr condition, bool wanted) const {
    if (wanted && condition.is(Op::And)) {
      for (Expr part : condition.args()) {
        if (value_at(part, point_) == 0) return reason(part, wanted);
      }
    }
    std::string text = to_string(condition) + (wanted ? " is false" : " is true");
    std::vector<std::string> values;
    for (Expr part : condition.args()) {
      const auto value = value_at(part, point_);
      if (!value || part.is(Op::Const)) continue;
      values.push_back(to_string(part) + " is " + std::to_string(*value));
    }
    return text + (values.empty() ? "" : ": " + listed(values));
  }

  const RunView& view_;
  Index3 thread_;
  Point point_;
  std::string last_true_;  // of the masks on the way, the innermost one
  bool is_sure_ = true;    // the values of all of them are known
};

// How a thread leaves a loop around a statement, or an iteration of it, before it comes there:
// "leaves loop k at line 4, as 6 <= t is true: t is 7".
std::optional<std::string> way_out(const RunView& view, const KernelNames& names,
                                   RunView::Thread thread, PlaceId at) {
  const StatementTree& tree = view.tree();
  for (PlaceId p = 0; p < at; ++p) {
    const auto* leave = std::get_if<Leave>(&tree[p].statement->node);
    if (leave == nullptr) continue;
    PlaceId loop = tree[p].parent;
    while (!same(tree[loop].variable, leave->loop)) loop = tree[loop].parent;
    if (!tree.is_inside(at, loop)) continue;
    const auto reason = Masks(view, thread).way_to(p);
    if (!reason) continue;
    return fmt::format("{} loop {} at line {}{}", leave->is_next ? "goes on with" : "leaves",
                       to_string(leave->loop), names.line_of(p),
                       reason->empty() ? "" : ", as " + *reason);
  }
  return std::nullopt;
}

std::string_view memory_name(Memory memory) {
  switch (memory) {
    case Memory::Global: return "global";
    case Memory::Shared: return "shared";
    case Memory::Local: return "local";
  }
  return {};
}

}  // namespace

std::string value_text(Scalar value) {
  return is_floating(value.type) && std::isnan(as_real(value)) ? "nan" : to_text(value);
}

std::string index_text(const Index3& at) {
  return fmt::format("({}, {}, {})", at[0], at[1], at[2]);
}

std::string position(const RunView& view) {
  const LaunchGeometry& geometry = view.geometry();
  std::string text = "block " + index_text(LaunchGeometry::at(view.block(), geometry.grid)) +
                     ", thread " +
                     index_text(LaunchGeometry::at(std::int64_t(view.thread()), geometry.block));
  for (PlaceId id : view.scope()) {
    const Expr variable = view.tree()[id].variable;
    const auto value = view.variable(variable);
    if (value) text += fmt::format(", {} = {}", to_string(variable), *value);
  }
  return text;
}

void show_lines(const RunView& view, const KernelNames& names, bool all, Lines& out) {
  const std::size_t here = view.at() == kTop ? 0 : names.line_of(view.at());
  const std::size_t last = names.lines().size();
  const std::size_t from = all || here <= kLinesAround ? 1 : here - kLinesAround;
  const std::size_t to = all ? last : std::min(last, std::max(here, std::size_t(1)) + kLinesAround);
  for (std::size_t n = from; n <= to; ++n) {
    out.verbatim(0, fmt::format("{} {:>3}  {}", n == here ? '>' : ' ', n, names.lines()[n - 1]));
  }
}

void show_threads(const RunView& view, const KernelNames& names, Lines& out) {
  const auto text_of = [&](RunView::Thread t) -> std::string {
    switch (standing(view, t)) {
      case Standing::Runs: return "at line " + std::to_string(names.line_of(view.at()));
      case Standing::Waits: {
        const PlaceId at = *view.waits_at(t);
        return fmt::format("waiting at line {}, {}", names.line_of(at), names.text_of(at));
      }
      case Standing::Ready: return "ready to go on";
      case Standing::Ended: return "at the end";
    }
    return {};
  };
  const auto threads = RunView::Thread(view.geometry().threads());
  for (RunView::Thread first = 0, next = 0; first < threads; first = next) {
    const std::string text = text_of(first);
    for (next = first + 1; next < threads && text_of(next) == text;) ++next;
    const bool is_one = next == first + 1;
    out.line(2, (is_one ? fmt::format("thread {}: ", first)
                        : fmt::format("threads {} to {}: ", first, next - 1)) +
                    text);
  }
}

void show_lanes(const RunView& view, Lines& out) {
  constexpr RunView::Thread kWarp = 32;
  const RunView::Thread first = view.thread() / kWarp * kWarp;
  const auto end = std::min(first + kWarp, RunView::Thread(view.geometry().threads()));
  std::string lanes;
  for (RunView::Thread t = first; t < end; ++t) {
    lanes.insert(lanes.begin(), ">wr."[std::size_t(standing(view, t))]);
  }
  out.line(2, fmt::format("warp {}, lane 0 rightmost: {}", first / kWarp, lanes));
  out.line(2, "> runs, w waits, r is ready to go on, . has ended");
}

void show_memory(const RunView& view, const KernelNames& names, BufferId b, Lines& out) {
  const Buffer& buffer = view.kernel().buffers[b];
  const std::int64_t all = view.elements(b), shown = std::min(all, kMostElements);
  out.line(0, fmt::format("{}, {} {} in {} memory", buffer.name, counted(all, "element"),
                          "of " + std::string(to_string(buffer.type)), memory_name(buffer.memory)));
  std::vector<std::string> texts;
  std::size_t width = 1;
  for (std::int64_t k = 0; k < shown; ++k) {
    const auto value = view.element(b, k);
    texts.push_back(value ? value_text(*value) : "?");
    width = std::max(width, texts.back().size());
  }
  std::int64_t columns = 8;
  while (columns > 1 && std::size_t(columns) * (width + 1) > 80) columns /= 2;
  for (std::int64_t k = 0; k < shown; k += columns) {
    std::string row = names.element(b, k) + ":";
    for (std::int64_t i = k; i < std::min(k + columns, shown); ++i) {
      row += fmt::format(" {:>{}}", texts[std::size_t(i)], width);
    }
    out.verbatim(2, row);
  }
  if (shown < all) out.line(2, "... and " + counted(all - shown, "element") + " more");
  const bool has_unset = std::ranges::find(texts, "?") != texts.end();
  if (has_unset) out.line(2, "?: nothing was stored there yet");
}

void show_memory(const RunView& view, const KernelNames& names, Memory memory, Lines& out) {
  bool has_any = false;
  for (BufferId b = 0; b < view.kernel().buffers.size(); ++b) {
    if (view.kernel().buffers[b].memory != memory) continue;
    show_memory(view, names, b, out);
    has_any = true;
  }
  if (!has_any) {
    out.line(2, "the kernel has no " + std::string(memory_name(memory)) + " memory");
  }
}

void show_occupancy(const RunView& view, const Device& device, Lines& out) {
  const std::int64_t ranks = view.kernel().launch.ranks();  // blocks of a cluster
  const std::int64_t threads = std::max<std::int64_t>(view.geometry().threads() / ranks, 1);
  // Arrays whose size is known before the launch are no part of what a launch asks for.
  std::int64_t bytes = value_of(view, view.kernel().launch.shared_bytes).value_or(0), placed = 0;
  for (BufferId b = 0; b < view.kernel().buffers.size(); ++b) {
    const Buffer& buffer = view.kernel().buffers[b];
    if (buffer.memory != Memory::Shared) continue;
    const std::int64_t own = view.elements(b) / ranks * size_of(buffer.type);
    if (buffer.offset) placed = std::max(placed, *buffer.offset / ranks + own);
    if (!buffer.offset) bytes += own;
  }
  bytes = std::max(bytes, placed);
  constexpr std::int64_t kReserved = 1024;  // bytes of shared memory that a block takes by itself
  std::vector<std::pair<std::int64_t, std::string>> limits = {
      {device.threads / threads,
       counted(threads, "thread") + " of " + std::to_string(device.threads)},
      {device.blocks, "the most blocks"}};
  limits.emplace_back(device.shared_bytes / (bytes + kReserved),
                      fmt::format("{} bytes of shared memory of {}", bytes, device.shared_bytes));
  const auto least = std::ranges::min_element(limits);
  out.line(2, fmt::format("{}: {} at once on a multiprocessor, {:.0f} % of its threads",
                          device.name, counted(least->first, "block"),
                          100.0 * double(least->first * threads) / double(device.threads)));
  for (const auto& limit : limits) {
    out.line(4, fmt::format("{} by {}{}", limit.first, limit.second,
                            limit == *least ? ", which decides" : ""));
  }
  out.line(4, "registers are not known before it is compiled: --arch sm_90a says them");
}

void show_why_not(const RunView& view, const KernelNames& names, RunView::Thread thread, PlaceId at,
                  Lines& out) {
  const auto mask = Masks(view, thread).false_one(at);
  const std::string who = "thread " + index_text(LaunchGeometry::at(thread, view.geometry().block));
  const std::size_t line = names.line_of(at);
  if (mask) {
    out.verbatim(2, fmt::format("{} does not come to line {}: at line {}, {}", who, line,
                                names.line_of(mask->place), mask->text));
  } else if (const auto out_at = way_out(view, names, thread, at)) {
    out.verbatim(2, fmt::format("{} does not come to line {}: it {}", who, line, *out_at));
  } else {
    out.line(2, fmt::format("no mask keeps {} from line {}", who, line));
  }
}

}  // namespace selvage
