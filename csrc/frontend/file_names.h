#pragma once

#include <selvage/ir/schedule.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace selvage {

// The names of things in a written file: their own names, with one or more `_` appended if a file
// cannot have the name, or if it is taken.
class FileNames {
 public:
  using Domains = std::map<DomainId, std::string>;

  // Refuses sizes whose names a file cannot have (E590).
  FileNames(const Fusion& fusion, const Schedule& schedule);

  const std::string& operator[](TensorId t) const { return tensors_[index_of(t)]; }
  // Gives an iterdomain of a tensor a new name. `domains`: the names of its iterdomains so far.
  std::string name(TensorId t, DomainId d, Domains& domains) const;
  // Whether a size, the symbol of an index or the like has this name: no iterdomain may have it.
  bool is_size(const std::string& name) const { return sizes_.contains(name); }

 private:
  const Schedule& schedule_;
  std::set<std::string> sizes_;
  std::vector<std::string> tensors_;
};

// Throws BadInput E590: `what` cannot be written in a file.
[[noreturn]] void refuse_writing(const std::string& what, const std::string& help);

// The text of an expression in YAML, quoted if it is more than a number or a name. E590 if it is
// too long for a file.
std::string quoted(const std::string& text);
std::string expression_text(Expr e, const std::string& what);

}  // namespace selvage
