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
  // Of a memory of several copies, along the first axis: the one that is at hand. No element says
  // which that is. Invalid: there is one copy.
  Expr stage = {};
  // The address of its first element, as the launch knows it, and the bytes it is known to be
  // aligned to. Invalid: it is the kernel's own, and aligned to what any access needs.
  Expr base = {};
  std::int64_t align = 16;
};
// The storage that the fusion lays out for a tensor: over its allocation domain, or over the
// logical one if it has none.
Storage storage_of(const Fusion& fusion, TensorId tensor);

// An axis of a storage by its iterdomain. Those of extent 1 count for nothing and are left out.
struct AllocationAxis {
  DomainId domain{};
  Expr extent, stride;  // in elements
};
std::vector<AllocationAxis> axes_of(const DomainGraph& graph, const Storage& storage,
                                    Simplifier& simplifier);

// One stride per axis: those that are given, else those of rows without gaps, simplified.
std::vector<Expr> strides_of(const DomainGraph& graph, const Storage& storage,
                             Simplifier& simplifier);
// The linear address, in elements from the base, of indices along the axes (one expression each),
// whatever they are: strides are multiplied, nothing is simplified.
Expr address_in(const DomainGraph& graph, const Storage& storage, std::span<const Expr> indices);
// How many elements it has, gaps included: one more than the greatest address.
Expr elements_of(const DomainGraph& graph, const Storage& storage, Simplifier& simplifier);
// The indices along the axes of an element of `tensor` at logical ones, which the transforms lead
// to (all of the graph's, if none are given). Throws Illegal E441 where one does not follow.
std::vector<Expr> indices_in(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                             const Storage& storage, std::span<const Expr> subscripts,
                             std::span<const TransformId> transforms = {});

// The same of the storage that the fusion lays out.
const std::vector<DomainId>& allocation_of(const Fusion& fusion, TensorId tensor);
std::vector<Expr> strides_of(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                             Simplifier& simplifier);
Expr address_in(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                std::span<const Expr> indices);
Expr address_of(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                std::span<const Expr> subscripts);
Expr elements_of(const Fusion& fusion, const DomainGraph& graph, TensorId tensor);

// True where a glance tells that there is no hole: all items in a row, in any order of the axes.
bool is_dense(const TensorInfo& tensor);

// E441: the iterdomain of the allocation does not follow from those (what: "its loops").
[[noreturn]] void refuse_allocation(const std::string& iterdomain, const std::string& tensor,
                                    const std::string& what);

}  // namespace selvage
