#pragma once

#include <selvage/pictures/point_states.h>
#include <selvage/report/report.h>

#include <map>
#include <string>
#include <vector>

namespace selvage {

// The marks in a cell for the iterdomains whose checks stop a point: their names if all of them are
// short, else letters; and the pattern of each.
class HoleMarks {
 public:
  // `longest`: columns of a name that is short.
  HoleMarks(const TensorReport& tensor, const PointStates& states, int longest);

  std::size_t size() const { return marks_.size(); }  // checks that stay
  bool are_letters() const { return are_letters_; }
  int widest() const;  // columns
  // Iterdomains by their positions in PointStates::domains; one without a check is a `?`.
  bool is_checked(std::size_t domain) const { return marks_.contains(domain); }
  std::string text(std::size_t domain) const;
  int pattern(std::size_t domain) const;  // below kHolePatterns
  // The marks of the iterdomains that stop a point, as far as they fit: names one below the other,
  // letters in a row.
  std::vector<std::string> lines(const PointState& state, std::size_t most) const;

 private:
  struct Mark {
    int number;  // of the check
    std::string text;
  };
  std::map<std::size_t, Mark> marks_;
  bool are_letters_ = false;
};

}  // namespace selvage
