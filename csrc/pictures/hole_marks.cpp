#include <selvage/pictures/hole_marks.h>
#include <selvage/pictures/picture_style.h>
#include <selvage/pictures/svg.h>

#include <algorithm>

namespace selvage {

static constexpr int kMostLetters = 3;  // in a cell

HoleMarks::HoleMarks(const TensorReport& tensor, const PointStates& states, int longest) {
  const std::vector<DomainId>& domains = states.domains();
  for (const KeptPredicate& p : tensor.analysis.predicates.kept) {
    const auto it = std::find(domains.begin(), domains.end(), p.domain);
    if (it == domains.end()) continue;
    const std::string& name = tensor.name_of(p.domain);
    are_letters_ = are_letters_ || columns_of(name) > longest;
    marks_.emplace(std::size_t(it - domains.begin()), Mark{int(marks_.size()), name});
  }
  if (!are_letters_) return;
  for (auto& [domain, mark] : marks_) {
    mark.text = mark.number < 26 ? std::string(1, char('a' + mark.number)) : "z";
  }
}

int HoleMarks::widest() const {
  int columns = 0;
  for (const auto& [domain, mark] : marks_) columns = std::max(columns, columns_of(mark.text));
  return columns;
}

std::string HoleMarks::text(std::size_t domain) const {
  const auto it = marks_.find(domain);
  return it == marks_.end() ? "?" : it->second.text;
}

int HoleMarks::pattern(std::size_t domain) const {
  const auto it = marks_.find(domain);
  return it == marks_.end() ? kHolePatterns - 1 : std::min(it->second.number, kHolePatterns - 1);
}

std::vector<std::string> HoleMarks::lines(const PointState& state, std::size_t most) const {
  std::vector<std::string> lines;
  for (std::size_t domain : state.stop) {
    if (are_letters_ && !lines.empty()) {
      if (columns_of(lines[0]) < kMostLetters) lines[0] += text(domain);
    } else if (lines.size() < most) {
      lines.push_back(text(domain));
    }
  }
  return lines;
}

}  // namespace selvage
