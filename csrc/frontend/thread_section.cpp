#include <selvage/base/names.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/thread_scope.h>
#include <selvage/frontend/thread_section.h>
#include <selvage/frontend/thread_statement.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/lower/memory_axiom.h>

#include <algorithm>
#include <optional>

namespace selvage {

namespace {

// Every two statements may meet in memory.
constexpr std::int64_t kMostItems = 2'000;
constexpr std::int64_t kMostPending = 63, kMostMma = 7;

class ThreadReader {
 public:
  ThreadReader(FileContext& context, ThreadProgram& program)
      : errors_(context.errors),
        symbols_(context.symbols),
        program_(program),
        scope_(context, program) {}

  void read(const Node& root) {
    declare_symbols();
    read_key(root, "arrays", errors_, [&](const Node& arrays) { read_arrays(arrays); });
    read_key(root, "events", errors_, [&](const Node& events) { read_events(events); });
    const Node* levels = root.find("parallel");
    read_key(root, "parallel", errors_, [&](const Node& node) {
      program_.outermost.levels =
          read_levels(node, "parallel", ", or leave 'parallel' out: one thread runs the body then");
    });
    errors_.attempt([&] {
      const Node& body = require(root, "the file", "body");
      program_.outermost.body = read_body(body, "body");
      if (levels == nullptr && body.items.empty()) {
        refuse("E107", body.place, "body: nothing stands in it, and there are no levels",
               "write what is run, such as ['A[0] = 1'], and under 'parallel' by which threads");
      }
    });
  }

 private:
  // All that are not fixed, with their facts.
  void declare_symbols() {
    for (const FileSymbols::Symbol& s : symbols_.all()) {
      if (s.is_fixed()) continue;
      const Expr symbol = program_.pool->symbol(s.name);
      program_.symbols.push_back(symbol);
      const auto number = [&](std::int64_t v) { return program_.pool->constant(v); };
      program_.facts.bound(symbol, number(s.min), s.max ? number(*s.max) : Expr());
      if (s.multiple_of > 1) program_.facts.congruent(symbol, s.multiple_of);
    }
    for (const FileSymbols::Fact& fact : symbols_.facts()) {
      std::set<std::string> used;
      program_.facts.assume(read_expr(*program_.pool, fact.text, "facts", symbols_, true, used));
    }
  }

  // ---- arrays ----

  void read_arrays(const Node& arrays) {
    for (const Entry& entry : expect_map(arrays, "arrays")) {
      errors_.attempt([&] {
        const std::string& name = key_as_name(entry);
        if (scope_.find(name).valid() || scope_.find_array(name) != nullptr) {
          refuse("E204", entry.place, "the name " + name + " is taken",
                 "give the array another name");
        }
        program_.arrays.push_back(read_array(entry));
      });
    }
  }

  ThreadArray read_array(const Entry& entry) {
    const std::string what = "arrays: " + entry.key;
    expect_map(entry.value, what, Form::Array, &errors_);
    ThreadArray array{.name = entry.key, .shape = {}, .place = entry.place};
    if (const Node* type = entry.value.find("dtype")) array.type = as_data_type(*type, what);
    if (const Node* memory = entry.value.find("memory")) {
      array.memory = Memory(as_one_of(*memory, what, Form::MemoryWord));
    }
    const Node& shape = require(entry.value, what, "shape");
    if (std::int64_t(expect_sequence(shape, what).size()) > kMostAxes) {
      refuse("E104", shape.place, "more than " + std::to_string(kMostAxes) + " axes",
             "use fewer axes");
    }
    for (const Node& extent : shape.items) {
      std::set<std::string> used;
      const Expr n = Simplifier(program_.facts)
                         .simplify(read_expr(*program_.pool, extent, what, symbols_, false, used));
      if (array.memory != Memory::Global && !n.is(Op::Const)) {
        refuse("E305", extent.place,
               "the extent " + to_string(n) + " of " + array.name +
                   ", which is not global, is not known before launch",
               "write a number, or give the symbol a value");
      }
      if (n.is(Op::Const) && (n.value() < 1 || n.value() > kMostElements)) {
        refuse("E305", extent.place,
               "the extent " + to_string(n) + " of " + array.name + " is not between 1 and 2^48",
               "write a number in between");
      }
      array.shape.push_back(n);
    }
    return array;
  }

  // ---- events ----

  void read_events(const Node& events) {
    for (const Entry& entry : expect_map(events, "events")) {
      errors_.attempt([&] {
        const std::string& name = key_as_name(entry);
        const bool is_taken = scope_.find(name).valid() || scope_.find_array(name) != nullptr ||
                              scope_.find_event(name) != nullptr;
        if (is_taken) {
          refuse("E204", entry.place, "the name " + name + " is taken",
                 "give the event another name");
        }
        const std::string what = "events: " + name;
        expect_map(entry.value, what, Form::Event, &errors_);
        ThreadEvent event{.name = name, .place = entry.place};
        if (const Node* slots = entry.value.find("slots")) {
          event.slots = as_integer_of(*slots, "slots", 1, ThreadEvent::kMostSlots);
        }
        event.arrivals = as_integer_of(require(entry.value, what, "arrivals"), "arrivals", 1,
                                       ThreadEvent::kMostArrivals);
        program_.events.push_back(std::move(event));
      });
    }
  }

  // ---- levels ----

  std::vector<ParallelLevel> read_levels(const Node& levels, std::string_view what,
                                         std::string_view otherwise) {
    std::vector<ParallelLevel> out;
    if (expect_sequence(levels, what).empty()) {
      refuse("E107", levels.place, std::string(what) + ": there is no level in it",
             "name one, such as [{t: 32}]" + std::string(otherwise));
    }
    for (const Node& level : levels.items) {
      errors_.attempt([&] { out.push_back(read_level(level)); });
    }
    return out;
  }

  // {p: 6}, {x: 2, y: 128} or {thread: [x: 2, y: 128]}.
  ParallelLevel read_level(const Node& node) {
    ParallelLevel level{.kind = {}, .indices = {}, .place = node.place};
    const std::vector<Entry>& entries = expect_map(node, "a level");
    const auto is_kind = [](const Entry& e) { return parse_level_kind(e.key).has_value(); };
    const auto kind = std::find_if(entries.begin(), entries.end(), is_kind);
    if (kind == entries.end()) {
      for (const Entry& e : entries) check_extent(e);
      for (const Entry& e : entries) add_index(e, level);
      return level;
    }
    if (entries.size() != 1) {
      refuse("E107", kind->place,
             "the level has the kind " + kind->key + " and other keys beside it",
             "write its indices as a list, such as {" + kind->key + ": [x: 2, y: 128]}");
    }
    level.kind = parse_level_kind(kind->key);
    if (kind->value.kind == Node::Kind::Map) {
      for (const Entry& e : kind->value.entries) add_index(e, level);
      return level;
    }
    for (const Node& index : expect_sequence(kind->value, kind->key)) {
      add_index(expect_one(index, "an index"), level);
    }
    return level;
  }

  // What stands under a name that is no kind is a number, no list of indices.
  static void check_extent(const Entry& entry) {
    if (entry.value.kind == Node::Kind::Scalar) return;
    one_of(entry.key, entry.place, "the kind of a level", kLevelKinds);
  }

  void add_index(const Entry& entry, ParallelLevel& level) {
    const std::string& name = key_as_name(entry);
    if (parse_level_kind(name)) {
      refuse("E202", entry.place, name + " is a kind of level, and no name of an index",
             "name the index otherwise");
    }
    level.indices.push_back({scope_.define_index(name, entry.place), extent(entry.value, name)});
  }

  // A number, or an expression of sizes that have values.
  std::int64_t extent(const Node& node, const std::string& name) {
    std::set<std::string> used;
    const Expr n = Simplifier(program_.facts)
                       .simplify(read_expr(*program_.pool, node, name, symbols_, false, used));
    if (n.is(Op::Const)) return n.value();
    refuse("E305", node.place,
           "the extent " + to_string(n) + " of the parallel index " + name +
               " is not known before launch, and masks list its threads",
           "write a number, or give the symbol a value with --size");
  }

  // ---- bodies ----

  // What an item defines ends with it, also where it is refused.
  struct Inside {
    explicit Inside(ThreadReader& reader)
        : reader(reader),
          mark(reader.scope_.mark()),
          labels(reader.labels_.size()),
          bound(reader.bound_.size()) {}
    ~Inside() {
      if (open) reader.bound_[*open].is_open = false;
      reader.scope_.reset(mark);
      reader.labels_.resize(labels);
      reader.bound_.resize(bound);
    }
    Inside(const Inside&) = delete;

    ThreadReader& reader;
    std::size_t mark, labels, bound;
    std::optional<std::size_t> open = {};  // the bound index that a for goes over
  };

  ThreadBody read_body(const Node& node, std::string_view what) {
    const Inside inside(*this);
    ThreadBody body;
    for (const Node& item : expect_sequence(node, what)) {
      errors_.attempt([&] { read_item(item, body); });
    }
    return body;
  }

  void read_item(const Node& node, ThreadBody& body) {
    if (++items_ > kMostItems) {
      if (items_ > kMostItems + 1) return;
      refuse("E104", node.place,
             "more than " + std::to_string(kMostItems) + " items in the bodies of a program",
             "write what repeats as a for, or make two programs of it");
    }
    if (node.kind == Node::Kind::Scalar) {
      body.push_back({read_assignment(node, scope_, program_), node.place});
      return;
    }
    const Entry& entry = expect_one(node, "an item of a body");
    const Node& value = entry.value;
    const Place& place = entry.place;
    const auto add = [&](auto made) { body.push_back({std::move(made), place}); };
    switch (one_of(entry.key, place, "an item of a body", keys_of(Form::BodyConstruct))) {
      case 0: return read_let(value);
      case 1: return add(DoTogether{read_body(value, "do")});
      case 2: return add(read_inthreads(value));
      case 3:
      case 4: return add(read_for(value, entry.key));
      case 5: return add(read_with(value));
      case 6: {
        const std::size_t among = as_one_of(value, "sync", Form::SyncWord);
        return add(Synchronize{Synchronize::Among(among)});
      }
      case 7: return add(read_parallel(value));
      case 8: return add(read_copies(value));
      case 9: return add(AwaitGroups{as_integer_of(value, "await", 0, kMostPending)});
      case 10: return add(read_mma(value));
      case 11: return add(AwaitGroups{as_integer_of(value, "await_mma", 0, kMostMma), true});
      case 12: as_one_of(value, "fence", Form::FenceWord); return add(FenceShared{});
      case 13: return add(read_arrive(value));
      case 14: return add(read_wait(value));
      case 15: return add(LeaveFor{as_name(value, "break"), false});
      case 16: return add(LeaveFor{as_name(value, "continue"), true});
    }
  }

  // Values that stand for what they name, up to the end of the body.
  void read_let(const Node& node) {
    for (const Entry& entry : expect_map(node, "let")) {
      errors_.attempt([&] {
        scope_.define(key_as_name(entry), scope_.either(entry.value, entry.key), entry.place);
      });
    }
  }

  InThreads read_inthreads(const Node& node) {
    expect_map(node, "inthreads", Form::InThreads, &errors_);
    const Node& when = require(node, "inthreads", "when");
    InThreads in{.when = scope_.condition(when, "when"), .text = when.text, .body = {}};
    if (const Node* async = node.find("async")) in.is_async = as_bool(*async, "async");
    if (const Node* role = node.find("role")) {
      in.role = as_name(*role, "role");
      const Node* async = node.find("async");
      if (async != nullptr && !in.is_async) {
        refuse("E109", async->place, "inthreads: a role is asynchronous, and async is false",
               "leave async out");
      }
      in.is_async = true;
    }
    if (const Node* registers = node.find("registers")) {
      in.registers = as_integer_of(*registers, "registers", 1, kMostSetRegisters);
      if (in.role.empty()) {
        refuse("E110", registers->place, "inthreads: registers stands without a role",
               "name the role, such as role: load, or leave registers out");
      }
    }
    in.body = read_body(require(node, "inthreads", "do"), "do");
    return in;
  }

  ArriveAt read_arrive(const Node& node) {
    expect_map(node, "arrive", Form::ArriveAt, &errors_);
    return {scope_.event(require(node, "arrive", "event"))};
  }
  WaitFor read_wait(const Node& node) {
    expect_map(node, "wait", Form::WaitFor, &errors_);
    const EventSlot at = scope_.event(require(node, "wait", "event"));
    return {at, scope_.number(require(node, "wait", "phase"), "phase")};
  }

  MultiplyTiles read_mma(const Node& node) {
    expect_map(node, "mma", Form::MmaMap, &errors_);
    const auto tile = [&](const char* key) { return scope_.tile(require(node, "mma", key), key); };
    return {tile("sums"), tile("a"), tile("b")};
  }
  CopyLater read_copies(const Node& node) {
    expect_map(node, "copy", Form::CopyLater, &errors_);
    CopyLater copies;
    if (const Node* condition = node.find("if")) {
      copies.condition = scope_.condition(*condition, "if");
      copies.text = condition->text;
    }
    if (const Node* event = node.find("event")) copies.at = scope_.event(*event);
    const Node& list = require(node, "copy", "do");
    const std::vector<Node>& items = expect_sequence(list, "do");
    if (items.empty()) {
      refuse("E107", list.place, "copy.do is empty",
             "write what is copied, such as 'S[p] = A[k, p]'; or leave the copy out");
    }
    for (const Node& item : items) {
      errors_.attempt([&] {
        copies.body.push_back({read_assignment(item, scope_, program_), item.place});
      });
    }
    return copies;
  }

  SerialFor read_for(const Node& node, const std::string& what) {
    expect_map(node, what, Form::For, &errors_);
    const Node& index = require(node, what, "index");
    const std::string& name = as_name(index, "index");
    Inside inside(*this);
    SerialFor loop{.index = {}, .extent = {}, .label = {}, .body = {}};
    const Node* extent = node.find("in");
    if (extent == nullptr) {
      inside.open = take_bound(name, index.place, loop);
    } else {
      loop.extent = scope_.number(*extent, "in");
      loop.index = scope_.define_index(name, index.place);
    }
    const Node* label = node.find("label");
    loop.label = label == nullptr ? name : as_name(*label, "label");
    if (std::find(labels_.begin(), labels_.end(), loop.label) != labels_.end()) {
      refuse("E204", label == nullptr ? index.place : label->place,
             "the label " + loop.label + " is that of a loop around",
             "give it another label: nothing hides what is around it");
    }
    labels_.push_back(loop.label);
    if (const Node* condition = node.find("if")) {
      loop.condition = scope_.condition(*condition, "if");
      loop.text = condition->text;
    }
    loop.body = read_body(require(node, what, "do"), "do");
    return loop;
  }

  InnerParallel read_parallel(const Node& node) {
    expect_map(node, "parallel", Form::InnerParallel, &errors_);
    const Inside inside(*this);
    InnerParallel inner{.levels = read_levels(require(node, "parallel", "levels"), "levels",
                                              ", or write a do in its place"),
                        .body = {}};
    inner.body = read_body(require(node, "parallel", "do"), "do");
    return inner;
  }

  // ---- bound indices ----

  // An index of a `with`: 0, but in a `for` over it; its aliases mean the same.
  struct Bound {
    std::vector<std::string> names;
    std::int64_t extent = 1;
    Place place;
    bool is_open = false;
  };

  DoTogether read_with(const Node& node) {
    expect_map(node, "with", Form::With, &errors_);
    const Inside inside(*this);
    const std::size_t first = inside.bound;
    for (const Entry& entry : expect_map(require(node, "with", "indices"), "indices")) {
      const std::string& name = key_as_name(entry);
      bound_.push_back(
          {.names = {name}, .extent = extent(entry.value, name), .place = entry.place});
      if (bound_.back().extent < 1) {
        refuse(
            "E305", entry.value.place,
            "the bound index " + name + " has the extent " + std::to_string(bound_.back().extent),
            "give it an extent of 1 or more");
      }
      scope_.define(name, program_.pool->constant(0), entry.place);
    }
    if (const Node* where = node.find("where")) {
      for (const Entry& entry : expect_map(*where, "where")) {
        errors_.attempt([&] { bind(entry, first); });
      }
    }
    return {read_body(require(node, "with", "do"), "do")};
  }

  Bound& bound(const std::string& name, const Place& place, std::size_t first) {
    for (std::size_t k = bound_.size(); k-- > first;) {
      const auto& names = bound_[k].names;
      if (std::find(names.begin(), names.end(), name) != names.end()) return bound_[k];
    }
    refuse("E302", place, name + " is no index of this with",
           "bind indices that stand under indices of the same with");
  }

  // `n_p: n`: one index by two names.
  void bind(const Entry& entry, std::size_t first) {
    Bound& alias = bound(entry.key, entry.place, first);
    Bound& index = bound(as_text(entry.value, "where"), entry.value.place, first);
    if (&alias == &index) return;
    if (alias.extent != index.extent) {
      refuse("E825", entry.place,
             entry.key + " has the extent " + std::to_string(alias.extent) + " and " +
                 index.names[0] + " " + std::to_string(index.extent) + ": they cannot be one index",
             "give " + (alias.extent > index.extent ? entry.key : index.names[0]) + " the extent " +
                 std::to_string(std::min(alias.extent, index.extent)));
    }
    index.names.insert(index.names.end(), alias.names.begin(), alias.names.end());
    alias.names.clear();
  }

  // A `for` without `in` goes over an index of a `with`.
  std::size_t take_bound(const std::string& name, const Place& place, SerialFor& loop) {
    const auto it = std::find_if(bound_.begin(), bound_.end(), [&](const Bound& b) {
      return std::find(b.names.begin(), b.names.end(), name) != b.names.end();
    });
    if (it == bound_.end()) {
      refuse("E110", place, "for: " + name + " has no extent",
             "say how often it runs, such as in: 4, or bind it by a with around");
    }
    if (it->is_open) {
      refuse("E204", place, "a for over " + name + " stands in another over it",
             "go over another index");
    }
    it->is_open = true;
    loop.extent = program_.pool->constant(it->extent);
    loop.index = scope_.redefine(it->names, it->names[0]);
    return std::size_t(it - bound_.begin());
  }

  Diagnostics& errors_;
  const FileSymbols& symbols_;
  ThreadProgram& program_;
  ThreadScope scope_;
  std::vector<Bound> bound_;
  std::vector<std::string> labels_;  // of the loops around
  std::int64_t items_ = 0;
};

// The file's name without folder and ending, as far as it is a name.
std::string program_name(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  name = name.substr(0, name.find('.'));
  return is_identifier(name) ? name : "threads";
}

}  // namespace

void read_thread_program(const Node& root, FileContext& context, ScheduleFile& file) {
  file.threads = std::make_shared<ThreadProgram>(program_name(file.path));
  ThreadReader(context, *file.threads).read(root);
}

}  // namespace selvage
