#pragma once

#include <selvage/index/laws.h>
#include <selvage/index/predicate.h>

#include <functional>
#include <string>
#include <vector>

namespace selvage {

// Explains for every iterdomain that is not tested what its bounds follow from: by laws wherever
// they reach, else by the reasons given to tell(). An iterdomain is explained only after all those
// that it follows from, so explanations never run in a circle. Variables are numbered as in
// path.domains, loops first.
class Derivation {
 public:
  // `always`: a flag per bound, set if it always holds. All arguments must outlive this object.
  Derivation(const Path& path, std::size_t loops, std::span<const Implication> implications,
             const std::vector<char>& always);

  // Marks variables as tested.
  void take(std::span<const std::uint32_t> variables);
  // Explains each variable that is not explained yet and has both its flags set: by `name`, from
  // the iterdomains sources(variable).
  void tell(const std::vector<char>& flags, const std::string& name,
            const std::function<std::vector<DomainId>(std::size_t)>& sources);
  bool is_complete() const;

  // All explained iterdomains but loops and tested ones, in the order of the path.
  std::vector<ImpliedPredicate> implied() const;

 private:
  void tell_laws();
  bool tell_by_law(std::size_t v);
  void add_both(std::size_t v);
  bool holds(const std::vector<char>& flags, std::size_t v) const {
    return flags[bound_id(v, Half::Lo)] && flags[bound_id(v, Half::Hi)];
  }

  const Path& path_;
  const std::vector<char>& always_;
  LawClosure closure_;
  std::vector<std::string> by_;
  std::vector<std::vector<DomainId>> from_;
  std::vector<char> told_, given_;
};

}  // namespace selvage
