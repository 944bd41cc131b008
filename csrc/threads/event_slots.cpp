#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/participants.h>
#include <selvage/threads/bodies.h>
#include <selvage/threads/checks.h>
#include <selvage/threads/event_slots.h>
#include <selvage/threads/refuse_at.h>

#include <algorithm>
#include <utility>

namespace selvage {

BufferId buffer_of(const ThreadProgram& program, std::uint32_t event) {
  return BufferId(program.arrays.size() + event);
}

std::string to_string(const ThreadProgram& program, const EventSlot& at) {
  if (!at.text.empty()) return at.text;
  const ThreadEvent& event = program.events.at(at.event);
  return event.slots == 1 ? event.name : event.name + "[" + to_string(at.slot) + "]";
}

const EventSlot* slot_of(const ThreadItem& item) {
  if (const auto* arrive = std::get_if<ArriveAt>(&item.node)) return &arrive->at;
  if (const auto* wait = std::get_if<WaitFor>(&item.node)) return &wait->at;
  const auto* copies = std::get_if<CopyLater>(&item.node);
  return copies != nullptr && copies->at ? &*copies->at : nullptr;
}
EventSlot* slot_of(ThreadItem& item) {
  return const_cast<EventSlot*>(slot_of(std::as_const(item)));
}

BarrierObject object_at(const ThreadProgram& program, const EventSlot& at, Simplifier& known) {
  const ThreadEvent& event = program.events.at(at.event);
  check_defined(at.slot, "the slot", known);
  const Verdict verdict = known.prove(at.slot >= 0 && at.slot < event.slots);
  if (!is_proved(verdict)) {
    Point point = point_of(verdict);
    const std::vector<Expr> used = symbols_of(std::span(&at.slot, 1));
    std::erase_if(point, [&](const auto& one) { return !contains(used, one.first); });
    const std::string where = !is_refuted(verdict) ? ", and that it does not is not proved"
                              : point.empty()      ? ""
                                                   : ": " + to_text(point);
    const Interval all = known.interval(at.slot);
    const std::string more = all.lo >= 0 && all.hi < ThreadEvent::kMostSlots
                                 ? "give it slots: " + std::to_string(all.hi + 1) + ", or "
                                 : "";
    refuse<Illegal>("E819",
                    "the slot of " + to_string(program, at) +
                        (is_refuted(verdict) ? " is" : " may be") + " none of the " +
                        counted(event.slots, "slot") + " of the event" + where,
                    more + "use slots in turn, such as " + event.name + "[k % " +
                        std::to_string(event.slots) + "] in iteration k");
  }
  return {buffer_of(program, at.event), known.simplify(at.slot)};
}

namespace {

struct Uses {
  bool arrives = false, waits = false;
};
void note_uses(const ThreadBody& body, std::vector<Uses>& uses) {
  for (const ThreadItem& item : body) {
    if (const EventSlot* at = slot_of(item)) {
      const bool waits = std::holds_alternative<WaitFor>(item.node);
      (waits ? uses[at->event].waits : uses[at->event].arrives) = true;
    }
    if (const ThreadBody* inside = body_of(item)) note_uses(*inside, uses);
  }
}

}  // namespace

Wait wait_at(const ThreadProgram& program, const WaitFor& wait, Simplifier& known) {
  check_defined(wait.phase, "phase: the number", known);
  Wait made{.object = object_at(program, wait.at, known), .by_parity = true};
  made.phase = known.simplify(wait.phase % 2);
  return made;
}

void check_events(const ThreadProgram& program, std::vector<Diagnostic>& diagnostics) {
  std::vector<Uses> uses(program.events.size());
  note_uses(program.outermost.body, uses);
  for (std::size_t e = 0; e < uses.size(); ++e) {
    if (uses[e].waits) continue;
    const ThreadEvent& event = program.events[e];
    const bool arrives = uses[e].arrives;
    diagnostics.push_back({.code = "E828",
                           .severity = Severity::Warning,
                           .place = event.place,
                           .message = arrives ? "nobody waits for the event " + event.name +
                                                    ", so its arrivals order nothing"
                                              : "nobody uses the event " + event.name,
                           .help = arrives ? "put a wait: {event: " + event.name +
                                                 ", phase: ...} where something must have been done"
                                           : "remove it, or arrive at it and wait for it"});
  }
}

Region region_of_role(const InThreads& in, const Place& place, const ThreadRegion& region) {
  const auto refuse_role = [&](const std::string& why) {
    refuse_at(place, "E830", "the role " + in.role + " is of no whole warps: " + why,
              "let the role begin and end where warps do, every 32 threads; or write async: true "
              "in place of the role");
  };
  std::string why;
  const auto who = participants_of(region.who, divergent_part(region.condition, region.levels),
                                   region.levels, why);
  if (!who) refuse_role(why);
  if (const auto cut = who->first_cut_warp()) {
    refuse_role("of warp " + std::to_string(*cut) + " it has a part, where " + in.text + " holds");
  }
  if (in.registers > 0 && first_inner(in.body) != nullptr) {
    refuse_at(place, "E830", "the role " + in.role + " has registers of its own, and levels inside",
              "leave registers out, or write the levels around the role");
  }
  return {.role = in.role,
          .members = who->lanes,
          .body = {},
          .registers = in.registers,
          .usual_registers = registers_at_entry(who->threads)};
}

}  // namespace selvage
