#include "tests/threads/engine_side.h"

#include <selvage/emulate/emulate.h>
#include <selvage/runtime/bound_kernel.h>
#include <selvage/runtime/virtual_device.h>

namespace selvage::thread_oracle {

EngineCase engine_case(const std::string& yaml) {
  EngineCase engine;
  try {
    engine.file = read_schedule_text(yaml, "random.yaml");
  } catch (const BadFile& bad) {
    for (const Diagnostic& d : bad.diagnostics()) engine.refusal += d.code + " ";
    return engine;
  }
  try {
    engine.lowered = lower_threads(*engine.file.threads, {.counts = true});
  } catch (const std::exception& failure) {
    engine.failure = failure.what();
    return engine;
  }
  for (const Diagnostic& d : engine.lowered.diagnostics) {
    if (d.severity != Severity::Error) continue;
    engine.refusal += d.code + " ";
    const bool is_unproved = d.message.find("not proved") != std::string::npos;
    engine.is_unproved = engine.is_unproved || is_unproved;
  }
  return engine;
}

namespace {

class EngineRun {
 public:
  EngineRun(const Kernel& kernel, const ThreadCase& program, SizeValues sizes)
      : kernel_(kernel), sizes_(std::move(sizes)) {
    for (std::size_t a = 0; a < program.arrays.size(); ++a) {
      const ArrayOf& array = program.arrays[a];
      if (array.memory != ArrayOf::Memory::Global) {
        memory_.emplace_back();
        continue;
      }
      memory_.emplace_back(DataType::Int32, std::vector{array.size()});
      for (std::int64_t k = 0; k < array.size(); ++k) {
        memory_.back().set_int(k, initial_value(int(a), k));
      }
    }
    memory_.emplace_back(DataType::Int32, std::vector{*sizes_(kernel.buffers.back().elements)});
  }

  void emulate_all(std::uint64_t seed, std::string& faults) {
    std::vector<Array*> buffers;
    for (std::size_t b = 0; b < memory_.size(); ++b) {
      buffers.push_back(kernel_.buffers[b].memory == Memory::Global ? &memory_[b] : nullptr);
    }
    std::map<std::string, std::int64_t> sizes;
    for (std::size_t k = 0; k < sizes_.symbols.size(); ++k) {
      sizes[std::string(sizes_.symbols[k].name())] = sizes_.values[k];
    }
    const Emulation emulation =
        emulate(kernel_, sizes, buffers, {.order = RunOrder::from_seed(seed)});
    for (const Fault& fault : emulation.faults) faults += fault.text + "\n";
  }
  void launch(VirtualKernel& kernel, std::uint64_t seed) {
    std::vector<std::size_t> numbers;
    std::vector<std::uint64_t> addresses;
    for (Array& a : memory_) {
      numbers.push_back(numbers.size());
      addresses.push_back(reinterpret_cast<std::uint64_t>(a.bytes.data()));
    }
    const BoundKernel bound(kernel_, sizes_, numbers);
    BoundKernel::Arguments arguments;
    bound.write(addresses, nullptr, arguments);
    kernel.launch(bound.shape(), arguments.values, {seed, 1});
  }
  std::vector<Array>& memory() { return memory_; }
  void set_sizes(SizeValues sizes) { sizes_ = std::move(sizes); }

 private:
  const Kernel& kernel_;
  SizeValues sizes_;
  std::vector<Array> memory_;
};

}  // namespace

Outcome run_engine(const EngineCase& engine, const ThreadCase& program, const Numbering& numbering,
                   const std::vector<std::int64_t>& symbol_values, Place where, std::uint64_t seed,
                   std::string& faults) {
  const Kernel& kernel = *engine.lowered.kernel;
  SizeValues sizes;
  sizes.symbols = kernel.sizes;
  sizes.values = symbol_values;
  const std::size_t first = symbol_values.size();
  std::vector<std::int64_t> devices;  // extents
  for (std::size_t k = first; k < kernel.sizes.size(); ++k) {
    devices.push_back(kernel.facts.find(kernel.sizes[k])->range.hi + 1);
    sizes.values.push_back(0);
  }
  EngineRun run(kernel, program, sizes);
  std::optional<VirtualKernel> compiled;
  if (where == Place::VirtualDevice) compiled.emplace(source_of(kernel));
  for (bool has_more = true; has_more;) {
    run.set_sizes(sizes);
    if (compiled) {
      try {
        run.launch(*compiled, seed);
      } catch (const Error& error) {
        faults += error.what();
      }
    } else {
      run.emulate_all(seed, faults);
    }
    has_more = false;
    for (std::size_t k = devices.size(); k-- > 0 && !has_more;) {
      has_more = ++sizes.values[first + k] < devices[k];
      if (!has_more) sizes.values[first + k] = 0;
    }
  }
  Outcome out;
  for (std::size_t a = 0; a < program.arrays.size(); ++a) {
    auto& values = out.arrays.emplace_back();
    const Array& array = run.memory()[a];
    if (program.arrays[a].memory != ArrayOf::Memory::Global) continue;
    for (std::int64_t k = 0; k < array.size(); ++k) values.push_back(array.get_int(k));
  }
  const Array& counts = run.memory().back();
  const std::size_t threads = std::size_t(numbering.threads());
  for (std::size_t r = 0; r < engine.lowered.regions.size(); ++r) {
    auto& executed = out.executed.emplace_back();
    for (std::size_t t = 0; t < threads; ++t) {
      executed.push_back(counts.get_int(std::int64_t(r * threads + t)));
    }
  }
  return out;
}

// ---- barriers ----

namespace {

// Walks the statements; counts barriers, and takes out the one that is asked for.
bool visit_barriers(Body& body, std::size_t& number, std::size_t wanted) {
  for (std::size_t k = 0; k < body.size(); ++k) {
    auto& node = body[k].node;
    if (std::holds_alternative<Barrier>(node)) {
      if (number++ != wanted) continue;
      body.erase(body.begin() + std::ptrdiff_t(k));
      return true;
    }
    if (auto* loop = std::get_if<Loop>(&node)) {
      if (visit_barriers(loop->body, number, wanted)) return true;
    }
    if (auto* guard = std::get_if<Guard>(&node)) {
      if (visit_barriers(guard->body, number, wanted)) return true;
      if (visit_barriers(guard->otherwise, number, wanted)) return true;
    }
  }
  return false;
}

}  // namespace

std::size_t barrier_count(const Kernel& kernel) {
  Body body = kernel.body;
  std::size_t number = 0;
  visit_barriers(body, number, std::size_t(-1));
  return number;
}

Kernel without_barrier(Kernel kernel, std::size_t wanted) {
  std::size_t number = 0;
  visit_barriers(kernel.body, number, wanted);
  return kernel;
}

}  // namespace selvage::thread_oracle
