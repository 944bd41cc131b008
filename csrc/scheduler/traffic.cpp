#include <selvage/index/allocation.h>
#include <selvage/ir/reads.h>
#include <selvage/scheduler/launch_time.h>
#include <selvage/scheduler/traffic.h>
#include <selvage/scheduler/view_loops.h>

#include <algorithm>
#include <map>
#include <set>

namespace selvage {

namespace {

// By which a variance takes in a group of items, whose mean and squares it has: it divides twice.
constexpr double kInstructionsOfGroup = 40;

constexpr std::int64_t kMostStep = 4;    // elements between neighbours that share sectors
constexpr std::int64_t kMostAcross = 8;  // items of a short iterdomain

double product(const Fusion& fusion, const std::vector<DomainId>& domains,
               const TypicalSizes& sizes) {
  double n = 1;
  for (DomainId d : domains) n *= double(sizes(fusion.domains()[d].extent));
  return n;
}

// The logical axis along which the elements of a tensor lie side by side, by its place; nothing if
// no axis has stride 1, or if it lies otherwise than along its logical iterdomains.
std::optional<std::size_t> innermost_axis(const Fusion& fusion, TensorId t) {
  const Storage storage = storage_of(fusion, t);
  const std::vector<DomainId>& logical = fusion[t].logical;
  for (std::size_t k = storage.axes.size(); k-- > 0;) {
    if (fusion.domains()[storage.axes[k]].extent.is_const(1)) continue;
    if (!storage.strides.empty() && !storage.strides[k].is_const(1)) return std::nullopt;
    const auto axis = std::ranges::find(logical, storage.axes[k]);
    if (axis == logical.end()) return std::nullopt;
    return std::size_t(axis - logical.begin());
  }
  return std::nullopt;
}

class Collector {
 public:
  Collector(const Schedule& schedule, const ReadTable& table, const Segment& segment,
            const TypicalSizes& sizes, ReadMoves& moves)
      : schedule_(schedule),
        fusion_(schedule.fusion()),
        table_(table),
        segment_(segment),
        sizes_(sizes),
        moves_(moves) {}

  SegmentTraffic run() {
    for (DomainId d : schedule_.loop_domains(segment_.widest)) {
      const bool is_single_item = !schedule_.is_folded(segment_.widest, d) && is_single(d);
      if (contains(segment_.rows, d) || is_single_item) continue;
      result_.inner.push_back(d);
      if (schedule_.is_folded(segment_.widest, d)) result_.folded.push_back(d);
    }
    result_.rows = product(fusion_, segment_.rows, sizes_);
    for (DomainId d : segment_.rows) {
      result_.extents.push_back(sizes_(fusion_.domains()[d].extent));
    }
    result_.items = product(fusion_, result_.inner, sizes_);
    result_.most_items = most_points(result_.inner);
    for (TensorId m : segment_.members) {
      const TensorInfo& tensor = fusion_[m];
      if (is_column(segment_, m)) {
        ++result_.columns;
      } else {
        result_.folds += tensor.fold.has_value();
        result_.of_merging += instructions_of_merging(tensor);
        if (tensor.fold && tensor.fold->how == Reduction::Variance) {
          result_.of_groups += kInstructionsOfGroup;
        }
        result_.scans += is_scan(tensor);
        if (tensor.is_output) add_store(m);
      }
      add_held(m);
      for (const EffectiveRead& read : table_.reads(m)) {
        if (!contains(segment_, read.source)) add_read(m, read);
      }
      const double share =
          points_of(fusion_, m, sizes_) / points_of(fusion_, segment_.widest, sizes_);
      result_.instructions +=
          share * (4 + instructions_of_definition(m) + instructions_of_fold(tensor));
    }
    for (TensorTraffic& t : result_.tensors) {
      t.passes = std::max(t.passes, 1);
      if (t.innermost) t.extent = sizes_(schedule_.graph()[*t.innermost].extent);
    }
    double along_rows = 0, along_inner = 0;
    for (const TensorTraffic& t : result_.tensors) {
      if (!t.innermost) continue;
      (contains(segment_.rows, *t.innermost) ? along_rows : along_inner) += t.bytes();
    }
    result_.lies_along_rows = along_rows > along_inner;
    if (segment_.is_pointwise) {
      find_turn();
      find_across();
    } else {
      find_short_rows();
    }
    return std::move(result_);
  }

 private:
  void find_turn() {
    const TensorTraffic* turned = nullptr;
    const auto stored = std::ranges::find_if(result_.tensors, [&](const TensorTraffic& t) {
      return t.is_stored && t.tensor == segment_.root && t.innermost;
    });
    if (stored == result_.tensors.end()) return;
    const auto is_turned = [&](const TensorTraffic& t) {
      return !t.is_stored && t.can_be_copied && t.innermost && t.innermost != stored->innermost &&
             has_all_axes(t.copied);
    };
    for (const TensorTraffic& t : result_.tensors) {
      if (is_turned(t) && (turned == nullptr || t.bytes() > turned->bytes())) turned = &t;
    }
    if (turned == nullptr) return;
    SegmentTraffic::Turn& turn = result_.turn.emplace();
    turn.stored = {*stored->innermost};
    turn.read = {*turned->innermost};
    for (const TensorTraffic& t : result_.tensors) {
      const bool lies_so =
          is_turned(t) && fusion_[t.copied].logical == fusion_[turned->copied].logical;
      if (lies_so) turn.copied.push_back(t.copied);
    }
    add_neighbours(turned->copied, turn.read, turn.stored);
    add_neighbours(turned->copied, turn.stored, turn.read);
    turn.stored_extent = product(fusion_, turn.stored, sizes_);
    turn.read_extent = product(fusion_, turn.read, sizes_);
  }

  bool is_short(DomainId d) const {
    const Expr extent = fusion_.domains()[d].extent;
    return extent.is(Op::Const) && extent.value() > 1 && extent.value() <= kMostAcross;
  }

  // Of a pointwise segment: what is read lies along a short iterdomain, or what is stored does.
  void find_across() {
    const auto stored = std::ranges::find_if(result_.tensors, [&](const TensorTraffic& t) {
      return t.is_stored && t.tensor == segment_.root && t.innermost;
    });
    if (stored == result_.tensors.end()) return;
    const TensorTraffic* other = nullptr;  // the largest that lies otherwise
    for (const TensorTraffic& t : result_.tensors) {
      if (t.is_stored || !t.innermost || t.step != 1 || t.innermost == stored->innermost) continue;
      const bool reads_short = t.around && is_short(*t.innermost);
      const bool stores_short = is_short(*stored->innermost) && stored->around == t.innermost;
      if (!reads_short && !stores_short) continue;
      if (other == nullptr || t.bytes() > other->bytes()) other = &t;
    }
    if (other == nullptr) return;
    const bool is_stored = is_short(*stored->innermost) && stored->around == other->innermost;
    const DomainId domain = is_stored ? *stored->innermost : *other->innermost;
    const DomainId last = is_stored ? *other->innermost : *stored->innermost;
    add_across(domain, last, is_stored, segment_.rows,
               [&](const TensorTraffic& t) { return t.can_be_copied && has_all_axes(t.copied); });
  }

  // Of rows with few items each, a number, which lie side by side where they are read, and whose
  // results do.
  void find_short_rows() {
    if (segment_.rows.empty() || result_.inner.size() != 1 || !is_short(result_.inner[0])) return;
    if (!segment_.columns.empty() || result_.scans > 0) return;
    const DomainId domain = result_.inner[0], last = segment_.rows.back();
    for (const TensorTraffic& t : result_.tensors) {
      if (t.is_stored && t.innermost != last) return;
    }
    std::vector<DomainId> all = segment_.rows;
    all.push_back(domain);
    add_across(domain, last, false, all, [](const TensorTraffic& t) { return t.can_be_kept; });
    if (result_.across && result_.across->copied.empty()) result_.across.reset();
  }

  template <class CanBe>
  void add_across(DomainId domain, DomainId last, bool is_stored, const std::vector<DomainId>& all,
                  const CanBe& can_be) {
    SegmentTraffic::Across across{.domain = domain,
                                  .items = fusion_.domains()[domain].extent.value(),
                                  .along = all,
                                  .is_stored = is_stored,
                                  .copied = {}};
    std::erase_if(across.along, [&](DomainId d) { return d == domain || is_single(d); });
    if (across.along.empty() || across.along.back() != last || !contains(all, domain)) return;
    for (const TensorTraffic& t : result_.tensors) {
      const bool lies_so = is_stored ? t.innermost == last
                                     : t.innermost == domain && t.around == last && t.step == 1;
      if (!t.is_stored && lies_so && can_be(t)) across.copied.push_back(t.copied);
    }
    result_.across = std::move(across);
  }

  // Whether a tensor has each iterdomain of the root, but for items of extent 1.
  bool has_all_axes(TensorId t) const {
    return std::ranges::all_of(fusion_[segment_.root].logical, [&](DomainId d) {
      return is_single(d) || contains(fusion_[t].logical, d);
    });
  }

  // Adds what lies just outside of a group both in the root and in another tensor.
  void add_neighbours(TensorId other, std::vector<DomainId>& group,
                      const std::vector<DomainId>& taken) const {
    const auto before = [&](TensorId t) {
      const std::vector<DomainId>& logical = fusion_[t].logical;
      const auto at = std::ranges::find(logical, group.front());
      return at == logical.begin() ? std::nullopt : std::optional(*(at - 1));
    };
    for (;;) {
      const std::optional<DomainId> d = before(segment_.root);
      if (!d || d != before(other) || contains(taken, *d)) return;
      group.insert(group.begin(), *d);
    }
  }

  // What the other members read of m within a row.
  void add_held(TensorId m) {
    std::vector<DomainId> inner = item_loops(schedule_, m);
    std::erase_if(inner, [&](DomainId d) { return contains(segment_.rows, d); });
    const double items = product(fusion_, inner, sizes_);
    bool is_read = false, by_others = false;
    for (const auto& [reader, axes] : table_.readers(m)) {
      if (!contains(segment_, reader)) continue;
      is_read = true;
      by_others = by_others || !is_in_step(m, axes, reader);
    }
    if (!is_read || items <= 1) return;
    (by_others ? result_.in_shared : result_.in_registers) += items;
  }

  // The points of iterdomains whose extents are numbers, or sizes that facts bound.
  std::optional<double> most_points(const std::vector<DomainId>& domains) const {
    double points = 1;
    for (DomainId d : domains) {
      const Expr extent = fusion_.domains()[d].extent;
      Interval range;
      if (extent.is(Op::Const)) range = Interval::point(extent.value());
      if (extent.is(Op::Symbol)) range = range_of(fusion_, extent);
      if (!range.has_hi()) return std::nullopt;
      points *= double(range.hi);
    }
    return points;
  }

  bool is_single(DomainId d) const { return fusion_.domains()[d].extent.is_const(1); }

  // Whether a tensor is read at its own iterdomains, which the reader's nest runs over: those at
  // the root of a view are not where its items are.
  bool is_in_step(TensorId t, const std::vector<std::optional<DomainId>>& axes,
                  TensorId reader) const {
    return is_in_step(t, axes, reader, [](DomainId) { return true; });
  }
  // The same for its rows alone.
  bool has_rows_in_step(TensorId t, const std::vector<std::optional<DomainId>>& axes,
                        TensorId reader) const {
    return is_in_step(t, axes, reader, [&](DomainId d) { return contains(segment_.rows, d); });
  }
  template <class Which>
  bool is_in_step(TensorId t, const std::vector<std::optional<DomainId>>& axes, TensorId reader,
                  const Which& which) const {
    const std::vector<DomainId>& logical = fusion_[t].logical;
    const std::vector<DomainId>& nest = schedule_.loop_domains(reader);
    for (std::size_t k = 0; k < logical.size(); ++k) {
      if (is_single(logical[k]) || !which(logical[k])) continue;
      if (axes[k] != logical[k] || !contains(nest, logical[k])) return false;
    }
    return true;
  }

  // Whether the threads of a row run through a member's nest as through that of the widest: a nest
  // that folds or scans along some of a row, and has items along the rest, cannot merge the two.
  bool is_cut_as_widest(TensorId m) const {
    std::vector<DomainId> items = item_loops(schedule_, m);
    if (is_scan(fusion_[m])) std::erase(items, fusion_[m].logical[*fusion_[m].fold->scanned]);
    const auto is_item = [&](DomainId d) { return contains(items, d); };
    return std::ranges::none_of(result_.inner, is_item) ||
           std::ranges::all_of(result_.inner, is_item);
  }

  void add_store(TensorId m) {
    const std::optional<std::size_t> axis = innermost_axis(fusion_, m);
    const std::vector<DomainId>& logical = fusion_[m].logical;
    std::optional<DomainId> innermost, around;
    if (axis) {
      innermost = loop_along(schedule_.graph(), logical[*axis], schedule_.loop_domains(m));
      if (const auto outer = axis_around(m, *axis)) around = logical[*outer];
    }
    result_.tensors.push_back({.tensor = m,
                               .is_stored = true,
                               .size = size_of(stored_type(fusion_[m])),
                               .items = product(fusion_, logical, sizes_),
                               .innermost = innermost,
                               .around = around,
                               .lies_by_rows = lies_by_rows(m, {logical.begin(), logical.end()})});
  }

  // The logical axis just outside of another, but for those of extent 1; nothing where the tensor
  // lies in another order.
  std::optional<std::size_t> axis_around(TensorId t, std::size_t axis) const {
    if (!storage_of(fusion_, t).strides.empty() || !fusion_[t].allocation.empty()) {
      return std::nullopt;
    }
    while (axis-- > 0) {
      if (!is_single(fusion_[t].logical[axis])) return axis;
    }
    return std::nullopt;
  }

  // Whether a tensor that is read or stored at these iterdomains has its elements in the order of
  // the segment's rows and of the items within a row.
  bool lies_by_rows(TensorId t, std::vector<std::optional<DomainId>> at) const {
    if (!storage_of(fusion_, t).strides.empty() || !fusion_[t].allocation.empty()) return false;
    const std::vector<DomainId>& logical = fusion_[t].logical;
    std::vector<std::optional<DomainId>> own, wanted;
    for (std::size_t k = 0; k < logical.size(); ++k) {
      if (!is_single(logical[k])) own.push_back(at[k]);
    }
    for (const std::vector<DomainId>* some : {&segment_.rows, &result_.inner}) {
      for (DomainId d : *some) {
        if (!is_single(d)) wanted.emplace_back(d);
      }
    }
    return own == wanted;
  }

  // Of a gather no more than there are indices.
  double items_read(TensorId reader, const EffectiveRead& read) const {
    const double all = product(fusion_, fusion_[read.source].logical, sizes_);
    return std::min(all, points_of(fusion_, reader, sizes_));
  }

  // The pass over a row in which a member reads. Folds that wait for the same others go through it
  // together, any other member by itself.
  using Pass = std::pair<int, std::optional<TensorId>>;
  Pass pass_of(TensorId m) {
    const bool is_plain_fold = fusion_[m].fold && !is_scan(fusion_[m]) && !is_column(segment_, m);
    const bool is_shared = is_plain_fold && is_cut_as_widest(m);
    return {depth(m), is_shared ? std::nullopt : std::optional(m)};
  }
  // How many folds of a row follow one another before a member begins.
  int depth(TensorId m) {
    if (const auto known = depths_.find(m); known != depths_.end()) return known->second;
    int most = 0;
    for (const EffectiveRead& read : table_.reads(m)) {
      if (!contains(segment_, read.source) || read.source == m) continue;
      const bool folds = fusion_[read.source].fold.has_value();
      most = std::max(most, depth(read.source) + int(folds));
    }
    return depths_[m] = most;
  }

  void add_read(TensorId reader, const EffectiveRead& read) {
    const TensorId copied = read.through ? read.through->view : read.source;
    const auto& axes = read.through ? read.through->axes : read.axes;
    const std::vector<DomainId>& logical = fusion_[copied].logical;
    const bool has_inner =
        std::ranges::any_of(axes, [&](const auto& d) { return d && contains(result_.inner, *d); });
    const bool has_rows =
        std::ranges::all_of(segment_.rows, [&](DomainId d) { return contains(logical, d); });
    const bool is_ours = std::ranges::all_of(table_.readers(read.source), [&](const auto& other) {
      return contains(segment_, other.tensor);
    });
    const bool is_of_row = std::ranges::all_of(logical, [&](DomainId d) {
      return is_single(d) || contains(segment_.rows, d) || contains(result_.inner, d);
    });
    const bool has_row_of_its_own = is_ours && has_rows && is_of_row && !segment_.rows.empty();
    const bool can_be_copied = is_ours && is_in_step(copied, axes, reader);
    const bool can_be_kept =
        has_row_of_its_own && can_be_copied && has_inner && is_cut_as_widest(reader);
    const bool can_be_shared =
        has_row_of_its_own && is_cut_as_widest(reader) && has_rows_in_step(copied, axes, reader);
    const auto known = std::ranges::find_if(result_.tensors, [&](const TensorTraffic& t) {
      return t.tensor == read.source && !t.is_stored;
    });
    const bool is_new_pass = has_inner && passes_[read.source].insert(pass_of(reader)).second;
    TensorTraffic t{.tensor = read.source,
                    .size = size_of(stored_type(fusion_[read.source])),
                    .items = items_read(reader, read),
                    .passes = is_new_pass,
                    .copied = copied,
                    .can_be_kept = can_be_kept,
                    .can_be_shared = can_be_shared,
                    .can_be_copied = can_be_copied,
                    .lies_by_rows = lies_by_rows(read.source, read.axes)};
    if (known != result_.tensors.end()) {
      // How it lies matters to the read of most items.
      if (t.items > known->items) {
        find_innermost(reader, read, t);
        known->items = t.items;
        known->innermost = t.innermost;
        known->step = t.step;
        known->around = t.around;
        known->lies_by_rows = t.lies_by_rows;
      }
      const bool is_alike = known->copied == copied;
      known->passes += is_new_pass;
      known->can_be_kept = known->can_be_kept && can_be_kept && is_alike;
      known->can_be_shared = known->can_be_shared && can_be_shared && is_alike;
      known->can_be_copied = known->can_be_copied && can_be_copied && is_alike;
      return;
    }
    find_innermost(reader, read, t);
    result_.tensors.push_back(t);
  }

  void find_innermost(TensorId reader, const EffectiveRead& read, TensorTraffic& t) {
    const std::optional<std::size_t> axis = innermost_axis(fusion_, read.source);
    if (!axis) return;
    const std::vector<DomainId>& nest = schedule_.loop_domains(reader);
    t.innermost = read.axes[*axis];
    if (t.innermost && contains(nest, *t.innermost)) {
      if (const auto outer = axis_around(read.source, *axis)) t.around = read.axes[*outer];
      return;
    }
    t.innermost.reset();
    std::int64_t longest = 0;
    for (DomainId d : nest) {
      const std::int64_t extent = sizes_(fusion_.domains()[d].extent);
      if (extent <= longest) continue;
      const std::optional<std::int64_t> step = moves_.step(reader, read.source, d);
      if (!step || *step == 0 || std::abs(*step) > kMostStep) continue;
      t.innermost = d;
      t.step = std::abs(*step);
      longest = extent;
    }
  }

  // Of taking an item in, beyond those that all folds have: a variance takes the items of a group
  // into a mean and squares, a logsumexp takes the greatest and a power of each.
  static double instructions_of_fold(const TensorInfo& tensor) {
    if (!tensor.fold) return 0;
    if (tensor.fold->how == Reduction::Variance) return 3;
    return tensor.fold->how == Reduction::LogSumExp ? 6 : 0;
  }

  // Of a thread, to merge its state with those of the others of its row, beyond the steps that all
  // folds have: a variance has three numbers and divides in each step, a logsumexp has two, and
  // takes a power.
  static double instructions_of_merging(const TensorInfo& tensor) {
    if (!tensor.fold) return 0;
    if (tensor.fold->how == Reduction::Variance) return 200;
    return tensor.fold->how == Reduction::LogSumExp ? 50 : 0;
  }

  // Of the definition of a member and of all that is inlined into it.
  double instructions_of_definition(TensorId member) const {
    double sum = 0;
    std::vector<TensorId> open = {member};
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (!fusion_[open[k]].definition) continue;
      for (ValueId v : values_under(fusion_.values(), *fusion_[open[k]].definition)) {
        const ValueNode& node = fusion_.values()[v];
        if (node.kind == ValueNode::Kind::Apply) sum += instructions_of(node.function, node.math);
        if (node.kind != ValueNode::Kind::Read) continue;
        const auto source = TensorId(node.source);
        const bool is_inlined = !fusion_[source].is_input && schedule_.is_inlined(source);
        if (is_inlined && std::ranges::find(open, source) == open.end()) open.push_back(source);
      }
    }
    return sum;
  }

  const Schedule& schedule_;
  const Fusion& fusion_;
  const ReadTable& table_;
  const Segment& segment_;
  const TypicalSizes& sizes_;
  ReadMoves& moves_;
  std::map<TensorId, std::set<Pass>> passes_;  // over a row, by the tensor that is read
  std::map<TensorId, int> depths_;
  SegmentTraffic result_;
};

}  // namespace

double points_of(const Fusion& fusion, TensorId t, const TypicalSizes& sizes) {
  return product(fusion, nest_domain(fusion[t]), sizes);
}

SegmentTraffic traffic_of(const Schedule& schedule, const ReadTable& table, const Segment& segment,
                          const TypicalSizes& sizes, ReadMoves& moves) {
  SegmentTraffic traffic = Collector(schedule, table, segment, sizes, moves).run();
  traffic.windows = windows_of(schedule, segment, sizes);
  return traffic;
}

}  // namespace selvage
