#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/ir/about.h>
#include <selvage/kernel/verify_parts.h>
#include <selvage/legality/decide.h>
#include <selvage/legality/values.h>
#include <selvage/lower/place.h>
#include <selvage/scheduler/defaults.h>
#include <selvage/simplifier/point.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr ParallelType kThreadTypes[] = {ParallelType::TIDx, ParallelType::TIDy,
                                         ParallelType::TIDz};

}  // namespace

PlacedTensors::PlacedTensors(const Fusion& fusion, const Schedule& schedule, const NestTree& tree,
                             KnownLoops& known)
    : fusion_(fusion), schedule_(schedule) {
  analyze_tree(tree, {}, known);
  if (!tree.inside.empty()) find_readings(tree);
  settle(tree);
}

void PlacedTensors::add(const PlacedTensors& other) {
  placed_.insert(other.placed_.begin(), other.placed_.end());
}

void PlacedTensors::analyze_tree(const NestTree& tree, const OpenLoops& around, KnownLoops& known) {
  const TensorId t = tree.tensor;
  PlacedTensor& own = placed_[t];
  own.is_hosted = schedule_.site(t).has_value();
  const auto is_alike = [&](const auto& other) {
    return other.first != t &&
           have_same_loops(fusion_, schedule_, other.second.analysis, t, around);
  };
  const auto alike = std::ranges::find_if(placed_, is_alike);
  about(t, [&] {
    own.analysis = alike != placed_.end()
                       ? analysis_like(fusion_, schedule_, alike->second.analysis, t)
                       : analyze_loops(fusion_, schedule_, t, around, Part::Everything, known);
  });
  for (std::size_t i = 0; i < own.analysis.loops.size(); ++i) {
    known.try_emplace(own.analysis.variables[i].id(), schedule_, t, own.analysis.loops[i]);
  }
  open_[t] = around;
  if (fusion_[t].fold && !schedule_.positions(t)) {
    OpenLoops all = around;
    for (std::size_t i = 0; i < own.analysis.loops.size(); ++i) {
      all.emplace_back(own.analysis.loops[i], own.analysis.variables[i]);
    }
    own.result = analyze_loops(fusion_, schedule_, t, all, Part::Result);
  }
  for (const NestTree& inner : tree.inside) {
    OpenLoops open = around;
    for (std::size_t i = tree.shared; i < inner.level; ++i) {
      open.emplace_back(own.analysis.loops[i], own.analysis.variables[i]);
    }
    analyze_tree(inner, open, known);
  }
}

void PlacedTensors::find_readings(const NestTree& tree) {
  ValueGraph unused;
  const auto load = [&](const Access& read) {
    if (contains(read.tensor)) readings_[read.tensor].push_back({tree.tensor, read.subscripts});
    return unused.read(fusion_[read.tensor].type, 0, {});
  };
  about(tree.tensor, [&] {
    std::vector<ReadNumber> numbers;
    ValueLowering(fusion_, schedule_, placed_.at(tree.tensor).analysis, unused, load, numbers)
        .lower(tree.tensor);
  });
  for (const NestTree& inner : tree.inside) find_readings(inner);
}

void PlacedTensors::settle(const NestTree& tree) {
  about(tree.tensor, [&] { settle_memory(tree); });
  for (const NestTree& inner : tree.inside) settle(inner);
}

void PlacedTensors::settle_memory(const NestTree& tree) {
  PlacedTensor& own = placed_.at(tree.tensor);
  std::optional<Storage> storage;
  if (own.is_hosted) {
    for (const Reading& reading : readings_[tree.tensor]) {
      const auto found = coordinates_at(reading, tree.tensor);
      const TensorId both[] = {reading.reader, tree.tensor};
      about(as_subjects(both), [&] { check_iteration(tree, reading, found); });
    }
    const auto asked = schedule_.memory(tree.tensor);
    if (!fusion_[tree.tensor].is_output && asked != Memory::Global) {
      storage = choose(tree);
    } else {
      check_stored_once(tree);
    }
  }
  const bool has_stages = schedule_.stage(tree.tensor).has_value();
  if (!storage && (has_stages || !schedule_.allocation(tree.tensor).empty())) {
    refuse<Illegal>(has_stages ? "E438" : "E437",
                    fusion_[tree.tensor].name + " has " + (has_stages ? "stages" : "a layout") +
                        ", and is kept in global memory, which lies as the fusion says",
                    std::string("keep it in shared memory, inside the nest of who reads it; or ") +
                        "leave " + (has_stages ? "stages" : "its layout") + " out");
  }
  if (own.result) analyze_memory(fusion_, schedule_, *own.result, storage);
  // Analysed after the result: memory holds results, which have no folded loops.
  analyze_memory(fusion_, schedule_, own.analysis, std::move(storage));
}

// The variable of the tensor's loop that is bound to a block or thread axis; invalid: none is.
Expr PlacedTensors::loop_of_axis(TensorId t, ParallelType axis) const {
  const TensorAnalysis& a = placed_.at(t).analysis;
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    if (schedule_.parallel(t, a.loops[i]) == axis) return a.variables[i];
  }
  return {};
}

// The coordinates of an element that is read, in the loops that computed it, folded ones left out,
// and in iterdomains that follow from loops around it.
std::vector<std::pair<DomainId, Expr>> PlacedTensors::coordinates_at(const Reading& reading,
                                                                     TensorId t) const {
  std::vector<DomainId> loops;
  for (DomainId d : schedule_.item_loops(t)) {
    if (is_scan(fusion_[t]) || !schedule_.is_folded(t, d)) loops.push_back(d);
  }
  const std::vector<Expr> found = coordinates_from(
      schedule_.graph(), fusion_[t].logical, reading.subscripts, loops, schedule_.transforms(t));
  std::vector<std::pair<DomainId, Expr>> coordinates;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (!found[i].valid()) {
      refuse<Illegal>("E432",
                      "which iteration of " + schedule_.name(t, loops[i]) +
                          " computes an element " + "of " + fusion_[t].name +
                          " does not follow from its indices",
                      "compute " + fusion_[t].name + " in loops that its axes are cut into");
    }
    coordinates.emplace_back(loops[i], found[i]);
  }
  return coordinates;
}

// Whether the claim holds wherever the element is read. The subscripts are in bounds there: a
// conditional read is made only where they are, and for all other reads that is proved.
Verdict PlacedTensors::at_readings(const TensorAnalysis& reader, const Reading& reading, TensorId t,
                                   Expr claim) const {
  if (reader.guarded->proves(claim)) return Proved{{"the same index"}};
  Facts facts = reader.guarded->facts();
  for (std::size_t k = 0; k < reading.subscripts.size(); ++k) {
    facts.assume(ok(reading.subscripts[k], schedule_.graph()[fusion_[t].logical[k]].extent));
  }
  return decide(facts, claim);
}

// Whether each thread reads only elements of t that it has computed itself.
Verdict PlacedTensors::is_own_thread(TensorId t, const Reading& reading) const {
  const TensorAnalysis& reader = placed_.at(reading.reader).analysis;
  for (const auto& [d, coordinate] : coordinates_at(reading, t)) {
    const ParallelType p = schedule_.parallel(t, d);
    if (!is_thread(p)) continue;
    const Expr own = loop_of_axis(reading.reader, p);
    // Without a loop on that axis every thread along it reads the element.
    if (!own.valid()) return Unknown{coordinate};
    const Verdict same_thread = at_readings(reader, reading, t, eq(coordinate, own));
    if (!is_proved(same_thread)) return same_thread;
  }
  return Proved{{"the thread that computes an element reads it"}};
}

void PlacedTensors::check_iteration(
    const NestTree& tree, const Reading& reading,
    const std::vector<std::pair<DomainId, Expr>>& coordinates) const {
  const TensorId t = tree.tensor;
  const TensorAnalysis& own = placed_.at(t).analysis;
  const TensorAnalysis& reader = placed_.at(reading.reader).analysis;
  for (const auto& [d, coordinate] : coordinates) {
    const auto at = std::find(own.loops.begin(), own.loops.end(), d);
    const auto k = std::size_t(at - own.loops.begin());
    const ParallelType p = schedule_.parallel(t, d);
    Expr here;
    const bool is_joined = k == own.loops.size();
    if (is_joined) {
      here = (*own.coordinates)[d];
    } else if (k < tree.shared && !is_thread(p)) {
      here = own.variables[k];
    } else if (is_of_blocks(p)) {
      here = loop_of_axis(reading.reader, p);
      // A reader with no loop on that axis: the first block alone stores it in global memory, but
      // every block computes for itself what it keeps in memory of its own.
      if (!here.valid() && is_kept_by_blocks(reading.reader)) {
        check_every_block(reading, t, d, coordinate);
        continue;
      }
      if (!here.valid()) here = coordinate.pool().constant(0);
    } else {
      continue;
    }
    const Verdict verdict = at_readings(reader, reading, t, eq(coordinate, here));
    if (is_proved(verdict)) continue;
    std::vector<std::string> notes;
    const std::string loop = schedule_.name(t, d);
    std::string what = fusion_[reading.reader].name + " reads an element of " + fusion_[t].name +
                       " that another " + (is_of_blocks(p) ? "block" : "iteration") + " of " +
                       loop + " computes";
    if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
      const std::string at = refuted->point.empty() ? "" : "at " + to_text(refuted->point) + ", ";
      const auto computed = value_at(coordinate, refuted->point);
      const auto read = value_at(here, refuted->point);
      if (computed && read) {
        notes.push_back(at + "computed at " + loop + " = " + std::to_string(*computed) +
                        " and read at " + loop + " = " + std::to_string(*read));
      } else {
        notes.push_back("at " + to_text(refuted->point));
      }
    } else {
      what = "it is not proved that " + fusion_[reading.reader].name + " reads elements of " +
             fusion_[t].name + " only that the same iteration of " + loop + " computes";
    }
    refuse<Illegal>("E432", what,
                    is_joined         ? further_out(t, outermost_giving(t))
                    : k < tree.shared ? further_out(t, d)
                                      : unbound(t, d),
                    notes);
  }
}

// Checks that each block of the launch, all of which run the reader, has computed the element for
// itself. The launch's extent along an axis is that of the longest loop bound to the axis.
void PlacedTensors::check_every_block(const Reading& reading, TensorId t, DomainId loop,
                                      Expr coordinate) const {
  const ParallelType p = schedule_.parallel(t, loop);
  const TensorAnalysis& reader = placed_.at(reading.reader).analysis;
  const Expr block = coordinate.pool().symbol("every." + std::string(to_string(p)));
  for (const auto& [other, placed] : placed_) {
    for (DomainId d : placed.analysis.loops) {
      if (schedule_.parallel(other, d) != p) continue;
      Facts facts = reader.guarded->facts();
      facts.loop(block, schedule_.graph()[d].extent);
      const Verdict verdict = decide(facts, eq(coordinate, block));
      if (is_proved(verdict)) continue;
      const auto* refuted = std::get_if<Refuted>(&verdict);
      if (refuted == nullptr) {
        refuse<Illegal>("E432",
                        "it is not proved that every block that computes " +
                            fusion_[reading.reader].name + " has computed the elements of " +
                            fusion_[t].name + " that it reads",
                        unbound(t, loop));
      }
      ThreadAt reading_thread;
      (is_rank(p) ? reading_thread.thread : reading_thread.block)[std::size_t(axis(p))] =
          value_of(block, refuted->point).value_or(0);
      std::string note = to_text(reading_thread);
      if (const auto at = value_at(coordinate, refuted->point)) {
        note += " would read what " + schedule_.name(t, loop) + " = " + std::to_string(*at) +
                " computes, which is another block";
      }
      Point rest = refuted->point;
      std::erase_if(rest, [&](const auto& entry) { return same(entry.first, block); });
      if (!rest.empty()) note += ", at " + to_text(rest);
      refuse<Illegal>("E432",
                      fusion_[reading.reader].name + ", which every block computes for itself, " +
                          "reads an element of " + fusion_[t].name + " that another block of " +
                          schedule_.name(t, loop) + " computes",
                      unbound(t, loop), {note});
    }
  }
}

// Whether every block keeps t in memory of its own.
bool PlacedTensors::is_kept_by_blocks(TensorId t) const {
  return placed_.at(t).is_hosted && !fusion_[t].is_output && schedule_.memory(t) != Memory::Global;
}

// Help that moves t out of a loop that it shares with its host: to the loop before it, or before
// all loops.
std::string PlacedTensors::further_out(TensorId t, DomainId loop) const {
  // The tensor that opens the loop, rather than sharing it with a nest around its own.
  TensorId host = schedule_.site(t)->tensor;
  const auto is_around = [&](TensorId inner) {
    return std::any_of(open_.at(inner).begin(), open_.at(inner).end(),
                       [&](const auto& o) { return o.first == loop; });
  };
  while (schedule_.site(host) && is_around(host)) host = schedule_.site(host)->tensor;
  const std::string what = "compute " + fusion_[t].name + " further out, before the loop " +
                           schedule_.name(t, loop) + ": inline: {into: " + fusion_[host].name;
  const std::vector<DomainId>& loops = schedule_.loop_domains(host);
  const auto at = std::find(loops.begin(), loops.end(), loop);
  if (at == loops.begin() || at == loops.end()) return what + "}";
  return what + ", at: " + schedule_.name(host, *(at - 1)) + "}";
}

// The outermost loop that t has only because iterdomains of its own follow from it.
DomainId PlacedTensors::outermost_giving(TensorId t) const {
  const std::vector<DomainId>&loops = schedule_.loop_domains(t), items = schedule_.item_loops(t);
  const auto at =
      std::ranges::find_if(loops, [&](DomainId d) { return !selvage::contains(items, d); });
  SELVAGE_CHECK(at != loops.end());
  return *at;
}

// Help for a loop of t alone that is bound to a block index.
std::string PlacedTensors::unbound(TensorId t, DomainId loop) const {
  return "leave the loop " + schedule_.name(t, loop) + " of " + fusion_[t].name +
         " serial, so that each block computes all of it";
}

// Refuses a tensor in global memory some of whose elements would be stored more than once: in each
// iteration of a loop around, or by each block. All blocks share global memory, written once.
void PlacedTensors::check_stored_once(const NestTree& tree) const {
  const TensorId t = tree.tensor;
  const TensorAnalysis& own = placed_.at(t).analysis;
  const auto shared_end = own.loops.begin() + std::ptrdiff_t(tree.shared);
  const auto refuse_again = [&](const std::string& loop, const char* what) {
    refuse<Illegal>(
        "E435",
        fusion_[t].name + " is kept in global memory, and each " + what + " of " + loop +
            " would store it again",
        fusion_[t].is_output
            ? "give " + fusion_[t].name +
                  " a kernel of its own, {memory: global}, and no place inside another"
            : "keep " + fusion_[t].name +
                  " in shared memory, {memory: shared}; or compute it outside of that loop");
  };
  for (const auto& [d, variable] : open_.at(t)) {
    if (std::find(own.loops.begin(), shared_end, d) != shared_end) continue;
    if (own.ranges->proves(eq(schedule_.graph()[d].extent, 1))) continue;
    refuse_again(to_string(variable), "iteration");
  }
  const auto readings = readings_.find(t);
  if (readings == readings_.end()) return;
  for (const Reading& reading : readings->second) {
    for (DomainId d : placed_.at(reading.reader).analysis.loops) {
      const ParallelType p = schedule_.parallel(reading.reader, d);
      if (!is_of_blocks(p) || loop_of_axis(t, p).valid()) continue;
      if (own.ranges->proves(eq(schedule_.graph()[d].extent, 1))) continue;
      refuse_again(schedule_.name(reading.reader, d), "block");
    }
  }
}

}  // namespace selvage
