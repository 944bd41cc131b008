#pragma once

#include <selvage/expr/cost.h>

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/peers/peer.h"

namespace selvage::peers {

// What one simplifier made of one line.
struct Measured {
  std::string text;  // empty: it cannot express the line
  Cost cost;         // as written where it cannot, or is wrong
  std::int64_t clauses = 0;
  double nanoseconds = 0;  // the least of all repetitions
  bool done = false;
  bool sound = true;  // at the points that were looked at
};

// All simplifiers on all lines, side by side.
class Comparison {
 public:
  Comparison(std::vector<corpus::Line> lines, std::vector<std::unique_ptr<Peer>> peers);

  void run(int repetitions);
  // A table in Markdown for each group of lines.
  void print_tables(std::ostream& out) const;
  // The lines on which some other simplifier is sound and cheaper than the first, by how much.
  void print_worse(std::ostream& out, std::size_t most) const;

 private:
  struct Row;
  Measured measure(Peer& peer, const corpus::Problem& problem,
                   const std::vector<std::vector<std::int64_t>>& points, int repetitions) const;
  Row row(const std::string& group, std::size_t peer) const;
  std::size_t reference() const;  // the peer to whose times the others are compared: isl

  std::vector<corpus::Line> lines_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<Measured> written_;               // the lines as they are
  std::vector<std::vector<Measured>> results_;  // by peer, then by line
};

}  // namespace selvage::peers
