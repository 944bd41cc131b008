#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/ir/about.h>
#include <selvage/ir/fold.h>
#include <selvage/legality/inside_reads.h>
#include <selvage/legality/tma.h>
#include <selvage/legality/values.h>
#include <selvage/lower/body.h>
#include <selvage/lower/box_nest.h>
#include <selvage/lower/bulk_stores.h>
#include <selvage/lower/combined_copies.h>
#include <selvage/lower/group_fold.h>
#include <selvage/lower/items.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/one_pass.h>
#include <selvage/lower/row_defines.h>
#include <selvage/lower/stored_parts.h>
#include <selvage/lower/tree_body.h>
#include <selvage/scheduler/groups.h>

#include <algorithm>

namespace selvage {

Body TreeBody::of(const NestTree& tree) {
  const TensorInfo& tensor = fusion_[tree.tensor];
  return about(tree.tensor, [&] {
    if (is_scan(tensor)) return scanning(tree);
    if (GroupFold::is_one(schedule_, tree.tensor)) return folding_groups(tree);
    if (schedule_.positions(tree.tensor)) return folding_positions(tree);
    const bool has_states = tensor.fold && !is_combined_by_copies(schedule_, tree.tensor);
    return has_states ? folding(tree) : plain(tree);
  });
}

// The nests that stand at a level of the tree, in their order. Folds that follow one another and do
// not read one another take their items in together.
Body TreeBody::hosted(const NestTree& tree, std::size_t level) {
  std::vector<const NestTree*> here;
  for (const NestTree& inner : tree.inside) {
    if (inner.level == level) here.push_back(&inner);
  }
  Body body;
  for (std::size_t k = 0; k < here.size();) {
    std::size_t end = k + 1;
    const auto joins = [&](std::size_t other) {
      return std::all_of(here.begin() + std::ptrdiff_t(k), here.begin() + std::ptrdiff_t(other),
                         [&](const NestTree* t) {
                           return share_a_pass(fusion_, schedule_, nests_, *t, *here[other]);
                         });
    };
    while (end < here.size() && joins(end)) ++end;
    if (end == k + 1) {
      const NestTree& inner = *here[k];
      append(body, inner.accumulated_over ? taking_in(inner, inner.shared, true) : of(inner));
    } else {
      append(body, folding_together(std::span(here).subspan(k, end - k)));
    }
    k = end;
  }
  return body;
}

// Whether the name of a loop of one fold, which is given the value of the other's loop in its
// place, is that of another loop around both.
bool TreeBody::hides_variables(const NestTree& fold, const NestTree& first) const {
  const std::vector<Expr>& own = placed_[fold.tensor].analysis.variables;
  const std::vector<Expr>& others = placed_[first.tensor].analysis.variables;
  const std::size_t loops = folded_from(first.tensor) - first.shared;
  for (std::size_t k = 0; k < loops; ++k) {
    for (std::size_t l = 0; l < loops; ++l) {
      if (k != l && same(own[fold.shared + k], others[first.shared + l])) return true;
    }
  }
  return false;
}

// The nests of folds that share a pass: inside the outermost loops of the first one, the loops of
// all of them as one.
Body TreeBody::folding_together(std::span<const NestTree* const> folds) {
  const NestTree& first = *folds[0];
  const auto hides = [&](const NestTree* fold) { return hides_variables(*fold, first); };
  if (std::ranges::any_of(folds.subspan(1), hides)) {
    Body apart;
    for (const NestTree* fold : folds) append(apart, of(*fold));
    return apart;
  }
  const std::size_t outer = folded_from(first.tensor);
  const auto loop = [&](const NestTree& fold, std::size_t k) {
    return loop_of(schedule_, placed_[fold.tensor].analysis, fold.shared + k, draft_.kernel,
                   draft_.computed);
  };
  return loops(first, first.shared, outer, true, [&](std::size_t) {
    Body body, taken;
    for (const NestTree* fold : folds) {
      for (std::size_t k = 0; fold != &first && k < outer - first.shared; ++k) {
        const Expr own = loop(*fold, k).variable, shared = loop(first, k).variable;
        if (!same(own, shared)) body.push_back({Define{own, shared}});
      }
      about(fold->tensor, [&] {
        append(body, empty(*fold));
        Body own =
            folds_.at(fold->tensor).summed(taking_in(*fold, folded_from(fold->tensor), false));
        taken = taken.empty() ? std::move(own)
                              : in_one_pass(std::move(taken), std::move(own), draft_.kernel);
      });
    }
    append(body, std::move(taken));
    for (const NestTree* fold : folds) {
      append(body, about(fold->tensor, [&] { return results(*fold); }));
    }
    return body;
  });
}

// The code inside the first `level` loops of the nest. Opens loops as long as hosted tensors stand
// further in, or down to `end`; then leaf(level) gives the code inside, with the remaining loops.
// Rows are read where the loops around them tell which they are.
Body TreeBody::loops(const NestTree& tree, std::size_t level, std::size_t end, bool hosts_at_level,
                     const Leaf& leaf) {
  const TensorAnalysis& a = placed_[tree.tensor].analysis;
  const std::size_t outside = open_rows_.size();
  std::vector<Define> rows;
  for (const RowNumber& row : a.rows) {
    if (row.level > level || is_open(row)) continue;
    for (Define& define : row_reads(a, row).defines) rows.push_back(std::move(define));
    open_rows_.push_back(row);
  }
  Body body = body_of_all(std::move(rows));
  append(body, loops_inside(tree, level, end, hosts_at_level, leaf));
  open_rows_.resize(outside);
  return body;
}

bool TreeBody::is_open(const RowNumber& row) const {
  const RowNumber* open = find(open_rows_, row.rows);
  if (open == nullptr || !same(open->row, row.row)) return false;
  if (!row.search) return true;
  const auto is_alike = [](const RowSearch& a, const RowSearch& b) {
    return same(a.position, b.position) && same(a.first, b.first) && same(a.last, b.last);
  };
  return open->search && is_alike(*open->search, *row.search);
}

// What is read of a row. Where no guard around yet says that there is such a row, its ends are 0.
RowReads TreeBody::row_reads(const TensorAnalysis& analysis, const RowNumber& number) {
  const DomainGraph& graph = schedule_.graph();
  const RaggedRows& of = graph[number.rows];
  const RaggedRows& rows = of.groups ? graph[of.groups->rows] : of;
  RowDefines defines(draft_.kernel, rows, buffer_of(TensorId(rows.offsets), 0, false));
  if (!number.search) {
    const Expr is_there = analysis.ranges->simplify(ok(number.row, of.count));
    return {number.row, of.groups ? defines.ends_of_group(of, number.row, is_there)
                                  : defines.ends(number.row, is_there)};
  }
  RowReads made{number.search->position, {defines.search(rows.row, *number.search)}};
  for (Define& end : defines.ends(rows.row, fusion_.pool().truth(true))) {
    made.defines.push_back(std::move(end));
  }
  return made;
}

Body TreeBody::loops_inside(const NestTree& tree, std::size_t level, std::size_t end,
                            bool hosts_at_level, const Leaf& leaf) {
  Body body;
  if (hosts_at_level) body = hosted(tree, level);
  bool has_deeper = end != SIZE_MAX ? level < end : opens_blocks(tree.tensor, level);
  for (const NestTree& inner : tree.inside) {
    if (inner.level > level && (end == SIZE_MAX || inner.level <= end)) has_deeper = true;
  }
  if (!has_deeper) {
    append(body, leaf(level));
    return body;
  }
  const TensorAnalysis& a = placed_[tree.tensor].analysis;
  Loop loop = loop_of(schedule_, a, level, draft_.kernel, draft_.computed);
  // The hosted tensors inside are computed element by element, so the loop is not vectorised.
  if (loop.parallel == ParallelType::Vectorize) loop.parallel = ParallelType::Serial;
  const auto accumulates = [&](const NestTree& inner) { return inner.accumulated_over == level; };
  for (const NestTree& inner : tree.inside) {
    if (accumulates(inner)) append(body, about(inner.tensor, [&] { return empty(inner); }));
  }
  loop.body = loops(tree, level + 1, end, true, leaf);
  body.push_back({std::move(loop)});
  for (const NestTree& inner : tree.inside) {
    if (accumulates(inner)) append(body, about(inner.tensor, [&] { return results(inner); }));
  }
  return body;
}

// Whether a loop is one of blocks around reads that may leave their tensors.
bool TreeBody::opens_blocks(TensorId t, std::size_t level) const {
  const std::vector<DomainId>& loops = placed_[t].analysis.loops;
  return options_.draws_out_checks && level < loops.size() &&
         is_block(schedule_.parallel(t, loops[level])) && may_leave(fusion_, schedule_, t);
}

// What make(analysis) writes of a nest inside the loops of its blocks: as reads at any block ask
// for it, and before that as interior blocks do.
Body TreeBody::by_blocks(const TensorAnalysis& analysis, const Make& make) {
  Body everywhere = make(analysis);
  if (!options_.draws_out_checks || options_.checks_everything) return everywhere;
  const auto inside = inside_reads(fusion_, schedule_, analysis, std::exchange(reads_, {}));
  if (!inside || !inside->pays) return everywhere;
  Body interior = make(at_interior_blocks(analysis, *inside));
  return body_of(
      Guard{draft_.form(inside->hoisted.condition), std::move(interior), std::move(everywhere)});
}

Body TreeBody::leaf(const TensorAnalysis& analysis, std::size_t open, std::vector<Store> stores,
                    Memory target, InBulk in_bulk) {
  const bool is_vectorised =
      draft_.is_vectorised && !stores.back().atomic && in_bulk != InBulk::Never;
  std::vector<SpreadLoop> spread;
  if (target != Memory::Local && in_bulk != InBulk::Yes) {
    spread = spread_loops(schedule_, analysis, open, is_vectorised, draft_.kernel);
  }
  const NestRequest request{.fusion = fusion_,
                            .schedule = schedule_,
                            .analysis = analysis,
                            .open = open,
                            .target = target,
                            .is_vectorised = is_vectorised,
                            .draws_out_checks = options_.draws_out_checks,
                            .checks_everything = options_.checks_everything,
                            .is_stored_in_bulk = in_bulk == InBulk::Yes,
                            .spread = spread,
                            .rows = rows_inside(analysis)};
  if (target == Memory::Global) {
    const Item item = stored_item(fusion_, schedule_, analysis, spread);
    for (const Store& store : stores) {
      const bool is_global = draft_.kernel.buffers[store.buffer].memory == Memory::Global;
      if (is_global) draft_.kernel.items.add(store.buffer, store.address, item);
    }
  }
  return nest_of(request, std::move(stores), draft_);
}

// The rows that the open loops do not tell.
std::vector<RowReads> TreeBody::rows_inside(const TensorAnalysis& analysis) {
  std::vector<RowReads> rows;
  for (const RowNumber& row : analysis.rows) {
    if (!is_open(row)) rows.push_back(row_reads(analysis, row));
  }
  return rows;
}

Memory TreeBody::memory_of(const TensorAnalysis& analysis) {
  return analysis.storage ? analysis.storage->memory : Memory::Global;
}

BufferId TreeBody::buffer_of(TensorId t, std::size_t number, bool is_written) {
  const StoredPart part = parts_of(fusion_, nests_, t)[number];
  Buffer buffer{.name = part.name,
                .type = part.type,
                .elements = {},
                .is_written = is_written,
                .holds = TensorPart{t, number}};
  const bool is_placed = placed_.contains(t);
  const Storage* storage = nullptr;
  if (is_placed && placed_[t].analysis.storage) storage = &*placed_[t].analysis.storage;
  if (storage != nullptr) {
    if (!fusion_[t].fold || !fusion_[t].fold->is_partial) buffer.type = storage->type;
    buffer.memory = storage->memory;
    buffer.elements = placed_[t].analysis.elements;
  } else {
    buffer.elements = elements_of(fusion_, schedule_.graph(), t);
  }
  return draft_.buffer_of(std::move(buffer), storage);
}

std::vector<BufferId> TreeBody::buffers_of(TensorId t) {
  std::vector<BufferId> buffers;
  for (std::size_t k = 0; k < parts_of(fusion_, nests_, t).size(); ++k) {
    buffers.push_back(buffer_of(t, k, true));
  }
  return buffers;
}

ValueId TreeBody::value_of(const TensorAnalysis& analysis, std::size_t component) {
  const auto load = [&](Access read) {
    const TensorId source = read.tensor;
    ValueGraph& values = draft_.kernel.values;
    place(read, fusion_, schedule_, placed_.contains(source) ? &placed_[source].analysis : nullptr);
    const BufferId buffer = buffer_of(source, part_read(fusion_, nests_, source, component), false);
    const Expr address = analysis.guarded->simplify(read.address);
    if (draft_.kernel.buffers[buffer].memory == Memory::Global) {
      Item item{std::move(read.indices)};
      const std::optional<TensorId> other = fusion_.replacement(source);
      if (other && placed_.contains(*other)) {
        // The thread that reads an element is to be the one that replaces it.
        const PlacedTensor& own = placed_[*other];
        item.owner = stored_item(fusion_, schedule_, own.result ? *own.result : own.analysis).owner;
      }
      draft_.kernel.items.add(buffer, address, std::move(item));
    }
    return values.read(draft_.kernel.buffers[buffer].type, buffer, {address});
  };
  ValueLowering lowering(fusion_, schedule_, analysis, draft_.kernel.values, load, draft_.numbers);
  const ValueId value = lowering.lower(analysis.tensor);
  reads_ = lowering.leaving();
  return value;
}

// A tile that is copied by a tensor map, or a tensor that is stored so from a tile.
Body TreeBody::box(const TensorAnalysis& a, std::size_t open) {
  const BufferId own = buffer_of(a.tensor, 0, true);
  if (memory_of(a) == Memory::Shared) {
    const BufferId from = buffer_of(copied(fusion_, schedule_, a).tensor, 0, false);
    return box_nest(fusion_, schedule_, a, open, own, from, draft_);
  }
  // The value of an element, converted to its own type, is the element.
  const ValueGraph& values = draft_.kernel.values;
  ValueNode read = values[value_of(a)];
  while (read.kind == ValueNode::Kind::Cast && read.type == draft_.kernel.buffers[own].type) {
    read = ValueNode(values[read.operands[0]]);
  }
  draft_.settled_values = draft_.kernel.values.size();
  const bool is_tile = read.kind == ValueNode::Kind::Read &&
                       draft_.kernel.buffers[read.source].memory == Memory::Shared &&
                       draft_.kernel.buffers[read.source].type == draft_.kernel.buffers[own].type;
  const std::string& name = fusion_[a.tensor].name;
  if (!is_tile) {
    if (fusion_[a.tensor].fold) refuse_combined_tile(schedule_, a.tensor);
    refuse<Illegal>("E448", name + " is stored by tma, and is no copy of a tile in shared memory",
                    "cache it in shared memory, {cache: {as: " + name + "_s, memory: shared, ..}}");
  }
  return box_store_nest(fusion_, schedule_, a, open, read.source, read.subscripts[0], own, draft_);
}

Body TreeBody::plain(const NestTree& tree) {
  const TensorAnalysis& a = placed_[tree.tensor].analysis;
  if (draft_.is_vectorised && schedule_.copied_by(tree.tensor) == CopyBy::Tma) {
    return loops(tree, tree.shared, SIZE_MAX, true, [&](std::size_t open) { return box(a, open); });
  }
  const std::optional<Fold>& fold = fusion_[tree.tensor].fold;
  const auto atomic = fold ? std::optional(combiner(fold->how)) : std::nullopt;
  const bool is_for_bulk = draft_.is_vectorised && memory_of(a) == Memory::Global &&
                           schedule_.copied_by(tree.tensor) == CopyBy::Bulk;
  const auto nest = [&](const TensorAnalysis& a, std::size_t open, InBulk in_bulk) {
    std::vector<Store> stores;
    ValueId value = value_of(a);
    const std::vector<Expr> valid = valid_points(fusion_, schedule_, a);
    const std::vector<BufferId> buffers = buffers_of(tree.tensor);
    // A value that is stored in two types is computed once.
    if (buffers.size() > 1) {
      const TensorInfo& tensor = fusion_[tree.tensor];
      const DataType type = compute_type(tensor.type);
      const BufferId once = draft_.add_local(tensor.name + ".element", type, 1);
      const Expr zero = fusion_.pool().constant(0);
      stores.push_back({.buffer = once, .address = zero, .value = value, .valid = valid});
      value = draft_.kernel.values.read(type, once, {zero});
    }
    for (BufferId buffer : buffers) {
      const DataType type = draft_.kernel.buffers[buffer].type;
      stores.push_back({.buffer = buffer,
                        .address = a.address,
                        .value = draft_.kernel.values.as_element(value, type),
                        .valid = valid,
                        .duplicates_allowed = fusion_[tree.tensor].duplicates_allowed,
                        .atomic = in_bulk == InBulk::Yes ? std::nullopt : atomic});
    }
    return leaf(a, open, std::move(stores), memory_of(a), in_bulk);
  };
  return loops(tree, tree.shared, SIZE_MAX, true, [&](std::size_t open) {
    const auto made = [&](InBulk in_bulk) {
      return by_blocks(a, [&](const TensorAnalysis& at) { return nest(at, open, in_bulk); });
    };
    if (!is_for_bulk) return made(InBulk::No);
    auto stores = bulk_store_nest(fusion_, schedule_, a, made(InBulk::Yes),
                                  buffer_of(tree.tensor, 0, true), atomic, draft_);
    return stores ? *std::move(stores) : made(InBulk::Never);
  });
}

}  // namespace selvage
