#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/lower/shared_memory.h>
#include <selvage/threads/bodies.h>
#include <selvage/threads/thread_memory.h>

#include <optional>

namespace selvage {

ThreadMemory::ThreadMemory(const ThreadProgram& program, Kernel& kernel)
    : program_(program), kernel_(kernel) {
  for (const ThreadArray& a : program.arrays) {
    Expr elements = program.pool->constant(1);
    for (Expr n : a.shape) elements = elements * n;
    kernel.buffers.push_back({.name = a.name,
                              .type = a.type,
                              .memory = a.memory,
                              .elements = Simplifier(program.facts).simplify(elements)});
  }
  for (const ThreadEvent& e : program.events) {
    kernel.buffers.push_back({.name = e.name,
                              .type = DataType::Int64,
                              .memory = Memory::Shared,
                              .elements = program.pool->constant(e.slots),
                              .arrivals = e.arrivals});
  }
  note_writes(program.outermost.body);
}

void ThreadMemory::note_writes(const ThreadBody& body) {
  for (const ThreadItem& item : body) {
    if (const auto* assign = std::get_if<Assign>(&item.node)) {
      Buffer& b = kernel_.buffers.at(assign->array);
      b.is_written = true;
      b.is_updated = b.memory == Memory::Global;
    }
    if (const auto* mma = std::get_if<MultiplyTiles>(&item.node)) {
      kernel_.buffers.at(mma->sums.array).is_written = true;
    }
    if (const ThreadBody* inside = body_of(item)) note_writes(*inside);
  }
}

Expr ThreadMemory::address(std::uint32_t array, const std::vector<Expr>& subscripts,
                           Simplifier& known) const {
  const ThreadArray& a = program_.arrays.at(array);
  SELVAGE_CHECK(subscripts.size() == a.shape.size());
  Expr address = program_.pool->constant(0);
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    address = address * a.shape[k] + subscripts[k];
  }
  return known.simplify(address);
}

ValueId ThreadMemory::value(ValueId v, Simplifier& known) {
  std::map<ValueId, ValueId> done;
  return convert(v, known, done);
}

Store ThreadMemory::store(const Assign& assign, Simplifier& known) {
  return {.buffer = assign.array,
          .address = address(assign.array, assign.subscripts, known),
          .value = value(assign.value, known),
          .valid = {}};
}

AsyncCopy ThreadMemory::copy(const Assign& assign, Simplifier& known) {
  const ValueNode& from = program_.values[assign.value];
  return {Transfer{.to = assign.array,
                   .from = from.source,
                   .to_address = address(assign.array, assign.subscripts, known),
                   .from_address = address(from.source, from.subscripts, known),
                   .width = 1,
                   .lane = program_.pool->symbol("lane"),
                   .valid = {}}};
}

Mma ThreadMemory::mma(const MultiplyTiles& tiles, Mma mma, Simplifier& known) const {
  const auto first = [&](TileRef tile) {
    tile.subscripts.resize(program_.arrays[tile.array].shape.size(), program_.pool->constant(0));
    return address(tile.array, tile.subscripts, known);
  };
  mma.sums_address = first(tiles.sums);
  mma.a_address = first(tiles.a);
  mma.b_address = first(tiles.b);
  return mma;
}

ValueId ThreadMemory::convert(ValueId v, Simplifier& known, std::map<ValueId, ValueId>& done) {
  if (const auto it = done.find(v); it != done.end()) return it->second;
  ValueNode node = program_.values[v];
  for (ValueId& operand : node.operands) operand = convert(operand, known, done);
  if (node.kind == ValueNode::Kind::Read) {
    node.subscripts = {address(node.source, node.subscripts, known)};
  } else if (node.kind == ValueNode::Kind::Index) {
    node.index = known.simplify(node.index);
  }
  return done[v] = kernel_.values.add(std::move(node));
}

namespace {

// Nothing: past 2^63, or not known.
std::optional<std::int64_t> bytes_of(const ThreadArray& array, Simplifier& known) {
  std::optional<std::int64_t> bytes = size_of(array.type);
  for (Expr extent : array.shape) {
    const Expr n = known.simplify(extent);
    if (!n.is(Op::Const) && array.memory == Memory::Global) continue;
    if (!n.is(Op::Const) || !bytes) return std::nullopt;
    bytes = checked_mul(*bytes, n.value());
  }
  return bytes;
}

// Where an array begins behind so many bytes of others.
std::optional<std::int64_t> begin_behind(std::int64_t bytes, Memory memory) {
  if (memory != Memory::Shared) return bytes;
  return checked_mul(ceil_div(bytes, kSharedAlignment), kSharedAlignment);
}

}  // namespace

void check_memory(const ThreadProgram& program, std::vector<Diagnostic>& wrong) {
  Simplifier known(program.facts);
  for (const ThreadArray& a : program.arrays) {
    if (a.memory != Memory::Global || bytes_of(a, known)) continue;
    wrong.push_back({.code = "E820",
                     .place = a.place,
                     .message = "the array " + a.name + " takes 2^63 bytes or more",
                     .help = "make its extents smaller"});
  }
  const auto check = [&](Memory memory, std::int64_t most, const std::string& what,
                         const std::string& whose) {
    std::optional<std::int64_t> bytes = 0;
    std::int64_t largest = 0;
    Place place;  // of the largest
    for (const ThreadArray& a : program.arrays) {
      if (a.memory != memory) continue;
      const std::optional<std::int64_t> own = bytes_of(a, known);
      if (bytes) bytes = begin_behind(*bytes, memory);
      bytes = bytes && own ? checked_add(*bytes, *own) : std::nullopt;
      if (own.value_or(INT64_MAX) <= largest) continue;
      largest = own.value_or(INT64_MAX);
      place = a.place;
    }
    for (const ThreadEvent& e : program.events) {
      if (!bytes || memory != Memory::Shared) break;
      bytes = begin_behind(*bytes, memory);
      if (bytes) bytes = *bytes + e.slots * size_of(DataType::Int64);
      if (place.line == 0) place = e.place;
    }
    if (bytes && *bytes <= most) return;
    wrong.push_back({.code = "E820",
                     .place = place,
                     .message = "the " + what + " arrays take " +
                                (bytes ? std::to_string(*bytes) : "2^63 or more") +
                                " bytes of each " + whose + ", and there are " +
                                std::to_string(most),
                     .help = "make them smaller, or keep them in global memory"});
  };
  check(Memory::Shared, kMaxSharedBytes, "shared", "block");
  check(Memory::Local, kMostLocalBytes, "local", "thread");
}

}  // namespace selvage
