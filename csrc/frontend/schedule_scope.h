#pragma once

#include <selvage/frontend/loop_list.h>
#include <selvage/frontend/schedule_draft.h>

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace selvage {

// The state of a tensor's loops while its list is read, by the numbers of its names.
struct ListProgress {
  LoopList loops = {};
  std::vector<std::size_t> logical = {}, folds = {};
  std::vector<bool> is_folded = {};               // by name
  bool is_known = true;                           // false after a `like`
  std::map<std::size_t, std::string> moved = {};  // loops that now belong to a tensor made from it

  // Sets the loops to `logical` and `folds`.
  void begin();
  bool folds_over(std::size_t d) const { return d < is_folded.size() && is_folded[d]; }
  // Moves the loops that it folds over to the tensor `to`.
  void drop_folded(const std::string& to);
  // Rfactor: moves `some` of these to the partial tensor `to`, whose axes the others are.
  void part(ListProgress& partial, const std::vector<std::size_t>& some, const std::string& to);
};

// A tensor as another list makes it.
struct MadeTensor {
  std::string maker;
  DomainNames names;
  ListProgress progress;
  std::optional<ScheduleDraft::Site> site;
};

// The tensors that the lists of a schedule may name.
class ScheduleScope {
 public:
  ScheduleScope(std::span<const Formula> statements, std::span<const NamedInput> inputs,
                const FileSymbols& symbols);

  const Formula* statement(const std::string& name) const;
  const NamedInput* input(const std::string& name) const;
  bool is_read(const std::string& name) const { return is_read_.contains(name); }  // by statements

  // Notes the tensors that the items of a list make; maker() is then the list of a tensor, or null.
  // The mean that a two_pass names is read from then on.
  void note_makers(const Entry& list);
  const Entry* maker(const std::string& name) const;
  // The tensors that lists have made so far.
  std::map<std::string, MadeTensor> made = {};

  // `as` of a cache or an rfactor, or another key: a name that no other tensor has (E110, E201 to
  // E204).
  std::string read_new_name(const Node& body, const std::string& what,
                            const std::string& key = "as") const;
  // A tensor that a statement or a list makes (E205).
  const std::string& read_computed(const Node& node, const std::string& what) const;
  [[noreturn]] void refuse_tensor(const std::string& name, const Place& place,
                                  const std::string& what) const;

 private:
  std::span<const Formula> statements_;
  const FileSymbols& symbols_;
  std::unordered_map<std::string, const Formula*> by_name_;
  std::unordered_map<std::string, const NamedInput*> inputs_;
  std::unordered_map<std::string, bool> is_read_;
  std::map<std::string, const Entry*> makers_;
};

}  // namespace selvage
