#pragma once

#include <selvage/threads/program.h>

namespace selvage {

// What stands in a body, at any depth.

// The body of what has one; else null.
const ThreadBody* body_of(const ThreadItem& item);

// The first inner level; null: none.
const InnerParallel* first_inner(const ThreadBody& body);

// Is there a break or a continue?
bool has_leave(const ThreadBody& body);

}  // namespace selvage
