#pragma once

#include <selvage/kernel/kernel.h>

#include <utility>
#include <vector>

namespace selvage {

// Statements of a kernel while they are put together.

template <class Node>
Body body_of(Node node) {
  Body body;
  body.push_back({std::move(node)});
  return body;
}

// The nodes as statements, one after the other.
template <class Node>
Body body_of_all(std::vector<Node> nodes) {
  Body body;
  for (Node& n : nodes) body.push_back({std::move(n)});
  return body;
}

inline void append(Body& body, Body more) {
  for (Statement& s : more) body.push_back(std::move(s));
}

// The body under a Guard for all of the conditions; the body itself if there are none.
Body guarded(const std::vector<Expr>& conditions, Body body);

// Removes statements that never run, and Defines whose variable no later statement uses.
void prune(Body& body, const ValueGraph& values);

}  // namespace selvage
