// The fenced blocks of a page of the docs.
#pragma once

#include <tests/support/text_files.h>

#include <filesystem>
#include <string>
#include <vector>

namespace selvage::test {

using TextLines = std::vector<std::string>;

// The lines between ```LANGUAGE and ```; the prose between blocks is a block with no language.
struct PageBlock {
  std::string page;  // doc/tutorial.md
  int line = 0;      // of its first line in the page
  std::string language;
  TextLines lines;

  std::string text() const;   // its lines, each with its end
  std::string where() const;  // doc/tutorial.md:12
};

// All blocks of a page of the repository; a block that is not closed fails the test.
std::vector<PageBlock> blocks_of_page(const std::string& page);
// The schedule files on it: blocks of yaml.
std::vector<PageBlock> files_of_page(const std::string& page);

}  // namespace selvage::test
