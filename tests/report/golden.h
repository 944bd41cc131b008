// Texts that were reviewed as a whole, in tests/report/golden.
#pragma once

#include <gtest/gtest.h>
#include <tests/support/text_files.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace selvage::test {

// SELVAGE_REGENERATE=1 writes what was printed instead of comparing with it.
inline void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = kRepository / "tests/report/golden" / name;
  if (std::getenv("SELVAGE_REGENERATE") != nullptr) {
    std::ofstream(path) << text;
    GTEST_SKIP() << path << " is written anew";
  }
  EXPECT_EQ(text, contents(path)) << "if that is meant, run again with SELVAGE_REGENERATE=1";
}

}  // namespace selvage::test
