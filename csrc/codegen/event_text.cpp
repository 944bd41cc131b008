#include <selvage/codegen/event_text.h>

#include <fmt/format.h>

namespace selvage {

std::vector<std::string> EventText::objects() {
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

std::string EventText::object(const BarrierObject& o) const {
  return "&" + buffers_.element(o.buffer, index_.write_converted(o.address).text);
}

std::string EventText::arrive(const Arrive& arrive) const {
  if (!arrive.object) return "end_copy_group();";
  const std::string own = object(*arrive.object);
  if (!arrive.bytes.valid()) return fmt::format("arrive_at({});", own);
  return fmt::format("arrive_announcing({}, {});", own, index_.write(arrive.bytes).text);
}

std::string EventText::wait(const Wait& wait) const {
  if (!wait.object) return fmt::format("wait_for_copy_groups({});", wait.pending);
  const std::string own = object(*wait.object);
  const CText phase = index_.write_converted(wait.phase);
  return fmt::format("wait_for_phase({}, {} & 1);", own, inside(phase, info(Op::Mul).precedence));
}

std::vector<std::string> EventText::copy(const AsyncCopy& copy, const std::string& bytes) {
  const Transfer& t = copy.copy;
  const std::int64_t each = t.width * size_of(kernel_.buffers[t.to].type);
  const std::string to = place(t.to, t.to_address), from = place(t.from, t.from_address);
  if (!copy.object) {
    has_groups_ = true;
    return {each == 16 ? fmt::format("begin_copy_16({}, {});", to, from)
                       : fmt::format("begin_copy({}, {}, {});", each, to, from)};
  }
  const std::string own = object(*copy.object), all = bytes.empty() ? std::to_string(each) : bytes;
  std::vector<std::string> lines;
  if (copy.announces) lines.push_back(fmt::format("announce_bytes({}, {});", own, all));
  lines.push_back(fmt::format("begin_bulk_copy({}, {}, {}, {});", all, to, from, own));
  return lines;
}

}  // namespace selvage
