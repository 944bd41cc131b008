#include <selvage/expr/symbols.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/threads_inside.h>

#include <algorithm>

namespace selvage {

namespace {

// Whether those who run a statement wait or meet there.
bool waits(const Statement& s) {
  const auto* barrier = std::get_if<Barrier>(&s.node);
  const bool is_event = std::holds_alternative<Wait>(s.node) ||
                        std::holds_alternative<Arrive>(s.node) ||
                        std::holds_alternative<ProxyFence>(s.node) ||
                        (barrier != nullptr && barrier->scope != Barrier::Scope::Warp);
  return is_event || std::ranges::any_of(bodies(s), [](const Body* inner) {
           return std::ranges::any_of(*inner, waits);
         });
}

// Appends what a loop over a thread index does; `names`: definitions that depend on the index.
bool move_inside(const Loop& threads, Body body, Body names, Body& out) {
  Body part = names;
  const auto depends = [&](const Statement& s) {
    return std::ranges::any_of(parts_of(s).expressions, [&](Expr e) {
      return mentions(e, threads.variable) ||
             std::ranges::any_of(names, [&](const Statement& name) {
               return mentions(e, std::get<Define>(name.node).variable);
             });
    });
  };
  const auto close = [&] {
    if (part.size() > names.size()) {
      out.push_back({Loop{threads.variable, threads.extent, threads.parallel, part}});
    }
    part = names;
  };
  for (Statement& s : body) {
    if (!waits(s)) {
      const auto* define = std::get_if<Define>(&s.node);
      // Memory may have another number when it is read again.
      if (define != nullptr && define->read) return false;
      if (define != nullptr && !depends(s)) {
        close();
        out.push_back(std::move(s));
        continue;
      }
      if (define != nullptr) names.push_back(s);
      part.push_back(std::move(s));
      continue;
    }
    close();
    if (depends(s)) return false;
    for (Body* inner : bodies(s)) {
      Body own;
      if (!move_inside(threads, std::move(*inner), names, own)) return false;
      *inner = std::move(own);
    }
    out.push_back(std::move(s));
  }
  close();
  return true;
}

}  // namespace

std::optional<Body> with_threads_inside(Body body) {
  Body out;
  for (Statement& s : body) {
    if (!waits(s)) {
      out.push_back(std::move(s));
      continue;
    }
    for (Body* inner : bodies(s)) {
      auto own = with_threads_inside(std::move(*inner));
      if (!own) return std::nullopt;
      *inner = *std::move(own);
    }
    auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || !is_thread(loop->parallel)) {
      out.push_back(std::move(s));
    } else if (!move_inside(*loop, std::move(loop->body), {}, out)) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace selvage
