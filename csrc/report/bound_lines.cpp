#include <selvage/base/words.h>
#include <selvage/legality/bounds.h>
#include <selvage/report/bound_lines.h>

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
  std::vector<BoundLine> list = {
      {true, tensor.analysis.tensor, tensor.analysis.tensor, tensor.legality.store}};
  std::set<std::tuple<TensorId, TensorId, std::string>> said;
  for (ReadBound& r : read_bounds(tensor.fusion(), *tensor.schedule, tensor.analysis)) {
    const bool is_new = said.emplace(r.source, r.reader, shown(r.inside.verdict)).second;
    if (is_new || !r.inside.is_legal()) {
      list.push_back({false, r.source, r.reader, std::move(r.inside)});
    }
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
