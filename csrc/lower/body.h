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

// The body where all of the conditions hold; as it is where there are none.
Body guarded(const std::vector<Expr>& conditions, Body body);

// Takes out what is never run, and definitions that nothing after them uses.
void prune(Body& body, const ValueGraph& values);

std::size_t defines_in(const Body& body);

}  // namespace selvage
