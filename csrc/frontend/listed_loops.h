#pragma once

#include <selvage/frontend/schedule_scope.h>

#include <string>

namespace selvage {

// The loops of a tensor as the items of its list name them, while the list is read.

// Refuses what an item names, with a code, if it is no loop after the items so far. `what`: where
// it is named; `otherwise`: what would mend it, if the tensor has too many loops to name them.
void check_loop(const ScheduleDraft::Tensor& tensor, const ListProgress& progress, std::size_t d,
                const char* code, const Place& place, const std::string& what,
                const std::string& otherwise);
// Refuses (E313) bindings, in items from `from` on, of iterdomains that are no loops in the end.
void check_bindings(const ScheduleDraft::Tensor& tensor, const ListProgress& progress,
                    std::size_t from);
// The names of the loops after the items so far; none after a like, whose loops are unknown yet.
std::vector<std::string> loops_of(const ScheduleDraft::Tensor& tensor,
                                  const ListProgress& progress);

// After a `like`, a name that no item of the list has made is one of the tensor that like names. A
// node may hold one name or several; null: none.
void find_late(const std::string& name, const Place& place, ScheduleDraft::Tensor& tensor);
void find_late(const Node* node, ScheduleDraft::Tensor& tensor, const ListProgress& progress);

}  // namespace selvage
