// Every rule of the table as the parameter of a test:
//   class Suite : public testing::TestWithParam<const Rule*> {};
//   INSTANTIATE_TEST_SUITE_P(All, Suite, testing::ValuesIn(every_rule()), rule_test_name);
#pragma once

#include <selvage/expr/text.h>
#include <selvage/simplifier/rules.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace selvage {

inline std::vector<const Rule*> every_rule() {
  std::vector<const Rule*> all;
  for (const Rule& r : all_rules()) all.push_back(&r);
  return all;
}

// div/of-mod is shown as div_of_mod.
inline std::string rule_test_name(const testing::TestParamInfo<const Rule*>& info) {
  std::string name(info.param->name);
  for (char& c : name) c = c == '/' || c == '-' ? '_' : c;
  return name;
}

inline std::string written(const Rule& rule) {
  return to_string(rule.before) + " = " + to_string(rule.after) + " when " + to_string(rule.when);
}

}  // namespace selvage
