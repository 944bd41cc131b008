#include <selvage/base/diagnostic.h>
#include <selvage/legality/mend_memory.h>

#include <vector>

namespace selvage {

namespace {

struct Said {
  const char* words;
  const char* why;
  void (*leave_out)(TensorInfo& info, bool& is_guarded);
};

std::vector<Said> said_of(const TensorInfo& info, bool is_unguarded) {
  std::vector<Said> all;
  if (is_unguarded) {
    all.push_back({"guard: false", ", and the guard stops that read",
                   [](TensorInfo&, bool& is_guarded) { is_guarded = true; }});
  }
  if (info.duplicates_allowed) {
    all.push_back({"duplicates: allowed", ", and the guard stops that point",
                   [](TensorInfo& i, bool&) { i.duplicates_allowed = false; }});
  }
  if (!info.strides.empty()) {
    all.push_back({"strides", "", [](TensorInfo& i, bool&) { i.strides.clear(); }});
  }
  if (!info.allocation.empty()) {
    all.push_back({info.strides.empty() ? "allocation" : "allocation and strides", "",
                   [](TensorInfo& i, bool&) {
                     i.allocation.clear();
                     i.strides.clear();
                   }});
  }
  if (info.fill) {
    all.push_back({"fill", "", [](TensorInfo& i, bool&) { i.fill.reset(); }});
  }
  return all;
}

}  // namespace

std::optional<std::string> leave_out(const Fusion& fusion, TensorId t, bool is_unguarded,
                                     const IsMended& is_mended) {
  const std::vector<Said> all = said_of(fusion[t], is_unguarded);
  const auto mends = [&](const Said& one, const Said& other) {
    Fusion changed = fusion;
    bool is_guarded = !is_unguarded;
    one.leave_out(changed.edit(t), is_guarded);
    other.leave_out(changed.edit(t), is_guarded);
    try {
      return is_mended(changed, is_guarded);
    } catch (const Illegal&) {
      return false;
    }
  };
  for (const Said& one : all) {
    if (mends(one, one)) return "leave " + std::string(one.words) + " out" + one.why;
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (std::size_t m = k + 1; m < all.size(); ++m) {
      if (!mends(all[k], all[m])) continue;
      return "leave " + std::string(all[k].words) + " and " + all[m].words + " out";
    }
  }
  return std::nullopt;
}

}  // namespace selvage
