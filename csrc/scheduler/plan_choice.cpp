#include <selvage/scheduler/plan_choice.h>

namespace selvage {

PlanChoice PlanChoice::of(const RowPlan& p) {
  return {.threads = p.threads,
          .folders = p.folders,
          .vector = p.vector,
          .batch = {},
          .at_once = p.at_once,
          .tile = p.tile,
          .across = p.across,
          .parts = p.parts,
          .turns = {},
          .last_block = p.last_block_of.has_value(),
          .windows = p.is_windowed,
          .skew = p.is_skewed,
          .late = p.is_copied_late,
          .ranks = p.ranks,
          .kept = p.kept,
          .is_along_rows = p.is_along_rows};
}

bool PlanChoice::allows(const RowPlan& p) const {
  const auto fits = [](const auto& wanted, const auto& is) { return !wanted || *wanted == is; };
  return fits(threads, p.threads) && fits(folders, p.folders) && fits(vector, p.vector) &&
         fits(batch, p.batch) && fits(at_once, p.at_once) && fits(tile, p.tile) &&
         fits(across, p.across) && fits(parts, p.parts) && fits(turns, p.turns) &&
         fits(last_block, std::int64_t(p.last_block_of.has_value())) && fits(kept, p.kept) &&
         fits(is_along_rows, p.is_along_rows) && fits(skew, std::int64_t(p.is_skewed)) &&
         fits(late, std::int64_t(p.is_copied_late)) && fits(ranks, p.ranks) &&
         fits(windows, std::int64_t(p.is_windowed));
}

std::string PlanChoice::text() const {
  std::string text;
  const auto add = [&](const char* key, const std::string& value) {
    text += (text.empty() ? "" : ", ") + std::string(key) + ": " + value;
  };
  const auto number = [&](const char* key, const std::optional<std::int64_t>& value) {
    if (value) add(key, std::to_string(*value));
  };
  number("threads", threads);
  number("rows", folders);
  number("vector", vector);
  number("steps", batch);
  number("at_once", at_once);
  number("tile", tile);
  number("across", across);
  number("parts", parts);
  number("turns", turns);
  number("last_block", last_block);
  number("skew", skew);
  number("windows", windows);
  number("late", late);
  number("ranks", ranks);
  if (kept) {
    add("keep", !*kept ? "nothing" : **kept == Memory::Local ? "registers" : "shared");
  }
  return text;
}

}  // namespace selvage
