#include <selvage/expr/symbols.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/spread.h>

#include <algorithm>
#include <map>
#include <string>

namespace selvage {

namespace {

// The variables of Bulk loops, outermost first; a nest may have been written twice.
void find_boxes(const Body& body, std::vector<Expr>& variables) {
  for_each_statement(body, [&](const Statement& s) {
    const auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || loop->parallel != ParallelType::Bulk) return;
    if (!contains(variables, loop->variable)) variables.push_back(loop->variable);
  });
}

void spread(Body& body, const std::map<std::uint32_t, ParallelType>& axes, Kernel& kernel) {
  for (Statement& s : body) {
    for (Body* inner : bodies(s)) spread(*inner, axes, kernel);
    auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || loop->parallel != ParallelType::Bulk) continue;
    loop->parallel = ParallelType::Serial;
    const auto axis = axes.find(loop->variable.id());
    if (axis == axes.end() || !loop->extent.is(Op::Const)) continue;
    Loop threads = every(axis->second, kernel);
    const Expr i = loop->variable;
    // So many threads that each turn is whole.
    const std::int64_t all = loop->extent.value(), most = threads.extent.value();
    std::int64_t n = std::min(all, most);
    while (all % n != 0) --n;
    const Expr turns = kernel.pool->constant(all / n);
    const Expr turn = own_variable(std::string(i.name()) + ".turn", turns, kernel);
    loop->body.insert(loop->body.begin(), {Define{i, turn * n + threads.variable}});
    threads.body =
        n == most ? std::move(loop->body) : guarded({threads.variable < n}, std::move(loop->body));
    s = {Loop{turn, turns, ParallelType::Serial, body_of(std::move(threads))}};
  }
}

}  // namespace

void spread_over_threads(Body& body, std::vector<ParallelType>& axes, Kernel& kernel) {
  std::vector<Expr> variables;
  find_boxes(body, variables);
  std::map<std::uint32_t, ParallelType> of_variable;
  for (std::size_t i = variables.size(); i-- > 0;) {
    const auto axis = std::ranges::find_if(axes, [&](ParallelType p) {
      return is_thread(p) && extent_of(kernel.launch, p).is(Op::Const);
    });
    if (axis == axes.end()) break;
    of_variable.emplace(variables[i].id(), *axis);
    axes.erase(axis);
  }
  spread(body, of_variable, kernel);
}

}  // namespace selvage
