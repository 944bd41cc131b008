#include <selvage/base/words.h>
#include <selvage/legality/reads.h>
#include <selvage/report/tensor_lines.h>

#include <set>
#include <tuple>

namespace selvage {

namespace {

// proved: guard, law A; refuted; unknown
std::string shown(const Verdict& verdict) {
  const auto* proved = std::get_if<Proved>(&verdict);
  const std::string word(to_string(verdict));
  return proved == nullptr || proved->rules.empty() ? word : word + ": " + joined(proved->rules);
}

}  // namespace

std::vector<BoundLine> bounds_of(const TensorReport& tensor) {
  const Fusion& fusion = tensor.fusion();
  std::vector<BoundLine> list = {
      {true, tensor.analysis.tensor, tensor.analysis.tensor, tensor.legality.store}};
  std::set<std::tuple<TensorId, TensorId, std::string>> said;
  for (const Access& read : reads_of(fusion, *tensor.schedule, tensor.analysis)) {
    // What is out of bounds is foreseen; of an index from memory the page says how.
    if (read.is_filled && read.loaded.empty()) continue;
    const bool is_new = said.emplace(read.tensor, read.user, shown(read.inside)).second;
    if (!is_new && read.is_inside()) continue;
    std::string reason = "every read of " + fusion[read.tensor].name + " in " +
                         fusion[read.user].name + " is inside it";
    if (is_refuted(read.inside)) reason += ", but at " + to_text(point_of(read.inside));
    list.push_back({false, read.tensor, read.user, {read.inside, std::move(reason)}});
  }
  return list;
}

void print_bounds(const TensorReport& tensor, Lines& out) {
  out.heading("Accesses");
  std::vector<BoundLine> reads = bounds_of(tensor);
  const auto say = [&](const BoundLine& line) {
    out.line(2, line.inside.reason + " (" + shown(line.inside.verdict) + ")");
  };
  say(reads.front());
  reads.erase(reads.begin());
  print_some(reads, 2, out, say);
}

}  // namespace selvage
