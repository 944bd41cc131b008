#include <selvage/base/refuse.h>
#include <selvage/ir/about.h>
#include <selvage/kernel/verify_parts.h>
#include <selvage/lower/replaced.h>

#include <algorithm>
#include <string>

namespace selvage {

namespace {

// The tensors of a group that read the input, by name.
std::string readers_of(const Fusion& fusion, const Nests& nests, const Group& group,
                       TensorId input) {
  std::string names;
  for (TensorId t : tensors_of(group)) {
    if (!nests.reads[index_of(t)].contains(input)) continue;
    names += (names.empty() ? "" : ", ") + fusion[t].name;
  }
  return names;
}

void refuse_replaced(const Fusion& fusion, TensorId output, TensorId input,
                     const std::string& why) {
  const std::string &name = fusion[output].name, &place = fusion[input].name;
  about(output, [&] {
    refuse<Illegal>("E447", name + " takes the place of " + place + ", " + why,
                    "give " + name + " memory of its own: leave in_place out, or say " +
                        "output(\"" + name + "\", ...)");
  });
}

}  // namespace

void note_replaced(const KernelRequest& request, KernelDraft& draft) {
  const Fusion& fusion = request.scheduled.fusion;
  std::vector<Buffer>& buffers = draft.kernel.buffers;
  for (Buffer& output : buffers) {
    if (!output.is_written || !output.holds || output.holds->number != 0) continue;
    const std::optional<TensorId> place = fusion[output.holds->tensor].in_place_of;
    if (!place) continue;
    const auto at = std::ranges::find(buffers, TensorPart{*place}, &Buffer::holds);
    if (at == buffers.end()) continue;
    output.replaces = BufferId(at - buffers.begin());
    // Both are laid out alike; what is proved of the one's axes holds for the other's.
    output.axes = at->axes;
    output.elements = at->elements;
  }
}

void check_replaced_in_kernel(const KernelRequest& request, KernelDraft& draft) {
  const Kernel& kernel = draft.kernel;
  const auto replaces = [](const Buffer& b) { return b.replaces.has_value(); };
  if (std::ranges::none_of(kernel.buffers, replaces)) return;
  const AccessMap map(kernel);
  ItemProofs items(map);
  const auto is_shared = [&](BufferId b) {
    return kernel.buffers[b].replaces || map.replacement(b).has_value();
  };
  const std::vector<KernelFinding> races = race_findings(map, items, is_shared).open,
                                   order = replacement_findings(map, items).open;
  for (const auto* findings : {&races, &order}) {
    if (findings->empty()) continue;
    const KernelFinding& f = findings->front();
    const BufferId read =
        kernel.buffers[*f.buffer].replaces ? *kernel.buffers[*f.buffer].replaces : *f.buffer;
    const TensorId input = kernel.buffers[read].holds->tensor;
    const Fusion& fusion = request.scheduled.fusion;
    const TensorId output = *fusion.replacement(input);
    refuse_replaced(fusion, output, input,
                    "which " + readers_of(fusion, request.scheduled.nests, request.group, input) +
                        " may read behind the store of the same element, in one kernel: " + f.text);
  }
}

void check_replaced(ProgramDraft& draft) {
  const Fusion& fusion = draft.fusion();
  const Nests& nests = draft.scheduled.nests;
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    const auto output = TensorId(k);
    const std::optional<TensorId> input = fusion[output].in_place_of;
    if (!input) continue;
    const auto stores = [&](const Group& group) {
      const std::vector<TensorId> all = tensors_of(group);
      return std::ranges::find(all, output) != all.end();
    };
    const auto own = std::ranges::find_if(draft.groups, stores);
    if (own == draft.groups.end()) continue;
    for (auto later = own; later != draft.groups.end(); ++later) {
      // Blocks that fold together meet in memory that a kernel before theirs has filled.
      const bool is_filled_before =
          draft.schedule().meets_atomically(output) && draft.schedule().is_folded_by_blocks(output);
      if (later == own && !is_filled_before) continue;
      const std::string readers = readers_of(fusion, nests, *later, *input);
      if (readers.empty()) continue;
      refuse_replaced(fusion, output, *input,
                      later == own
                          ? "which " + readers + " reads behind the fill of the same memory"
                          : "which " + readers + " reads in a kernel behind the one that " +
                                "stores " + fusion[output].name);
    }
  }
}

}  // namespace selvage
