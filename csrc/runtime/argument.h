#pragma once

#include <selvage/base/array.h>
#include <selvage/ir/sizes.h>
#include <selvage/lower/program.h>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace selvage {

// One number for each axis: a view of any contiguous numbers, which must stay there during the
// call, or a list, {5, 7}, of which it keeps a copy.
class PerAxis : public std::span<const std::int64_t> {
 public:
  PerAxis() = default;
  PerAxis(std::initializer_list<std::int64_t> list)
      : PerAxis(std::make_shared<const std::vector<std::int64_t>>(list)) {}
  template <std::convertible_to<std::span<const std::int64_t>> Row>
  PerAxis(const Row& row) : span(row) {}

 private:
  explicit PerAxis(std::shared_ptr<const std::vector<std::int64_t>> list)
      : span(*list), list_(std::move(list)) {}
  std::shared_ptr<const std::vector<std::int64_t>> list_;
};

// Memory that an executable reads or writes in place: device memory for a GPU, host memory for the
// virtual device.
struct Argument {
  Argument(void* data, DataType type, PerAxis shape, PerAxis strides = {})
      : data(data), type(type), shape(std::move(shape)), strides(std::move(strides)) {}
  // An input: it is only read.
  template <class Element>
  requires std::is_const_v<Element> Argument(Element* data, DataType type, PerAxis shape,
                                             PerAxis strides = {})
      : Argument(const_cast<std::remove_const_t<Element>*>(data), type, std::move(shape),
                 std::move(strides)) {
    is_const = true;
  }
  Argument(Array& a) : Argument(a.bytes.data(), a.type, a.shape) {}
  Argument(const Array& a) : Argument(a.bytes.data(), a.type, a.shape) {}

  void* data;
  DataType type;
  PerAxis shape;    // logical, outer to inner
  PerAxis strides;  // in elements; empty: the fusion's, dense where it leaves them open
  bool is_const = false;
};

// The bytes of an argument, from its address on: rows of `inner` bytes, `row` bytes apart, within
// `bytes` in all.
struct ArgumentBytes {
  std::int64_t bytes = 0, row = 0, inner = 0;
};
// Whether arguments at the addresses `a` and `b` may share a byte. Also true if that is not
// decided: if their rows are not equally far apart, or cross.
bool may_overlap(std::uintptr_t a, const ArgumentBytes& of_a, std::uintptr_t b,
                 const ArgumentBytes& of_b);

using NamedSizes = std::map<std::string, std::int64_t>;

// The parameters of a program: its inputs, then its outputs, in order of declaration. Derives the
// sizes from the shapes and strides of arguments.
class Signature {
 public:
  // Keeps no reference to the arguments, except to the pool of expressions.
  Signature(const Fusion& fusion, const DomainGraph& graph,
            const std::vector<ProgramBuffer>& buffers);

  std::size_t size() const { return parameters_.size(); }
  const std::string& name(std::size_t k) const { return parameters_[k].name; }
  bool is_output(std::size_t k) const { return parameters_[k].is_output; }
  ArgumentBytes bytes(std::size_t k, const SizeValues& sizes) const;

  // The sizes. Each comes from a shape or stride that is just that size, or from `named`, or by
  // solving an extent for it (4 * K); values from several places must agree. Throws BadInput, which
  // names the argument: E612 a wrong shape, E613 a wrong type, E628 a wrong stride, E629 an address
  // that no element may have, E630 a wrong number of arguments, E632 read-only memory for an
  // output, E614 a size that nothing determines, E615 a size that the facts rule out, E626 two
  // items of an output at one address.
  SizeValues bind(std::span<const Argument> arguments, const NamedSizes& named) const;

 private:
  struct Parameter {
    std::string name;
    DataType type;
    bool is_output;
    Expr elements;
    std::vector<Expr> shape;
    std::vector<Expr> strides;  // by logical axis; empty: the address is no sum of strides
  };
  std::optional<std::int64_t> told(Expr size, std::span<const Argument> arguments,
                                   const SizeValues& known) const;
  void check_number(std::span<const Argument> arguments) const;
  void check_form(const Parameter& parameter, const Argument& argument) const;
  void check_shape(const Parameter& parameter, const Argument& argument,
                   const SizeValues& sizes) const;
  void check_strides(const Parameter& parameter, const Argument& argument,
                     const SizeValues& sizes) const;

  Fusion fusion_;
  std::vector<Parameter> parameters_;
};

}  // namespace selvage
