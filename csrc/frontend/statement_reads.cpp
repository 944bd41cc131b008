#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/statement_reads.h>
#include <selvage/ir/gather.h>
#include <selvage/ir/ragged.h>

#include <algorithm>

namespace selvage {

namespace {

using Kind = FormulaNode::Kind;

}  // namespace

bool StatementReads::has_safe_mode(const FormulaNode& subscript) {
  return subscript.kind == Kind::Remap &&
         (subscript.remap == Remap::Safe || subscript.remap == Remap::Checked);
}

std::vector<Expr> StatementReads::shape_of_read(const Fusion& fusion, const FormulaNode& node,
                                                TensorId source) {
  return node.is_by_position ? fusion.shape(source) : shape_by_rows(fusion, source);
}

// The value out of bounds: what is checked tells of that, if one of its subscripts is outside.
ValueId StatementReads::checked_fill(std::uint32_t number, const FormulaNode& node, TensorId source,
                                     ValueId otherwise) {
  if (!fusion_.is_checked()) return otherwise;
  for (std::size_t axis = 0; axis < node.operands.size(); ++axis) {
    const std::uint32_t k = node.operands[axis];
    const FormulaNode& whole = formula_.nodes[k];
    if (whole.kind != Kind::Remap || whole.remap != Remap::Checked) continue;
    const ValueId at = whole.is_loaded ? values_[k] : fusion_.values().index(subscripts_[k]);
    otherwise = checks_.of_subscript(number, source, axis, at, otherwise);
  }
  return otherwise;
}

ValueId StatementReads::fill(std::uint32_t number) {
  const FormulaNode& node = formula_.nodes[number];
  ValueGraph& values = fusion_.values();
  const FormulaNode& element = formula_.nodes[node.operands[0]];
  const DataType type = fusion_[names_.source_of(element)].type;
  if (node.operands.size() == 1) {
    return read(number, element, values.constant(type, std::int64_t{0}, false));
  }
  const ValueId otherwise = values_[node.operands[1]];
  const ValueNode& other = values[otherwise];
  const auto common = promote(type, false, other.type, other.weak);
  if (!common || compute_type(*common) != compute_type(type)) {
    const std::string own(to_string(type)), fills(to_string(other.type));
    refuse("E319", place(formula_.nodes[node.operands[1]].at),
           "elements of " + element.name + " are " + own + ", and what fills them is " + fills,
           "write " + own + "(...) around what fills them, or cast " + element.name +
               " in a statement of its own");
  }
  const ValueId filled = read(number, element, otherwise);
  return common == type ? filled : values.cast(filled, *common);
}

ValueId StatementReads::read(std::uint32_t number, const FormulaNode& node,
                             std::optional<ValueId> otherwise) {
  const TensorId source = names_.source_of(node);
  if (node.is_by_position && !fusion_[source].items_of) {
    refuse("E520", place(node.at), node.name + " has no items of rows",
           "write " + node.name +
               "[...]; values are of tensors with a shape such as "
               "[B, ragged(off)], and of matrices that are csr, csc or coo");
  }
  const std::vector<Expr> extents = shape_of_read(fusion_, node, source);
  if (extents.size() != node.operands.size()) {
    refuse("E503", place(node.at),
           node.name + " has rank " + std::to_string(extents.size()) + " and is read at " +
               std::to_string(node.operands.size()) +
               (node.operands.size() == 1 ? " subscript" : " subscripts"),
           "give one subscript for each axis");
  }
  if (fusion_[source].items_of && !node.is_by_position)
    return read_item(node, source, extents, otherwise);
  const DataType type = fusion_[source].type;
  ValueGraph& values = fusion_.values();
  std::vector<std::size_t> safe, others;  // axes
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const FormulaNode& whole = formula_.nodes[node.operands[axis]];
    if (whole.kind != Kind::Remap) others.push_back(axis);
    if (has_safe_mode(whole)) safe.push_back(axis);
  }
  const bool is_safe = !safe.empty() && !otherwise;
  const auto is_within = [&](std::size_t axis) {
    return stays_within(node.operands[axis], extents[axis]);
  };
  // Only these axes may be left: the others are to be proved in bounds like those of any read.
  const bool leaves_some = is_safe && !std::all_of(others.begin(), others.end(), is_within);
  ReadAt at;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    add_subscript(node.operands[axis], extents[axis], otherwise.has_value(), leaves_some, at);
  }
  if (is_safe) otherwise = values.constant(type, std::int64_t{0}, false);
  if (otherwise) otherwise = checked_fill(number, node, source, *otherwise);
  return leaves_some ? at.read_inside(fusion_, source, *otherwise)
                     : at.read(fusion_, source, otherwise);
}

// An item of a row: of the row that the statement is at, where its index runs over the items of
// a row; else of any row, filled where the row has no such item.
ValueId StatementReads::read_item(const FormulaNode& node, TensorId source,
                                  const std::vector<Expr>& extents,
                                  std::optional<ValueId> otherwise) {
  const RowsId rows = *fusion_[source].items_of;
  ReadAt at;
  const std::uint32_t at_row = node.operands[0], at_item = node.operands[1];
  for (const std::uint32_t k : {at_row, at_item}) {
    const FormulaNode& n = formula_.nodes[k];
    if (n.kind != Kind::Remap && !(n.is_loaded && k == at_row)) continue;
    refuse(
        "E520", place(n.at),
        n.kind == Kind::Remap
            ? "an access mode stands at the row or the item at which " + node.name + " is read"
            : "the row at which " + node.name + " is read is a number that is loaded",
        "write a sum of indices, integers and sizes, such as fill(" + node.name + "[b, j + 1], 0)");
  }
  const bool is_loaded = formula_.nodes[at_item].is_loaded;
  const Expr row = subscripts_[at_row], item = is_loaded ? Expr() : subscripts_[at_item];
  const Expr extent = is_loaded ? Expr() : indices_.extent(item);
  const Expr rows_of_index = row.is(Op::Symbol) ? indices_.extent(row) : Expr();
  if (rows_of_index.valid() && !same(rows_of_index, extents[0])) {
    const Expr is_same = eq(rows_of_index, extents[0]);
    if (sizes_.simplifier().proves(!is_same)) {
      refuse("E501", place(node.at),
             node.name + " has " + to_string(extents[0]) + " rows, and its index there runs over " +
                 to_string(rows_of_index),
             "make the extents equal");
    }
    if (!sizes_.simplifier().proves(is_same)) {
      fusion_.check_at_launch(is_same, node.name + " has a row for each index");
    }
  }
  if (extent.valid() && same(extent, extents[1]) && row.is(Op::Symbol)) {
    const IndexValue begin = begin_of(fusion_, rows, row);
    at.add(begin, begin.loaded.symbol + item);
  } else if (otherwise) {
    const RowItem own = is_loaded ? row_item(fusion_, rows, row, values_[at_item])
                                  : row_item(fusion_, rows, row, item);
    at.add(index_value(fusion_, own.subscript, fusion_.shape(source)[0], IndexMode::Clamped));
    at.only_if(fusion_.values(), own.is_inside);
  } else {
    refuse("E520", place(node.at), "the row at which " + node.name + " is read may lack the item",
           "write fill(" + node.name + "[...], 0)");
  }
  for (std::size_t axis = 2; axis < extents.size(); ++axis) {
    add_subscript(node.operands[axis], extents[axis], otherwise.has_value(), false, at);
  }
  return at.read(fusion_, source, otherwise);
}

// `is_filled`: the read has a value for out of bounds. `leaves_some`: it has none, and safe axes
// are clamped, with a condition that they are not left.
void StatementReads::add_subscript(std::uint32_t k, Expr extent, bool is_filled, bool leaves_some,
                                   ReadAt& at) {
  const FormulaNode& whole = formula_.nodes[k];
  const bool has_mode = whole.kind == Kind::Remap;
  const bool is_safe = has_safe_mode(whole);
  if (whole.is_loaded && (is_safe || (is_filled && !has_mode))) {
    return at.add_filled(fusion_, values_[k], extent);
  }
  if (whole.is_loaded) {
    // As the parser does where a load is written: here the items of a sparse tensor tell an index.
    if (has_mode && whole.remap != Remap::Clamped && access_mode(whole.remap)) {
      refuse_unsupported(place(whole.at), "a load in an access mode that goes on beyond its axis",
                         "write clamped, safe, checked or unchecked around it");
    }
    const IndexMode mode = !has_mode                       ? IndexMode::Proved
                           : whole.remap == Remap::Clamped ? IndexMode::Clamped
                                                           : IndexMode::Unchecked;
    return at.add(index_value(fusion_, values_[k], extent, mode));
  }
  const Expr own = subscripts_[k];
  if (is_safe && leaves_some) {
    at.add(remapped(sizes_.simplifier(), AccessMode::Clamped, own, extent));
    return at.only_if(fusion_.values(), fusion_.values().index(0 <= own && own < extent));
  }
  const auto mode = has_mode ? access_mode(whole.remap) : std::nullopt;
  if (!mode) return at.add(own);
  at.add(sizes_.simplifier(), *mode, own, extent);
}

// Whether a subscript without a mode is proved to be in bounds.
bool StatementReads::stays_within(std::uint32_t k, Expr extent) {
  if (!formula_.nodes[k].is_loaded) return proves_within(subscripts_[k], extent);
  const auto most = greatest_index(fusion_.values(), values_[k]);
  return most && sizes_.simplifier().proves(extent > *most);
}

// 0 <= subscript < extent wherever the indices of the statement are within their extents.
bool StatementReads::proves_within(Expr subscript, Expr extent) {
  Facts facts = *fusion_.facts();
  for (Expr index : symbols_of(std::span(&subscript, 1))) {
    const Expr n = indices_.extent(index);
    if (n.valid()) facts.loop(index, n);
  }
  return Simplifier(std::move(facts)).proves(0 <= subscript && subscript < extent);
}

}  // namespace selvage
