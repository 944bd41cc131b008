// The pictures of a run, beside what its threads do.
#include "tests/debugger/dialogue.h"

#include <gtest/gtest.h>
#include <tests/support/text_files.h>
#include <tests/support/xml.h>

#include <filesystem>

namespace selvage::test {

namespace {

// The cells of a colour in a picture.
std::size_t cells(const std::string& picture, const std::string& colour) {
  std::size_t found = 0;
  for (std::size_t at = 0;
       (at = picture.find("fill=\"" + colour + "\" d=\"", at)) != std::string::npos;) {
    const std::size_t end = picture.find("/>", at);
    for (; at < end && at != std::string::npos; ++at) found += picture[at] == 'z' ? 1 : 0;
  }
  return found;
}

TEST(Frames, ShowWhatIsLoadedAndStoredBetweenBarriers) {
  const TemporaryFolder folder;
  const std::string frames = (folder / "frames").string();
  int status = 1;
  EXPECT_EQ(dialogue(R"y(
arrays:
  x: {shape: [2, 8], dtype: int32}
  y: {shape: [2, 8], dtype: int32}
  s: {shape: [8], dtype: int32, memory: shared}
parallel: [{b: 2}, {t: 8}]
body:
  - do: ["s[t] = x[b, t]"]
  - sync: shared
  - do: ["y[b, t] = s[7 - t]"]
)y",
                     {"--frames", frames}, "", &status),
            "");
  EXPECT_EQ(status, 0);
  // One at the barrier and one at the end of each block.
  std::vector<std::string> pictures;
  for (int k = 1; k <= 4; ++k) {
    pictures.push_back(contents(frames + "/frame_00" + std::to_string(k) + ".svg"));
  }
  EXPECT_FALSE(std::filesystem::exists(frames + "/frame_005.svg"));
  const char *loaded = "#74a9cf", *stored = "#fdae6b", *before = "#bdbdbd";
  for (int block : {0, 1}) {
    const std::string &barrier = pictures[std::size_t(2 * block)],
                      &end = pictures[std::size_t(2 * block + 1)];
    EXPECT_NE(barrier.find("block (" + std::to_string(block) + ", 0, 0), 8 threads at the barrier"),
              std::string::npos);
    EXPECT_EQ(cells(barrier, loaded), 8U);                       // of x
    EXPECT_EQ(cells(barrier, stored), 8U);                       // of s
    EXPECT_EQ(cells(barrier, before), 8U * std::size_t(block));  // of y
    EXPECT_EQ(cells(end, loaded), 8U);                           // of s
    EXPECT_EQ(cells(end, stored), 8U);                           // of y
    EXPECT_EQ(cells(end, before), 8U * std::size_t(block));      // of y; s is loaded
  }
  pictures.push_back(contents(frames + "/run.svg"));
  for (const std::string& picture : pictures) EXPECT_NO_THROW(parse_xml(picture));
}

TEST(Frames, AreRefusedWhereTheyCannotBeWritten) {
  int status = 0;
  EXPECT_NE(dialogue("tensors: {T: {logical: {i: 4}}}", {"--frames", "/dev/null/x"}, "", &status)
                .find("error[E802]: the picture cannot be written: "),
            std::string::npos);
  EXPECT_EQ(status, 2);
}

}  // namespace

}  // namespace selvage::test
