#pragma once

#include <selvage/threads/program.h>

#include <string_view>

namespace selvage {

// What stands in a body, at any depth.

// The body of what has one; else null.
const ThreadBody* body_of(const ThreadItem& item);

// The first inner level; null: none.
const InnerParallel* first_inner(const ThreadBody& body);

// Is there a break or a continue?
bool has_leave(const ThreadBody& body);
// Is there one that leaves a loop around the body? `own`: that of a loop with this label does not
// count.
bool leaves_outside(const ThreadBody& body, std::string_view own = {});

}  // namespace selvage
