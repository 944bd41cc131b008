// Schedule::cache_tile: copies of the part of a tensor that one iteration of a reader reads.
#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/substitute.h>
#include <selvage/ir/reads.h>
#include <selvage/ir/schedule_nest.h>

#include <algorithm>
#include <map>

namespace selvage {

namespace {

// The node with its index symbols replaced by what they stand for.
ValueNode at(ValueNode node, const Environment& indices) {
  const auto replace = [&](Expr& e) {
    if (e.valid()) e = substitute(e, indices);
  };
  replace(node.index);
  for (Expr& s : node.subscripts) replace(s);
  for (LoadedIndex& l : node.loaded) replace(l.most);
  for (AxisMode& m : node.modes) replace(m.of);
  return node;
}

// The tensor that holds the tiles of another one, while it is put together.
class TileTensor {
 public:
  TileTensor(Fusion& fusion, DomainGraph& graph, TensorId of, const Schedule::Tile& tile)
      : fusion_(fusion), graph_(graph), of_(of), tile_(tile), ranges_(*fusion.facts()) {}

  TensorInfo make(std::string name, const std::vector<std::string>& axis_names) {
    const TensorInfo& tensor = fusion_[of_];
    TensorInfo made{.name = std::move(name), .type = tensor.type};
    Facts facts = *fusion_.facts();
    Environment loops;
    const auto add = [&](DomainId d, const std::string& label) {
      made.logical.push_back(d);
      made.indices.push_back(fusion_.fresh_index(label));
      facts.loop(made.indices.back(), graph_[d].extent);
      return made.indices.back();
    };
    for (const Schedule::Tile::Loop& l : tile_.loops) {
      loops.emplace_back(l.symbol, add(l.domain, graph_[l.domain].name));
    }
    std::vector<Expr> place;  // within the tile
    for (std::size_t k = 0; k < tile_.axes.size(); ++k) {
      place.push_back(add(graph_.add(axis_names[k], tile_.axes[k].extent), axis_names[k]));
    }
    ranges_ = Simplifier(std::move(facts));
    const auto definition = [&](bool is_limited) {
      written_.clear(), subscripts_.clear(), modes_.clear();
      for (std::size_t k = 0; k < place.size(); ++k) add_subscript(k, loops, place[k], is_limited);
      return tensor.is_input ? read() : moved(tensor);
    };
    made.definition = definition(true);
    unlimited_ = definition(false);
    made.fold = tensor.fold;
    return made;
  }
  ValueId unlimited() const { return unlimited_; }

 private:
  void add_subscript(std::size_t k, const Environment& loops, Expr place, bool is_limited) {
    const Schedule::Tile::Axis& axis = tile_.axes[k];
    Expr of = substitute(axis.begin, loops) + place;
    if (is_limited && axis.most.valid()) of = min(of, axis.most);
    if (is_limited && axis.least.valid()) of = max(of, axis.least);
    of = ranges_.simplify(of);
    const TensorInfo& tensor = fusion_[of_];
    const Expr extent = graph_[tensor.logical[k]].extent;
    // What is computed has a value in bounds alone, be it that the fill takes its place.
    std::optional<AccessMode> mode = axis.mode;
    if (tile_.fill && !tensor.is_input) mode = AccessMode::Clamped;
    written_.push_back(of);
    subscripts_.push_back(mode ? remapped(ranges_, *mode, of, extent) : of);
    if (mode) modes_.push_back({std::uint32_t(k), *mode, of});
  }

  ValueId read() {
    ValueGraph& values = fusion_.values();
    const DataType type = fusion_[of_].type;
    const ValueId made = tile_.fill
                             ? values.read_or(type, std::uint32_t(of_), subscripts_, *tile_.fill)
                             : values.read(type, std::uint32_t(of_), subscripts_);
    values.set_modes(made, modes_);
    return made;
  }

  // The tensor's own definition at these subscripts. A read at one of its indices by itself, of an
  // axis as long, keeps the mode by which that is in the axis.
  ValueId moved(const TensorInfo& tensor) {
    Environment indices;
    for (std::size_t k = 0; k < subscripts_.size(); ++k) {
      indices.emplace_back(tensor.indices[k], subscripts_[k]);
    }
    const ValueId value = rewritten(fusion_.values(), *tensor.definition, [&](ValueId v) {
      ValueNode read = at(fusion_.values()[v], indices);
      if (read.kind != ValueNode::Kind::Read) return std::optional(std::move(read));
      const std::vector<Expr> extents = fusion_.shape(TensorId(read.source));
      for (std::size_t axis = 0; axis < read.subscripts.size(); ++axis) {
        for (const AxisMode& m : modes_) {
          const Expr own = graph_[tensor.logical[m.axis]].extent;
          if (mode_of(read, axis) == nullptr && same(extents[axis], own) &&
              same(read.subscripts[axis], subscripts_[m.axis])) {
            read.modes.push_back({std::uint32_t(axis), m.mode, m.of});
          }
        }
      }
      return std::optional(std::move(read));
    });
    if (!tile_.fill) return value;
    Expr inside = fusion_.pool().truth(true);
    for (std::size_t k = 0; k < written_.size(); ++k) {
      const Expr s = written_[k];
      inside = inside && 0 <= s && s < graph_[tensor.logical[k]].extent;
    }
    ValueGraph& values = fusion_.values();
    return values.apply(Function::Select,
                        {values.index(ranges_.simplify(inside)), value, *tile_.fill});
  }

  Fusion& fusion_;
  DomainGraph& graph_;
  TensorId of_;
  const Schedule::Tile& tile_;
  Simplifier ranges_;
  std::vector<Expr> written_, subscripts_;  // as the reader wrote them, and in their axes
  std::vector<AxisMode> modes_;
  ValueId unlimited_{};
};

}  // namespace

std::vector<Schedule::DirectRead> Schedule::direct_reads(TensorId reader, TensorId t) const {
  std::vector<DirectRead> reads;
  if (!fusion()[reader].definition) return reads;
  const ValueId definition = *fusion()[reader].definition;
  const Making* made = making(reader);
  const std::vector<ValueId> all = values_under(fusion().values(), definition);
  const std::vector<ValueId> unlimited = values_under(
      fusion().values(), made != nullptr ? made->unlimited.value_or(definition) : definition);
  SELVAGE_CHECK(all.size() == unlimited.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const ValueNode& node = fusion().values()[all[k]];
    if (node.kind == ValueNode::Kind::Read && TensorId(node.source) == t) {
      reads.push_back({all[k], unlimited[k]});
    }
  }
  return reads;
}

TensorId Schedule::cache_tile(TensorId t, TensorId reader, const Tile& tile, std::string wanted,
                              Memory memory) {
  const TensorInfo& tensor = fusion()[t];
  std::string why;
  if (!tensor.root.empty()) why = "is a view";
  if (is_scan(tensor)) why = "is a scan";
  if (tensor.fold && (tensor.fold->is_partial || tensor.fold->merges)) why = "is a part of a fold";
  if (tensor.fold && tile.fill) why = "folds, and is read with a fill";
  if (!why.empty()) {
    refuse<Illegal>("E420", tensor.name + " " + why + ", of which no tile is computed",
                    "give " + tensor.name + " a kernel of its own, and cache a copy of it");
  }
  if (wanted.empty()) wanted = unused_name(tensor.name + "_tile");
  DomainGraph graph = graph_;
  std::vector<std::string> names;
  for (DomainId d : tensor.logical) names.push_back(name(t, d));
  Fusion changed = fusion().over(graph);
  TileTensor tiles(changed, graph, t, tile);
  TensorInfo made = tiles.make(std::move(wanted), names);
  const std::size_t first = tile.loops.size();

  Nest fresh;
  fresh.memory = memory;
  fresh.loops = nest_domain(made);
  for (std::size_t k = 0; k < names.size(); ++k) fresh.names[made.logical[first + k]] = names[k];
  for (const Tile::Loop& l : tile.loops) {
    const ParallelType type = parallel(reader, l.domain);
    if (type != ParallelType::Serial) fresh.bound[l.domain] = type;
    fresh.names[l.domain] = name(reader, l.domain);
  }
  for (DomainId d : folded_domain(made)) {
    fresh.folded.insert(index_of(d));
    fresh.names[d] = name(t, d);
  }
  fresh.allocation.assign(made.logical.begin() + std::ptrdiff_t(first), made.logical.end());
  fresh.making = std::make_shared<const Making>(Making{
      Making::Kind::Tile, t, nest(reader).loops, nest(reader).transforms, {}, tiles.unlimited()});

  Environment here;
  for (const Tile::Loop& l : tile.loops) here.emplace_back(l.symbol, l.index);
  const auto id = std::uint32_t(changed.size());
  Simplifier sizes(*changed.facts());
  std::map<std::uint32_t, ValueId> places;  // by a read in a definition, where its place is said
  const auto from_tile = [&](ValueId v) {
    ValueNode read = changed.values()[v];
    const ValueNode& written = changed.values()[places.at(std::uint32_t(v))];
    std::vector<Expr> at;
    for (const Tile::Loop& l : tile.loops) at.push_back(l.index);
    for (std::size_t k = 0; k < tile.axes.size(); ++k) {
      const Expr of = written_subscript(written, k);
      at.push_back(sizes.simplify(of - substitute(tile.axes[k].begin, here)));
    }
    read.source = id;
    read.subscripts = std::move(at);
    read.modes.clear();
    read.operands.clear();
    return read;
  };
  for (const DirectRead& r : direct_reads(reader, t)) {
    places[std::uint32_t(r.read)] = places[std::uint32_t(r.unlimited)] = r.unlimited;
  }
  const auto redirected = [&](ValueId definition) {
    return rewritten(changed.values(), definition, [&](ValueId v) -> std::optional<ValueNode> {
      if (!places.contains(std::uint32_t(v))) return std::nullopt;
      return from_tile(v);
    });
  };
  TensorInfo& info = changed.edit(reader);
  info.definition = redirected(*info.definition);
  Making of_reader;
  if (const Making* old = making(reader); old != nullptr && old->unlimited) {
    of_reader = *old;
    of_reader.unlimited = redirected(*old->unlimited);
  }
  changed = changed.over(graph);
  const TensorId added = add_tensor(std::move(changed), std::move(made), std::move(fresh));
  graph_ = std::move(graph);
  if (of_reader.unlimited) nest(reader).making = std::make_shared<const Making>(of_reader);
  return added;
}

}  // namespace selvage
