#include "tests/report/random_mistakes.h"
namespace selvage::test {
const MistakeMakers& statement_mistakes() {
  static const MistakeMakers makers = {};
  return makers;
}
}  // namespace selvage::test
