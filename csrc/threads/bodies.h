#pragma once

#include <selvage/threads/program.h>

#include <string_view>

namespace selvage {

// Searches of bodies, at any depth.

// The body of an item; null if it has none.
const ThreadBody* body_of(const ThreadItem& item);

// The first inner level in a body; null if there is none.
const InnerParallel* first_inner(const ThreadBody& body);

// Whether an item is an inner level, or has one in its body.
bool holds_inner(const ThreadItem& item);

// Whether the body has a break or a continue.
bool has_leave(const ThreadBody& body);
// Whether the body has a break or continue of a loop around it, other than the loop labelled `own`.
bool leaves_outside(const ThreadBody& body, std::string_view own = {});

}  // namespace selvage
