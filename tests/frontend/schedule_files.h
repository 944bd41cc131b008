#pragma once

#include <selvage/frontend/schedule_file.h>
#include <tests/support/file_schema_judge.h>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace selvage::schedule_files {

using Sizes = std::map<std::string, std::int64_t>;

// A schedule file under the name a.yaml.
inline ScheduleFile read(std::string_view text, const Sizes& sizes = {}) {
  return read_schedule_text(text, "a.yaml", sizes);
}

// All that is said against a file: what is wrong with it, or else what is illegal in it. The
// schema of schedule files must not contradict it.
inline std::string refusal(std::string_view text, const Sizes& sizes = {}) {
  const auto compare = [&](const std::vector<Diagnostic>& errors) {
    const auto wrong = test::schema_contradiction(text, errors);
    EXPECT_FALSE(wrong) << *wrong;
  };
  try {
    const ScheduleFile file = read(text, sizes);
    compare(file.illegal);
    return file.illegal.empty() ? "accepted" : to_text(file.illegal);
  } catch (const BadFile& e) {
    compare(e.diagnostics());
    return e.what();
  }
}

// The exit status that the file leads to by itself.
inline int status(std::string_view text, const Sizes& sizes = {}) {
  try {
    return read(text, sizes).illegal.empty() ? 0 : 1;
  } catch (const BadFile&) {
    return 2;
  }
}

struct Refused {
  const char* text;
  const char* message;
};

// A file of section 1 with the one tensor T0, whose keys are given.
inline std::string tensor(const std::string& keys) {
  return "tensors:\n  T0:\n    dtype: float\n" + keys;
}

}  // namespace selvage::schedule_files
