#include <selvage/base/refuse.h>
#include <selvage/lower/body.h>
#include <selvage/lower/bulk_stores.h>
#include <selvage/lower/combined_copies.h>
#include <selvage/lower/late_copies.h>
#include <selvage/lower/one_thread.h>

namespace selvage {

namespace {

[[noreturn]] void refuse_stores(const TensorInfo& tensor) {
  const std::string n = std::to_string(kBulkAlignment / size_of(tensor.type));
  refuse<Illegal>("E448",
                  "none of the stores of " + tensor.name +
                      " could be made in bulk: each copies a vector of a multiple of 16 bytes of a "
                      "tile in shared memory, unchanged",
                  "cache it in shared memory, {cache: {as: " + tensor.name +
                      "_s, memory: shared, ..}}, and bind its own inner loop, split by a multiple "
                      "of " +
                      n + " elements, to Vectorize");
}

}  // namespace

std::optional<Body> bulk_store_nest(const Fusion& fusion, const Schedule& schedule,
                                    const TensorAnalysis& analysis, Body nest, BufferId to,
                                    std::optional<Function> atomic, KernelDraft& draft) {
  const std::vector<ParallelType> axes =
      unbound_threads(schedule, analysis.tensor, analysis.loops, draft.kernel);
  if (begin_stores(draft, nest, to, fusion.sizes(), atomic) == 0) {
    if (analysis.vector && !is_moved_into(nest, to)) return std::nullopt;
    if (atomic) refuse_combined_tile(schedule, analysis.tensor);
    refuse_stores(fusion[analysis.tensor]);
  }
  append(nest, {{Arrive{.queue = ThreadQueue::Stores}}, {Wait{.queue = ThreadQueue::Stores}}});
  Body body = {{ProxyFence{}}, {Barrier{}}};
  append(body, one_elected(axes, std::move(nest), draft.kernel));
  return body;
}

}  // namespace selvage
