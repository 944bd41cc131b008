#include <selvage/base/diagnostic.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

Diagnostic sample() {
  return {.code = "E123",
          .place = {"a.yaml", 7, 9},
          .message = "split of 'I0' by 0",
          .notes = {"at I1 = 2", "first used at a.yaml:3:5"},
          .help = "use a factor of at least 1"};
}

TEST(Diagnostic, TextHasPlaceCodeMessageNotesAndHelp) {
  EXPECT_EQ(to_text(sample()),
            "a.yaml:7:9: error[E123]: split of 'I0' by 0; at I1 = 2; first used at a.yaml:3:5; "
            "help: use a factor of at least 1");
}

TEST(Diagnostic, WhatIsUnknownIsLeftOut) {
  EXPECT_EQ(to_text(Diagnostic{.code = "E1", .place = {"a.yaml", 0, 0}, .message = "no"}),
            "a.yaml: error[E1]: no");
  EXPECT_EQ(to_text(Diagnostic{
                .code = "W1", .severity = Severity::Warning, .place = {}, .message = "hm"}),
            "selvage: warning[W1]: hm");
}

TEST(Diagnostic, AListIsCutAtTheLimitAndTheRestCounted) {
  const std::vector<Diagnostic> three(3, {.code = "E1", .place = {}, .message = "no"});
  EXPECT_EQ(to_text(three, 2), "selvage: error[E1]: no\nselvage: error[E1]: no\n... and 1 more\n");
  EXPECT_EQ(to_text(three, 3),
            "selvage: error[E1]: no\nselvage: error[E1]: no\nselvage: error[E1]: no\n");
}

TEST(Diagnostic, AnErrorCarriesItsDiagnosticAndReadsAsItsText) {
  const BadInput error(sample());
  EXPECT_EQ(error.diagnostic().place.line, 7);
  EXPECT_EQ(std::string(error.what()), to_text(sample()));
}

}  // namespace
}  // namespace selvage
