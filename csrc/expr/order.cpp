#include <selvage/base/names.h>
#include <selvage/base/work.h>
#include <selvage/expr/expr.h>

#include <cctype>

namespace selvage {

namespace {

// < 0, 0 or > 0. Runs of digits are compared as numbers.
int compare_names(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::size_t i0 = i, j0 = j;
      while (i < a.size() && is_digit(a[i])) ++i;
      while (j < b.size() && is_digit(b[j])) ++j;
      std::string_view m = a.substr(i0, i - i0), n = b.substr(j0, j - j0);
      while (m.size() > 1 && m[0] == '0') m.remove_prefix(1);
      while (n.size() > 1 && n[0] == '0') n.remove_prefix(1);
      if (m.size() != n.size()) return m.size() < n.size() ? -1 : 1;
      if (const int c = m.compare(n)) return c;
    } else {
      if (a[i] != b[j]) return a[i] < b[j] ? -1 : 1;
      ++i, ++j;
    }
  }
  if (i < a.size()) return 1;
  if (j < b.size()) return -1;
  return a.compare(b);  // equal but for leading zeros
}

// Distinct handles differ in structure, so the first operand in which two nodes differ decides and
// the walk is one path down, however much the two share.
int compare(Expr a, Expr b) {
  while (!same(a, b)) {
    count_work();
    if (a.op() != b.op()) return a.op() < b.op() ? -1 : 1;
    if (a.value() != b.value()) return a.value() < b.value() ? -1 : 1;
    if (const int c = compare_names(a.name(), b.name())) return c;
    if (a.args().size() != b.args().size()) return a.args().size() < b.args().size() ? -1 : 1;
    std::size_t i = 0;
    while (same(a[i], b[i])) ++i;
    const Expr next_a = a[i], next_b = b[i];
    a = next_a;
    b = next_b;
  }
  return 0;
}

}  // namespace

bool name_before(std::string_view a, std::string_view b) { return compare_names(a, b) < 0; }
bool structurally_before(Expr a, Expr b) { return compare(a, b) < 0; }

}  // namespace selvage
