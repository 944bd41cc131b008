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

// One number for each axis: whatever lies in a row and stays there during the call, or a list,
// {5, 7}, which is kept.
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

// Memory that an executable reads or writes where it lies: device memory for a GPU, host memory for
// the virtual device.
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
  PerAxis strides;  // in elements; empty: as the fusion says, dense where it leaves them open
  bool is_const = false;
};

// Which bytes an argument takes, from its address on: rows of `inner` bytes, `row` bytes apart, up
// to `bytes` in all.
struct ArgumentBytes {
  std::int64_t bytes = 0, row = 0, inner = 0;
};
// Has some byte of one at `a` a place in the other at `b`? True also where that is not seen: where
// their rows are not equally far apart, or cross.
bool may_overlap(std::uintptr_t a, const ArgumentBytes& of_a, std::uintptr_t b,
                 const ArgumentBytes& of_b);

using NamedSizes = std::map<std::string, std::int64_t>;

// What the arguments of a program are: its inputs, then its outputs, in order of declaration; and
// which sizes their shapes and strides tell.
class Signature {
 public:
  // Refers to none of them afterwards but to the expressions' pool.
  Signature(const Fusion& fusion, const DomainGraph& graph,
            const std::vector<ProgramBuffer>& buffers);

  std::size_t size() const { return parameters_.size(); }
  const std::string& name(std::size_t k) const { return parameters_[k].name; }
  bool is_output(std::size_t k) const { return parameters_[k].is_output; }
  ArgumentBytes bytes(std::size_t k, const SizeValues& sizes) const;

  // The sizes, each from a shape or stride that is that size and nothing else, or by its name, or
  // from an extent that it can be solved from (4 * K); what is told twice has to agree. Throws
  // BadInput, and names the argument: E612 its shape, E613 its type, E628 a stride, E629 an address
  // that no element may have, E630 how many there are, E632 memory of an output that is only to be
  // read, E614 a size that nothing tells, E615 one that the facts rule out, E626 two items of an
  // output at one address.
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
