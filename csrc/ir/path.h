#pragma once

#include <selvage/ir/domain_graph.h>

#include <span>
#include <vector>

namespace selvage {

enum class Direction : std::uint8_t { Forward, Backward };

// One transform crossed: Forward computes its outputs from its inputs, Backward the inputs from the
// outputs.
struct Step {
  TransformId transform;
  Direction direction;
};

// How coordinates follow from those of one domain: steps in an order in which every step's sources
// are known before it is taken.
struct Path {
  std::vector<Step> steps;
  std::vector<DomainId>
      domains;  // all that are known at the end: the start, then each step's results
};

// Every iterdomain that follows from `from` over the given transforms (all of the graph's, if none
// are given). Where one follows in several ways, the first transform in the order of making wins.
Path everything_from(const DomainGraph& graph, std::span<const DomainId> from,
                     std::span<const TransformId> transforms);

// The part of a path that `targets` need, in the same order. A target that the path does not reach
// (see reaches()) is left out.
Path needed_for(const DomainGraph& graph, const Path& path, std::span<const DomainId> from,
                std::span<const DomainId> targets);
bool reaches(const Path& path, DomainId d);

// Whether transforms of the graph make one of `domains` from others of them. Such iterdomains are
// never axes of one tensor: cut up in the same way, the others would become a loop that it has
// already.
bool are_dependent(const DomainGraph& graph, std::span<const DomainId> domains);

std::vector<DomainId> sources(const DomainGraph& graph, const Step& step);
std::vector<DomainId> results(const DomainGraph& graph, const Step& step);

}  // namespace selvage
