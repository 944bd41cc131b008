#include <selvage/expr/text.h>
#include <selvage/legality/accesses.h>
#include <selvage/legality/fills.h>
#include <selvage/legality/mend_memory.h>
#include <selvage/legality/remade.h>
#include <selvage/legality/tma.h>

#include <algorithm>

namespace selvage {

namespace {

std::string element_text(const std::optional<std::int64_t>& element) {
  return element ? "element " + std::to_string(*element) : "an element";
}

// The narrowest type that has the value: of the same kind if there is one, else of any.
std::optional<DataType> type_with(std::int64_t value, DataType type) {
  std::optional<DataType> found;
  for (DataType other :
       {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::UInt16, DataType::Int32,
        DataType::UInt32, DataType::Int64, DataType::Half, DataType::Float, DataType::Double}) {
    if (!exactly(value, other)) continue;
    if (is_floating(other) == is_floating(type)) return other;
    if (!found) found = other;
  }
  return found;
}

class FillQuestion {
 public:
  FillQuestion(const Fusion& fusion, const Schedule& writes, const TensorAnalysis& write,
               const Schedule* reads, const TensorAnalysis* read, const ReadBy& by)
      : info_(fusion[write.tensor]),
        by_(by),
        reads_as_written_(read == nullptr && by.is_guarded),
        cells_(fusion, writes, write.tensor),
        stores_(writes, write, cells_, true),
        guarded_(reads != nullptr ? *reads : writes, read != nullptr ? *read : write, cells_, true),
        unguarded_(reads != nullptr ? *reads : writes, read != nullptr ? *read : write, cells_,
                   false) {}

  std::optional<Fills> answer() {
    if (has_nothing_to_say()) return std::nullopt;
    out_.elements = cells_.count();
    out_.holes = cells_.holes();
    out_.first = cells_.first();
    const bool is_told = !reads_as_written_ || by_.reduction || info_.memory != Memory::Global;
    if (is_told) out_.unguarded = read_findings(false);
    out_.reader = by_.is_guarded ? read_findings(true) : *out_.unguarded;
    out_.is_strong = info_.fill.has_value() || !is_proved(out_.reader.only_items.verdict);
    ask_for_value();
    if (info_.fill || (out_.value && counts_twice())) out_.kept = kept();
    out_.initialised = initialised();
    if (!info_.fill && is_proved(cells_.full()) && out_.refusals().empty()) return std::nullopt;
    return std::move(out_);
  }

 private:
  // Without holes only a reader can go wrong: one without a guard, or one whose guard lets
  // duplicates pass.
  bool has_nothing_to_say() const {
    const bool may_go_wrong = !by_.is_guarded || (info_.duplicates_allowed && counts_twice());
    return !info_.fill && !may_go_wrong && is_proved(cells_.full());
  }
  // Whether reading an element again changes what the reader makes of it.
  bool counts_twice() const { return by_.reduction && !is_idempotent(*by_.reduction); }
  std::string reader_text() const {
    return by_.reduction ? std::string(to_string(*by_.reduction)) : "the reader";
  }

  ReadFindings read_findings(bool is_guarded) {
    Accesses& reads = is_guarded ? guarded_ : unguarded_;
    const std::string& t = info_.name;
    ReadFindings found;
    found.inside.verdict = reads.inside();
    const std::string inside = "its " + to_string(cells_.count()) + " elements";
    if (is_proved(found.inside.verdict)) {
      found.inside.reason = "every read stays inside " + inside;
    } else {
      found.inside.code = "E472";
      found.inside.reason =
          is_refuted(found.inside.verdict)
              ? reader_text() + " reads " + element_text(reads.cell_at(found.inside.verdict)) +
                    " of " + t + ", outside " + inside
              : "it is not proved that every read of " + t + " stays inside " + inside;
    }
    found.only_items.verdict = reads.only_items();
    found.element = reads.cell_at(found.only_items.verdict);
    found.only_items.reason =
        is_proved(found.only_items.verdict) ? "no hole of " + t + " is read"
        : is_refuted(found.only_items.verdict)
            ? reader_text() + " reads " + element_text(found.element) + " of " + t + ", a hole"
            : "it is not proved that no hole of " + t + " is read";
    if (!counts_twice()) return found;
    Finding& once = found.once.emplace();
    once.verdict = reads.items_once();
    if (is_proved(once.verdict)) {
      once.reason = "every item of " + t + " is read from valid points only";
      return found;
    }
    once.code = "E473";
    once.reason = is_refuted(once.verdict)
                      ? reader_text() + " reads " + element_text(reads.cell_at(once.verdict)) +
                            " of " + t + ", an item, once more from a hole of its loops"
                      : "it is not proved that " + reader_text() + " reads every item of " + t +
                            " from valid points only";
    return found;
  }

  // Sets the value that holes must hold: the fill that is asked for, else what the reader needs.
  void ask_for_value() {
    std::optional<Scalar> needed;
    if (by_.reduction) needed = identity(*by_.reduction, info_.type);
    if (out_.is_strong) out_.value = needed;
    if (!info_.fill) return;
    const std::string type(to_string(info_.type)), asked = std::to_string(*info_.fill);
    Finding& fits = out_.fits.emplace();
    out_.value = exactly(*info_.fill, info_.type);
    if (!out_.value) {
      fits.verdict = Refuted{};
      fits.code = "E470";
      fits.reason = "the holes of " + info_.name + " cannot hold " + asked + ", which " + type +
                    " does not have";
      fits.help = "write fill: " + std::to_string(nearest(*info_.fill, info_.type));
      if (const auto wider = type_with(*info_.fill, info_.type))
        fits.help += "; or dtype: " + std::string(to_string(*wider));
      return;
    }
    fits.verdict = Proved{{"the values of " + type}};
    fits.reason = type + " has " + asked;
    if (!needed || is_proved(out_.reader.only_items.verdict)) return;
    Finding& agrees = out_.agrees.emplace();
    if (to_text(*needed) == to_text(*out_.value)) {
      agrees.reason = reader_text() + " needs " + asked;
      return;
    }
    agrees.verdict = out_.reader.only_items.verdict;
    agrees.code = "E474";
    agrees.reason = out_.reader.only_items.reason + " that must hold " + asked + ", but " +
                    reader_text() + " needs " + to_text(*needed);
    const std::optional<std::int64_t> askable = whole(*needed);
    agrees.help = askable ? "write fill: " + std::to_string(*askable)
                          : "leave fill out: " + to_text(*needed) + " is what it takes then";
  }

  Finding kept() {
    Finding kept;
    kept.verdict = stores_.only_items();
    if (is_proved(kept.verdict)) {
      kept.reason = "nothing but items is stored into " + info_.name;
      return kept;
    }
    kept.code = "E471";
    kept.reason =
        is_refuted(kept.verdict)
            ? "the store into " + element_text(stores_.cell_at(kept.verdict)) + " of " +
                  info_.name + " overwrites a hole" +
                  (out_.value ? ", which must hold " + to_text(*out_.value) : "")
            : "it is not proved that no hole of " + info_.name + " is overwritten by a store";
    return kept;
  }

  Finding initialised() {
    Finding f;
    const std::string value = out_.value ? to_text(*out_.value) : "a value";
    const bool is_left =
        by_.left_in_holes && out_.value && to_text(*by_.left_in_holes) == to_text(*out_.value);
    const Verdict& full = cells_.full();
    if (info_.fill && !is_proved(full)) {
      if (is_left) return {Proved{{"left there"}}, "whoever writes the buffer leaves " + value};
      f.verdict = full;
      f.reason = is_refuted(full)
                     ? count_text() + " must hold " + value + ", and the schedule stores items only"
                     : "it is not proved that there is no hole, which must hold " + value;
      return f;
    }
    if (info_.fill) return {full, "there are no holes to fill"};
    if (is_proved(out_.reader.only_items.verdict)) {
      return {out_.reader.only_items.verdict, out_.reader.only_items.reason};
    }
    if (is_left) return {Proved{{"left there"}}, "whoever writes the buffer leaves " + value};
    if (reads_as_written_) {
      return {Proved{{"the same loops"}}, "what is read was stored at the same loop point"};
    }
    f.verdict = out_.reader.only_items.verdict;
    f.reason = out_.reader.only_items.reason;
    if (is_refuted(f.verdict)) {
      const bool nobody = is_proved(stores_.only_items());
      if (!nobody) f.verdict = Unknown{};
      f.reason += nobody ? " that nobody stores into" : "; it is not proved that it is stored into";
    }
    return f;
  }

  // 32 holes, the first at element 60,
  std::string count_text() const {
    std::string text = "holes";
    if (out_.holes) {
      const bool is_one = out_.holes->is_const(1);
      text = to_string(*out_.holes) + (is_one ? " hole" : " holes");
    }
    if (out_.first) text += ", the first at element " + std::to_string(*out_.first) + ",";
    return text;
  }

  const TensorInfo& info_;
  const ReadBy& by_;
  bool reads_as_written_;
  Cells cells_;
  Accesses stores_, guarded_, unguarded_;
  Fills out_;
};

}  // namespace

namespace {

// The findings for which the schedule is refused. Those of the reader count only if something is
// said of the reader (`unguarded`): any other would read just where the stores go.
template <class AnyFills>
auto refused(AnyFills& fills) {
  std::vector<decltype(&fills.reader.inside)> list;
  const auto add = [&](auto* f) {
    if (!f->is_legal()) list.push_back(f);
  };
  if (fills.fits) add(&*fills.fits);
  if (fills.kept) add(&*fills.kept);
  if (fills.unguarded) {
    add(&fills.reader.inside);
    if (fills.reader.once) add(&*fills.reader.once);
  }
  if (fills.agrees) add(&*fills.agrees);
  return list;
}

}  // namespace

std::vector<Finding> Fills::refusals() const {
  std::vector<Finding> list;
  for (const Finding* f : refused(*this)) list.push_back(*f);
  return list;
}

std::optional<Fills> fills(const Fusion& fusion, const Schedule& writes,
                           const TensorAnalysis& write, const Schedule* reads,
                           const TensorAnalysis* read, const ReadBy& by, Help help) {
  const TensorInfo& info = fusion[write.tensor];
  if (is_tma_copy(writes, write.tensor)) return std::nullopt;
  const bool only_items = by.is_guarded && !info.duplicates_allowed;
  if (!info.fill && only_items && is_dense(info)) return std::nullopt;
  std::optional<Fills> found = FillQuestion(fusion, writes, write, reads, read, by).answer();
  if (!found || help == Help::Without) return found;
  const auto without = [&](const std::string& code) -> IsMended {
    return [&](const Fusion& changed, bool is_guarded) {
      const auto placed = [&](const Schedule& schedule) {
        TensorAnalysis a = analyze_loops(changed, schedule, write.tensor);
        place_in_memory(changed, schedule, a);
        return a;
      };
      ReadBy reader = by;
      reader.is_guarded = is_guarded;
      const Schedule stores = remade(changed, writes, write.tensor);
      const TensorAnalysis own = placed(stores);
      std::optional<Schedule> loads;
      std::optional<TensorAnalysis> other;
      if (reads != nullptr) other = placed(loads.emplace(remade(changed, *reads, write.tensor)));
      const auto left = fills(changed, stores, own, loads ? &*loads : nullptr,
                              other ? &*other : nullptr, reader, Help::Without);
      if (!left) return true;
      const std::vector<Finding> all = left->refusals();
      return std::none_of(all.begin(), all.end(), [&](const Finding& f) { return f.code == code; });
    };
  };
  for (Finding* f : refused(*found)) {
    if (!f->help.empty()) continue;
    f->help =
        leave_out(fusion, write.tensor, !by.is_guarded, without(f->code)).value_or(kHoldEveryItem);
  }
  return found;
}

}  // namespace selvage
