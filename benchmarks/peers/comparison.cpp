#include "benchmarks/peers/comparison.h"

#include <selvage/expr/text.h>

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <set>

#include "tests/corpus/exact_value.h"
#include "tests/corpus/points.h"

namespace selvage::peers {

namespace {

constexpr std::size_t kPoints = 200;
constexpr std::uint64_t kSeed = 23;

// The groups in which a line counts: its kind, with c where all extents are known and s where some
// are symbols; and all indices, where no guard helps.
std::vector<std::string> groups_of(const corpus::Line& line) {
  const char* extents = line.parameters.empty() ? "c" : "s";
  const std::string kind = line.kind.substr(0, 1) + extents;
  if (!line.guard.empty()) return {kind + ", under its guard"};
  if (kind[0] == 'P') return {kind};
  return {kind, std::string("all indices, ") + extents};
}

bool counts(const corpus::Line& line, const std::string& group) {
  const std::vector<std::string> groups = groups_of(line);
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

bool agree(const corpus::Problem& problem, Expr answer, const std::vector<corpus::Point>& points) {
  ExactValue want(problem.expression, problem.symbols), got(answer, problem.symbols);
  return std::all_of(points.begin(), points.end(), [&](const corpus::Point& point) {
    const auto value = want.at(point);
    return !value || got.at(point) == value || got.overflowed();
  });
}

}  // namespace

Comparison::Comparison(std::vector<corpus::Line> lines, std::vector<std::unique_ptr<Peer>> peers)
    : lines_(std::move(lines)), peers_(std::move(peers)), results_(peers_.size()) {}

Measured Comparison::measure(Peer& peer, const corpus::Problem& problem,
                             const std::vector<corpus::Point>& points, int repetitions) const {
  Measured m;
  Answer answer;
  for (int k = 0; k < repetitions; ++k) {
    answer = peer.simplify(problem);
    m.nanoseconds = k == 0 ? answer.nanoseconds : std::min(m.nanoseconds, answer.nanoseconds);
  }
  m.done = answer.expression.has_value();
  m.sound = !m.done || agree(problem, *answer.expression, points);
  const Expr counted = m.done && m.sound ? *answer.expression : problem.expression;
  m.cost = cost_of(counted);
  m.clauses = clauses_of(counted);
  if (m.done) m.text = to_string(*answer.expression);
  return m;
}

void Comparison::run(int repetitions) {
  for (const corpus::Line& line : lines_) {
    const corpus::Problem problem(line);
    const std::vector<corpus::Point> points = corpus::Domain(problem).points(kPoints, kSeed);
    Measured written;
    written.cost = cost_of(problem.expression);
    written.clauses = clauses_of(problem.expression);
    written_.push_back(written);
    for (std::size_t p = 0; p < peers_.size(); ++p) {
      results_[p].push_back(measure(*peers_[p], problem, points, repetitions));
    }
  }
}

// Of one group of lines and one simplifier.
struct Comparison::Row {
  std::size_t lines = 0, done = 0, unsound = 0, bare = 0;
  double written = 0, cost = 0, divisions = 0, clauses = 0;  // means
  double mean = 0, p95 = 0, max = 0;                         // us of what was done
  std::size_t shared = 0;  // lines that the reference has done, too; of these:
  double shared_cost = 0, shared_times_faster = 0;
};

std::size_t Comparison::reference() const {
  std::size_t k = 0;
  while (k < peers_.size() && peers_[k]->name() != "isl") ++k;
  return k;
}

Comparison::Row Comparison::row(const std::string& group, std::size_t peer) const {
  Row r;
  std::vector<double> times;
  double own_time = 0, reference_time = 0;
  const std::size_t isl = reference();
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    if (!counts(lines_[k], group)) continue;
    const Measured& m = results_[peer][k];
    ++r.lines;
    r.written += double(written_[k].cost.total);
    r.cost += double(m.cost.total);
    r.divisions += double(m.cost.divisions);
    r.clauses += double(m.clauses);
    r.unsound += m.sound ? 0 : 1;
    r.bare += m.done && m.sound && m.cost.total == 0 ? 1 : 0;
    if (!m.done) continue;
    ++r.done;
    times.push_back(m.nanoseconds / 1000);
    if (isl == peers_.size() || !results_[isl][k].done) continue;
    ++r.shared;
    r.shared_cost += double(m.cost.total);
    own_time += m.nanoseconds;
    reference_time += results_[isl][k].nanoseconds;
  }
  const auto mean = [](double& sum, std::size_t n) { sum = n == 0 ? 0 : sum / double(n); };
  for (double* sum : {&r.written, &r.cost, &r.divisions, &r.clauses}) mean(*sum, r.lines);
  mean(r.shared_cost, r.shared);
  r.shared_times_faster = own_time == 0 ? 0 : reference_time / own_time;
  if (times.empty()) return r;
  std::sort(times.begin(), times.end());
  for (const double t : times) r.mean += t;
  mean(r.mean, times.size());
  r.p95 = times[times.size() * 95 / 100];
  r.max = times.back();
  return r;
}

void Comparison::print_tables(std::ostream& out) const {
  std::set<std::string> groups;
  for (const corpus::Line& line : lines_) {
    for (const std::string& group : groups_of(line)) groups.insert(group);
  }
  out << "Times in us, of what could be expressed; what could not, or is wrong, costs what was\n"
         "written. On the lines that isl can express: cost, and how many times faster than isl.\n";
  for (const std::string& group : groups) {
    const Row first = row(group, 0);
    char text[400];
    std::snprintf(text, sizeof text, "\n%s: %zu lines, cost as written %.2f\n\n", group.c_str(),
                  first.lines, first.written);
    out << text
        << "| simplifier | expressed | mean | p95 | max | cost | / and % | clauses | bare | "
           "unsound "
           "| isl's lines: cost | faster |\n"
           "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for (std::size_t p = 0; p < peers_.size(); ++p) {
      const Row r = row(group, p);
      const auto percent = [&](std::size_t n) { return 100.0 * double(n) / double(r.lines); };
      std::snprintf(text, sizeof text,
                    "| %s | %.1f %% | %.2f | %.1f | %.0f | %.2f | %.2f | %.2f | %.1f %% | %zu "
                    "| %.2f | %.1f |\n",
                    peers_[p]->name().c_str(), percent(r.done), r.mean, r.p95, r.max, r.cost,
                    r.divisions, r.clauses, percent(r.bare), r.unsound, r.shared_cost,
                    r.shared_times_faster);
      out << text;
    }
  }
}

void Comparison::print_worse(std::ostream& out, std::size_t most) const {
  struct Found {
    std::size_t line, peer;
    std::int64_t by;
  };
  std::vector<Found> found;
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    Found best{k, 0, 0};
    for (std::size_t p = 1; p < peers_.size(); ++p) {
      const std::int64_t by = results_[0][k].cost.total - results_[p][k].cost.total;
      if (by > best.by) best = {k, p, by};
    }
    if (best.by > 0) found.push_back(best);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.by > b.by; });
  out << "\n" << peers_[0]->name() << " is dearer on " << found.size() << " lines\n";
  for (std::size_t k = 0; k < std::min(most, found.size()); ++k) {
    const auto [line, peer, by] = found[k];
    out << to_text(lines_[line]) << "\n  " << peers_[0]->name() << ", "
        << results_[0][line].cost.total << ": " << results_[0][line].text << "\n  "
        << peers_[peer]->name() << ", " << results_[peer][line].cost.total << ": "
        << results_[peer][line].text << "\n";
  }
}

}  // namespace selvage::peers
