#pragma once

#include <selvage/threads/program.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

using LineAndColumn = std::pair<int, int>;
LineAndColumn at(const Place& place);
std::string text(const Place& place);  // "7:5"

// The way from the outermost body of a program to an item at any depth.
struct ItemPath {
  struct Step {
    ThreadBody* body;
    std::size_t index;
    ThreadItem& item() const { return (*body)[index]; }
  };
  std::vector<Step> steps;

  ThreadItem& item() const { return steps.back().item(); }
  // Whether one of the first `depth` steps is an inthreads; or (in_region) that or a loop with a
  // condition.
  bool is_in_inthreads(std::size_t depth) const;
  bool is_in_region(std::size_t depth) const;
};
// nullopt: no item is at that place.
std::optional<ItemPath> find_item(ThreadProgram& program, const Place& place);

std::int64_t items_in(const ThreadBody& body);

// All names that a program uses.
class NamesOf {
 public:
  explicit NamesOf(const ThreadProgram& program);

  // The wanted name, with a number behind it if it is taken. Takes the name that it returns.
  std::string fresh(const std::string& wanted);

 private:
  void note(const InnerParallel& node);
  void note(const ThreadBody& body);

  std::set<std::string> taken_;
};

// Every InnerParallel around an item, the outermost included.
std::vector<const InnerParallel*> levels_around(const ThreadProgram& program, const ItemPath& path);

}  // namespace selvage
