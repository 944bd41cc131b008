#include <selvage/scheduler/segments.h>

#include <algorithm>
#include <set>

namespace selvage {

namespace {

// Whether the segment computes items alone, each by itself.
bool is_pointwise(const Fusion& fusion, const Segment& segment) {
  return segment.rows == fusion[segment.root].logical &&
         std::ranges::none_of(segment.members, [&](TensorId m) {
           return fusion[m].fold || std::ranges::any_of(nest_domain(fusion[m]), [&](DomainId d) {
                    return !contains(segment.rows, d) && !fusion.domains()[d].extent.is_const(1);
                  });
         });
}

class Segmentation {
 public:
  Segmentation(const Fusion& fusion, const ReadTable& table, const std::vector<TensorId>& open,
               const std::function<double(TensorId)>& items, const KeepsTogether& keeps)
      : fusion_(fusion),
        table_(table),
        items_(items),
        keeps_(keeps),
        left_(open.begin(), open.end()) {}

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
    Segment segment = segment_of(fusion_, root);
    const auto place = [&](TensorId t) { return table_.place(t); };
    while (const std::optional<Segment> larger = grown_once(segment)) segment = *larger;
    std::ranges::sort(segment.members, std::greater<>(), place);
    std::ranges::stable_partition(segment.members, [&](TensorId t) { return t == root; });
    return segment;
  }

  // The segment with all its candidates, which may be worth while only together, or else with one
  // of them; nothing where it is better as it is.
  std::optional<Segment> grown_once(const Segment& segment) const {
    const std::vector<TensorId> all = candidates(segment);
    if (all.size() > 1) {
      const std::optional<Segment> larger = joined(segment, all);
      if (larger && keeps_(segment, *larger)) return larger;
    }
    for (TensorId t : all) {
      const std::optional<Segment> larger = joined(segment, {t});
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
  // member that is not the root. Nothing where they share no rows, or where one of them can be no
  // member.
  std::optional<Segment> joined(Segment segment, std::vector<TensorId> open) const {
    while (!open.empty()) {
      const TensorId next = open.back();
      open.pop_back();
      if (contains(segment, next)) continue;
      if (!may_join(segment, next)) return std::nullopt;
      segment.members.push_back(next);
      for (const auto& reader : table_.readers(next)) open.push_back(reader.tensor);
    }
    if (waits_for_itself(segment)) return std::nullopt;
    segment.rows = rows_of(segment);
    if (segment.rows.empty() || !std::ranges::all_of(segment.members, [&](TensorId m) {
          return m == segment.root || keeps_a_number(segment, m);
        })) {
      return std::nullopt;
    }
    segment.is_pointwise = is_pointwise(fusion_, segment);
    segment.widest = widest_of(segment);
    return segment;
  }

  // The member with the most points, if the root has no iterdomains but the rows; else the root.
  TensorId widest_of(const Segment& segment) const {
    const std::vector<DomainId> nest = nest_domain(fusion_[segment.root]);
    const bool has_items = std::ranges::any_of(nest, [&](DomainId d) {
      return !selvage::contains(segment.rows, d) && !fusion_.domains()[d].extent.is_const(1);
    });
    if (has_items) return segment.root;
    return *std::ranges::max_element(segment.members, {}, items_);
  }

  // Whether the number of elements that others read of m within a row is known: registers or shared
  // memory hold them.
  bool keeps_a_number(const Segment& segment, TensorId m) const {
    return table_.readers(m).empty() || std::ranges::all_of(fusion_[m].logical, [&](DomainId d) {
             return selvage::contains(segment.rows, d) || fusion_.domains()[d].extent.is(Op::Const);
           });
  }

  // Whether a tensor outside of the segment reads a member, and a member reads that tensor, itself
  // or through others.
  bool waits_for_itself(const Segment& segment) const {
    std::vector<TensorId> behind;  // outside; they read members, themselves or through others
    const auto add_readers = [&](TensorId t) {
      for (const auto& [reader, axes] : table_.readers(t)) {
        const bool is_known = std::ranges::find(behind, reader) != behind.end();
        if (!contains(segment, reader) && !is_known) behind.push_back(reader);
      }
    };
    for (TensorId m : segment.members) add_readers(m);
    for (std::size_t k = 0; k < behind.size(); ++k) {
      for (const auto& reader : table_.readers(behind[k])) {
        if (contains(segment, reader.tensor)) return true;
      }
      add_readers(behind[k]);
    }
    return false;
  }

  // The iterdomains of the root that every member has, folds over or scans along nowhere, and reads
  // in step.
  std::vector<DomainId> rows_of(const Segment& segment) const {
    std::vector<DomainId> rows = fusion_[segment.root].logical;
    for (TensorId m : segment.members) {
      const std::vector<DomainId> folded = folded_domain(fusion_[m]);
      std::erase_if(rows, [&](DomainId d) {
        return selvage::contains(folded, d) || !selvage::contains(fusion_[m].logical, d) ||
               !selvage::contains(definition_domain(fusion_[m]), d);
      });
      for (const EffectiveRead& read : table_.reads(m)) {
        if (!contains(segment, read.source)) continue;
        const std::vector<DomainId>& axes = fusion_[read.source].logical;
        for (std::size_t k = 0; k < axes.size(); ++k) {
          if (read.axes[k] != axes[k]) std::erase(rows, axes[k]);
        }
      }
    }
    return rows;
  }

  const Fusion& fusion_;
  const ReadTable& table_;
  const std::function<double(TensorId)>& items_;
  const KeepsTogether& keeps_;
  std::set<TensorId> left_;  // open, and in no segment yet
};

}  // namespace

Segment segment_of(const Fusion& fusion, TensorId t) {
  Segment segment{.root = t, .widest = t, .members = {t}, .rows = fusion[t].logical};
  for (DomainId d : folded_domain(fusion[t])) std::erase(segment.rows, d);
  segment.is_pointwise = is_pointwise(fusion, segment);
  return segment;
}

bool contains(const Segment& segment, TensorId t) {
  return std::ranges::find(segment.members, t) != segment.members.end();
}

std::vector<Segment> segments_of(const Fusion& fusion, const ReadTable& table,
                                 const std::vector<TensorId>& open,
                                 const std::function<double(TensorId)>& items,
                                 const KeepsTogether& keeps) {
  std::vector<TensorId> by_size = open;
  std::ranges::stable_sort(by_size, std::greater<>(), items);
  return Segmentation(fusion, table, open, items, keeps).run(std::move(by_size));
}

}  // namespace selvage
