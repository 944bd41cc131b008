#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tests/corpus/line.h"

namespace selvage::peers {

// What a simplifier makes of a problem.
struct Answer {
  std::optional<Expr> expression;  // in the problem's pool; nothing: cannot express it, or gave up
  double nanoseconds = 0;          // from the problem's expressions: building its own terms counts
};

// A simplifier under comparison. One thread; the same problem may be asked again.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  virtual Answer simplify(const corpus::Problem& problem) = 0;
};

std::unique_ptr<Peer> make_selvage();
std::unique_ptr<Peer> make_isl();
std::unique_ptr<Peer> make_mlir();

}  // namespace selvage::peers
