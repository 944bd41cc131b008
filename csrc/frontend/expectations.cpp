// `expect` of a schedule file, and what differs from it.
#include <selvage/base/names.h>
#include <selvage/base/words.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/sections.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

Expectations read_expectations(const Node& node, FileContext& context) {
  Expectations expect;
  expect.place = node.place;
  Diagnostics& errors = context.errors;
  expect_map(node, "expect", Form::Expect, &errors);
  read_key(node, "legal", errors,
           [&](const Node& legal) { expect.legal = as_bool(legal, "expect.legal"); });
  if (const Node* predicates = node.find("predicates")) {
    for (const Entry& entry : expect_map(*predicates, "expect.predicates")) {
      errors.attempt([&] {
        Expectations::Predicates of{entry.key, {}, entry.place};
        const std::string what = "expect.predicates." + entry.key;
        for (const Node& item : expect_sequence(entry.value, what)) {
          const std::string& text = as_text(item, what);
          ExprPool pool;
          try {
            parse_expr(pool, text);
          } catch (const BadInput& e) {
            Diagnostic d = e.diagnostic();
            d.place = place_in(item, std::size_t(std::max(d.place.column, 1) - 1));
            throw BadInput(std::move(d));
          }
          of.conditions.push_back(text);
        }
        expect.predicates.push_back(std::move(of));
      });
    }
  }
  return expect;
}

namespace {

// The conditions as the simplifier writes them without facts. A text that cannot be read stays.
std::vector<std::string> normal(const std::vector<std::string>& conditions,
                                const std::map<std::string, std::int64_t>& sizes) {
  std::vector<std::string> written;
  ExprPool pool;
  Simplifier simplifier{Facts(pool)};
  const auto resolve = [&](std::string_view name) {
    const auto it = sizes.find(std::string(name));
    return it == sizes.end() || it->second == 0 ? pool.symbol(name) : pool.constant(it->second);
  };
  for (const std::string& text : conditions) {
    try {
      written.push_back(to_string(simplifier.simplify(parse_expr(pool, text, resolve))));
    } catch (const BadInput&) {
      written.push_back(text);
    }
  }
  std::sort(written.begin(), written.end());
  return written;
}

}  // namespace

std::vector<Diagnostic> unmet(const Expectations& expect, bool legal,
                              const std::map<std::string, std::vector<std::string>>& predicates) {
  std::vector<Diagnostic> differences;
  const auto add = [&](const Place& place, std::string message, std::string help) {
    differences.push_back(
        {.code = "E391", .place = place, .message = std::move(message), .help = std::move(help)});
  };
  if (expect.legal && *expect.legal != legal) {
    if (legal) {
      add(expect.place, "the schedule is legal, and expected to be illegal",
          "expect legal: true; or change the schedule");
    } else {
      add(expect.place, "the schedule is illegal, and expected to be legal",
          "mend what is refused; or expect legal: false");
    }
  }
  std::vector<std::string_view> stored;
  for (const auto& [tensor, conditions] : predicates) stored.push_back(tensor);
  for (const Expectations::Predicates& of : expect.predicates) {
    const auto it = predicates.find(of.tensor);
    if (it == predicates.end()) {
      add(of.place, "predicates of " + shown(of.tensor) + " are expected, and nothing stores it",
          meant(of.tensor, stored, "leave it out"));
      continue;
    }
    const auto have = normal(it->second, expect.sizes), want = normal(of.conditions, expect.sizes);
    if (have == want) continue;
    std::vector<std::string> quoted;
    for (const std::string& condition : have) quoted.push_back('"' + condition + '"');
    add(of.place,
        "the predicates of " + of.tensor + " are " + bracketed(have) + ", and expected are " +
            bracketed(want),
        "expect " + of.tensor + ": " + bracketed(quoted) + "; or change the schedule");
  }
  return differences;
}

}  // namespace selvage
