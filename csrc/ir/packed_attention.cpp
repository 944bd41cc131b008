#include <selvage/base/refuse.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/ir/packed_attention.h>
#include <selvage/ir/ragged_ops.h>

namespace selvage {

namespace {

RowsId packed_rows(const std::string& op, Tensor x) {
  const auto rows = x.fusion()[x.id()].items_of;
  if (rows && x.rank() == 2) return *rows;
  refuse<BadInput>("E511", op + ": " + to_text(x) + " is no vector for each item of rows",
                   "give a tensor [rows, ragged, D]");
}

void check_same(const std::string& op, Tensor a, Tensor b) {
  check_one_fusion(op, a, b);
  if (packed_rows(op, a) == packed_rows(op, b)) return;
  refuse<BadInput>("E501",
                   op + ": " + to_text(a) + " and " + to_text(b) + " have items of other rows",
                   "give them the same; as_rows() does, where check_same_rows() holds");
}

}  // namespace

PackedScores packed_scores(Tensor q, Tensor k, Attends to, std::optional<Expr> pairs) {
  const std::string op = "packed_scores";
  check_same(op, q, k);
  Fusion& f = q.fusion();
  const RowsId rows = packed_rows(op, q);
  const Expr depth = shape_of(q)[1];
  if (require(f, eq(depth, shape_of(k)[1]), op + ": vectors are equally long") == Holds::Never) {
    refuse<BadInput>(
        "E501",
        op + ": the vectors of " + to_text(q) + " and " + to_text(k) + " are not equally long",
        "give both the same last axis");
  }
  const Expr b = f.fresh_index("b"), i = f.fresh_index("i"), p = f.fresh_index("p"),
             j = f.fresh_index("j"), d = f.fresh_index("d");
  const Element begin = offset_of(f, rows, b), all = offset_of(f, rows, b + 1) - begin;
  const Tensor begins = compute_ragged(f, "", rows, {b, i}, {}, begin);
  const Tensor lengths = compute_ragged(f, q.name() + "_" + k.name() + "_pairs", rows, {b, i}, {},
                                        to == Attends::Everywhere ? all : Element(i + 1));
  const RowsId by_items = rows_of_lengths(lengths, pairs);
  const Fusion::FoldRequest fold{.indices = {d}, .shape = {depth}};
  const Element other = read(begins, {p}) + Element(j);
  const Tensor scores =
      compute_ragged(f, "", by_items, {p, j}, {},
                     read(q, {p, d}) * gather(k, {clamped(other), Subscript(d)}), {}, &fold);
  return {by_items, begins, scores};
}

Tensor packed_attention(Tensor q, Tensor k, Tensor v, double scale, Attends to,
                        std::optional<Expr> pairs) {
  const std::string op = "packed_attention";
  check_same(op, q, v);
  Fusion& f = q.fusion();
  const PackedScores own = packed_scores(q, k, to, pairs);
  const Tensor weights = row_softmax(own.scores * scale);
  const Expr p = f.fresh_index("p"), j = f.fresh_index("j"), e = f.fresh_index("e");
  const Element other = read(own.begins, {p}) + Element(j);
  const std::vector<Expr> shape = shape_of(v);
  const Tensor made =
      f.compute_fold("", {p, e}, shape, {.indices = {j}, .shape = {length(f, own.pairs)}},
                     item(weights, own.pairs, {p, j}) * gather(v, {clamped(other), Subscript(e)}));
  return as_rows(made, packed_rows(op, q));
}

}  // namespace selvage
