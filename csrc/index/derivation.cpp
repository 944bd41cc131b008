#include <selvage/index/derivation.h>

#include <algorithm>

namespace selvage {

namespace {

void add_once(std::vector<DomainId>& list, DomainId d) {
  if (std::find(list.begin(), list.end(), d) == list.end()) list.push_back(d);
}

}  // namespace

Derivation::Derivation(const Path& path, std::size_t loops,
                       std::span<const Implication> implications, const std::vector<char>& always)
    : path_(path),
      always_(always),
      closure_(implications, path.domains.size()),
      by_(path.domains.size()),
      from_(path.domains.size()),
      told_(path.domains.size(), 0),
      given_(path.domains.size(), 0) {
  std::vector<BoundId> bounds;
  for (std::size_t v = 0; v < loops; ++v) {
    told_[v] = given_[v] = 1;
    bounds.insert(bounds.end(), {bound_id(v, Half::Lo), bound_id(v, Half::Hi)});
  }
  closure_.add(bounds);
  tell_laws();
  tell(always_, "range", [](std::size_t) { return std::vector<DomainId>{}; });
}

void Derivation::add_both(std::size_t v) {
  const BoundId both[] = {bound_id(v, Half::Lo), bound_id(v, Half::Hi)};
  closure_.add(both);
}

void Derivation::take(std::span<const std::uint32_t> variables) {
  for (std::uint32_t v : variables) {
    told_[v] = given_[v] = 1;
    add_both(v);
  }
  tell_laws();
}

void Derivation::tell(const std::vector<char>& flags, const std::string& name,
                      const std::function<std::vector<DomainId>(std::size_t)>& sources) {
  for (std::size_t v = 0; v < told_.size(); ++v) {
    if (told_[v] || !holds(flags, v)) continue;
    by_[v] = name;
    from_[v] = sources(v);
    told_[v] = 1;
    add_both(v);
  }
  tell_laws();
}

bool Derivation::is_complete() const {
  return std::all_of(told_.begin(), told_.end(), [](char t) { return t != 0; });
}

// Goes along the path and back by turns, because a chain of reasons may run either way.
void Derivation::tell_laws() {
  const std::size_t n = told_.size();
  for (bool again = true; again;) {
    again = false;
    for (std::size_t k = 0; k < 2 * n; ++k) {
      const std::size_t v = k < n ? k : 2 * n - 1 - k;
      if (!told_[v] && closure_.holds(v)) again = tell_by_law(v) || again;
    }
  }
}

bool Derivation::tell_by_law(std::size_t v) {
  std::string names;
  std::vector<DomainId> premises;
  for (Half half : {Half::Lo, Half::Hi}) {
    // Skips a half that always holds: the reason is that of the other half.
    if (always_[bound_id(v, half)] && !holds(always_, v)) continue;
    const Implication* reason = closure_.reason(bound_id(v, half));
    if (reason == nullptr) continue;
    const std::string name(reason->law->name);
    if (names.empty()) names = name;
    if (names != name && names.find(name) == std::string::npos) names += " and " + name;
    for (BoundId b : reason->premises) {
      if (!told_[b / 2]) return false;
      add_once(premises, path_.domains[b / 2]);
    }
  }
  told_[v] = 1;
  by_[v] = names.empty() ? "range" : names;
  from_[v] = std::move(premises);
  return true;
}

std::vector<ImpliedPredicate> Derivation::implied() const {
  std::vector<ImpliedPredicate> list;
  for (std::size_t v = 0; v < told_.size(); ++v) {
    if (told_[v] && !given_[v]) list.push_back({path_.domains[v], by_[v], from_[v]});
  }
  return list;
}

}  // namespace selvage
