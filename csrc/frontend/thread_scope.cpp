#include <selvage/base/names.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/thread_scope.h>

#include <algorithm>

namespace selvage {

Expr ThreadScope::new_symbol(const std::string& name) {
  std::string symbol = name;
  for (int k = 2; !symbols_.insert(symbol).second || context_.symbols.find(symbol) != nullptr;
       ++k) {
    symbol = name + "_" + std::to_string(k);
  }
  return program_.pool->symbol(symbol);
}

Expr ThreadScope::define_index(const std::string& name, const Place& place) {
  const Expr index = new_symbol(name);
  define(name, index, place);
  return index;
}

Expr ThreadScope::redefine(const std::vector<std::string>& names, const std::string& symbol) {
  const Expr index = new_symbol(symbol);
  for (const std::string& name : names) names_.push_back({name, index});
  return index;
}

void ThreadScope::define(const std::string& name, Expr meaning, const Place& place) {
  if (find(name).valid() || find_array(name) != nullptr || find_event(name) != nullptr) {
    selvage::refuse("E204", place, "the name " + name + " is taken here",
                    "give it another name: nothing hides what is around it");
  }
  names_.push_back({name, meaning});
  program_.names.push_back(name);
}

Expr ThreadScope::find(std::string_view name) const {
  for (std::size_t k = names_.size(); k-- > 0;) {
    if (names_[k].name == name) return names_[k].meaning;
  }
  return context_.symbols.resolve(*program_.pool, name);
}

std::vector<std::string_view> ThreadScope::words() const {
  std::vector<std::string_view> words = context_.symbols.names();
  for (const Named& n : names_) words.push_back(n.name);
  return words;
}

Expr ThreadScope::use(std::string_view name, const Place& place) const {
  const Expr meaning = find(name);
  if (meaning.valid()) return meaning;
  const bool is_array = find_array(name) != nullptr;
  refuse("E302", place,
         is_array ? std::string(name) + " is an array and stands without subscripts"
                  : "nothing is called " + shown(name) + " here",
         is_array ? "write " + std::string(name) + "[...]"
                  : meant(name, words(), "use an index, a named value or a symbol"));
}

Expr ThreadScope::either(const Node& text, std::string_view what) const {
  // A condition that is named is one here, too.
  const Expr e = read_expr(*program_.pool, text, what,
                           {[&](std::string_view name) { return find(name); },
                            [&] { return words(); }, "use an index, a named value or a symbol"});
  check_size(e, text.place, what);
  return e;
}

void ThreadScope::check_size(Expr e, const Place& place, std::string_view what) {
  if (e.size() <= ThreadProgram::kMostParts) return;
  refuse("E104", place,
         std::string(what) + ": more than " + std::to_string(ThreadProgram::kMostParts) +
             " parts, named values written out",
         "store a part of it in an array first");
}

Expr ThreadScope::number(const Node& text, std::string_view what) const {
  const Expr e = either(text, what);
  if (info(e.op()).result != Result::Truth) return e;
  refuse("E303", text.place,
         std::string(what) + ": " + shown(text.text) + " is a condition, no number",
         "write a number, such as p - 1");
}

Expr ThreadScope::condition(const Node& text, std::string_view what) const {
  const Expr e = either(text, what);
  if (info(e.op()).result == Result::Truth) return e;
  refuse("E303", text.place, std::string(what) + ": " + shown(text.text) + " is no condition",
         "compare with <, <=, >, >=, == or !=");
}

const ThreadArray* ThreadScope::find_array(std::string_view name) const {
  const auto it = std::ranges::find(program_.arrays, name, &ThreadArray::name);
  return it == program_.arrays.end() ? nullptr : &*it;
}

const ThreadEvent* ThreadScope::find_event(std::string_view name) const {
  const auto it = std::ranges::find(program_.events, name, &ThreadEvent::name);
  return it == program_.events.end() ? nullptr : &*it;
}

TileRef ThreadScope::tile(const Node& text, std::string_view what) const {
  const std::string& whole = as_text(text, what);
  const std::size_t open = std::min(whole.find('['), whole.size());
  const std::string name = whole.substr(0, open);
  const ThreadArray* array = find_array(name);
  if (array == nullptr) {
    refuse("E205", text.place, "there is no array " + shown(name),
           meant(name, words_of(program_.arrays, &ThreadArray::name), "declare it under arrays"));
  }
  TileRef tile{std::uint32_t(array - program_.arrays.data()), {}};
  if (open == whole.size()) return tile;
  if (whole.back() != ']') {
    refuse("E301", place_in(text, whole.size()),
           std::string(what) + ": " + shown(whole) + " does not end with ]",
           "write it as " + name + " or " + name + "[0]");
  }
  // Commas between parentheses are those of a call.
  int depth = 0;
  for (std::size_t k = open + 1, from = k; k < whole.size(); ++k) {
    const char c = whole[k];
    if (c == '(' || c == '[') ++depth;
    if (depth == 0 && (c == ',' || k + 1 == whole.size())) {
      Node subscript = text;
      subscript.text = whole.substr(from, k - from);
      subscript.place = place_in(text, from);
      tile.subscripts.push_back(number(subscript, "the subscript"));
      from = k + 1;
    }
    if (c == ')' || c == ']') --depth;
  }
  return tile;
}

EventSlot ThreadScope::event(const Node& text) const {
  const std::string& whole = as_text(text, "event");
  const std::size_t open = whole.find('[');
  const std::string name = whole.substr(0, open);
  const ThreadEvent* event = find_event(name);
  if (event == nullptr) {
    refuse("E205", text.place, "there is no event " + shown(name),
           meant(name, words_of(program_.events, &ThreadEvent::name), "declare it under events"));
  }
  const auto number = std::uint32_t(event - program_.events.data());
  const std::string slots = std::to_string(event->slots);
  const std::string example = name + (event->slots > 1 ? "[k % " + slots + "]" : "[0]");
  if (open == whole.npos) {
    if (event->slots == 1) return {number, program_.pool->constant(0), whole};
    refuse("E503", text.place,
           "the event " + name + " has " + slots + " slots, and none of them is named",
           "say which one, such as " + example);
  }
  if (whole.back() != ']') {
    refuse("E301", place_in(text, whole.size()), "event: " + shown(whole) + " does not end with ]",
           "write it as " + example);
  }
  Node slot = text;
  slot.text = whole.substr(open + 1, whole.size() - open - 2);
  slot.place = place_in(text, open + 1);
  return {number, this->number(slot, "the slot"), whole};
}

}  // namespace selvage
