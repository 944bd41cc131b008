#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/identity.h>
#include <selvage/legality/tma.h>
#include <selvage/lower/body.h>
#include <selvage/lower/box_nest.h>
#include <selvage/lower/items.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/one_thread.h>

namespace selvage {

namespace {

class BoxNest {
 public:
  BoxNest(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
          KernelDraft& draft)
      : fusion_(fusion),
        schedule_(schedule),
        analysis_(analysis),
        draft_(draft),
        kernel_(draft.kernel),
        copy_(*tma_copy(fusion, schedule, analysis)) {}

  Body loaded(std::size_t open, BufferId tile, BufferId from) {
    make_map(from);
    AsyncCopy copy = box(tile, analysis_.address);
    copy.copy.to = tile;
    copy.copy.from = from;
    copy.copy.to_address = draft_.form(at_first(analysis_.address));
    return one_writer(free_axes(), loops(open, {{std::move(copy)}}), kernel_);
  }

  Body stored(std::size_t open, BufferId tile, Expr address, BufferId to) {
    make_map(to);
    check_stored();
    AsyncCopy copy = box(tile, address);
    copy.copy.to = to;
    copy.copy.from = tile;
    copy.copy.from_address = draft_.form(at_first(address));
    copy.is_store = true;
    if (const std::optional<Fold>& fold = fusion_[analysis_.tensor].fold) {
      copy.atomic = combiner(fold->how);
    } else {
      copy.box->owner = stored_item(fusion_, schedule_, analysis_).owner;
    }
    Body all = loops(open, {{std::move(copy)}});
    append(all, {{Arrive{.queue = ThreadQueue::Stores}}, {Wait{.queue = ThreadQueue::Stores}}});
    Body body = {{ProxyFence{}}, {Barrier{}}};
    append(body, one_elected(free_axes(), std::move(all), kernel_));
    return body;
  }

 private:
  void make_map(BufferId buffer) {
    const Finding& finding = copy_.finding;
    if (!finding.is_legal()) refuse<Illegal>(finding.code, finding.reason, finding.help);
    kernel_.maps.push_back(map_of(buffer));
    add_conditions();
  }

  // The loops that are no box, but for those that are open, around a body.
  Body loops(std::size_t open, Body body) {
    for (std::size_t i = analysis_.loops.size(); i-- > 0;) {
      const Expr own = schedule_.graph()[analysis_.loops[i]].extent;
      if (is_bulk(i)) continue;
      Loop loop = loop_of(schedule_, analysis_, i, kernel_, draft_.computed);
      // Where the launch is wider than the loop.
      const bool is_wider =
          is_index(loop.parallel) && !analysis_.ranges->proves(loop.extent <= own);
      if (is_wider) body = guarded({draft_.form(loop.variable < own)}, std::move(body));
      if (i < open) continue;
      loop.body = std::move(body);
      body = body_of(std::move(loop));
    }
    return body;
  }

  ParallelType parallel(std::size_t loop) const {
    return schedule_.parallel(analysis_.tensor, analysis_.loops[loop]);
  }
  bool is_bulk(std::size_t loop) const { return parallel(loop) == ParallelType::Bulk; }

  std::vector<ParallelType> free_axes() const {
    return unbound_threads(schedule_, analysis_.tensor, analysis_.loops, kernel_);
  }

  BoxMap map_of(BufferId from) {
    BoxMap map{.buffer = from, .dims = {}, .swizzle = copy_.swizzle};
    const std::int64_t bytes = size_of(kernel_.buffers[from].type);
    for (const TmaDim& d : copy_.dims) {
      map.dims.push_back({.size = analysis_.ranges->simplify(written_out(d.size)),
                          .stride = analysis_.ranges->simplify(written_out(d.stride) / bytes),
                          .box = d.box,
                          .element_stride = d.element_stride});
    }
    return map;
  }

  // Corners of boxes, some of which may lie past the last item, are 32-bit numbers.
  void add_conditions() {
    constexpr std::int64_t kMostItems = INT32_MAX - (1 << 20);
    Facts known = analysis_.ranges->facts();
    for (const BoxMap::Dim& dim : kernel_.maps.back().dims) {
      const Expr few = dim.size <= kMostItems;
      if (analysis_.ranges->proves(few)) continue;
      if (dim.size.is(Op::Const)) {
        refuse<Illegal>("E461",
                        "a dimension of the tensor map of " + fusion_[analysis_.tensor].name +
                            " has " + to_string(dim.size) + " items, more than " +
                            std::to_string(kMostItems),
                        "copy it by bulk or cp_async");
      }
      draft_.conditions.push_back(few);
      known.assume(few);
    }
    Simplifier narrow(known);
    for (Expr c : copy_.finding.conditions) {
      if (!narrow.proves(c)) draft_.conditions.push_back(c);
    }
  }

  // At the first point of the tile.
  Expr at_first(Expr e) const {
    Environment zeros;
    for (std::size_t i = 0; i < analysis_.loops.size(); ++i) {
      if (is_bulk(i)) zeros.emplace_back(analysis_.variables[i], kernel_.pool->constant(0));
    }
    return analysis_.ranges->simplify(written_out(e, zeros));
  }

  // The copy of a box; `address`: of its elements in the tile.
  AsyncCopy box(BufferId tile, Expr address) {
    const DataType type = kernel_.buffers[tile].type;
    check_alignment(at_first(address));
    check_places(kernel_.maps.back(), address);
    AsyncCopy copy{.copy = {.to_address = {},
                            .from_address = {},
                            .width = copy_.tile_bytes / size_of(type),
                            .lane = kernel_.pool->symbol("lane"),
                            .valid = {}},
                   .alignment = tile_alignment(copy_.swizzle) / size_of(type),
                   .box = AsyncCopy::Box{.map = kernel_.maps.size() - 1, .corner = {}}};
    for (const TmaDim& d : copy_.dims) {
      copy.box->corner.push_back(
          draft_.form(analysis_.ranges->simplify(written_out(d.coordinate))));
    }
    return copy;
  }

  // Refuses boxes that store more than the nest does.
  void check_stored() const {
    const std::string& name = fusion_[analysis_.tensor].name;
    if (!copy_.strong || *copy_.strong != TmaStrong::ByHardware) {
      refuse<Illegal>(
          "E465",
          "a box of " + name + " would store items that its nest does not: " + copy_.strong_reason,
          "let boxes be such that what is outside of one is outside of " + name +
              "; or store it by its threads");
    }
  }

  // Refuses boxes that begin where the hardware puts none.
  void check_alignment(Expr address) const {
    const TensorInfo& tensor = fusion_[analysis_.tensor];
    const std::int64_t bytes = tile_alignment(copy_.swizzle), n = bytes / size_of(tensor.type);
    if (analysis_.ranges->proves(eq(address % n, 0))) return;
    refuse<Illegal>("E461",
                    "the boxes of " + tensor.name + " do not all begin at multiples of " +
                        std::to_string(bytes) + " bytes of shared memory",
                    "let a box have a multiple of " + std::to_string(n) + " elements");
  }

  // Refuses a tile whose elements do not lie in the order of the loops bound to Bulk, which with
  // the swizzle of the copy is where it puts them. It is looked at point by point: what the other
  // loops add is the same for all points.
  void check_places(const BoxMap& map, Expr of_element) {
    std::vector<Expr> variables;
    std::vector<std::int64_t> extents;
    for (std::size_t i = 0; i < analysis_.loops.size(); ++i) {
      if (!is_bulk(i)) continue;
      const Expr extent = analysis_.ranges->simplify(schedule_.graph()[analysis_.loops[i]].extent);
      SELVAGE_CHECK(extent.is(Op::Const));  // as the copy is legal
      variables.push_back(analysis_.variables[i]);
      extents.push_back(extent.value());
    }
    const Expr address = written_out(of_element);
    const Expr place = analysis_.ranges->simplify(address - at_first(address));
    bool lies_so = true;
    for (Expr s : symbols_of(place)) lies_so = lies_so && contains(variables, s);
    std::vector<std::int64_t> point(variables.size());
    Tape tape({&place, 1}, variables);
    for (std::int64_t k = 0; lies_so && k < map.elements(); ++k) {
      std::int64_t rest = k;
      for (std::size_t i = variables.size(); i-- > 0;) {
        point[i] = rest % extents[i];
        rest /= extents[i];
      }
      lies_so = tape.evaluate(point) && tape.root(0) == k;
    }
    if (lies_so) return;
    const std::string& name = fusion_[analysis_.tensor].name;
    refuse<Illegal>("E460",
                    "the tile of " + name + " does not lie in shared memory as a copy of " +
                        (map.swizzle == TmaSwizzle::None
                             ? std::string("its box")
                             : "its box with a swizzle of " +
                                   std::to_string(swizzle_bytes(map.swizzle)) + " bytes") +
                        " lays it out",
                    "let its layout be the loops that are bound to Bulk, in their order");
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  KernelDraft& draft_;
  Kernel& kernel_;
  const TmaCopy copy_;
};

}  // namespace

Body box_nest(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
              std::size_t open, BufferId tile, BufferId from, KernelDraft& draft) {
  return BoxNest(fusion, schedule, analysis, draft).loaded(open, tile, from);
}

Body box_store_nest(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                    std::size_t open, BufferId tile, Expr address, BufferId to,
                    KernelDraft& draft) {
  return BoxNest(fusion, schedule, analysis, draft).stored(open, tile, address, to);
}

}  // namespace selvage
