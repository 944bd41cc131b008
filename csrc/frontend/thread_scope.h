#pragma once

#include <selvage/frontend/sections.h>
#include <selvage/threads/program.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// The names of a thread program at one place of its file: symbols, and what levels, loops, lets and
// bindings around define.
class ThreadScope {
 public:
  ThreadScope(const FileContext& context, ThreadProgram& program)
      : context_(context), program_(program) {}

  // A new index, with a symbol of its own. Throws BadInput at `place` if the name is taken (E204).
  Expr define_index(const std::string& name, const Place& place);
  void define(const std::string& name, Expr meaning, const Place& place);
  // Lets all names of one index mean a new symbol, until reset().
  Expr redefine(const std::vector<std::string>& names, const std::string& symbol);
  // reset() ends all definitions made since its mark().
  std::size_t mark() const { return names_.size(); }
  void reset(std::size_t mark) { names_.resize(mark); }

  // The meaning of a name; invalid: there is no such name.
  Expr find(std::string_view name) const;
  // Throws BadInput E302 at `place`.
  Expr use(std::string_view name, const Place& place) const;
  // `what`: "when". Throws BadInput as parse_expr does, and E303 for a number instead of a
  // condition or the other way round.
  Expr number(const Node& text, std::string_view what) const;
  Expr condition(const Node& text, std::string_view what) const;
  Expr either(const Node& text, std::string_view what) const;
  // Throws BadInput E104 for more than ThreadProgram::kMostParts, as the three functions above do.
  static void check_size(Expr e, const Place& place, std::string_view what);

  const ThreadArray* find_array(std::string_view name) const;
  const ThreadEvent* find_event(std::string_view name) const;
  // `full[k % 2]`, or `full` where it has one slot. Throws BadInput E205 for no event, E301 for
  // another text, E503 for a slot that is missing.
  EventSlot event(const Node& text) const;
  // `xs[k % 2]`, or `acc`: subscripts of the first axes, or of none. Throws BadInput E205 for no
  // array, E301 for another text.
  TileRef tile(const Node& text, std::string_view what) const;

 private:
  struct Named {
    std::string name;
    Expr meaning;
  };
  std::vector<std::string_view> words() const;
  Expr new_symbol(const std::string& name);

  const FileContext& context_;
  ThreadProgram& program_;
  std::vector<Named> names_;
  std::set<std::string> symbols_;  // names of the pool's symbols that are indices
};

}  // namespace selvage
