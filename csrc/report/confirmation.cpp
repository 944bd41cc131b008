#include <selvage/expr/text.h>
#include <selvage/report/confirmation.h>
#include <selvage/report/point.h>

#include <algorithm>

namespace selvage {

namespace {

using Of = Confirmation::Of;

constexpr std::size_t kLongestClaim = 400;  // characters of a claim
constexpr std::size_t kMostUndecided = 20;  // of what is not decided

struct Words {
  Of of;
  const char *name, *one, *many, *before, *after;
};
constexpr Words kWords[] = {
    {Of::Extent, "extent", "extent", "extents", "the extent of ", ""},
    {Of::Index, "index", "index", "indices", "the index of ", ""},
    {Of::Check, "check", "check that stays", "checks that stay", "the check of ", ""},
    {Of::Dropped, "dropped", "check that is not needed", "checks that are not needed", "that ",
     " needs no check"},
    {Of::Address, "address", "address", "addresses", "the address of an item of ", ""},
    {Of::Loop, "loop", "loop", "loops", "that the kernel runs through all of ", ""},
    {Of::Store, "store", "store", "stores", "that ", " is stored at valid points only"},
    {Of::Access, "access", "access", "accesses", "the access to ", ""},
};

const Words& words(Of of) { return kWords[std::size_t(of)]; }

}  // namespace

std::string_view to_string(Of of) { return words(of).name; }

std::string subject(Of of, const std::string& what) {
  return words(of).before + what + words(of).after;
}

std::string to_text(const Confirmation& c) {
  const std::string text = subject(c.of, c.what);
  if (!c.claim.valid()) return text + ", which is built otherwise than it is defined";
  if (text_length(c.claim, kLongestClaim) > kLongestClaim) return text;
  return text + ": " + to_string(c.claim);
}

void print_confirmations(const std::string& tensor, const std::vector<Confirmation>& confirmations,
                         Lines& out) {
  std::string confirmed;
  for (const Words& w : kWords) {
    const auto n = std::count_if(confirmations.begin(), confirmations.end(), [&](const auto& c) {
      return c.of == w.of && is_proved(c.verdict);
    });
    if (n == 0) continue;
    confirmed +=
        (confirmed.empty() ? "" : ", ") + std::to_string(n) + " " + (n == 1 ? w.one : w.many);
  }
  out.heading("Z3 confirms of " + tensor + ": " + (confirmed.empty() ? "nothing" : confirmed));
  std::size_t undecided = 0;
  for (const Confirmation& c : confirmations) {
    if (const auto* refuted = std::get_if<Refuted>(&c.verdict)) {
      out.line(2, "it REFUTES " + to_text(c) + "; at " + to_text(refuted->point));
    } else if (is_unknown(c.verdict) && undecided++ < kMostUndecided) {
      out.line(2, "it does not decide " + to_text(c));
    }
  }
  if (undecided > kMostUndecided) {
    out.rest(2, undecided - kMostUndecided, "nor");
  }
}

}  // namespace selvage
