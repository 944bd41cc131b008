#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/codegen/buffer_text.h>
#include <selvage/codegen/head_text.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/statements.h>

#include <fmt/format.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kSmall = 1024;  // bytes of an array in shared memory

std::int64_t bytes_of(const Buffer& b) { return b.elements.value() * size_of(b.type); }

}  // namespace

BufferText::BufferText(const Kernel& kernel, Names& names, Helpers& helpers)
    : kernel_(kernel),
      moved_(kernel.buffers.size()),
      is_accessed_(kernel.buffers.size(), false),
      alignments_(shared_alignments(kernel)),
      offsets_(kernel.buffers.size()) {
  note_moves();
  place_in_pool();
  for_each_statement(kernel.body, [&](const Statement& s) {
    for_each_access(s, kernel.values,
                    [&](const StatementAccess& a) { is_accessed_[a.buffer] = true; });
  });
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    forms_.push_back(form(b));
    names_.push_back(is_left(b) ? names.declare(kernel.buffers[b].name) : "");
  }
  declare_pool(names);
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) declare(b, helpers);
}

// Not registers that no statement mentions any more.
bool BufferText::is_left(std::size_t b) const {
  return kernel_.buffers[b].memory != Memory::Local || is_accessed_[b];
}

void BufferText::note_moves() {
  for_each_statement(kernel_.body, [&](const Statement& s) {
    for (const StatementAccess& a : parts_of(s).accesses) {
      if (!a.is_moved) continue;
      const Buffer& buffer = kernel_.buffers[a.buffer];
      Moved& moved = moved_[a.buffer];
      moved.as_a_whole = moved.as_a_whole || buffer.elements.is_const(a.width);
      moved.alignment = std::max(moved.alignment, a.alignment * size_of(buffer.type));
    }
  });
}

BufferText::Form BufferText::form(std::size_t b) const {
  const Buffer& buffer = kernel_.buffers[b];
  if (buffer.memory == Memory::Global || offsets_[b] || buffer.in_workspace) return Form::Pointer;
  SELVAGE_CHECK(buffer.elements.is(Op::Const));
  if (buffer.memory == Memory::Shared) return Form::Array;
  if (moved_[b].as_a_whole) return Form::Lanes;
  return buffer.elements.is_const(1) ? Form::Variable : Form::Array;
}

void BufferText::place_in_pool() {
  is_dynamic_ = !kernel_.launch.shared_bytes.is_const(0);
  std::vector<std::size_t> small;
  for (std::size_t b = 0; b < kernel_.buffers.size(); ++b) {
    const Buffer& buffer = kernel_.buffers[b];
    if (buffer.memory != Memory::Shared || buffer.in_workspace) continue;
    SELVAGE_CHECK(buffer.elements.is(Op::Const));
    if (buffer.offset) {
      offsets_[b] = buffer.offset;
      pool_bytes_ = std::max(pool_bytes_, *buffer.offset + bytes_of(buffer));
      pool_alignment_ = std::max(pool_alignment_, alignments_[b]);
    } else if (bytes_of(buffer) <= kSmall) {
      small.push_back(b);
    }
  }
  if (is_dynamic_ || small.size() < 2) return;
  for (std::size_t b : small) {
    offsets_[b] = ceil_div(pool_bytes_, alignments_[b]) * alignments_[b];
    pool_alignment_ = std::max(pool_alignment_, alignments_[b]);
    pool_bytes_ = *offsets_[b] + bytes_of(kernel_.buffers[b]);
  }
}

void BufferText::declare_pool(Names& names) {
  if (pool_bytes_ == 0) return;
  pool_ = names.declare("shared_pool");
  if (kernel_.launch.is_cluster) {
    declarations_.push_back(fmt::format("RANK_SHARED({}, unsigned char, {}, {});", pool_alignment_,
                                        pool_, kernel_.launch.shared_bytes.value()));
    return;
  }
  const char* form = is_aligned_dynamic() ? "ALIGNED_DYNAMIC_SHARED({0}, unsigned char, {1});"
                     : is_dynamic_        ? "DYNAMIC_SHARED(unsigned char, {1});"
                                          : "__shared__ __align__({0}) unsigned char {1}[{2}];";
  declarations_.push_back(fmt::format(fmt::runtime(form), pool_alignment_, pool_, pool_bytes_));
}

const char* BufferText::dynamic_head() const {
  if (kernel_.launch.is_cluster) return "";
  return is_aligned_dynamic() ? kAlignedDynamicShared : is_dynamic_ ? kDynamicShared : "";
}

// Whether no other parameter points at the same memory.
bool BufferText::is_alone(std::size_t b) const {
  return !kernel_.buffers[b].replaces &&
         std::ranges::none_of(kernel_.buffers, [&](const Buffer& x) { return x.replaces == b; });
}

void BufferText::declare(std::size_t b, Helpers& helpers) {
  if (!is_left(b)) return;
  const Buffer& buffer = kernel_.buffers[b];
  const std::string& name = names_[b];
  const std::string type(c_storage_type(buffer.type));
  const auto line = [&](std::string text) { declarations_.push_back(std::move(text)); };
  if (buffer.memory == Memory::Global) {
    const std::string pointer = (buffer.is_written ? "" : "const ") + type + "*";
    parameters_.push_back({pointer, pointer + (is_alone(b) ? " __restrict__ " : " ") + name});
    return;
  }
  if (buffer.in_workspace) {
    const auto all = std::ranges::find_if(kernel_.buffers, &Buffer::is_workspace);
    return line(fmt::format("{0}* const {1} = ({0}*)({2} + {3}LL * blockIdx.x + {4});", type, name,
                            names_[std::size_t(all - kernel_.buffers.begin())],
                            kernel_.launch.workspace->bytes, *buffer.in_workspace));
  }
  const std::string elements = fmt::format("{}[{}];", name, buffer.elements.value());
  switch (forms_[b]) {
    case Form::Pointer:
      return line(
          fmt::format("{0}* const {1} = ({0}*)({2} + {3});", type, name, pool_, *offsets_[b]));
    case Form::Lanes:
      helpers.use_vector(buffer.type, buffer.elements.value());
      return line(Helpers::vector_type(buffer.type, buffer.elements.value()) + " " + name + ";");
    case Form::Variable: return line(type + " " + name + ";");
    case Form::Array: break;
  }
  if (buffer.memory == Memory::Shared) {
    return line(fmt::format("__shared__ __align__({}) {} {}", alignments_[b], type, elements));
  }
  const std::int64_t alignment = moved_[b].alignment;
  line((alignment > 0 ? fmt::format("__align__({}) ", alignment) : "") + type + " " + elements);
}

std::string BufferText::element(BufferId b, const std::string& at) const {
  switch (forms_[b]) {
    case Form::Pointer:
    case Form::Array:
    case Form::Lanes: return pointer(b) + "[" + at + "]";
    case Form::Variable: return names_[b];
  }
  return {};
}

std::string BufferText::read(BufferId b, const std::string& at) const {
  const std::string place = element(b, at);
  return kernel_.buffers[b].is_read_once ? "__ldcs(&" + place + ")" : place;
}

std::string BufferText::read_in_rank(BufferId b, const std::string& at,
                                     const std::string& rank) const {
  return fmt::format("*(const {}*)in_rank(&{}, {}, {})", c_storage_type(kernel_.buffers[b].type),
                     element(b, at), rank, kernel_.launch.shared_bytes.value());
}

std::string BufferText::whole(BufferId b, std::int64_t width) const {
  return forms_[b] == Form::Lanes && kernel_.buffers[b].elements.is_const(width) ? names_[b]
                                                                                 : std::string();
}

}  // namespace selvage
