// Thread programs that several tests look at.
#pragma once

#include <selvage/report/report.h>
#include <tests/support/text_files.h>

#include <map>
#include <string>

namespace selvage::test {

// The report of a file of examples/, which it keeps; named without its folder.
struct ThreadExample {
  explicit ThreadExample(const std::string& name)
      : file(read_schedule_text(contents(kRepository / "examples" / name), name)),
        report(inspect(file)) {}
  const LoweredThreads& lowered() const { return report.threads->lowered; }

  ScheduleFile file;
  Report report;
};

}  // namespace selvage::test
