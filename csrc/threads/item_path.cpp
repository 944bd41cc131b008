#include <selvage/threads/bodies.h>
#include <selvage/threads/item_path.h>

#include <algorithm>

namespace selvage {

LineAndColumn at(const Place& place) { return {place.line, place.column}; }

std::string text(const Place& place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

bool ItemPath::is_in_inthreads(std::size_t depth) const {
  return std::any_of(steps.begin(), steps.begin() + std::ptrdiff_t(depth), [](const Step& s) {
    return std::holds_alternative<InThreads>(s.item().node);
  });
}

bool ItemPath::is_in_region(std::size_t depth) const {
  return is_in_inthreads(depth) ||
         std::any_of(steps.begin(), steps.begin() + std::ptrdiff_t(depth), [](const Step& s) {
           const auto* loop = std::get_if<SerialFor>(&s.item().node);
           return loop != nullptr && loop->condition.valid();
         });
}

static bool find(ThreadBody& body, LineAndColumn place, ItemPath& path) {
  for (std::size_t k = 0; k < body.size(); ++k) {
    ThreadItem& item = body[k];
    path.steps.push_back({&body, k});
    if (at(item.place) == place) return true;
    auto* inside = const_cast<ThreadBody*>(body_of(item));
    if (inside != nullptr && find(*inside, place, path)) return true;
    path.steps.pop_back();
  }
  return false;
}

std::optional<ItemPath> find_item(ThreadProgram& program, const Place& place) {
  ItemPath path;
  if (!find(program.outermost.body, at(place), path)) return std::nullopt;
  return path;
}

std::int64_t items_in(const ThreadBody& body) {
  std::int64_t n = 0;
  for (const ThreadItem& item : body) {
    const ThreadBody* inside = body_of(item);
    n += 1 + (inside == nullptr ? 0 : items_in(*inside));
  }
  return n;
}

NamesOf::NamesOf(const ThreadProgram& program)
    : taken_(program.names.begin(), program.names.end()) {
  for (Expr symbol : program.symbols) taken_.emplace(symbol.name());
  for (const ThreadArray& a : program.arrays) taken_.insert(a.name);
  for (const ThreadEvent& e : program.events) taken_.insert(e.name);
  note(program.outermost);
}

std::string NamesOf::fresh(const std::string& wanted) {
  std::string name = wanted;
  for (int k = 2; !taken_.insert(name).second; ++k) name = wanted + "_" + std::to_string(k);
  return name;
}

void NamesOf::note(const InnerParallel& node) {
  for (const ParallelLevel& level : node.levels) {
    for (const MaskIndex& i : level.indices) taken_.emplace(i.symbol.name());
  }
  note(node.body);
}

void NamesOf::note(const ThreadBody& body) {
  for (const ThreadItem& item : body) {
    if (const auto* inner = std::get_if<InnerParallel>(&item.node)) {
      note(*inner);
      continue;
    }
    if (const auto* loop = std::get_if<SerialFor>(&item.node)) {
      taken_.emplace(loop->index.name());
    }
    if (const ThreadBody* inside = body_of(item)) note(*inside);
  }
}

std::vector<const InnerParallel*> levels_around(const ThreadProgram& program,
                                                const ItemPath& path) {
  std::vector<const InnerParallel*> around = {&program.outermost};
  const ThreadBody* body = &program.outermost.body;
  for (std::size_t k = 0; k + 1 < path.steps.size(); ++k) {
    const ThreadItem& item = (*body)[path.steps[k].index];
    if (const auto* inner = std::get_if<InnerParallel>(&item.node)) around.push_back(inner);
    body = body_of(item);
  }
  return around;
}

}  // namespace selvage
