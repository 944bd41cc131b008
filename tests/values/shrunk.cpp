#include "tests/values/shrunk.h"

#include <algorithm>

namespace selvage::values {

namespace {

void for_each_node(Node& node, const std::function<void(Node&)>& f) {
  f(node);
  for (Node& o : node.operands) for_each_node(o, f);
}

bool reads(const PageProgram& program, int tensor) {
  bool is_read = false;
  for (Statement s : program.statements) {
    for_each_node(s.value, [&](Node& n) {
      is_read = is_read || (n.kind == Node::Kind::Read && n.tensor == tensor);
    });
  }
  return is_read;
}

// Without a tensor that nothing reads.
PageProgram without(PageProgram program, int tensor) {
  const auto n = int(program.inputs.size());
  if (tensor < n) {
    program.inputs.erase(program.inputs.begin() + tensor);
  } else {
    program.statements.erase(program.statements.begin() + (tensor - n));
  }
  for (Statement& s : program.statements) {
    for_each_node(s.value, [&](Node& node) { node.tensor -= node.tensor > tensor ? 1 : 0; });
  }
  return program;
}

// Every statement's axes are those of its value again, and what nothing reads is an output.
bool is_sound(PageProgram& program) {
  for (Statement& s : program.statements) {
    const Axes axes = axes_of(s.value, program);
    Axes before = 0;
    for (int axis : s.axes) before |= 1U << axis;
    if (axes != before) {
      s.axes.clear();
      for (int axis = 0; axis < 2; ++axis) {
        if ((axes >> axis & 1U) != 0) s.axes.push_back(axis);
      }
    }
    bool is_fine = true;
    for_each_node(s.value, [&](Node& n) {
      if (n.kind != Node::Kind::Fold) return;
      n.folded &= axes_of(n.operands[0], program);
      is_fine = is_fine && n.folded != 0;
    });
    if (!is_fine) return false;
  }
  for (std::size_t k = 0; k < program.statements.size(); ++k) {
    Statement& s = program.statements[k];
    s.is_output = s.is_output || !reads(program, int(program.inputs.size() + k));
    if (!s.is_output) s.stored.reset();
  }
  return !program.statements.empty() && types_of(program).has_value();
}

// The items at the front.
PageProgram narrowed(PageProgram program, std::size_t axis, std::int64_t extent) {
  const auto before = program.extents;
  program.extents[axis] = extent;
  for (Input& input : program.inputs) {
    std::vector<std::int64_t> shape;
    for (int a : input.axes) shape.push_back(program.extents[std::size_t(a)]);
    Array fewer(input.values.type, shape);
    for (std::int64_t k = 0; k < fewer.size(); ++k) {
      std::int64_t rest = k, from = 0, stride = 1;
      for (std::size_t d = shape.size(); d-- > 0;) {
        from += rest % shape[d] * stride;
        rest /= shape[d];
        stride *= before[std::size_t(input.axes[d])];
      }
      set_item(fewer, k, item_of(input.values, from));
    }
    input.values = std::move(fewer);
  }
  return program;
}

// The other end of an axis goes to the front.
PageProgram turned(PageProgram program, std::size_t axis) {
  for (Input& input : program.inputs) {
    const auto& shape = input.values.shape;
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (std::size_t(input.axes[d]) == axis) {
        const Array before = input.values;
        for (std::int64_t k = 0; k < before.size(); ++k) {
          const std::int64_t at = k / stride % shape[d];
          const std::int64_t to = k + ((at + shape[d] - 1) % shape[d] - at) * stride;
          set_item(input.values, to, item_of(before, k));
        }
      }
      stride *= shape[d];
    }
  }
  return program;
}

// A read by that of an earlier tensor over the same axes.
bool read_of_earlier(const PageProgram& program, std::size_t statement, std::size_t at,
                     const std::function<bool(PageProgram)>& take) {
  for (int tensor = 0; tensor < int(program.inputs.size() + statement); ++tensor) {
    PageProgram less = program;
    std::size_t nodes = 0;
    bool is_other = false;
    for_each_node(less.statements[statement].value, [&](Node& n) {
      if (nodes++ != at || n.kind != Node::Kind::Read || tensor >= n.tensor) return;
      if (less.axes_of(tensor) != less.axes_of(n.tensor)) return;
      n.tensor = tensor;
      is_other = true;
    });
    if (is_other && take(std::move(less))) return true;
  }
  return false;
}

}  // namespace

PageProgram shrunk(PageProgram program,
                   const std::function<bool(const PageProgram&)>& still_fails) {
  int tries = 2'000;
  const auto take = [&](PageProgram less) {
    if (tries-- <= 0 || !is_sound(less) || !still_fails(less)) return false;
    program = std::move(less);
    return true;
  };
  for (bool gets_smaller = true; gets_smaller && tries > 0;) {
    gets_smaller = false;
    for (int t = int(program.inputs.size() + program.statements.size()); t-- > 0;) {
      if (!reads(program, t) && take(without(program, t))) gets_smaller = true;
    }
    for (std::size_t axis = 0; axis < 2; ++axis) {
      for (std::int64_t n = 1; n < program.extents[axis]; ++n) {
        if (take(narrowed(program, axis, n))) {
          gets_smaller = true;
          break;
        }
        bool found = false;
        PageProgram other = program;
        for (std::int64_t by = 1; by < program.extents[axis] && n == 1 && !found; ++by) {
          other = turned(std::move(other), axis);
          found = take(narrowed(other, axis, n));
        }
        if (found) {
          gets_smaller = true;
          break;
        }
      }
    }
    for (std::size_t k = 0; k < program.statements.size(); ++k) {
      PageProgram less = program;
      if (less.statements[k].is_output) {
        less.statements[k].is_output = false;
        less.statements[k].stored.reset();
        if (reads(less, int(less.inputs.size() + k)) && take(less)) gets_smaller = true;
      }
      less = program;
      if (less.statements[k].stored) {
        less.statements[k].stored.reset();
        if (take(less)) gets_smaller = true;
      }
      // Each node by each of its operands.
      for (std::size_t at = 0;; ++at) {
        std::size_t nodes = 0, operands = 0;
        const auto visit = [&](PageProgram& p, std::size_t by) {
          nodes = 0;
          for_each_node(p.statements[k].value, [&](Node& n) {
            if (nodes++ != at) return;
            operands = n.operands.size();
            if (by >= operands || n.operands[by].kind == Node::Kind::Literal) return;
            Node inner = n.operands[by];
            n = std::move(inner);
          });
        };
        bool is_less = read_of_earlier(program, k, at, take);
        for (std::size_t by = 0; by < 3 && !is_less; ++by) {
          less = program;
          visit(less, by);
          if (by < operands && take(std::move(less))) is_less = true;
        }
        gets_smaller = gets_smaller || is_less;
        if (at >= nodes) break;
      }
    }
  }
  return program;
}

}  // namespace selvage::values
