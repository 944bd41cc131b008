#include "tests/oracle/ragged_graph.h"

#include <algorithm>

#include "tests/oracle/arithmetic.h"

namespace selvage::oracle {

namespace {

constexpr std::int64_t kUnknownExtent = -1;  // an extent

}  // namespace

std::string to_text(std::span<const std::int64_t> numbers) {
  std::string text;
  for (std::int64_t n : numbers) text += " " + std::to_string(n);
  return text;
}

std::int64_t RowList::row_of(std::int64_t position, std::int64_t added) const {
  std::int64_t row = 0;
  for (std::int64_t k = 1; k < count(); ++k) row += offsets[k] + added * k <= position;
  return row;
}

RowList rows_of(std::span<const std::int64_t> lengths) {
  RowList rows;
  for (std::int64_t n : lengths) rows.offsets.push_back(rows.offsets.back() + n);
  return rows;
}

std::string to_text(const RowList& rows) {
  return "offsets" + to_text(std::span(rows.offsets)) + ", a row that is none from " +
         std::to_string(rows.missing_begin) + " to " + std::to_string(rows.missing_end);
}

RaggedGraph::RaggedGraph(const std::vector<std::int64_t>& extents)
    : dense(extents), loops{kRow, kItem}, depends_{false, true, false} {
  for (std::size_t k = 0; k < dense.size(); ++k) {
    loops.push_back(size());
    depends_.push_back(false);
  }
}

const RaggedStep& RaggedGraph::apply(RaggedStep step) {
  using Kind = RaggedStep::Kind;
  const bool of_first = depends_[step.in[0]];
  const bool of_any = of_first || depends_[step.in.back()];
  std::vector<bool> made;
  switch (step.kind) {
    case Kind::Split: made = {of_first, false}; break;
    case Kind::OuterSplit: made = {false, of_first}; break;
    case Kind::Merge: made = {of_any}; break;
    case Kind::MergeRows: made = {false}; break;
    case Kind::Resize: made = {of_first}; break;
    case Kind::Xor:
    case Kind::CyclicShift: made = {of_first, depends_[step.in[1]]}; break;
  }
  const auto at = [&](int d) { return std::find(loops.begin(), loops.end(), d); };
  for (std::size_t k = 0; k < made.size(); ++k) {
    step.out.push_back(size());
    depends_.push_back(made[k]);
    if (k < step.in.size()) {
      *at(step.in[k]) = step.out[k];
    } else {
      loops.insert(at(step.out[k - 1]) + 1, step.out[k]);
    }
  }
  if (made.size() < step.in.size()) loops.erase(at(step.in[1]));
  steps.push_back(std::move(step));
  return steps.back();
}

std::vector<std::int64_t> RaggedGraph::extents(const RowList& rows, std::int64_t length) const {
  std::vector<std::int64_t> e(depends_.size());
  e[kRow] = rows.count(), e[kItem] = length, e[kPosition] = rows.items();
  std::copy(dense.begin(), dense.end(), e.begin() + kPosition + 1);
  const auto tiles = [](std::int64_t n, std::int64_t size) { return (n + size - 1) / size; };
  for (const RaggedStep& s : steps) {
    const std::int64_t first = e[s.in[0]], last = e[s.in.back()];
    switch (s.kind) {
      case RaggedStep::Split: e[s.out[0]] = tiles(first, s.factor), e[s.out[1]] = s.factor; break;
      case RaggedStep::OuterSplit:
        e[s.out[0]] = s.factor, e[s.out[1]] = tiles(first, s.factor);
        break;
      case RaggedStep::Merge: e[s.out[0]] = first * last; break;
      case RaggedStep::MergeRows: e[s.out[0]] = rows.items() + s.factor * rows.count(); break;
      case RaggedStep::Resize: e[s.out[0]] = first + s.left + s.right; break;
      case RaggedStep::Xor:
      case RaggedStep::CyclicShift: e[s.out[0]] = first, e[s.out[1]] = last; break;
    }
  }
  return e;
}

RaggedGraph::Indices RaggedGraph::backward(const RowList& rows, const std::vector<std::int64_t>& e,
                                           std::int64_t begin,
                                           std::span<const std::int64_t> point) const {
  Indices x(depends_.size());
  for (std::size_t k = 0; k < loops.size(); ++k) x[loops[k]] = point[k];
  for (auto s = steps.rbegin(); s != steps.rend(); ++s) {
    const auto first = x[s->out[0]], last = x[s->out.back()];
    if (!first) continue;
    if (s->kind == RaggedStep::Xor || s->kind == RaggedStep::CyclicShift) x[s->in[0]] = first;
    const std::int64_t n = s->kind <= RaggedStep::OuterSplit ? e[s->out[1]] : e[s->in.back()];
    if (!last || n == kUnknownExtent) continue;
    switch (s->kind) {
      case RaggedStep::Split:
      case RaggedStep::OuterSplit: x[s->in[0]] = *first * n + *last; break;
      case RaggedStep::Merge:
        if (n == 0) break;
        x[s->in[0]] = floor_div(*first, n), x[s->in[1]] = floor_mod(*first, n);
        break;
      case RaggedStep::MergeRows: {
        const std::int64_t row = rows.row_of(*first, s->factor);
        x[s->in[0]] = row, x[s->in[1]] = *first - begin - s->factor * row;
        break;
      }
      case RaggedStep::Resize: x[s->in[0]] = *first - s->left; break;
      case RaggedStep::Xor: x[s->in[1]] = *first ^ *last; break;
      case RaggedStep::CyclicShift:
        if (n != 0) x[s->in[1]] = floor_mod(*last + *first, n);
        break;
    }
  }
  if (x[kItem]) x[kPosition] = begin + *x[kItem];
  return x;
}

std::optional<std::int64_t> RaggedGraph::row_at(const RowList& rows,
                                                std::span<const std::int64_t> point) const {
  std::vector<std::int64_t> numbers = extents(rows, 0);
  for (int d = 0; d < size(); ++d) {
    if (depends(d)) numbers[d] = kUnknownExtent;
  }
  if (const auto row = backward(rows, numbers, 0, point)[kRow]) return *row;
  // One that differs with the length may still be the same for all lengths there are.
  std::optional<std::int64_t> found;
  for (std::int64_t length = 0; length <= rows.items(); ++length) {
    const auto row = backward(rows, extents(rows, length), 0, point)[kRow];
    if (!row) continue;
    if (found && row != found) return std::nullopt;
    found = row;
  }
  return found.value_or(-1);
}

bool RaggedGraph::differs(const RowList& rows, int d) const {
  if (!depends(d)) return false;
  const std::int64_t first = extents(rows, 0)[d];
  for (std::int64_t length = 1; length <= rows.items(); ++length) {
    if (extents(rows, length)[d] != first) return true;
  }
  return false;
}

RaggedGraph::Indices RaggedGraph::indices(const RowList& rows, std::int64_t row,
                                          std::span<const std::int64_t> point) const {
  const std::int64_t begin = rows.begin(row);
  return backward(rows, extents(rows, rows.end(row) - begin), begin, point);
}

bool RaggedGraph::for_each_point(const RowList& rows, const Visit& visit) const {
  std::vector<std::int64_t> point(loops.size(), 0), sizes = extents(rows, 0);
  std::int64_t row = -1;
  std::vector<bool> needs_row;
  for (int d : loops) needs_row.push_back(differs(rows, d));
  bool is_well = true;
  // Runs loop k; the loops inside are at 0. `is_told`: a loop around has the length of the row.
  const auto run = [&](const auto& inside, std::size_t k, bool is_told) -> bool {
    if (k == loops.size()) {
      const auto own = is_told ? indices(rows, row, point)[kRow] : row_at(rows, point);
      if (!is_told) row = own.value_or(-1);
      is_well = is_told ? rows.has(own.value_or(row)) ? own.value_or(row) == row : !rows.has(row)
                        : own.has_value();
      return is_well && visit(point, row);
    }
    const int d = loops[k];
    if (!is_told && needs_row[k]) {
      const auto own = row_at(rows, point);
      is_well = is_told = own.has_value();
      if (!is_well) return false;
      row = *own;
      sizes = extents(rows, rows.end(row) - rows.begin(row));
    }
    const std::int64_t extent = sizes[d];
    for (point[k] = 0; point[k] < extent; ++point[k]) {
      if (!inside(inside, k + 1, is_told)) return false;
    }
    point[k] = 0;
    return true;
  };
  run(run, 0, false);
  return is_well;
}

std::string to_text(const RaggedGraph& graph) {
  static const char* const kKinds[] = {"split",  "outer split", "merge",       "merge rows",
                                       "resize", "xor",         "cyclic shift"};
  const auto name = [](int d) {
    return d == RaggedGraph::kRow    ? std::string("row")
           : d == RaggedGraph::kItem ? "item"
                                     : "I" + std::to_string(d);
  };
  const auto names = [&](const std::vector<int>& list) {
    std::string text;
    for (int d : list) text += " " + name(d);
    return text;
  };
  std::string text = "dense extents" + to_text(std::span(graph.dense)) + "\n";
  for (const RaggedStep& s : graph.steps) {
    text += std::string(kKinds[s.kind]) + names(s.in);
    if (s.kind <= RaggedStep::OuterSplit) text += " by " + std::to_string(s.factor);
    if (s.kind == RaggedStep::Resize) {
      text += " by " + std::to_string(s.left) + " and " + std::to_string(s.right);
    }
    text += " to" + names(s.out) + "\n";
  }
  return text + "loops" + names(graph.loops) + "\n";
}

}  // namespace selvage::oracle
