#include <selvage/base/names.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/schedule_scope.h>

#include <algorithm>

namespace selvage {

void ListProgress::begin() {
  std::vector<std::size_t> all = logical;
  all.insert(all.end(), folds.begin(), folds.end());
  loops.set(all);
  is_folded.assign(all.size(), false);
  for (std::size_t d : folds) is_folded[d] = true;
}

void ListProgress::drop_folded(const std::string& to) {
  std::vector<std::size_t> dropped;
  for (std::size_t d : loops.loops()) {
    if (folds_over(d)) dropped.push_back(d);
  }
  for (std::size_t d : dropped) {
    loops.remove(d);
    moved.emplace(d, to);
  }
  folds.clear();
}

void ListProgress::part(ListProgress& partial, const std::vector<std::size_t>& some,
                        const std::string& to) {
  partial.is_folded.assign(partial.is_folded.size(), false);
  partial.folds.clear();
  std::vector<std::size_t> rest;
  for (std::size_t d : loops.loops()) {
    if (!folds_over(d)) continue;
    const bool is_taken = std::count(some.begin(), some.end(), d) != 0;
    (is_taken ? partial.folds : partial.logical).push_back(d);
    if (is_taken) partial.is_folded[d] = true;
    if (!is_taken) rest.push_back(d);
  }
  for (std::size_t d : partial.folds) {
    loops.remove(d);
    moved.emplace(d, to);
  }
  folds = std::move(rest);
}

ScheduleScope::ScheduleScope(std::span<const Formula> statements,
                             std::span<const NamedInput> inputs, const FileSymbols& symbols)
    : statements_(statements), symbols_(symbols) {
  for (const Formula& f : statements) {
    by_name_.emplace(f.target, &f);
    for (const FormulaNode& n : f.nodes) {
      if (n.may_read()) is_read_[n.name] = true;
    }
  }
  for (const NamedInput& i : inputs) inputs_.emplace(i.name, &i);
}

const Formula* ScheduleScope::statement(const std::string& name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

const NamedInput* ScheduleScope::input(const std::string& name) const {
  const auto it = inputs_.find(name);
  return it == inputs_.end() ? nullptr : it->second;
}

void ScheduleScope::note_makers(const Entry& list) {
  if (list.value.kind != Node::Kind::Sequence) return;
  for (const Node& item : list.value.items) {
    for (const char* key : {"cache", "rfactor", "scan_in_parts", "two_pass"}) {
      const Node* body = item.find(key);
      for (const char* name : {"as", "sums", "before", "own"}) {
        const Node* as = body == nullptr ? nullptr : body->find(name);
        if (as != nullptr) makers_.emplace(as->text, &list);
      }
    }
    const Node* two_pass = item.find("two_pass");
    const Node* mean = two_pass == nullptr ? nullptr : two_pass->find("mean");
    if (mean != nullptr) is_read_[mean->text] = true;
  }
}

const Entry* ScheduleScope::maker(const std::string& name) const {
  const auto it = makers_.find(name);
  return it == makers_.end() ? nullptr : it->second;
}

std::string ScheduleScope::read_new_name(const Node& body, const std::string& what,
                                         const std::string& key) const {
  const Node& as = require(body, what, key);
  const std::string& name = as_name(as, what + "." + key);
  symbols_.check_no_symbol(name, as.place, "the tensor " + name);
  if (statement(name) != nullptr || input(name) != nullptr || made.count(name) != 0) {
    refuse("E204", as.place, what + ": there is a tensor " + name + " already",
           "choose another name");
  }
  return name;
}

const std::string& ScheduleScope::read_computed(const Node& node, const std::string& what) const {
  const std::string& name = as_text(node, what);
  if (statement(name) == nullptr && maker(name) == nullptr) refuse_tensor(name, node.place, what);
  return name;
}

void ScheduleScope::refuse_tensor(const std::string& name, const Place& place,
                                  const std::string& what) const {
  if (input(name) != nullptr) {
    refuse("E205", place, what + ": " + name + " is an input and has no loops",
           "cache it, and take the copy");
  }
  for (const Formula& f : statements_) {
    // What a fold inside of a statement goes by in messages.
    if (f.folds.empty() || name.rfind(f.target + "_", 0) != 0 || maker(name) != nullptr) continue;
    refuse("E205", place,
           what + ": " + shown(name) + " may be a fold inside of " + f.target +
               ", and none of these has loops of its own that a schedule can name",
           "give it a statement of its own, " + name + "[...] = ..., and read that in " + f.target);
  }
  std::vector<std::string_view> words;
  for (const Formula& f : statements_) words.push_back(f.target);
  for (const auto& [made_name, list] : makers_) {
    if (made_name != name) words.push_back(made_name);
  }
  refuse("E205", place, what + ": no statement computes " + shown(name),
         meant(name, words, "name a tensor that stands on the left of a statement"));
}

}  // namespace selvage
