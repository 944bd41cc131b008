// Outputs of a file's statements.
#include <selvage/frontend/readers.h>
#include <selvage/frontend/statement.h>

namespace selvage {

void make_output(const Formula& formula, Tensor tensor, const StatementOutput& output,
                 Fusion& fusion, SizeScope& sizes, FileContext& context) {
  if (!output.in_place.empty()) {
    const std::optional<TensorId> input = fusion.find(output.in_place);
    if (!input) return;  // what is wrong with it is said already
    at_place<BadInput>(output.in_place_at, [&] {
      fusion.output_in_place(formula.target, tensor, {&fusion, *input});
    });
    return;
  }
  fusion.output(formula.target, tensor,
                output.type ? std::optional(output.type->type) : std::nullopt);
  std::vector<std::string> axes;
  for (const Formula::Index& index : formula.indices) axes.push_back(index.name);
  // Positions have one axis.
  if (fusion[tensor.id()].items_of && formula.offsets.empty()) axes.erase(axes.begin());
  TensorInfo& info = fusion.edit(tensor.id());
  info.align = output.layout.align;
  info.strides = strides_of(output.layout, info.name, said_type(info), axes,
                            fusion.shape(tensor.id()), fusion, context.symbols, sizes);
}

}  // namespace selvage
