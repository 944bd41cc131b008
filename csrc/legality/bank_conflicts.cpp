#include <selvage/legality/bank_conflicts.h>
#include <selvage/legality/tile_access.h>
#include <selvage/legality/tma.h>

#include <algorithm>

namespace selvage {

namespace {

// The warp access of the nest to its own tensor.
std::variant<WarpAccess, NoWarpAccess> own_access(const Fusion& fusion, const Schedule& schedule,
                                                  const TensorAnalysis& a,
                                                  const BlockShape& block) {
  const Storage storage = storage_of(fusion, a.tensor);
  Access own = access_of(fusion, schedule.graph(), a, a.tensor, storage);
  own.address = a.address;
  return warp_access(schedule, a, own, block);
}

std::string to_text(const BankCollision& c) {
  constexpr std::size_t kMostNamed = 2;
  std::string threads, words;
  const std::size_t n = c.threads.size();
  const std::size_t named = n <= kMostNamed + 1 ? n : kMostNamed;
  for (std::size_t i = 0; i < named; ++i) {
    const char* between = i == 0 ? "" : i + 1 == n ? " and " : ", ";
    threads += between + std::to_string(c.threads[i].number);
    words += between + std::to_string(c.threads[i].word);
  }
  if (named < n) {
    threads += " and " + std::to_string(n - named) + " more";
    words += " and so on";
  }
  return "threads " + threads + " of warp " + std::to_string(c.warp) + " ask bank " +
         std::to_string(c.bank) + " for words " + words + ", the first at " +
         to_text(c.threads[0].point);
}

Finding finding_of(const BankConflicts& banks) {
  Finding finding;
  const auto side = [&](const std::string& name, const BankAccess& access, bool is_plural) {
    const std::string verb = is_plural ? " are " : " is ";
    if (!access.degree) return name + verb + "not known: " + access.why_unknown;
    if (*access.degree == 1) return name + verb + "conflict-free (" + access.by + ")";
    return name + verb + std::to_string(*access.degree) + "-way (" + access.by +
           "): " + to_text(*access.collision);
  };
  const bool both_free = banks.ways == 1 && banks.store.by == banks.load.by;
  finding.reason = banks.same_loops || both_free ? side("store and load", banks.store, true)
                                                 : side("the store", banks.store, false) + "; " +
                                                       side("the load", banks.load, false);
  const BankAccess& worse =
      banks.load.degree.value_or(0) > banks.store.degree.value_or(0) ? banks.load : banks.store;
  if (worse.collision) {
    finding.verdict = Refuted{worse.collision->threads[0].point};
  } else if (!banks.ways) {
    finding.verdict = Unknown{};
  } else if (banks.store.by == banks.load.by) {
    finding.verdict = Proved{{banks.store.by}};
  } else {
    finding.verdict = Proved{{banks.store.by, banks.load.by}};
  }
  return finding;
}

std::string help_of(const BankAdvice& advice) {
  std::string help;
  if (advice.padding && advice.padding->elements == 0) {
    return "lay it out row by row, without allocation, view or strides: that is conflict-free";
  }
  if (advice.swizzle && advice.swizzle->lines) {
    help = advice.swizzle->text + " makes both conflict-free: " + advice.swizzle->lines->joined();
  }
  if (advice.padding) {
    help += std::string(help.empty() ? "" : "; or ") + "pad rows to " +
            std::to_string(advice.axes.extents.back() + advice.padding->elements) + ": " +
            padding_line(advice.axes, *advice.padding) + ", " +
            std::to_string(advice.padding->bytes) + " bytes more";
  }
  return help;
}

std::string why_none(const NoSwizzle& none, const BankAdvice& advice) {
  const auto item = [](const TileItem& i) {
    return "[" + std::to_string(i.row) + ", " + std::to_string(i.column) + "]";
  };
  const std::string pair = item(none.first) + " and " + item(none.second);
  const std::string& column = advice.axes.names.back();
  switch (none.proof) {
    case NoSwizzle::Proof::OneRow:
      return "a phase asks one row for " + pair + ", which no xor of " + column +
             " with bits of the row takes apart";
    case NoSwizzle::Proof::AllBanks:
      return "rows that differ as in " + pair + " are met at every distance of banks";
    case NoSwizzle::Proof::Search: break;
  }
  return "no linear map of the row's bits does it: all were tried";
}

BankAdvice advice_of(const TileTraffic& traffic) {
  BankAdvice advice{.axes = traffic.axes, .swizzle = {}, .padding = {}};
  advice.padding = find_padding(traffic.tile, traffic.store, traffic.load);
  const SwizzleResult result = find_swizzle(traffic.tile, traffic.store, traffic.load);
  if (const auto* found = std::get_if<TileSwizzle>(&result)) {
    const bool one_axis = traffic.axes.names.size() == 2;
    std::string text = traffic.axes.names.back();
    for (const XorField& f : found->fields) {
      text += " ^ " + to_text(f, traffic.tile.rows, one_axis ? traffic.axes.names[0] : "row");
    }
    advice.swizzle = {*found, text, swizzle_lines(traffic.axes, *found)};
  } else if (const auto* none = std::get_if<NoSwizzle>(&result)) {
    advice.no_swizzle = why_none(*none, advice);
  } else {
    advice.no_swizzle = "not searched: " + std::get<SwizzleUnknown>(result).why;
  }
  return advice;
}

}  // namespace

std::optional<BankConflicts> bank_conflicts(const Fusion& fusion, const Schedule& writes,
                                            const TensorAnalysis& write, const Schedule* reads,
                                            const TensorAnalysis* read) {
  const TensorInfo& tensor = fusion[write.tensor];
  if (reads == nullptr || read == nullptr) {
    reads = &writes;
    read = &write;
  }
  const bool is_bulk = is_tma_copy(writes, write.tensor) || is_tma_copy(*reads, read->tensor);
  if (tensor.memory != Memory::Shared || is_bulk) return std::nullopt;
  const BlockShape block = common_block(block_shape(writes, write), block_shape(*reads, *read));
  const auto store = own_access(fusion, writes, write, block);
  const auto load = read == &write ? store : own_access(fusion, *reads, *read, block);

  BankConflicts banks;
  banks.same_loops = read == &write;
  std::int64_t unit = kWordBytes;
  const auto degree = [&](const std::variant<WarpAccess, NoWarpAccess>& side,
                          const TensorAnalysis& a) {
    if (const auto* none = std::get_if<NoWarpAccess>(&side)) {
      return BankAccess{.degree = {}, .why_unknown = none->why};
    }
    const WarpAccess& access = std::get<WarpAccess>(side);
    unit = std::max(unit, unit_bytes(access.bytes));
    return bank_degree(access, a.ranges->facts());
  };
  banks.store = degree(store, write);
  banks.load = read == &write ? banks.store : degree(load, *read);
  if (banks.store.degree && banks.load.degree) {
    banks.ways = std::max(*banks.store.degree, *banks.load.degree);
  }
  banks.finding = finding_of(banks);
  if (tensor.align % unit != 0) {
    banks.finding.conditions.push_back(eq(fusion.pool().symbol(tensor.name) % unit, 0));
  }
  const bool has_conflicts = banks.store.collision || banks.load.collision;
  if (has_conflicts && std::holds_alternative<WarpAccess>(store) &&
      std::holds_alternative<WarpAccess>(load)) {
    const auto traffic =
        tile_traffic(fusion, write.tensor, {writes, write, std::get<WarpAccess>(store)},
                     {*reads, *read, std::get<WarpAccess>(load)});
    if (traffic) {
      banks.advice = advice_of(*traffic);
      banks.finding.help = help_of(*banks.advice);
    }
  }
  return banks;
}

}  // namespace selvage
