#include <selvage/scheduler/segments.h>
#include <selvage/scheduler/view_loops.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace selvage {

namespace {

// Whether the segment computes items alone, each by itself.
bool is_pointwise(const Schedule& schedule, const Segment& segment) {
  return segment.rows == item_loops(schedule, segment.root) &&
         std::ranges::none_of(segment.members, [&](TensorId m) {
           return schedule.fusion()[m].fold ||
                  std::ranges::any_of(schedule.loop_domains(m), [&](DomainId d) {
                    return !contains(segment.rows, d) && !schedule.graph()[d].extent.is_const(1);
                  });
         });
}

class Segmentation {
 public:
  Segmentation(const Schedule& schedule, const ReadTable& table, const std::vector<TensorId>& open,
               const std::function<double(TensorId)>& items, const KeepsTogether& keeps)
      : schedule_(schedule),
        fusion_(schedule.fusion()),
        table_(table),
        items_(items),
        keeps_(keeps),
        left_(open.begin(), open.end()) {
    for (std::size_t k = 0; k < fusion_.size(); ++k) {
      const std::optional<TensorId> input = fusion_[TensorId(k)].in_place_of;
      if (input) replacing_[*input] = TensorId(k);
    }
  }

  std::vector<Segment> run(std::vector<TensorId> by_size) {
    std::vector<Segment> segments;
    while (!left_.empty()) {
      std::erase_if(by_size, [&](TensorId t) { return !left_.contains(t); });
      // Tensors that nothing open reads come first, so that folds can join their readers.
      const auto root = std::ranges::find_if(by_size, [&](TensorId t) {
        return std::ranges::none_of(
            table_.readers(t), [&](const auto& reader) { return left_.contains(reader.tensor); });
      });
      segments.push_back(grown(*root));
      for (TensorId t : segments.back().members) left_.erase(t);
    }
    return segments;
  }

 private:
  Segment grown(TensorId root) {
    Segment segment = segment_of(schedule_, root);
    const auto place = [&](TensorId t) { return table_.place(t); };
    while (const std::optional<Segment> larger = grown_once(segment)) segment = *larger;
    segment.are_siblings = segment.are_apart || are_siblings(segment);
    std::ranges::sort(segment.members, std::greater<>(), place);
    std::ranges::stable_partition(segment.members, [&](TensorId t) { return t == root; });
    std::ranges::sort(segment.columns, std::less<>(), place);
    return segment;
  }

  bool are_siblings(const Segment& segment) const {
    std::optional<Segment> siblings = segment_of(schedule_, segment.root);
    for (TensorId m : segment.members) {
      if (m != segment.root && siblings) siblings = with_sibling(schedule_, table_, *siblings, m);
    }
    return segment.members.size() > 1 && siblings;
  }

  // The segment with all its candidates, which may be worth while only together, or else with one
  // of them; nothing where it is better as it is.
  std::optional<Segment> grown_once(const Segment& segment) const {
    const std::vector<TensorId> all = candidates(segment);
    if (segment.are_apart) return grown_by_siblings(segment, all);
    if (all.size() > 1) {
      const std::optional<Segment> larger = joined(segment, all);
      if (larger && keeps_(segment, *larger)) return larger;
    }
    for (TensorId t : all) {
      const std::optional<Segment> larger = joined(segment, {t});
      if (larger && keeps_(segment, *larger)) return larger;
    }
    const std::optional<Segment> larger = grown_by_columns(segment, all);
    return larger ? larger : grown_by_siblings(segment, all);
  }

  std::optional<Segment> grown_by_siblings(const Segment& segment,
                                           const std::vector<TensorId>& all) const {
    for (TensorId t : all) {
      const std::optional<Segment> larger = with_sibling(schedule_, table_, segment, t);
      if (larger && !waits_for_itself(*larger) && keeps_(segment, *larger)) return larger;
    }
    return std::nullopt;
  }

  // The segment with those of its candidates as columns that no member reads, and with all other
  // candidates, or without these.
  std::optional<Segment> grown_by_columns(const Segment& segment,
                                          const std::vector<TensorId>& all) const {
    Segment wanted = segment;
    for (TensorId t : all) {
      if (!fusion_[t].fold || is_scan(fusion_[t])) continue;
      const auto is_member = [&](const auto& reader) { return contains(segment, reader.tensor); };
      if (std::ranges::any_of(table_.readers(t), is_member)) continue;
      wanted.columns.push_back(t);
    }
    if (wanted.columns.size() == segment.columns.size()) return std::nullopt;
    for (const std::vector<TensorId>* some : {&all, &std::as_const(wanted).columns}) {
      const std::optional<Segment> larger = joined(wanted, *some);
      if (larger && keeps_(segment, *larger)) return larger;
    }
    return std::nullopt;
  }

  // Open tensors that a member reads, or that read a member or what a member reads; the last first.
  std::vector<TensorId> candidates(const Segment& segment) const {
    std::set<TensorId> found;
    const auto add = [&](TensorId t) {
      if (may_join(segment, t)) found.insert(t);
    };
    for (TensorId m : segment.members) {
      for (const EffectiveRead& read : table_.reads(m)) {
        add(read.source);
        for (const auto& reader : table_.readers(read.source)) add(reader.tensor);
      }
      for (const auto& reader : table_.readers(m)) add(reader.tensor);
    }
    std::vector<TensorId> list(found.begin(), found.end());
    std::ranges::sort(list, std::greater<>(), [&](TensorId t) { return table_.place(t); });
    return list;
  }

  bool may_join(const Segment& segment, TensorId t) const {
    return left_.contains(t) && !contains(segment, t);
  }

  // The segment with the tensors `open`, and with all that have to join with them: the readers of a
  // member that is neither the root nor a column. Nothing where they share no rows, or where one of
  // them can be no member.
  std::optional<Segment> joined(Segment segment, std::vector<TensorId> open) const {
    while (!open.empty()) {
      const TensorId next = open.back();
      open.pop_back();
      if (contains(segment, next)) continue;
      if (!may_join(segment, next)) return std::nullopt;
      segment.members.push_back(next);
      if (is_column(segment, next)) continue;  // who reads it is in another kernel
      for (const auto& reader : table_.readers(next)) open.push_back(reader.tensor);
    }
    if (waits_for_itself(segment) || replaces_too_early(segment)) return std::nullopt;
    segment.rows = rows_of(segment);
    if (segment.rows.empty() || !std::ranges::all_of(segment.members, [&](TensorId m) {
          return m == segment.root || keeps_a_number(segment, m);
        })) {
      return std::nullopt;
    }
    segment.is_pointwise = is_pointwise(schedule_, segment);
    segment.widest = widest_of(segment);
    if (!std::ranges::all_of(segment.columns, [&](TensorId c) { return fits(segment, c); })) {
      return std::nullopt;
    }
    return segment;
  }

  // Whether a column folds over the rows and nothing else, has the items of a row, a number of
  // them, and is read by no member.
  bool fits(const Segment& segment, TensorId column) const {
    const auto relevant = [&](std::vector<DomainId> domains) {
      std::erase_if(domains, [&](DomainId d) { return fusion_.domains()[d].extent.is_const(1); });
      std::ranges::sort(domains);
      return domains;
    };
    const auto& readers = table_.readers(column);
    if (std::ranges::any_of(readers, [&](const auto& r) { return contains(segment, r.tensor); })) {
      return false;
    }
    std::vector<DomainId> inner = item_loops(schedule_, segment.widest);
    std::erase_if(inner, [&](DomainId d) { return selvage::contains(segment.rows, d); });
    const std::vector<DomainId> items = relevant(item_loops(schedule_, column));
    return !items.empty() && items == relevant(inner) &&
           relevant(fusion_[column].fold->domains) == relevant(segment.rows) &&
           std::ranges::all_of(
               items, [&](DomainId d) { return fusion_.domains()[d].extent.is(Op::Const); });
  }

  // The member with the most points, if the root has no iterdomains but the rows; else the root.
  TensorId widest_of(const Segment& segment) const {
    const std::vector<DomainId>& nest = schedule_.loop_domains(segment.root);
    const bool has_items = std::ranges::any_of(nest, [&](DomainId d) {
      return !selvage::contains(segment.rows, d) && !fusion_.domains()[d].extent.is_const(1);
    });
    if (has_items) return segment.root;
    return *std::ranges::max_element(segment.members, {}, items_);
  }

  // Whether the number of elements that others read of m within a row is known: registers or shared
  // memory hold them.
  bool keeps_a_number(const Segment& segment, TensorId m) const {
    const std::vector<DomainId> items = item_loops(schedule_, m);
    return is_column(segment, m) || table_.readers(m).empty() ||
           std::ranges::all_of(items, [&](DomainId d) {
             return selvage::contains(segment.rows, d) || fusion_.domains()[d].extent.is(Op::Const);
           });
  }

  // Tensors that come after t: those that read it, and those that replace an input that it reads.
  std::vector<TensorId> after(TensorId t) const {
    std::vector<TensorId> list;
    for (const auto& reader : table_.readers(t)) list.push_back(reader.tensor);
    for (const EffectiveRead& read : table_.reads(t)) {
      const auto other = replacing_.find(read.source);
      if (other != replacing_.end() && other->second != t) list.push_back(other->second);
    }
    return list;
  }

  // Whether a tensor outside of the segment comes after a member, and a member after that tensor,
  // itself or through others.
  bool waits_for_itself(const Segment& segment) const {
    std::vector<TensorId> behind;  // outside; they come after members
    const auto add = [&](TensorId t) {
      const bool is_known = std::ranges::find(behind, t) != behind.end();
      if (!contains(segment, t) && !is_known) behind.push_back(t);
    };
    for (TensorId m : segment.members) std::ranges::for_each(after(m), add);
    for (std::size_t k = 0; k < behind.size(); ++k) {
      for (TensorId t : after(behind[k])) {
        if (contains(segment, t)) return true;
        add(t);
      }
    }
    return false;
  }

  // Whether a member other than the root replaces an input that another member reads: the root
  // comes last in each row, and other members in an order that does not go by that.
  bool replaces_too_early(const Segment& segment) const {
    return std::ranges::any_of(segment.members, [&](TensorId t) {
      const std::optional<TensorId> place = fusion_[t].in_place_of;
      if (!place || t == segment.root) return false;
      return std::ranges::any_of(segment.members, [&](TensorId m) {
        const auto reads = [&](const EffectiveRead& r) { return r.source == *place; };
        return m != t && std::ranges::any_of(table_.reads(m), reads);
      });
    });
  }

  // The iterdomains of the root that every member has, folds over or scans along nowhere, and reads
  // in step.
  std::vector<DomainId> rows_of(const Segment& segment) const {
    std::vector<DomainId> rows = item_loops(schedule_, segment.root);
    for (TensorId m : segment.members) {
      const std::vector<DomainId> folded = folded_domain(fusion_[m]);
      const std::vector<DomainId> items = item_loops(schedule_, m);
      std::erase_if(rows, [&](DomainId d) {
        if (is_column(segment, m)) return !selvage::contains(folded, d);
        return selvage::contains(folded, d) || !selvage::contains(items, d);
      });
      for (const EffectiveRead& read : table_.reads(m)) {
        if (!contains(segment, read.source)) continue;
        const std::vector<DomainId>& axes = fusion_[read.source].logical;
        const std::vector<DomainId>& loops = schedule_.loop_domains(read.source);
        for (std::size_t k = 0; k < axes.size(); ++k) {
          if (read.axes[k] == axes[k]) continue;
          // What is read out of step may be computed in any row that the axis is made of.
          std::erase_if(rows, [&](DomainId d) {
            return d == axes[k] ||
                   (!selvage::contains(loops, axes[k]) && !selvage::contains(axes, d));
          });
        }
      }
    }
    return rows;
  }

  const Schedule& schedule_;
  const Fusion& fusion_;
  const ReadTable& table_;
  const std::function<double(TensorId)>& items_;
  const KeepsTogether& keeps_;
  std::set<TensorId> left_;                 // open, and in no segment yet
  std::map<TensorId, TensorId> replacing_;  // by input: the output in its place
};

}  // namespace

Segment segment_of(const Schedule& schedule, TensorId t) {
  Segment segment{.root = t, .widest = t, .members = {t}, .rows = item_loops(schedule, t)};
  for (DomainId d : folded_domain(schedule.fusion()[t])) std::erase(segment.rows, d);
  segment.is_pointwise = is_pointwise(schedule, segment);
  return segment;
}

std::optional<Segment> with_sibling(const Schedule& schedule, const ReadTable& table,
                                    const Segment& segment, TensorId t) {
  const Fusion& fusion = schedule.fusion();
  const auto is_plain_fold = [&](TensorId m) {
    return fusion[m].fold && !is_scan(fusion[m]) && !fusion[m].in_place_of;
  };
  const bool begins = segment.members.size() == 1 && is_plain_fold(segment.root);
  if ((!begins && !segment.are_apart) || !is_plain_fold(t) || contains(segment, t)) {
    return std::nullopt;
  }
  const auto loops = [&](TensorId m) {
    std::vector<DomainId> all = schedule.loop_domains(m);
    std::erase_if(all, [&](DomainId d) {
      return !schedule.is_folded(m, d) && fusion.domains()[d].extent.is_const(1);
    });
    return all;
  };
  const bool is_cut_alike = loops(t) == loops(segment.root) &&
                            folded_domain(fusion[t]) == folded_domain(fusion[segment.root]);
  bool reads_same = false;
  for (TensorId m : segment.members) {
    for (const EffectiveRead& read : table.reads(m)) {
      if (read.source == t) return std::nullopt;
      for (const EffectiveRead& own : table.reads(t)) {
        if (own.source == m) return std::nullopt;
        reads_same = reads_same || own.source == read.source;
      }
    }
  }
  if (!is_cut_alike || !reads_same) return std::nullopt;
  Segment larger = segment;
  larger.members.push_back(t);
  larger.are_siblings = larger.are_apart = true;
  return larger;
}

bool is_column(const Segment& segment, TensorId t) {
  return std::ranges::find(segment.columns, t) != segment.columns.end();
}

bool contains(const Segment& segment, TensorId t) {
  return std::ranges::find(segment.members, t) != segment.members.end();
}

std::vector<Segment> segments_of(const Schedule& schedule, const ReadTable& table,
                                 const std::vector<TensorId>& open,
                                 const std::function<double(TensorId)>& items,
                                 const KeepsTogether& keeps) {
  std::vector<TensorId> by_size = open;
  // Of two tensors of one size the one that does not fold comes first: folds join it; of two such
  // tensors one that replaces an input, as it is to be stored last.
  std::ranges::stable_sort(by_size, std::greater<>(), [&](TensorId t) {
    const TensorInfo& tensor = schedule.fusion()[t];
    return std::tuple(items(t), !tensor.fold, tensor.in_place_of.has_value());
  });
  return Segmentation(schedule, table, open, items, keeps).run(std::move(by_size));
}

}  // namespace selvage
