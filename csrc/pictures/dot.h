#pragma once

#include <selvage/report/report.h>

#include <string>

namespace selvage {

// The iterdomain graphs of all tensors for Graphviz: one digraph, left to right, a cluster for each
// tensor; boxes are iterdomains with the cuts they belong to, edges run through a node for each
// transform.
std::string to_dot(const Report& report);

}  // namespace selvage
