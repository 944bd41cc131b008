#pragma once

#include <selvage/lower/cost.h>

#include <vector>

#include "tests/support/published_rows.h"

namespace selvage::test {

// What the kernel of a cell costs on an H100, counted in its lowered schedule.
//
// A schedule has no clusters. A row of a cluster of c blocks stands for c rows of a c-th of the
// length, which have the same blocks and the same requests of each; what the blocks say to one
// another is added to the barriers. A fold has no state of a maximum and a sum, either: a sum of
// two exponentials an element stands for the online pass, which reads and computes as much.
KernelCost published_cost(const PublishedCell& cell, const Device& device = usual_device());
// What a cell computes, without a schedule.
Fusion published_fusion(const PublishedCell& cell);
// GB/s of these rows in that time.
double gb_per_second(const PublishedCell& cell, double seconds);

struct PublishedResult {
  PublishedCell cell;
  KernelCost cost;
  double predicted = 0;  // GB/s
  double error = 0;      // predicted / published - 1
};
std::vector<PublishedResult> published_results(const Device& device = usual_device());

struct Hits {
  int right = 0, all = 0;
  double share() const { return double(right) / all; }
};
// The cells of a system that are predicted with no larger error. Cells whose time is that of
// something else are left out, here and below.
Hits within(const std::vector<PublishedResult>& results, RowSystem system, double error);
// The rows of the same work and length that several systems publish: whether they are predicted in
// the order in which they were measured. What differs by less than 3 % has no order.
Hits orders(const std::vector<PublishedResult>& results);

}  // namespace selvage::test
