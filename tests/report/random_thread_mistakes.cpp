// Mistakes that thread programs alone have: E303, E314, E316, E341, E342.
#include "tests/oracle/draws.h"
#include "tests/report/random_mistakes.h"

namespace selvage::test {

namespace {

using oracle::draw;
using oracle::pick;
using Rng = std::mt19937_64;
using Words = std::vector<std::string>;

constexpr const char* kStatement = "(\"B\\[q\\] = .*?\")";
constexpr const char* kSubscript = "\"B\\[(q)\\] = ";
constexpr const char* kCondition = "few: \"(.*?)\"";

// More instances than can be asked one by one.
Mistake large_mask(Rng& rng) {
  FileText file = random_threads(rng);
  Mistake made = instead(std::move(file), "block: \\[p: (6)\\]",
                         pick(rng, Words{"2000000000", "1073741823", "2147483647"}), rng);
  const TextSpan condition = random_match(made.file, kCondition, rng);
  made.file.replace(condition,
                    pick(rng, Words{"p * q % 3 == 0", "p % 2 == 0", "p % 5 < 2 && q < 3"}));
  return made;
}

}  // namespace

const MistakeMakers& thread_mistakes() {
  static const MistakeMakers makers = {
      {"E303", {any_of(random_threads, kSubscript, {"few", "q + few"})}},
      {"E314",
       {any_of(random_threads, kStatement,
               {"\"B[q] = sum(q)\"", "\"B[q] = safe(B[q])\"", "\"B[q] = fill(B[q], 0)\"",
                "\"B[q] = q *\"", "\"B[q] = (q\"", "\"B[q] = q 2\"", "\"B[q] = q if few else 0\"",
                "\"B[q] = q ** 2\"", "\"B[mirror(q)] = 1\""})}},
      {"E316", {any_of(random_threads, kSubscript, {"q / 2", "q * 1.5", "exp(q)", "B[q]"})}},
      {"E341", {large_mask}},
      {"E342",
       {any_of(random_threads, kCondition,
               {"p / q < 2", "p % q == 1", "q % (p - 1) == 0", "q / 0 == 1", "q / (p - 2) < 1",
                "9223372036854775807 + q > 2", "4611686018427387904 * (q + 1) < 7"}),
        any_of(random_threads, kSubscript, {"q // p", "q % p", "q // (K - 2)", "q % (q - 3)"})}},
  };
  return makers;
}

}  // namespace selvage::test
