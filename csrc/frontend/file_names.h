#pragma once

#include <selvage/ir/schedule.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace selvage {

// What a written file calls things: as they are called, where that is a name there and free, and
// with a `_` behind it, or several, where it is not.
class FileNames {
 public:
  using Domains = std::map<DomainId, std::string>;

  // Refuses sizes whose names a file cannot have (E590).
  FileNames(const Fusion& fusion, const Schedule& schedule);

  const std::string& operator[](TensorId t) const { return tensors_[index_of(t)]; }
  // A new name for an iterdomain of a tensor; `domains` are those that have one.
  std::string name(TensorId t, DomainId d, Domains& domains) const;
  // The name of a size, of the symbol of an index, ...: what no iterdomain is called.
  bool is_size(const std::string& name) const { return sizes_.contains(name); }

 private:
  const Schedule& schedule_;
  std::set<std::string> sizes_;
  std::vector<std::string> tensors_;
};

// Throws BadInput E590: what a file cannot say, and what would.
[[noreturn]] void refuse_writing(const std::string& what, const std::string& help);

// The text of an expression in YAML: quoted where it is more than a number or a name. E590 where it
// is too long for a file.
std::string quoted(const std::string& text);
std::string expression_text(Expr e, const std::string& what);

}  // namespace selvage
