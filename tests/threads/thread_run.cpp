#include "tests/threads/thread_run.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>

namespace selvage::thread_oracle {

namespace {

// Threads of one block wait for one another.
struct Meeting {
  std::vector<std::size_t> members;  // in the block
  bool is_hard = true;
  std::size_t arrived = 0;
  std::string name;
};
struct Step {
  enum class Kind { Enter, Store, Meet };
  Kind kind = Kind::Enter;
  std::size_t number = 0;  // region, meeting
  const Item* assign = nullptr;
  Values values = {};
};
using Meetings = std::vector<Meeting>;

// What each thread of a block does, written down before anyone does it: no condition reads memory.
class Planner {
 public:
  Planner(const ThreadCase& program, const Numbering& numbering, const std::vector<Region>& regions,
          Values symbols, std::int64_t block)
      : case_(program), numbering_(numbering), symbols_(std::move(symbols)), block_(block) {
    for (std::size_t r = 0; r < regions.size(); ++r) {
      (regions[r].is_iteration ? iteration_of_ : region_of_)[regions[r].item] = r;
    }
  }

  std::vector<std::vector<Step>> plans() {
    std::vector<std::vector<Step>> plans;
    for (std::int64_t t = 0; t < numbering_.block_threads(); ++t) {
      thread_ = first() + t;
      values_ = values_of(thread_);
      steps_.clear();
      loops_.clear();
      conditions_.clear();
      is_in_implicit_ = false;
      run_parallel(case_.outermost);
      plans.push_back(std::move(steps_));
    }
    return plans;
  }
  Meetings meetings() { return std::move(meetings_); }

 private:
  // A loop that is being left.
  struct Leaving {
    const Item* loop;
    bool is_next;
  };
  using Flow = std::optional<Leaving>;

  std::int64_t first() const { return block_ * numbering_.block_threads(); }
  Values values_of(std::int64_t thread) const {
    Values values = numbering_.values_of(thread);
    for (std::size_t v = 0; v < values.size(); ++v) {
      if (case_.variables[v].kind == Variable::Kind::Symbol) values[v] = symbols_[v];
    }
    return values;
  }

  // The one after `item` (phase 1) or before it (0).
  void meet(const Item& item, int phase, bool is_hard, const std::string& among) {
    std::vector<std::int64_t> key = {phase};
    for (const Item* loop : loops_) key.push_back(values_[std::size_t(loop->variable)]);
    const std::int64_t warp = (thread_ - first()) / 32;
    if (among == "warp") key.push_back(warp);
    const auto [it, is_new] = known_.try_emplace({&item, key}, meetings_.size());
    if (is_new) {
      Meeting& meeting = meetings_.emplace_back();
      meeting.is_hard = is_hard;
      meeting.name = among;
      for (std::int64_t t = 0; t < numbering_.block_threads(); ++t) {
        const bool is_there = among == "shared" ? true
                              : among == "warp" ? t / 32 == warp
                                                : is_around(first() + t);
        if (is_there) meeting.members.push_back(std::size_t(t));
      }
    }
    steps_.push_back({.kind = Step::Kind::Meet, .number = it->second});
  }
  // Does another thread run the code around as well, in the same iterations?
  bool is_around(std::int64_t thread) const {
    Values values = values_of(thread);
    for (const Item* loop : loops_) {
      values[std::size_t(loop->variable)] = values_[std::size_t(loop->variable)];
    }
    for (const auto& c : conditions_) {
      if (!holds(c, numbering_, thread, values)) return false;
    }
    for (const Item* loop : loops_) {
      if (loop->extent && evaluate(*loop->extent, values) <= values[std::size_t(loop->variable)]) {
        return false;
      }
    }
    return true;
  }

  Flow run_parallel(const Item& parallel) {
    const Item* around = parallel_;
    parallel_ = &parallel;
    const Flow flow = run_body(parallel.body);
    parallel_ = around;
    return flow;
  }

  Flow run_body(const std::vector<Item>& body) {
    for (const Item& item : body) {
      if (const Flow flow = run(item)) return flow;
    }
    return {};
  }

  // An inthreads with nothing in it lets nobody wait.
  static bool is_met_behind(const Item& item) {
    const auto is_let = [](const Item& inside) { return inside.kind == Item::Kind::Let; };
    return item.kind == Item::Kind::InThreads && !item.is_async &&
           !std::all_of(item.body.begin(), item.body.end(), is_let);
  }

  Flow run(const Item& item) {
    const bool is_beside =
        !parallels_in(*parallel_).empty() && !item.holds_parallel() && !is_in_implicit_;
    switch (item.kind) {
      case Item::Kind::Let: return {};
      case Item::Kind::Sync: meet(item, 1, true, item.name); return {};
      case Item::Kind::Break:
      case Item::Kind::Continue: return leave(item);
      case Item::Kind::Parallel: {
        meet(item, 0, false, "levels");
        const Flow flow = run_parallel(item);
        if (!flow) meet(item, 1, false, "levels");
        return flow;
      }
      case Item::Kind::Do:
      case Item::Kind::Assign:
      case Item::Kind::InThreads:
      case Item::Kind::For:
      case Item::Kind::With: break;
    }
    if (!is_beside) {
      const Flow flow = run_here(item);
      if (flow) return flow;
      if (is_met_behind(item)) meet(item, 1, true, "inthreads");
      return {};
    }
    // An inthreads here lets all the threads around meet, not those of its implicit mask alone.
    const bool is_hard = is_met_behind(item);
    meet(item, 0, false, "implicit");
    const Condition zero{.zero_inside = parallel_};
    Flow flow;
    if (holds(zero, numbering_, thread_, values_)) {
      conditions_.push_back(zero);
      is_in_implicit_ = true;
      flow = run_here(item);
      is_in_implicit_ = false;
      conditions_.pop_back();
    }
    if (!flow) meet(item, 1, is_hard, "implicit");
    return flow;
  }

  void enter(const Item& item) { enter(region_of_, item); }
  void enter(const std::map<const Item*, std::size_t>& regions, const Item& item) {
    const auto it = regions.find(&item);
    if (it != regions.end()) steps_.push_back({.kind = Step::Kind::Enter, .number = it->second});
  }

  Flow run_here(const Item& item) {
    switch (item.kind) {
      case Item::Kind::Assign:
        enter(item);
        steps_.push_back({.kind = Step::Kind::Store, .assign = &item, .values = values_});
        return {};
      case Item::Kind::Do:
      case Item::Kind::With: enter(item); return run_body(item.body);
      case Item::Kind::InThreads: {
        if (evaluate(*item.term, values_) == 0) return {};
        enter(item);
        conditions_.push_back({.term = item.term});
        const Flow flow = run_body(item.body);
        conditions_.pop_back();
        return flow;
      }
      case Item::Kind::For: enter(item); return run_for(item);
      case Item::Kind::Let:
      case Item::Kind::Parallel:
      case Item::Kind::Sync:
      case Item::Kind::Break:
      case Item::Kind::Continue: break;
    }
    return {};
  }

  Flow run_for(const Item& item) {
    const std::int64_t n = item.extent ? evaluate(*item.extent, values_)
                                       : case_.variables[std::size_t(item.variable)].extent;
    std::int64_t& i = values_[std::size_t(item.variable)];
    loops_.push_back(&item);
    Flow flow;
    for (i = 0; i < n && !flow; ++i) {
      if (item.term && evaluate(*item.term, values_) == 0) continue;
      if (item.term) conditions_.push_back({.term = item.term});
      enter(iteration_of_, item);
      flow = run_body(item.body);
      if (item.term) conditions_.pop_back();
      if (!flow || flow->loop != &item) continue;
      if (!flow->is_next) break;
      flow.reset();
    }
    loops_.pop_back();
    i = 0;
    return flow && flow->loop == &item ? Flow() : flow;
  }

  Flow leave(const Item& item) {
    for (std::size_t k = loops_.size(); k-- > 0;) {
      const std::string& label = loops_[k]->name.empty() ? loops_[k]->index : loops_[k]->name;
      if (label == item.name) return Leaving{loops_[k], item.kind == Item::Kind::Continue};
    }
    throw std::logic_error("no loop " + item.name);
  }

  const ThreadCase& case_;
  const Numbering& numbering_;
  Values symbols_;
  std::int64_t block_;
  std::map<const Item*, std::size_t> region_of_, iteration_of_;
  std::map<std::pair<const Item*, std::vector<std::int64_t>>, std::size_t> known_;
  Meetings meetings_;
  // of the thread at hand
  std::int64_t thread_ = 0;
  Values values_;
  std::vector<Step> steps_;
  std::vector<const Item*> loops_;
  std::vector<Condition> conditions_;
  const Item* parallel_ = nullptr;
  bool is_in_implicit_ = false;
};

// Every access of every element, with what its thread had seen of the others by then.
class Witness {
 public:
  Witness(std::size_t threads, bool is_on) : is_on_(is_on) {
    if (is_on) seen_.assign(threads, std::vector<int>(threads, 0));
    for (std::size_t t = 0; t < seen_.size(); ++t) seen_[t][t] = 1;
  }

  // Is there one of another thread that it races with?
  bool access(std::pair<int, std::int64_t> element, std::size_t thread, bool writes) {
    if (!is_on_) return false;
    auto& all = accesses_[element];
    const Access own{thread, seen_[thread][thread], writes};
    for (const Access& a : all) {
      if (a.thread != thread && (a.writes || writes) && seen_[thread][a.thread] < a.time) {
        return true;
      }
    }
    if (std::find(all.begin(), all.end(), own) == all.end()) all.push_back(own);
    return false;
  }
  void meet(const std::vector<std::size_t>& threads) {
    if (!is_on_) return;
    std::vector<int> all(seen_.size(), 0);
    for (std::size_t t : threads) {
      for (std::size_t k = 0; k < all.size(); ++k) all[k] = std::max(all[k], seen_[t][k]);
    }
    for (std::size_t t : threads) {
      seen_[t] = all;
      ++seen_[t][t];
    }
  }

 private:
  struct Access {
    std::size_t thread;
    int time;
    bool writes;
    friend bool operator==(const Access&, const Access&) = default;
  };
  bool is_on_;
  std::vector<std::vector<int>> seen_;  // by thread, of each thread
  std::map<std::pair<int, std::int64_t>, std::vector<Access>> accesses_;
};

class Runner {
 public:
  Runner(const ThreadCase& program, const Numbering& numbering, const std::vector<Region>& regions,
         const std::vector<std::int64_t>& symbol_values, std::uint64_t order, bool looks_for_races)
      : case_(program),
        numbering_(numbering),
        regions_(regions),
        symbols_(program.variables.size(), 0),
        random_(order),
        order_(order),
        looks_(looks_for_races) {
    const std::vector<int> symbols = program.symbols();
    for (std::size_t k = 0; k < symbols.size(); ++k) {
      symbols_[std::size_t(symbols[k])] = symbol_values[k];
    }
    out_.executed.assign(regions.size(),
                         std::vector<std::int64_t>(std::size_t(numbering.threads()), 0));
    for (std::size_t a = 0; a < program.arrays.size(); ++a) {
      auto& values = out_.arrays.emplace_back();
      if (program.arrays[a].memory != ArrayOf::Memory::Global) continue;
      for (std::int64_t k = 0; k < program.arrays[a].size(); ++k) {
        values.push_back(initial_value(int(a), k));
      }
    }
  }

  Outcome run() {
    const std::int64_t blocks = numbering_.threads() / numbering_.block_threads();
    const std::int64_t on_device = numbering_.device_threads() / numbering_.block_threads();
    for (std::int64_t b = 0; b < blocks; ++b) {
      if (b % on_device == 0) by_block_.clear();  // one device after the other
      run_block(b);
    }
    return std::move(out_);
  }

 private:
  void run_block(std::int64_t block) {
    block_ = block;
    Planner planner(case_, numbering_, regions_, symbols_, block);
    const auto plans = planner.plans();
    Meetings meetings = planner.meetings();
    const std::size_t n = plans.size();
    Witness witness(n, looks_);
    witness_ = &witness;
    private_.assign(case_.arrays.size(), {});
    std::vector<std::size_t> at(n, 0), order(n);
    std::vector<bool> waits(n, false);
    std::iota(order.begin(), order.end(), 0);
    if (order_ == 1) std::reverse(order.begin(), order.end());
    for (;;) {
      if (order_ > 1) std::shuffle(order.begin(), order.end(), random_);
      bool moved = false;
      for (std::size_t t : order) {
        while (!waits[t] && at[t] < plans[t].size()) {
          moved = true;
          const Step& step = plans[t][at[t]];
          if (step.kind == Step::Kind::Enter) {
            ++out_.executed[step.number][std::size_t(block) * n + t];
          } else if (step.kind == Step::Kind::Store) {
            store(*step.assign, t, step.values);
          } else {
            waits[t] = true;
            if (++meetings[step.number].arrived == meetings[step.number].members.size()) {
              release(meetings[step.number].members, at, waits);
            }
            continue;
          }
          ++at[t];
        }
      }
      if (moved) continue;
      // Nobody can go on: who never comes to a meeting that need not be a barrier is not missed.
      std::map<std::size_t, std::vector<std::size_t>> waiting;
      for (std::size_t t = 0; t < n; ++t) {
        if (waits[t]) waiting[plans[t][at[t]].number].push_back(t);
      }
      if (waiting.empty()) return;
      bool released = false;
      for (const auto& [number, threads] : waiting) {
        if (meetings[number].is_hard) continue;
        release(threads, at, waits);
        released = true;
        break;
      }
      if (released) continue;
      const auto& [number, threads] = *waiting.begin();
      out_.stuck = "thread " + std::to_string(threads[0]) + " of block " + std::to_string(block) +
                   " waits in vain: " + meetings[number].name;
      return;
    }
  }

  void release(const std::vector<std::size_t>& threads, std::vector<std::size_t>& at,
               std::vector<bool>& waits) {
    witness_->meet(threads);
    for (std::size_t t : threads) {
      if (!waits[t]) continue;
      waits[t] = false;
      ++at[t];
    }
  }

  void store(const Item& assign, std::size_t thread, const Values& values) {
    std::int64_t value = value_of(*assign.value, thread, values);
    if (assign.is_update) value += read(*assign.target, thread, values);
    if (std::int64_t* element = access(*assign.target, thread, values, true)) *element = value;
  }

  std::int64_t value_of(const Term& term, std::size_t thread, const Values& values) {
    using Op = Term::Op;
    if (term.op == Op::Element) return read(term, thread, values);
    if (term.operands.size() != 2) return evaluate(term, values);
    const auto at = [&](std::size_t k) {
      return number(value_of(*term.operands[k], thread, values));
    };
    return evaluate(*make(term.op, at(0), at(1)), values);
  }
  std::int64_t read(const Term& element, std::size_t thread, const Values& values) {
    const std::int64_t* found = access(element, thread, values, false);
    return found == nullptr ? 0 : *found;
  }

  std::int64_t* access(const Term& element, std::size_t thread, const Values& values, bool writes) {
    const int array = int(element.number);
    const ArrayOf& a = case_.arrays[std::size_t(array)];
    std::int64_t address = 0;
    for (std::size_t k = 0; k < a.shape.size(); ++k) {
      const std::int64_t x = evaluate(*element.operands[k], values);
      if (x < 0 || x >= a.shape[k]) {
        out_.stray = "out of bounds of " + a.name;
        return nullptr;
      }
      address = address * a.shape[k] + x;
    }
    if (a.memory == ArrayOf::Memory::Global) {
      note_global({array, address}, writes);
    } else {
      if (a.memory == ArrayOf::Memory::Local) address += std::int64_t(thread) * a.size();
      auto& cells = private_[std::size_t(array)];
      if (!writes && !cells.contains(address))
        out_.stray = a.name + " is read before it is written";
      if (a.memory == ArrayOf::Memory::Local) return &cells[address];
    }
    if (witness_->access({array, address}, thread, writes)) {
      out_.race = a.name + "[" + std::to_string(address) + "] by thread " + std::to_string(thread) +
                  " of block " + std::to_string(block_);
    }
    if (a.memory == ArrayOf::Memory::Shared) return &private_[std::size_t(array)][address];
    return &out_.arrays[std::size_t(array)][std::size_t(address)];
  }

  // Blocks never meet.
  void note_global(std::pair<int, std::int64_t> element, bool writes) {
    if (!looks_) return;
    const auto [it, is_new] = by_block_.try_emplace(element, Touched{block_, writes});
    if (is_new) return;
    Touched& touched = it->second;
    if (touched.block != block_ && (touched.is_written || writes)) {
      out_.race = case_.arrays[std::size_t(element.first)].name + " by two blocks";
    }
    touched.is_written = touched.is_written || writes;
  }

  struct Touched {
    std::int64_t block;
    bool is_written;
  };
  const ThreadCase& case_;
  const Numbering& numbering_;
  const std::vector<Region>& regions_;
  Values symbols_;
  std::mt19937_64 random_;
  std::uint64_t order_;
  bool looks_;
  Outcome out_;
  std::int64_t block_ = 0;
  Witness* witness_ = nullptr;
  std::vector<std::map<std::int64_t, std::int64_t>> private_;  // by array, of the block at hand
  std::map<std::pair<int, std::int64_t>, Touched> by_block_;
};

}  // namespace

Outcome run_case(const ThreadCase& program, const Numbering& numbering,
                 const std::vector<Region>& regions, const std::vector<std::int64_t>& symbol_values,
                 std::uint64_t order, bool looks_for_races) {
  return Runner(program, numbering, regions, symbol_values, order, looks_for_races).run();
}

}  // namespace selvage::thread_oracle
