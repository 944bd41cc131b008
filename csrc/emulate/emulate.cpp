#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/emulate/compiled.h>
#include <selvage/emulate/emulate.h>
#include <selvage/emulate/memory.h>
#include <selvage/expr/text.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace selvage {

namespace {

using Index3 = std::array<std::int64_t, 3>;

class Machine {
 public:
  Machine(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
          std::span<Array* const> buffers)
      : kernel_(kernel), compiled_(compile_kernel(kernel)), slots_(compiled_.names.size()) {
    for (Expr size : kernel.sizes) {
      const auto it = sizes.find(std::string(size.name()));
      SELVAGE_CHECK(it != sizes.end());
      slots_[compiled_.slots.at(size.id())] = it->second;
    }
    grid_ = extents(kernel.launch.grid);
    threads_ = extents(kernel.launch.block);
    prepare_buffers(buffers);
  }

  Emulation run() {
    for_each(grid_, block_, [&] {
      restart(Memory::Shared);
      for_each(threads_, thread_, [&] {
        restart(Memory::Local);
        ++thread_number_;
        run(compiled_.body);
      });
    });
    for (const CheckedBuffer& buffer : buffers_) {
      auto& visits = out_.visits.emplace_back();
      for (const auto& cell : buffer.cells) visits.push_back(cell.visits);
    }
    return std::move(out_);
  }

 private:
  std::int64_t number(Expr e) {
    Indices indices({e}, compiled_.slots);
    SELVAGE_CHECK(indices.evaluate(slots_));
    return indices[0];
  }
  Index3 extents(const std::array<Expr, 3>& of) {
    return {number(of[0]), number(of[1]), number(of[2])};
  }
  // x varies fastest.
  template <class F>
  static void for_each(const Index3& extents, Index3& at, F f) {
    for (at[2] = 0; at[2] < extents[2]; ++at[2]) {
      for (at[1] = 0; at[1] < extents[1]; ++at[1]) {
        for (at[0] = 0; at[0] < extents[0]; ++at[0]) f();
      }
    }
  }

  void prepare_buffers(std::span<Array* const> arrays) {
    SELVAGE_CHECK(arrays.size() == kernel_.buffers.size());
    own_.resize(arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const Buffer& buffer = kernel_.buffers[i];
      CheckedBuffer checked{.array = arrays[i], .elements = number(buffer.elements), .cells = {}};
      if (buffer.memory != Memory::Global) {
        own_[i] = Array(buffer.type, {checked.elements});
        checked.array = &own_[i];
      }
      SELVAGE_CHECK(checked.array != nullptr && checked.array->type == buffer.type &&
                    checked.array->size() >= checked.elements);
      if (buffer.is_written) checked.cells.resize(std::size_t(checked.elements));
      buffers_.push_back(std::move(checked));
    }
  }
  void restart(Memory memory) {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (kernel_.buffers[i].memory == memory) buffers_[i].forget();
    }
  }

  void run(CompiledBody& body) {
    using Kind = CompiledStatement::Kind;
    const std::size_t outer = scope_.size();
    for (CompiledStatement& s : body) {
      if (s.kind != Kind::Bound && !s.indices.evaluate(slots_)) {
        report_index(s);
        continue;
      }
      switch (s.kind) {
        case Kind::Run: {
          const std::int64_t extent = s.indices[0];
          scope_.push_back(s.slot);
          for (std::int64_t i = s.indices[1]; i < extent; ++i) {
            slots_[s.slot] = i;
            run(s.body);
          }
          scope_.pop_back();
          break;
        }
        case Kind::Bound: {
          const auto k = std::size_t(axis(s.parallel));
          slots_[s.slot] = is_block(s.parallel) ? block_[k] : thread_[k];
          scope_.push_back(s.slot);
          run(s.body);
          scope_.pop_back();
          break;
        }
        case Kind::Define:
          slots_[s.slot] = s.indices[0];
          scope_.push_back(s.slot);
          break;
        case Kind::Guard: run(s.indices[0] != 0 ? s.body : s.otherwise); break;
        case Kind::Store: store(s); break;
        case Kind::Transfer: transfer(s); break;
        case Kind::Barrier:
        case Kind::Shuffle: SELVAGE_CHECK(!"a statement that threads run one after the other");
      }
    }
    scope_.resize(outer);
  }

  void store(CompiledStatement& s) {
    ++out_.stores;
    const BufferId b = s.store->buffer;
    const std::int64_t address = s.indices[0];
    check_valid(s, s.store->valid, b, address);
    ++stamp_;
    const Scalar value =
        convert(compute(s, std::uint32_t(s.operations.size() - 1)), kernel_.buffers[b].type);
    write(b, address, value, s.store->duplicates_allowed);
  }

  void transfer(CompiledStatement& s) {
    const Transfer& t = *s.transfer;
    const std::int64_t to = s.indices[0], from = s.indices[1];
    for (const auto& [buffer, address] : {std::pair(t.to, to), std::pair(t.from, from)}) {
      if (*euclid_mod(address, t.width) == 0) continue;
      report(FaultKind::Misaligned, buffer, address,
             fmt::format("begins an access of {} elements and is no multiple of {}", t.width,
                         t.width));
    }
    scope_.push_back(s.slot);
    for (std::int64_t lane = 0; lane < t.width; ++lane) {
      slots_[s.slot] = lane;
      if (kernel_.buffers[t.to].memory == Memory::Global) ++out_.stores;
      check_valid(s, t.valid, t.to, to + lane);
      write(t.to, to + lane, read(t.from, from + lane), t.duplicates_allowed);
    }
    scope_.pop_back();
  }

  void write(BufferId b, std::int64_t address, Scalar value, bool duplicates_allowed) {
    CheckedBuffer& buffer = buffers_[b];
    if (!buffer.has(address)) return out_of_bounds(b, address);
    SELVAGE_CHECK(!buffer.cells.empty());  // is_written
    CheckedBuffer::Cell& cell = buffer.cells[std::size_t(address)];
    // What a thread has for itself alone it may write as often as it likes.
    if (cell.visits++ > 0 && kernel_.buffers[b].memory != Memory::Local) {
      check_second_write(b, duplicates_allowed, cell, value, address);
    }
    if (cell.reader != CheckedBuffer::kNobody && cell.reader != thread_number_) {
      report(FaultKind::Race, b, address, "is read by one thread and written by another");
    }
    cell.writer = thread_number_;
    store_element(*buffer.array, address, value);
  }

  void check_valid(CompiledStatement& s, const std::vector<Expr>& valid, BufferId b,
                   std::int64_t address) {
    if (valid.empty()) return;
    const bool defined = s.valid.evaluate(slots_);
    for (std::size_t i = 0; i < valid.size(); ++i) {
      if (defined && s.valid[i] != 0) continue;
      return report(FaultKind::Hole, b, address,
                    "is stored at a hole: " + to_string(defined ? valid[i] : s.valid.stopped_at()) +
                        (defined ? " is false" : " is undefined"));
    }
  }
  void check_second_write(BufferId b, bool duplicates_allowed, const CheckedBuffer::Cell& cell,
                          Scalar value, std::int64_t address) {
    if (!duplicates_allowed) {
      return report(FaultKind::DoubleWrite, b, address,
                    cell.writer == thread_number_ ? "is written twice by one thread"
                                                  : "is written by two threads");
    }
    const Array& array = *buffers_[b].array;
    Array once(array.type, {1});
    store_element(once, 0, value);
    const auto size = once.bytes.size();
    if (std::memcmp(once.bytes.data(), array.bytes.data() + std::size_t(address) * size, size) !=
        0) {
      report(FaultKind::DoubleWrite, b, address, "is written again with another value");
    }
  }

  // The value of an operation; a select asks for one branch only, as C does.
  Scalar compute(CompiledStatement& s, std::uint32_t at) {
    Operation& op = s.operations[at];
    if (op.kind == ValueNode::Kind::Constant || op.stamp == stamp_) return op.value;
    switch (op.kind) {
      case ValueNode::Kind::Constant: break;
      case ValueNode::Kind::Index: op.value = Scalar::of(op.type, s.indices[op.index]); break;
      case ValueNode::Kind::Read: op.value = read(op.source, s.indices[op.index]); break;
      case ValueNode::Kind::Cast: op.value = convert(compute(s, op.operands[0]), op.type); break;
      case ValueNode::Kind::Apply: op.value = apply_operation(s, op); break;
    }
    op.stamp = stamp_;
    return op.value;
  }
  Scalar apply_operation(CompiledStatement& s, const Operation& op) {
    if (op.function == Function::Select) {
      const bool first = compute(s, op.operands[0]).integer != 0;
      return compute(s, op.operands[first ? 1 : 2]);
    }
    std::array<Scalar, 3> operands{};
    const auto arity = std::size_t(info(op.function).arity);
    for (std::size_t i = 0; i < arity; ++i) operands[i] = compute(s, op.operands[i]);
    return selvage::apply(op.function, std::span(operands.data(), arity));
  }

  Scalar read(BufferId b, std::int64_t address) {
    CheckedBuffer& buffer = buffers_[b];
    if (!buffer.has(address)) {
      out_of_bounds(b, address);
      return Scalar::of(compute_type(buffer.array->type), 0);
    }
    if (!buffer.cells.empty()) {
      CheckedBuffer::Cell& cell = buffer.cells[std::size_t(address)];
      if (cell.visits == 0) {
        report(FaultKind::Uninitialised, b, address, "is read before anything is stored there");
      } else if (cell.writer != thread_number_) {
        report(FaultKind::Race, b, address, "is written by one thread and read by another");
      }
      const bool first = cell.reader == CheckedBuffer::kNobody || cell.reader == thread_number_;
      cell.reader = first ? thread_number_ : CheckedBuffer::kSeveral;
    }
    return load_element(*buffer.array, address);
  }

  void out_of_bounds(BufferId b, std::int64_t address) {
    report(FaultKind::OutOfBounds, b, address,
           fmt::format("is out of bounds: there are {} elements", buffers_[b].elements));
  }
  void report(FaultKind kind, BufferId b, std::int64_t address, const std::string& what) {
    if (++out_.fault_count > std::int64_t(Emulation::kMostFaults)) return;
    Fault fault = here(kind);
    fault.buffer = kernel_.buffers[b].name;
    fault.address = address;
    fault.text = fmt::format("{}[{}] {}, {}", fault.buffer, address, what, fault.text);
    out_.faults.push_back(std::move(fault));
  }
  void report_index(const CompiledStatement& s) {
    if (++out_.fault_count > std::int64_t(Emulation::kMostFaults)) return;
    Fault fault = here(FaultKind::Overflow);
    const int bits = kernel_.index_type == IndexType::Int32 ? 32 : 64;
    fault.text = fmt::format("{} is undefined or leaves {} bits, {}",
                             to_string(s.indices.stopped_at()), bits, fault.text);
    out_.faults.push_back(std::move(fault));
  }
  Fault here(FaultKind kind) const {
    Fault fault{
        .kind = kind, .buffer = {}, .block = block_, .thread = thread_, .point = {}, .text = {}};
    fault.text = fmt::format("at block ({}), thread ({})", fmt::join(block_, ", "),
                             fmt::join(thread_, ", "));
    for (std::uint32_t slot : scope_) {
      fault.point.emplace_back(compiled_.names[slot], slots_[slot]);
      fault.text += fmt::format(", {} = {}", compiled_.names[slot], slots_[slot]);
    }
    return fault;
  }

  const Kernel& kernel_;
  CompiledKernel compiled_;
  std::vector<std::int64_t> slots_;
  std::vector<std::uint32_t> scope_;  // slots of the variables in scope
  std::vector<CheckedBuffer> buffers_;
  std::vector<Array> own_;  // shared and local memory
  Index3 grid_{}, threads_{}, block_{}, thread_{};
  std::int64_t thread_number_ = -1;  // of the whole launch
  std::uint64_t stamp_ = 0;
  Emulation out_;
};

}  // namespace

Emulation emulate(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
                  std::span<Array* const> buffers) {
  return Machine(kernel, sizes, buffers).run();
}

}  // namespace selvage
