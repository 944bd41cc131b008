#pragma once

#include <selvage/frontend/schedule_file.h>
#include <selvage/report/report.h>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace selvage::threads {

// A thread program under the name a.yaml, read and lowered.
inline Report report_on(std::string_view text) {
  return inspect(read_schedule_text(text, "a.yaml", {}));
}

// All that is said of a program, errors and warnings, one a line; "accepted": nothing.
inline std::string said(std::string_view text) {
  std::vector<Diagnostic> diagnostics;
  try {
    diagnostics = report_on(text).diagnostics;
  } catch (const BadFile& e) {
    diagnostics = e.diagnostics();
  }
  std::string lines;
  for (const Diagnostic& d : diagnostics) lines += (lines.empty() ? "" : "\n") + to_text(d);
  return lines.empty() ? "accepted" : lines;
}

// The exit status that it leads to.
inline int status(std::string_view text) {
  try {
    return report_on(text).exit_status();
  } catch (const BadFile&) {
    return 2;
  }
}

// The first `from` of a text becomes `to`.
struct Mend {
  std::string from, to;

  std::string operator()(std::string text) const {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) return "no " + from + " in " + text;
    return text.replace(at, from.size(), to);
  }
};

inline const std::string kSixThreads = R"(arrays: {A: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
)";

// `message` is all that is said of the program, and nothing is once it is mended as the help says.
inline void expect_mended(const std::string& text, const std::string& message, const Mend& mend) {
  EXPECT_EQ(said(text), message);
  EXPECT_EQ(status(text) == 0, message.find(": error[") == std::string::npos) << "only warnings";
  EXPECT_EQ(said(mend(text)), "accepted") << mend(text);
}

}  // namespace selvage::threads
