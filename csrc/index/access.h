#pragma once

#include <selvage/index/allocation.h>
#include <selvage/ir/access_mode.h>
#include <selvage/ir/fusion.h>
#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/verdict.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace selvage {

// One read or write of an element of a tensor, made at every valid point of the loops around it:
// which element it is there, whether the tensor has it, and where it lies.
struct Access {
  enum class Kind : std::uint8_t { Read, Write };
  Kind kind = Kind::Read;
  TensorId tensor{};                  // whose element
  TensorId user{};                    // of a read: the tensor that reads; of a write: the tensor
  std::vector<Expr> subscripts = {};  // along the logical iterdomains, over the loops
  // Numbers among the subscripts that are read from memory: they may differ at every point.
  std::vector<Expr> loaded = {};
  std::vector<Expr> guard = {};  // conditions that its nest tests: all hold at the access

  // Of a read: the axes that it reads under an access mode, at which subscript, in which form.
  struct Mode {
    AxisMode axis;
    RemapForm form = RemapForm::General;
  };
  std::vector<Mode> modes = {};

  // Of a read that gives a value for out of bounds: the condition under which it is made. Invalid:
  // it is made everywhere.
  bool is_filled = false;
  Expr condition = {};

  // Whether every subscript is within its extent wherever the access is made.
  Verdict inside = Proved{};
  // The axes for which that is not proved; `facts`: what is known where the access is made.
  struct Open {
    std::size_t axis = 0;
    Expr claim;
    Verdict verdict;
    std::shared_ptr<const Facts> facts;
  };
  std::vector<Open> open = {};

  bool is_inside() const { return is_proved(inside); }

  // Set by place(): how the elements lie, the indices of the accessed element along the storage's
  // axes, and its distance from the base in elements; nothing is simplified.
  Storage storage = {};
  std::vector<Expr> indices = {};
  Expr address = {};
};

// Places an access in a storage of its tensor, by its subscripts. The transforms lead from the
// logical iterdomains to the axes (all of the graph's, if none are given). Throws Illegal E441
// where they do not reach an axis.
void place(Access& access, const Fusion& fusion, const DomainGraph& graph, Storage storage,
           std::span<const TransformId> transforms = {});

}  // namespace selvage
