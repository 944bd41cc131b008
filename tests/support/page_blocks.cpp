#include <tests/support/page_blocks.h>

namespace selvage::test {

std::string PageBlock::text() const {
  std::string text;
  for (const std::string& each : lines) text += each + "\n";
  return text;
}

std::string PageBlock::where() const { return page + ":" + std::to_string(line); }

std::vector<PageBlock> blocks_of_page(const std::string& page) {
  std::vector<PageBlock> blocks = {{page, 1, "", {}}};
  int number = 0;
  bool fenced = false;
  for (const std::string& line : lines_of(contents(kRepository / page))) {
    ++number;
    if (!line.starts_with("```")) {
      blocks.back().lines.push_back(line);
      continue;
    }
    fenced = !fenced;
    blocks.push_back({page, number + 1, fenced ? line.substr(3) : "", {}});
    if (fenced && line.size() == 3) blocks.back().language = "none";
  }
  EXPECT_FALSE(fenced) << page << ": a block is not closed";
  return blocks;
}

std::vector<PageBlock> files_of_page(const std::string& page) {
  std::vector<PageBlock> files;
  for (PageBlock& block : blocks_of_page(page)) {
    if (block.language == "yaml") files.push_back(std::move(block));
  }
  return files;
}

}  // namespace selvage::test
