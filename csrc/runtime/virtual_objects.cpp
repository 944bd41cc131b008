#include <selvage/runtime/virtual_objects.h>

#include <utility>

namespace selvage {

void VirtualObjects::Object::count() {
  if (pending != 0 || bytes != 0) return;
  ++phase;
  pending = each_phase;
}

void VirtualObjects::arrive(const void* object, long long bytes, int arrivals) {
  Object& o = objects_[object];
  o.bytes += bytes;
  o.pending -= arrivals;
  if (arrivals > 0) o.count();
}

void VirtualObjects::copy(std::function<void()> make, std::int64_t bytes, const void* object,
                          bool at_once) {
  Copy copy{std::move(make), bytes, object};
  if (at_once) return this->make(copy);
  copies_.push_back(std::move(copy));
}

void VirtualObjects::make(const Copy& copy) {
  copy.make();
  Object& o = objects_[copy.object];
  o.bytes -= copy.bytes;
  o.count();
}

bool VirtualObjects::has_ended(const void* object, int parity) const {
  const auto at = objects_.find(object);
  return at != objects_.end() && (at->second.phase & 1) != unsigned(parity);
}

bool VirtualObjects::make_copies() {
  const std::vector<Copy> all = std::exchange(copies_, {});
  for (const Copy& copy : all) make(copy);
  return !all.empty();
}

void VirtualObjects::end_block() {
  make_copies();
  objects_.clear();
}

}  // namespace selvage
