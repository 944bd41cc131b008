#pragma once

#include <selvage/ir/fusion.h>
#include <selvage/simplifier/simplifier.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// How the elements of a tensor lie in a memory: along the iterdomains of an allocation, outer to
// inner, each with a stride in elements.
struct Storage {
  Memory memory = Memory::Global;
  DataType type = DataType::Float;  // of an element as it lies there
  std::vector<DomainId> axes = {};
  std::vector<Expr> strides = {};  // one per axis; empty: dense, rows without gaps
  // Of a memory of several copies along the first axis: the number of the current copy, which does
  // not depend on the element. Invalid: there is one copy.
  Expr stage = {};
  // The address of the first element, a symbol that the launch knows, and the bytes that it is
  // aligned to. Invalid: the memory is the kernel's own, aligned to what any access needs.
  Expr base = {};
  std::int64_t align = 16;
};
// The storage that the fusion lays out for a tensor: over its allocation domain, or over the
// logical one if it has none.
Storage storage_of(const Fusion& fusion, TensorId tensor);

// An axis of a storage. Axes of extent 1 change no address and are left out.
struct AllocationAxis {
  DomainId domain{};
  Expr extent, stride;  // in elements
};
std::vector<AllocationAxis> axes_of(const DomainGraph& graph, const Storage& storage,
                                    Simplifier& simplifier);

// One stride per axis: those that are given, else those of rows without gaps, simplified.
std::vector<Expr> strides_of(const DomainGraph& graph, const Storage& storage,
                             Simplifier& simplifier);
// The linear address, in elements from the base, of the element at these indices, one per axis. The
// indices may be out of bounds; nothing is simplified.
Expr address_in(const DomainGraph& graph, const Storage& storage, std::span<const Expr> indices);
// The number of elements of a storage, gaps included: one more than the greatest address.
Expr elements_of(const DomainGraph& graph, const Storage& storage, Simplifier& simplifier);
// The indices, along the axes of `storage`, of the element of `tensor` at `subscripts`. The
// transforms (all of the graph's, if none are given) lead from the logical iterdomains to the axes.
// Throws Illegal E441 where an axis does not follow.
std::vector<Expr> indices_in(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                             const Storage& storage, std::span<const Expr> subscripts,
                             std::span<const TransformId> transforms = {});

// The same for storage_of(fusion, tensor).
const std::vector<DomainId>& allocation_of(const Fusion& fusion, TensorId tensor);
std::vector<Expr> strides_of(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                             Simplifier& simplifier);
Expr address_in(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                std::span<const Expr> indices);
Expr address_of(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                std::span<const Expr> subscripts);
Expr elements_of(const Fusion& fusion, const DomainGraph& graph, TensorId tensor);

// Whether a tensor obviously has no hole: no strides, and allocated over its logical domain in any
// order.
bool is_dense(const TensorInfo& tensor);

// Throws Illegal E441: an allocation iterdomain does not follow from `what` ("its loops").
[[noreturn]] void refuse_allocation(const std::string& iterdomain, const std::string& tensor,
                                    const std::string& what);

}  // namespace selvage
