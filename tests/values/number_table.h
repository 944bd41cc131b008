#pragma once

#include <tests/support/text_files.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace selvage::test {

// The lines `NAME ...: numbers` of a table that make_numpy_tables.py has written, by what stands
// before the colon.
inline std::map<std::string, std::vector<std::int64_t>> number_table(const std::string& file) {
  std::map<std::string, std::vector<std::int64_t>> table;
  for (const std::string& line : lines_of(contents(kRepository / "tests/values" / file))) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::istringstream numbers(line.substr(colon + 1));
    std::vector<std::int64_t>& row = table[line.substr(0, colon)];
    for (std::int64_t n = 0; numbers >> n;) row.push_back(n);
  }
  return table;
}

}  // namespace selvage::test
