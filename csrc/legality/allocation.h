#pragma once

#include <selvage/ir/fusion.h>
#include <selvage/simplifier/simplifier.h>

#include <span>
#include <string>
#include <vector>

namespace selvage {

// How a tensor lies in memory: over its allocation domain, or over the logical one if it has none.
const std::vector<DomainId>& allocation_of(const Fusion& fusion, TensorId tensor);

// One stride per iterdomain of the allocation, in elements: those that are given, else those of
// rows without gaps, simplified.
std::vector<Expr> strides_of(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                             Simplifier& simplifier);

// The linear address, in elements from the base, of indices of that domain (one expression each),
// whatever they are: strides are multiplied, nothing is simplified.
Expr address_in(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                std::span<const Expr> indices);

// The indices of that domain at logical ones (one expression each). Throws Illegal E441 where it
// does not follow from the logical domain.
std::vector<Expr> allocation_indices(const Fusion& fusion, const DomainGraph& graph,
                                     TensorId tensor, std::span<const Expr> indices);

// The address of logical indices (one expression each). Throws as allocation_indices() does.
Expr address_of(const Fusion& fusion, const DomainGraph& graph, TensorId tensor,
                std::span<const Expr> indices);

// How many elements the allocation has, gaps included: one more than the greatest address.
Expr elements_of(const Fusion& fusion, const DomainGraph& graph, TensorId tensor);

// True where a glance tells that there is no hole: all items in a row, in any order of the axes.
bool is_dense(const TensorInfo& tensor);

// E441: the iterdomain of the allocation does not follow from those (what: "its loops").
[[noreturn]] void refuse_allocation(const std::string& iterdomain, const std::string& tensor,
                                    const std::string& what);

}  // namespace selvage
