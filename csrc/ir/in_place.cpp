// Outputs that take the place of inputs.
#include <selvage/base/refuse.h>
#include <selvage/ir/fusion.h>
#include <selvage/ir/op_shapes.h>

#include <string>

namespace selvage {

std::optional<TensorId> Fusion::replacement(TensorId input) const {
  for (std::size_t k = 0; k < size(); ++k) {
    if (tensors_[k].in_place_of == input) return TensorId(k);
  }
  return std::nullopt;
}

Tensor Fusion::output_in_place(const std::string& name, Tensor t, Tensor input) {
  if (&t.fusion() != this || &input.fusion() != this) {
    refuse<BadInput>("E508", "a tensor that " + name + " is made of belongs to another fusion",
                     "build it from the inputs of this one");
  }
  const TensorInfo& place = (*this)[input.id()];
  const std::string what = name + " cannot take the place of " + place.name;
  if (!place.is_input) {
    refuse<BadInput>("E517", what + ", which is no input", "name an input of this fusion");
  }
  if (const auto other = replacement(input.id())) {
    refuse<BadInput>("E517", what + ", which " + (*this)[*other].name + " does already",
                     "make one of the two an output of its own");
  }
  const std::vector<Expr> own = shape(t.id()), wanted = shape(input.id());
  const auto refuse_shape = [&] {
    refuse<BadInput>("E501",
                     what + ": its shape is " + to_text(own) + ", and that of " + place.name +
                         " is " + to_text(wanted),
                     "make the shapes agree, or make " + name + " an output of its own");
  };
  if (own.size() != wanted.size()) refuse_shape();
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (find_out(*this, eq(own[k], wanted[k])) == Holds::Never) refuse_shape();
  }
  // The tensor that output() would copy has no layout in the copy.
  const TensorInfo& info = (*this)[t.id()];
  const bool is_copied = info.is_input || info.is_output;
  if (!is_copied && (!info.strides.empty() || !info.allocation.empty())) {
    refuse<BadInput>("E517", what + ", as it has a layout of its own",
                     "leave its strides out: it lies as " + place.name + " does");
  }
  if (!place.allocation.empty() && (is_copied || info.logical != place.logical)) {
    refuse<BadInput>("E517", what + ", which is allocated over iterdomains that it does not have",
                     "make " + name + " an output of its own");
  }
  const Tensor made = output(name, t, place.type);
  for (std::size_t k = 0; k < own.size(); ++k) {
    require(*this, eq(own[k], wanted[k]), name + " takes the place of " + place.name);
  }
  const TensorInfo from = (*this)[input.id()];
  TensorInfo& to = edit(made.id());
  to.in_place_of = input.id();
  to.allocation = from.allocation;
  to.strides = from.strides;
  to.align = from.align;
  return made;
}

}  // namespace selvage
