#include <selvage/runtime/packed.h>
#include <selvage/runtime/packed_kernels.h>

#include <limits>
#include <string>

namespace selvage {

namespace {

constexpr std::uint64_t kInt = std::numeric_limits<int>::max();
constexpr std::uint64_t kInt64 = std::numeric_limits<std::int64_t>::max();

void pack(Packer& to, const std::vector<std::string>& texts) {
  to.number(texts.size());
  for (const std::string& text : texts) to.text(text);
}

std::vector<std::string> take_texts(Unpacker& from) {
  std::vector<std::string> texts;
  for (std::size_t n = from.count(); n > 0 && from.good(); --n) texts.push_back(from.text());
  return texts;
}

void pack(Packer& to, const KernelResources& used) {
  to.text(used.name);
  to.number(static_cast<std::uint64_t>(used.registers));
  for (const std::int64_t bytes :
       {used.stack_bytes, used.spill_store_bytes, used.spill_load_bytes, used.shared_bytes}) {
    to.number(static_cast<std::uint64_t>(bytes));
  }
  to.number(static_cast<std::uint64_t>(used.barriers));
}

KernelResources take_resources(Unpacker& from) {
  KernelResources used;
  used.name = from.text();
  used.registers = static_cast<int>(from.number(kInt));
  for (std::int64_t* bytes :
       {&used.stack_bytes, &used.spill_store_bytes, &used.spill_load_bytes, &used.shared_bytes}) {
    *bytes = static_cast<std::int64_t>(from.number(kInt64));
  }
  used.barriers = static_cast<int>(from.number(kInt));
  return used;
}

void pack(Packer& to, const CompiledKernels& kernels) {
  to.bytes(kernels.cubin);
  to.text(kernels.ptx);
  to.text(kernels.log);
  to.number(kernels.kernels.size());
  for (const KernelResources& used : kernels.kernels) pack(to, used);
}

CompiledKernels take_kernels(Unpacker& from) {
  CompiledKernels kernels;
  const auto cubin = from.bytes();
  kernels.cubin.assign(cubin.begin(), cubin.end());
  kernels.ptx = from.text();
  kernels.log = from.text();
  for (std::size_t n = from.count(); n > 0 && from.good(); --n) {
    kernels.kernels.push_back(take_resources(from));
  }
  return kernels;
}

// The value, if the bytes held it and nothing more.
template <typename Value>
std::optional<Value> whole(const Unpacker& from, Value value) {
  if (!from.finished()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::byte> packed(const CompiledKernels& kernels) {
  Packer to;
  pack(to, kernels);
  return to.take();
}

std::optional<CompiledKernels> unpacked_kernels(std::span<const std::byte> bytes) {
  Unpacker from(bytes);
  CompiledKernels kernels = take_kernels(from);
  return whole(from, std::move(kernels));
}

std::vector<std::byte> packed(const CompileRequest& request) {
  Packer to;
  to.number(request.sources.size());
  for (const KernelSource& source : request.sources) {
    to.text(source.text);
    to.text(source.name);
    pack(to, source.parameter_types);
  }
  to.text(request.options.arch);
  to.number(request.options.fmad);
  to.number(request.options.ptx);
  pack(to, request.options.more);
  return to.take();
}

std::optional<CompileRequest> unpacked_request(std::span<const std::byte> bytes) {
  Unpacker from(bytes);
  CompileRequest request;
  for (std::size_t n = from.count(); n > 0 && from.good(); --n) {
    KernelSource source;
    source.text = from.text();
    source.name = from.text();
    source.parameter_types = take_texts(from);
    request.sources.push_back(std::move(source));
  }
  request.options.arch = from.text();
  request.options.fmad = from.number(1) == 1;
  request.options.ptx = from.number(1) == 1;
  request.options.more = take_texts(from);
  return whole(from, std::move(request));
}

}  // namespace selvage
