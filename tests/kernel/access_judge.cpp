#include "tests/kernel/access_judge.h"

#include <algorithm>
#include <stdexcept>

namespace selvage::test {

namespace {

std::int64_t euclid_quotient(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b;
  if (a - q * b < 0) q += b > 0 ? -1 : 1;
  return q;
}

bool is_atomic_pair(bool a, bool b, Function f, Function g) { return a && b && f == g; }

}  // namespace

AccessJudge::AccessJudge(const Kernel& kernel, std::map<std::string, std::int64_t> sizes)
    : kernel_(kernel) {
  for (Expr s : kernel.sizes) values_[s.id()] = sizes.at(std::string(s.name()));
  Index3 grid, block;
  for (std::size_t k = 0; k < 3; ++k) {
    grid[k] = value(kernel.launch.grid[k]);
    block[k] = value(kernel.launch.block[k]);
  }
  std::vector<Access> all;
  for (std::int64_t b = 0; b < grid[0] * grid[1] * grid[2]; ++b) {
    block_ = {b % grid[0], b / grid[0] % grid[1], b / (grid[0] * grid[1])};
    std::vector<Thread> threads;
    for (number_ = 0; number_ < block[0] * block[1] * block[2]; ++number_) {
      thread_ = {number_ % block[0], number_ / block[0] % block[1],
                 number_ / (block[0] * block[1])};
      now_ = {};
      block_barriers_ = warp_barriers_ = 0;
      run(kernel.body);
      threads.push_back(now_);
    }
    judge_block(threads);
    for (const Thread& t : threads) {
      for (const Access& a : t.accesses) {
        if (kernel.buffers[a.buffer].memory == Memory::Global) all.push_back(a);
      }
    }
  }
  judge_pairs(all, false);
}

// Those that touch one byte, each once.
void AccessJudge::judge_pairs(const std::vector<Access>& all, bool one_block) {
  std::map<std::int64_t, std::vector<const Access*>> by_byte;
  std::set<std::tuple<BufferId, std::int64_t, Kind, Function, bool, int, int, std::int64_t, Index3>>
      seen;
  for (const Access& a : all) {
    if (kernel_.buffers[a.buffer].memory == Memory::Local) continue;
    if (!seen.insert({a.buffer, a.address, a.kind, a.function, a.duplicates, a.block_barriers,
                      a.warp_barriers, a.number, a.block})
             .second) {
      continue;
    }
    const auto [from, to] = bytes(a);
    for (std::int64_t byte = from; byte < to; ++byte) by_byte[byte].push_back(&a);
  }
  for (const auto& [byte, list] : by_byte) {
    for (const Access* a : list) {
      for (const Access* b : list) {
        if (one_block ? a->number < b->number : a->block < b->block) judge_pair(*a, *b, one_block);
      }
    }
  }
}

std::int64_t AccessJudge::value(Expr e) const {
  const auto v = [&](std::size_t i) { return value(e[i]); };
  switch (e.op()) {
    case Op::Const:
    case Op::Bool: return e.value();
    case Op::Symbol: return values_.at(e.id());
    case Op::Let: return v(0);
    case Op::Add: return v(0) + v(1);
    case Op::Sub: return v(0) - v(1);
    case Op::Mul: return v(0) * v(1);
    case Op::Div: return euclid_quotient(v(0), v(1));
    case Op::Mod: return v(0) - euclid_quotient(v(0), v(1)) * v(1);
    case Op::Min: return std::min(v(0), v(1));
    case Op::Max: return std::max(v(0), v(1));
    case Op::Xor: return v(0) ^ v(1);
    case Op::Select: return v(0) != 0 ? v(1) : v(2);
    case Op::Lt: return v(0) < v(1);
    case Op::Le: return v(0) <= v(1);
    case Op::Eq: return v(0) == v(1);
    case Op::Not: return v(0) == 0;
    case Op::And: return v(0) != 0 && v(1) != 0;
    case Op::Or: return v(0) != 0 || v(1) != 0;
    case Op::Load:
    case Op::Call: break;
  }
  throw std::logic_error("an opaque expression");
}

void AccessJudge::run(const Body& body) {
  for (const Statement& s : body) run(s);
}

void AccessJudge::run(const Statement& s) {
  if (const auto* loop = std::get_if<Loop>(&s.node)) {
    if (is_block(loop->parallel) || is_thread(loop->parallel)) {
      const auto k = std::size_t(axis(loop->parallel));
      values_[loop->variable.id()] = is_block(loop->parallel) ? block_[k] : thread_[k];
      return run(loop->body);
    }
    const std::int64_t begin = loop->begin.valid() ? value(loop->begin) : 0;
    const std::int64_t end = value(loop->extent);
    trips_.push_back(0);
    for (std::int64_t i = begin; i < end; ++i) {
      values_[loop->variable.id()] = i;
      run(loop->body);
      ++trips_.back();
    }
    trips_.pop_back();
  } else if (const auto* define = std::get_if<Define>(&s.node)) {
    values_[define->variable.id()] = value(define->value);
  } else if (const auto* guard = std::get_if<Guard>(&s.node)) {
    run(value(guard->condition) != 0 ? guard->body : guard->otherwise);
  } else if (const auto* barrier = std::get_if<Barrier>(&s.node)) {
    now_.meetings.push_back({&s, trips_});
    if (barrier->scope == Barrier::Scope::Block) {
      now_.block_meetings.push_back({&s, trips_});
      ++block_barriers_;
    } else {
      ++warp_barriers_;
    }
  } else if (const auto* shuffle = std::get_if<Shuffle>(&s.node)) {
    now_.meetings.push_back({&s, trips_});
    const std::int64_t threads = value(kernel_.launch.block[0]) * value(kernel_.launch.block[1]) *
                                 value(kernel_.launch.block[2]);
    if (threads % 32 != 0) diverges_ = true;
    access(shuffle->from, value(shuffle->from_address), Kind::Read);
    access(shuffle->to, value(shuffle->to_address), Kind::Write);
  } else if (const auto* transfer = std::get_if<Transfer>(&s.node)) {
    access(transfer->from, value(transfer->from_address), Kind::Read, transfer->width);
    access(transfer->to, value(transfer->to_address), Kind::Write, transfer->width, Function::Add,
           transfer->duplicates_allowed);
  } else if (const auto* store = std::get_if<Store>(&s.node)) {
    read_value(store->value);
    access(store->buffer, value(store->address), store->atomic ? Kind::Atomic : Kind::Write, 1,
           store->atomic.value_or(Function::Add), store->duplicates_allowed);
  }
}

void AccessJudge::read_value(ValueId v) {
  const ValueNode& node = kernel_.values[v];
  if (node.kind == ValueNode::Kind::Read)
    access(node.source, value(node.subscripts[0]), Kind::Read);
  if (node.kind == ValueNode::Kind::Apply && node.function == Function::Select) {
    read_value(node.operands[0]);
    const std::optional<bool> holds = truth(node.operands[0]);
    if (holds != false) read_value(node.operands[1]);
    if (holds != true) read_value(node.operands[2]);
    return;
  }
  for (ValueId o : node.operands) read_value(o);
}

// Of what is made of indices and literals.
std::optional<bool> AccessJudge::truth(ValueId v) const {
  const ValueNode& node = kernel_.values[v];
  if (node.kind == ValueNode::Kind::Index) return value(node.index) != 0;
  if (node.kind == ValueNode::Kind::Constant) return node.integer != 0;
  if (node.kind == ValueNode::Kind::Cast) return truth(node.operands[0]);
  if (node.kind == ValueNode::Kind::Apply && node.function == Function::Lt) {
    const ValueNode &a = kernel_.values[node.operands[0]], &b = kernel_.values[node.operands[1]];
    if (a.kind == ValueNode::Kind::Index && b.kind == ValueNode::Kind::Index) {
      return value(a.index) < value(b.index);
    }
  }
  return std::nullopt;
}

std::size_t AccessJudge::most_reads(BufferId b) const {
  std::size_t most = 0;
  for (const auto& [element, moments] : reads_) {
    if (element.first == b) most = std::max(most, moments.size());
  }
  return most;
}

void AccessJudge::access(BufferId b, std::int64_t address, Kind kind, std::int64_t width,
                         Function function, bool duplicates) {
  const Buffer& buffer = kernel_.buffers[b];
  if (address % width != 0) bad_addresses_.insert({b, address});
  for (std::int64_t i = 0; i < width; ++i) {
    ++accesses_;
    if (address + i < 0 || address + i >= value(buffer.elements)) {
      bad_addresses_.insert({b, address});
      continue;
    }
    if (kind == Kind::Read && buffer.memory == Memory::Global) {
      reads_[{b, address + i}].insert({block_, number_, trips_});
    }
    now_.accesses.push_back({b, address + i, kind, function, duplicates, block_barriers_,
                             warp_barriers_, number_, block_, thread_});
  }
}

// In the block's memory; buffers without an offset are far from all others.
std::pair<std::int64_t, std::int64_t> AccessJudge::bytes(const Access& a) const {
  const Buffer& b = kernel_.buffers[a.buffer];
  const std::int64_t size = size_of(b.type);
  const std::int64_t from =
      b.offset.value_or((std::int64_t(a.buffer) + 1) << 40) + a.address * size;
  return {from, from + size};
}

void AccessJudge::judge_pair(const Access& a, const Access& b, bool one_block) {
  if (a.kind == Kind::Read && b.kind == Kind::Read) return;
  if (is_atomic_pair(a.kind == Kind::Atomic, b.kind == Kind::Atomic, a.function, b.function))
    return;
  const Memory memory = kernel_.buffers[a.buffer].memory;
  if (memory == Memory::Local || kernel_.buffers[b.buffer].memory != memory) return;
  if (memory == Memory::Global) {
    if (a.buffer != b.buffer || a.address != b.address) return;
    const bool both_write = a.kind == Kind::Write && b.kind == Kind::Write;
    if (both_write && a.duplicates && b.duplicates) return;
  } else {
    const auto [from, to] = bytes(a);
    const auto [other_from, other_to] = bytes(b);
    if (to <= other_from || other_to <= from) return;
  }
  if (one_block) {
    if (a.number == b.number || a.block_barriers != b.block_barriers) return;
    if (a.number / 32 == b.number / 32 && a.warp_barriers != b.warp_barriers) return;
  } else if (memory != Memory::Global) {
    return;
  }
  const Who x{a.buffer, a.address, a.block, a.thread}, y{b.buffer, b.address, b.block, b.thread};
  races_.insert({x, y});
  races_.insert({y, x});
}

bool AccessJudge::has_race(BufferId b, std::int64_t address, Index3 block, Index3 thread,
                           Index3 other_block, Index3 other_thread) const {
  return std::any_of(races_.begin(), races_.end(), [&](const auto& pair) {
    const auto& [x, y] = pair;
    return std::get<0>(x) == b && std::get<1>(x) == address && std::get<2>(x) == block &&
           std::get<3>(x) == thread && std::get<2>(y) == other_block &&
           std::get<3>(y) == other_thread;
  });
}

void AccessJudge::judge_block(const std::vector<Thread>& threads) {
  for (const Thread& t : threads) {
    if (t.block_meetings != threads[0].block_meetings) diverges_ = true;
    const auto number = std::size_t(&t - threads.data());
    if (t.meetings != threads[number / 32 * 32].meetings) diverges_ = true;
  }
  std::vector<Access> all;
  for (const Thread& t : threads) all.insert(all.end(), t.accesses.begin(), t.accesses.end());
  judge_pairs(all, true);
  // Without races any order will do that barriers allow.
  std::stable_sort(all.begin(), all.end(), [](const Access& a, const Access& b) {
    return std::pair(a.block_barriers, a.warp_barriers) <
           std::pair(b.block_barriers, b.warp_barriers);
  });
  std::map<std::int64_t, std::pair<BufferId, std::int64_t>> shared;  // by byte
  std::set<std::tuple<std::int64_t, BufferId, std::int64_t>> local;  // thread and element
  for (const Access& a : all) {
    const Memory memory = kernel_.buffers[a.buffer].memory;
    if (memory == Memory::Global) continue;
    const auto element = std::pair(a.buffer, a.address);
    const auto [from, to] = bytes(a);
    bool is_there = true;
    if (memory == Memory::Local) {
      is_there = local.count({a.number, a.buffer, a.address}) > 0;
    } else {
      for (std::int64_t byte = from; byte < to; ++byte) {
        const auto it = shared.find(byte);
        is_there = is_there && it != shared.end() && it->second == element;
      }
    }
    if (a.kind != Kind::Write && !is_there) {
      uninitialised_.insert({a.buffer, a.address, a.block, a.thread});
    }
    if (a.kind == Kind::Read) continue;
    if (memory == Memory::Local) {
      local.insert({a.number, a.buffer, a.address});
    } else {
      for (std::int64_t byte = from; byte < to; ++byte) shared[byte] = element;
    }
  }
}

}  // namespace selvage::test
