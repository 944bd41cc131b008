#include <selvage/expr/tape.h>
#include <selvage/legality/reads.h>
#include <selvage/scheduler/read_moves.h>

#include <algorithm>
#include <array>

namespace selvage {

namespace {

// Where along each loop the distance is looked at.
constexpr std::array<std::int64_t, 2> kPlaces = {0, 3};

}  // namespace

const ReadMoves::Nest& ReadMoves::nest(TensorId reader) {
  const auto [known, is_new] = nests_.try_emplace(reader);
  if (is_new) {
    known->second.analysis = analyze_loops(schedule_.fusion(), schedule_, reader);
    known->second.reads = reads_of(schedule_.fusion(), schedule_, known->second.analysis);
    for (Access& read : known->second.reads) place(read, schedule_.fusion(), schedule_, nullptr);
  }
  return known->second;
}

std::optional<std::int64_t> ReadMoves::step(TensorId reader, TensorId source, DomainId loop) {
  const Nest& own = nest(reader);
  const auto read = std::ranges::find(own.reads, source, &Access::tensor);
  const std::vector<DomainId>& loops = own.analysis.loops;
  const auto at = std::ranges::find(loops, loop);
  if (read == own.reads.end() || at == loops.end()) return std::nullopt;
  const Expr variable = own.analysis.variables[std::size_t(at - loops.begin())];
  const std::vector<Expr> symbols = symbols_of(read->address);

  std::optional<std::int64_t> step;
  for (const std::int64_t place : kPlaces) {
    std::vector<std::int64_t> here;
    for (Expr s : symbols) {
      const auto known =
          std::ranges::find_if(own.analysis.variables, [&](Expr v) { return same(v, s); });
      if (known == own.analysis.variables.end()) {
        here.push_back(sizes_(s));
        continue;
      }
      const DomainId d = loops[std::size_t(known - own.analysis.variables.begin())];
      const std::int64_t last = sizes_(schedule_.graph()[d].extent) - 1;
      here.push_back(std::clamp<std::int64_t>(place, 0, std::max<std::int64_t>(last - 1, 0)));
    }
    std::vector<std::int64_t> next = here;
    for (std::size_t k = 0; k < symbols.size(); ++k) next[k] += same(symbols[k], variable) ? 1 : 0;
    const auto from = evaluate(read->address, symbols, here);
    const auto to = evaluate(read->address, symbols, next);
    if (!from || !to || (step && *step != *to - *from)) return std::nullopt;
    step = *to - *from;
  }
  return step;
}

}  // namespace selvage
