#include <selvage/codegen/atomics.h>
#include <selvage/codegen/event_text.h>
#include <selvage/codegen/head_text.h>
#include <selvage/kernel/ranks.h>
#include <selvage/kernel/statements.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace selvage {

namespace {

// The word of PTX for a type that bulk copies combine (lower/combined_copies.h). Sums of signed
// integers of 64 bits are those of unsigned ones.
std::string bulk_type(Function f, DataType type) {
  const std::int64_t bytes = size_of(type);
  const bool is_unsigned =
      type == DataType::UInt32 || type == DataType::UInt64 || (f == Function::Add && bytes == 8);
  return (is_floating(type) ? "f" : is_unsigned ? "u" : "s") + std::to_string(8 * bytes);
}

std::string_view word_of(ThreadQueue queue) {
  switch (queue) {
    case ThreadQueue::Copies: return "copy";
    case ThreadQueue::Stores: return "store";
    case ThreadQueue::Products: break;
  }
  return "mma";
}

}  // namespace

std::vector<std::string> EventText::objects() {
  for_each_statement(kernel_.body, [&](const Statement& s) {
    const auto* arrive = std::get_if<Arrive>(&s.node);
    if (arrive == nullptr || !arrive->object || !arrive->object->rank.valid()) return;
    of_ranks_.insert(arrive->object->buffer);
  });
  std::vector<std::string> lines;
  for (BufferId b = 0; b < kernel_.buffers.size(); ++b) {
    const Buffer& objects = kernel_.buffers[b];
    if (!objects.arrivals) continue;
    for (std::int64_t k = 0; k < objects.elements.value(); ++k) {
      lines.push_back(fmt::format("init_object(&{}, {});", buffers_.element(b, std::to_string(k)),
                                  *objects.arrivals));
    }
  }
  has_objects_ = !lines.empty();
  if (has_objects_) lines.emplace_back("publish_objects();");
  return lines;
}

std::string EventText::meet() const {
  return has_multicast(kernel_.body) || !of_ranks_.empty() ? "sync_cluster();" : "__syncthreads();";
}

std::string EventText::object(const BarrierObject& o) const {
  return "&" + buffers_.element(o.buffer, index_.write_converted(o.address).text);
}

std::string EventText::arrive(const Arrive& arrive) const {
  if (!arrive.object) return fmt::format("end_{}_group();", word_of(arrive.queue));
  const std::string own = object(*arrive.object);
  if (arrive.object->rank.valid()) {
    return fmt::format("arrive_in_rank({}, {}, {});", own,
                       index_.write_converted(arrive.object->rank).text,
                       kernel_.launch.shared_bytes.value());
  }
  if (arrive.of_copies) return fmt::format("arrive_with_copies({});", own);
  if (!arrive.bytes.valid()) return fmt::format("arrive_at({});", own);
  return fmt::format("arrive_announcing({}, {});", own, index_.write(arrive.bytes).text);
}

std::vector<std::string> EventText::wait(const Wait& wait) const {
  if (!wait.object) {
    const bool is_for_reads = wait.queue == ThreadQueue::Stores && !reads_stores();
    std::vector<std::string> lines = {fmt::format("wait_for_{}_{}({});", word_of(wait.queue),
                                                  is_for_reads ? "reads" : "groups", wait.pending)};
    if (wait.queue != ThreadQueue::Products || wait.pending > 0) return lines;
    std::ranges::move(mma_.results(), std::back_inserter(lines));
    return lines;
  }
  const std::string own = object(*wait.object);
  const CText phase = index_.write_converted(wait.phase);
  const bool is_parity = wait.phase.is(Op::Mod) && wait.phase[1].is_const(2);
  const std::string parity =
      is_parity ? phase.text : inside(phase, info(Op::Mul).precedence) + " & 1";
  const bool is_of_ranks = of_ranks_.contains(wait.object->buffer);
  return {fmt::format("wait_for_{}({}, {});", is_of_ranks ? "ranks" : "phase", own, parity)};
}

std::vector<std::string> EventText::copy(const AsyncCopy& copy, const std::string& bytes,
                                         bool is_of_own_rank) {
  const Transfer& t = copy.copy;
  const std::int64_t each = t.width * size_of(kernel_.buffers[t.to].type);
  const std::string all = bytes.empty() ? std::to_string(each) : bytes;
  if (copy.is_store) return {copy.box ? store_box(copy) : store_bytes(copy, all)};
  const std::string to = place(t.to, t.to_address);
  const std::string from = copy.box ? "" : place(t.from, t.from_address);
  if (!copy.object) {
    has_groups_ = true;
    return {each == 16 ? fmt::format("begin_copy_16({}, {});", to, from)
                       : fmt::format("begin_copy({}, {}, {});", each, to, from)};
  }
  const std::string own = object(*copy.object);
  const bool is_multicast = copy.by_rank.valid();
  std::vector<std::string> lines;
  if (copy.announces) {
    const std::string times = is_of_own_rank ? ranks() + " * " : "";
    lines.push_back(fmt::format("announce_bytes({}, {}{});", own, times, all));
  }
  std::string begin = copy.box ? begin_box(copy)
                      : is_multicast
                          ? fmt::format("begin_copy_to_ranks({}, {}, {}, {}, {}, {});", all, to,
                                        from, own, ranks(), kernel_.launch.shared_bytes.value())
                          : fmt::format("begin_bulk_copy({}, {}, {}, {});", all, to, from, own);
  if (is_multicast && !is_of_own_rank) {
    const CText rank = index_.write_converted(copy.by_rank);
    begin = fmt::format("if ({} == cluster_rank()) {}", inside(rank, info(Op::Eq).precedence + 1),
                        begin);
  }
  lines.push_back(std::move(begin));
  has_multicasts_ = has_multicasts_ || (is_multicast && !copy.box);
  return lines;
}
std::string EventText::ranks() const { return std::to_string(kernel_.launch.ranks()); }

// The corner is an int along each dimension, the innermost one first.
std::string EventText::corner(const AsyncCopy::Box& box) {
  std::string corner;
  for (std::size_t k = box.corner.size(); k-- > 0;) {
    corner += ", " + index_.write_converted(box.corner[k]).text;
  }
  return corner;
}
std::string EventText::begin_box(const AsyncCopy& copy) {
  const std::size_t rank = copy.box->corner.size();
  if (copy.by_rank.valid()) {
    multicast_ranks_.insert(rank);
    return fmt::format("begin_box_to_ranks_{}({}, &{}, {}, {}, {}{});", rank,
                       place(copy.copy.to, copy.copy.to_address), maps_[copy.box->map],
                       object(*copy.object), ranks(), kernel_.launch.shared_bytes.value(),
                       corner(*copy.box));
  }
  loaded_ranks_.insert(rank);
  return fmt::format("begin_box_copy_{}({}, &{}, {}{});", rank,
                     place(copy.copy.to, copy.copy.to_address), maps_[copy.box->map],
                     object(*copy.object), corner(*copy.box));
}
std::string EventText::store_box(const AsyncCopy& copy) {
  const std::size_t rank = copy.box->corner.size();
  (copy.atomic ? combined_ranks_ : stored_ranks_).insert(rank);
  const std::string name = copy.atomic ? "combine_box" : "store_box";
  const std::string function = copy.atomic ? std::string(atomic_word(*copy.atomic)) + ", " : "";
  return fmt::format("{}_{}({}&{}, {}{});", name, rank, function, maps_[copy.box->map],
                     place(copy.copy.from, copy.copy.from_address), corner(*copy.box));
}

std::string EventText::store_bytes(const AsyncCopy& copy, const std::string& bytes) {
  has_bulk_stores_ = true;
  const Transfer& t = copy.copy;
  const std::string to = place(t.to, t.to_address), from = place(t.from, t.from_address);
  if (!copy.atomic) return fmt::format("store_bytes({}, {}, {});", bytes, to, from);
  return fmt::format("combine_bytes({}, {}, {}, {}, {});", atomic_word(*copy.atomic),
                     bulk_type(*copy.atomic, kernel_.buffers[t.to].type), bytes, to, from);
}

// Whether the kernel reads what it stores by copies. If not, a tile may be written again once it
// has been read, and nobody waits for the stores.
bool EventText::reads_stores() const {
  bool reads = false;
  for_each_statement(kernel_.body, [&](const Statement& s) {
    for_each_access(s, kernel_.values, [&](const StatementAccess& a) {
      const Buffer& b = kernel_.buffers[a.buffer];
      reads = reads || (a.kind == AccessKind::Read && b.memory == Memory::Global && b.is_written);
    });
  });
  return reads;
}

// Whether the async proxy copies, or is waited for.
bool EventText::uses_proxy() const {
  bool uses = false;
  for_each_statement(kernel_.body, [&](const Statement& s) {
    const auto* copy = std::get_if<AsyncCopy>(&s.node);
    const auto* arrive = std::get_if<Arrive>(&s.node);
    uses = uses || std::holds_alternative<ProxyFence>(s.node) ||
           (copy != nullptr && copy->is_by_proxy()) || (arrive != nullptr && arrive->bytes.valid());
  });
  return uses;
}

namespace {

struct Corner {
  std::string names, places, values;
};
Corner corner_of(std::size_t rank, std::size_t first) {
  Corner c;
  for (std::size_t k = 0; k < rank; ++k) {
    c.names += fmt::format(", c{}", k);
    c.places += fmt::format("{}%{}", k == 0 ? "" : ", ", k + first);
    c.values += fmt::format(", \"r\"((int)(c{}))", k);
  }
  return c;
}

// Copies by tensor maps (cp.async.bulk.tensor), from sm_90 on. `to_ranks`: each to the same place
// in every block of a cluster of so many.
std::string box_head(std::size_t rank, bool to_ranks) {
  const auto [names, places, values] = corner_of(rank, to_ranks ? 4 : 3);
  return fmt::format(
      "#ifndef begin_box_{3}_{0}\n"
      "#define begin_box_{3}_{0}(to, map, object{4}{1}) \\\n"
      "  asm volatile(\"cp.async.bulk.tensor.{0}d.shared::cluster.global.tile.\" \\\n"
      "               \"mbarrier::complete_tx::bytes{5} [%0], [%1, {{{2}}}], [%2]{6};\" :: \\\n"
      "               \"r\"(shared_address(to)), \"l\"(map), \"r\"(shared_address(object)){7}{8} : "
      "\"memory\")\n"
      "#endif\n",
      rank, names, places, to_ranks ? "to_ranks" : "copy", to_ranks ? ", ranks, piece" : "",
      to_ranks ? ".multicast::cluster" : "", to_ranks ? ", %3" : "",
      to_ranks ? ", \"h\"((unsigned short)((1 << (ranks)) - 1))" : "", values);
}

// The other way, which belong to groups of the thread. `combines`: with what is stored there, by
// `op`, which is add, min or max.
std::string store_head(std::size_t rank, bool combines) {
  const auto [names, places, values] = corner_of(rank, 2);
  return fmt::format(
      "#ifndef {4}_box_{0}\n"
      "#define {4}_box_{0}({5}map, from{1}) \\\n"
      "  asm volatile(\"cp.{6}async.bulk.tensor.{0}d.global.shared::cta.{7}tile.bulk_group \" \\\n"
      "               \"[%0, {{{2}}}], [%1];\" :: \\\n"
      "               \"l\"(map), \"r\"(shared_address(from)){3} : \"memory\")\n"
      "#endif\n",
      rank, names, places, values, combines ? "combine" : "store", combines ? "op, " : "",
      combines ? "reduce." : "", combines ? "\" #op \"." : "");
}

}  // namespace

std::vector<std::string> EventText::head() const {
  std::vector<std::string> head;
  const auto add = [&](bool is_used, std::string text) {
    if (is_used) head.push_back(std::move(text));
  };
  const bool has_proxy = uses_proxy();
  add(has_groups_, kCopyGroups);
  const std::vector<std::string> mma = mma_.head();
  add(has_objects_ || has_proxy || !mma.empty(), kSharedAddress);
  add(has_objects_, kBarrierObjects);
  add(!of_ranks_.empty(), kRankArrivals);
  add(has_proxy, kBulkCopies);
  add(has_bulk_stores_ || !stored_ranks_.empty() || !combined_ranks_.empty(), kStoreGroups);
  add(has_bulk_stores_, kBulkStores);
  add(has_multicasts_, kMulticast);
  for (std::size_t rank : loaded_ranks_) head.push_back(box_head(rank, false));
  for (std::size_t rank : multicast_ranks_) head.push_back(box_head(rank, true));
  for (std::size_t rank : stored_ranks_) head.push_back(store_head(rank, false));
  for (std::size_t rank : combined_ranks_) head.push_back(store_head(rank, true));
  add(!maps_.empty(), kTensorMap);
  for (const std::string& text : mma) head.push_back(text);
  return head;
}

}  // namespace selvage
