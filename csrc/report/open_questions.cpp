#include <selvage/report/open_questions.h>

namespace selvage {

std::vector<OpenQuestion> open_questions(const TensorReport& tensor, const FusionReport& fusion) {
  std::vector<OpenQuestion> list = open_checks(tensor);
  const auto append = [&](std::vector<OpenQuestion> more) {
    std::move(more.begin(), more.end(), std::back_inserter(list));
  };
  append(open_coverage(tensor));
  // A kernel is there only where all its reads are proved to be in bounds.
  if (!fusion.program) append(open_reads(tensor));
  return list;
}

std::vector<RuleWanted> rules_wanted(const TensorReport& tensor, const FusionReport& fusion) {
  std::vector<RuleWanted> wanted;
  for (const OpenQuestion& q : open_questions(tensor, fusion)) {
    Simplifier simplifier(q.facts);
    simplifier.prove(q.claim);
    for (Expr residue : simplifier.rules_wanted()) {
      // Where nothing but "never" is left, that is an answer, if one without a point.
      if (!residue.is_false()) wanted.push_back({q.what, q.facts, residue});
    }
  }
  return wanted;
}

}  // namespace selvage
