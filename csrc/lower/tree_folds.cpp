// Nests of a TreeBody that fold or scan: the state before their loops, what these take in, and the
// results.
#include <selvage/base/check.h>
#include <selvage/legality/values.h>
#include <selvage/lower/body.h>
#include <selvage/lower/group_fold.h>
#include <selvage/lower/row_fold.h>
#include <selvage/lower/scan_nest.h>
#include <selvage/lower/tree_body.h>

namespace selvage {

std::size_t TreeBody::folded_from(TensorId t) const {
  const std::vector<DomainId>& loops = placed_[t].analysis.loops;
  std::size_t k = 0;
  while (k < loops.size() && !schedule_.is_folded(t, loops[k])) ++k;
  return k;
}

// The outermost loops up to the first folded one; inside them: set the state to the empty one, take
// in all elements, merge the states of threads, store the result.
Body TreeBody::folding(const NestTree& tree) {
  const std::size_t outer = folded_from(tree.tensor);
  return loops(tree, tree.shared, outer, true, [&](std::size_t level) {
    SELVAGE_CHECK(level == outer);
    Body body = empty(tree);
    append(body, folds_.at(tree.tensor).summed(taking_in(tree, outer, false)));
    append(body, results(tree));
    return body;
  });
}

// The loops up to the innermost one, which goes through the positions of a tile (see RowFold).
Body TreeBody::folding_positions(const NestTree& tree) {
  const TensorAnalysis& a = placed_[tree.tensor].analysis;
  const RowNumber& number = a.rows.at(0);
  const TensorId offsets = TensorId(schedule_.graph()[number.rows].offsets);
  const BufferId result = buffer_of(tree.tensor, 0, true);
  RowFold fold(fusion_, schedule_, a, buffer_of(offsets, 0, false), draft_);
  const std::size_t inner = a.loops.size() - 1;
  return loops(tree, tree.shared, inner, true, [&](std::size_t) {
    Body body = fold.start();
    open_rows_.push_back(number);
    Loop loop = loop_of(schedule_, a, inner, draft_.kernel, draft_.computed);
    loop.body = fold.row();
    Body item = leaf(a, inner + 1, fold.take_in({value_of(a)}), Memory::Local);
    const Expr reaches = fold.reaches_position();
    append(loop.body,
           reaches.is_true() ? std::move(item) : guarded({draft_.form(reaches)}, std::move(item)));
    append(loop.body, fold.end_of_row(result, a.address));
    open_rows_.pop_back();
    body.push_back({std::move(loop)});
    append(body, fold.finish());
    return body;
  });
}

// The loops up to the innermost one, which is the turns of the threads of a block (see GroupFold).
Body TreeBody::folding_groups(const NestTree& tree) {
  const TensorAnalysis& a = placed_[tree.tensor].analysis;
  const TensorId offsets = TensorId(schedule_.graph()[a.rows.at(0).rows].offsets);
  const BufferId result = buffer_of(tree.tensor, 0, true);
  GroupFold fold(fusion_, schedule_, a, buffer_of(offsets, 0, false), draft_);
  const std::size_t inner = a.loops.size() - 1;
  return loops(tree, tree.shared, inner, true, [&](std::size_t) {
    Body body = fold.start();
    Loop loop = loop_of(schedule_, a, inner, draft_.kernel, draft_.computed);
    loop.body = fold.begin_turn();
    append(loop.body, leaf(a, inner + 1, fold.put_aside(value_of(a)), Memory::Local));
    append(loop.body, fold.end_turn());
    body.push_back({std::move(loop)});
    append(body, fold.finish(result));
    return body;
  });
}

// The stores of a result, at the elements of its nest.
std::vector<Store> TreeBody::at_elements(const TensorAnalysis& result,
                                         std::vector<Store> stores) const {
  const std::vector<Expr> valid = valid_points(fusion_, schedule_, result);
  for (Store& store : stores) {
    store.address = result.address;
    store.valid = valid;
  }
  return stores;
}

// The outermost loops up to the first of the scanned axis; inside them: set the state to the empty
// one, and run through the axis, storing each element (see ScanNest).
Body TreeBody::scanning(const NestTree& tree) {
  const TensorAnalysis& a = placed_[tree.tensor].analysis;
  const TensorAnalysis& result = *placed_[tree.tensor].result;
  ScanNest nest(fusion_, schedule_, a, draft_);
  const std::vector<BufferId> targets = buffers_of(tree.tensor);
  return loops(tree, tree.shared, nest.outer(), true, [&](std::size_t outer) {
    Body body = nest.start();
    if (!nest.step()) {
      append(body, loops(tree, outer, SIZE_MAX, false, [&](std::size_t open) {
               std::vector<Store> stores = nest.take_in(value_of(a));
               for (Store& s : at_elements(a, nest.finish(targets))) stores.push_back(std::move(s));
               return leaf(a, open, std::move(stores), memory_of(a));
             }));
      return body;
    }
    append(body, loops(tree, outer, *nest.step(), false, [&](std::size_t step) {
             Body one = nest.begin_step();
             append(one, loops(tree, step, SIZE_MAX, false, [&](std::size_t open) {
                      return leaf(a, open, nest.take_in(value_of(a)), Memory::Local);
                    }));
             append(one, nest.meet());
             append(one, leaf(result, step, at_elements(result, nest.finish(targets)),
                              memory_of(result)));
             return one;
           }));
    return body;
  });
}

Body TreeBody::empty(const NestTree& tree) {
  const TensorId t = tree.tensor;
  const auto [at, is_new] =
      folds_.try_emplace(t, fusion_, schedule_, placed_[t].analysis, folded_from(t), draft_);
  SELVAGE_CHECK(is_new);
  if (at->second.keep_in_result(*placed_[t].result)) at->second.use(buffers_of(t));
  return at->second.start();
}

Body TreeBody::taking_in(const NestTree& tree, std::size_t level, bool hosts_at_level) {
  const TensorAnalysis& a = placed_[tree.tensor].analysis;
  FoldNest& nest = folds_.at(tree.tensor);
  return loops(tree, level, SIZE_MAX, hosts_at_level, [&](std::size_t open) {
    if (nest.components().size() == 1) {
      return by_blocks(a, [&](const TensorAnalysis& at) {
        return leaf(at, open, nest.take_in({value_of(at)}), Memory::Local);
      });
    }
    FoldState element = {value_of(a)};
    for (std::size_t c = 1; nest.merges() && c < nest.components().size(); ++c) {
      element.push_back(value_of(a, c));
    }
    return leaf(a, open, nest.take_in(element), Memory::Local);
  });
}

Body TreeBody::results(const NestTree& tree) {
  const TensorAnalysis& result = *placed_[tree.tensor].result;
  FoldNest& nest = folds_.at(tree.tensor);
  Body body = nest.merge_threads();
  if (!nest.keep_in_result(result)) {
    append(body,
           leaf(result, folded_from(tree.tensor),
                at_elements(result, nest.finish(buffers_of(tree.tensor))), memory_of(result)));
  }
  folds_.erase(tree.tensor);
  return body;
}

}  // namespace selvage
