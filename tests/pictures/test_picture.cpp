#include <selvage/base/diagnostic.h>
#include <selvage/pictures/picture.h>
#include <selvage/pictures/picture_style.h>
#include <selvage/report/cost_lines.h>
#include <selvage/report/run_file.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/pictures/drawings.h"
#include "tests/report/numbered.h"
#include "tests/support/counts.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text_files.h"
#include "tests/support/this_build.h"

namespace selvage {
namespace {

using test::Inspected;
using test::number;
using test::of_class;
using test::texts_of;
using testing::Contains;
using testing::HasSubstr;

// Which picture of doc/pictures/ shows which file.
const std::pair<const char*, const char*> kPictures[] = {
    {"figure2.svg", "examples/figure2.yaml"},
    {"load.svg", "examples/merge_path.yaml"},
    {"roofline.svg", "examples/rms_norm.yaml"},
    {"shared_tile.svg", "examples/shared_tile.yaml"},
    {"threads_masks.svg", "examples/threads_masks.yaml"},
    {"threads_pipeline.svg", "examples/threads_pipeline.yaml"},
};

std::string svg_of(const std::string& path) {
  // As the command is run in the root of the repository.
  const std::string text = contents(kRepository / path);
  const ScheduleFile file = read_schedule_text(text, path);
  return to_svg(inspect(file));
}
// The same with --cost --device h100.
std::string roofline_of(const std::string& path) {
  const ScheduleFile file = read_schedule_text(contents(kRepository / path), path);
  Report report = inspect(file);
  add_costs(*find_device("h100"), report);
  return to_svg(report);
}
// The same with --load --size B=12 off_items=60.
std::string load_of(const std::string& path) {
  const ScheduleFile file =
      read_schedule_text(contents(kRepository / path), path, {{"B", 12}, {"off_items", 60}});
  Report report = inspect(file);
  add_loads(file, {}, report);
  return to_svg(report);
}
std::string drawn(const std::string& picture, const std::string& source) {
  if (picture == "load.svg") return load_of(source);
  return picture == "roofline.svg" ? roofline_of(source) : svg_of(source);
}

// SELVAGE_REGENERATE=1 writes what was drawn instead of comparing with it.
TEST(Picture, ThoseOfThePagesAreWhatTheCommandDraws) {
  for (const auto& [picture, source] : kPictures) {
    const std::filesystem::path path = kRepository / "doc/pictures" / picture;
    if (std::getenv("SELVAGE_REGENERATE") != nullptr) {
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << drawn(picture, source);
      continue;
    }
    EXPECT_TRUE(drawn(picture, source) == contents(path))
        << picture << " is another one; if that is meant, run again with SELVAGE_REGENERATE=1";
  }
}

// The photograph of the pages, made again; compared by its pixels, as compressed bytes depend on
// zlib. SELVAGE_REGENERATE=1 writes it.
TEST(Picture, ThePhotographIsWhatTheExamplesMakeOfIt) {
  if (!is_sample_large()) GTEST_SKIP() << "[SKIP the photograph, which other builds make]";
  const TemporaryFolder folder;
  const std::string there = " '" + folder.path().string() + "/";
  const std::string photo = "python3 '" + (kRepository / "scripts/photo").string() + "'";
  const auto run = [&](const std::string& command) {
    EXPECT_EQ(std::system((command + " > /dev/null").c_str()), 0) << command;
  };
  const auto filtered = [&](const char* example, const char* from, const char* to) {
    run(test::inspect_path() + " '" + (kRepository / "examples" / example).string() +
        "' --run --on virtual --size H=120 W=160 --input x=" + there.substr(1) + from +
        "' --output y=" + there.substr(1) + to + "'");
  };
  run(photo + " make" + there + "photo.npy' 120 160");
  run(photo + " make" + there + "half.npy' 120 160 half");
  filtered("blur.yaml", "half.npy", "blurred.npy");
  filtered("sobel.yaml", "photo.npy", "edges.npy");
  filtered("median.yaml", "photo.npy", "median.npy");
  filtered("bilateral.yaml", "photo.npy", "bilateral.npy");
  std::string images;
  for (const char* name : {"photo", "blurred", "median", "bilateral", "edges"}) {
    images += there + name + ".npy'";
  }
  run(photo + " png" + images + there + "photo.png'");
  const std::filesystem::path kept = kRepository / "doc/pictures/photo.png";
  if (std::getenv("SELVAGE_REGENERATE") != nullptr) {
    std::filesystem::copy_file(folder / "photo.png", kept,
                               std::filesystem::copy_options::overwrite_existing);
    return;
  }
  run(photo + " npy" + there + "photo.png'" + there + "made.npy'");
  run(photo + " npy '" + kept.string() + "'" + there + "kept.npy'");
  EXPECT_TRUE(contents(folder / "made.npy") == contents(folder / "kept.npy"));
}

TEST(Picture, EveryPictureOfTheFolderIsShownAndCompared) {
  const std::string pages =
      contents(kRepository / "README.md") + contents(kRepository / "doc/tutorial.md");
  std::set<std::string> compared;
  for (const auto& [picture, source] : kPictures) compared.insert(picture);
  compared.insert("photo.png");
  for (const auto& entry : std::filesystem::directory_iterator(kRepository / "doc/pictures")) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(compared.contains(name)) << name;
    EXPECT_NE(pages.find("pictures/" + name + ")"), pages.npos) << name << " is on no page";
  }
}

// Whether everything lies within the picture and every class has a style, and no other file is
// asked for.
void expect_sound(const std::string& svg) {
  const XmlElement root = parse_xml(svg);
  EXPECT_EQ(root.name, "svg");
  EXPECT_LE(number(root, "width"), 1000);
  EXPECT_EQ(root["viewBox"], "0 0 " + root["width"] + " " + root["height"]);
  const std::string style = picture_style();
  std::set<std::string> ids;
  for (const XmlElement* e : root.all()) {
    std::istringstream classes((*e)["class"]);
    for (std::string name; classes >> name;) {
      const std::set<std::string> kUnstyled = {"cell", "selvage"};
      EXPECT_TRUE(kUnstyled.contains(name) || style.find("." + name) != style.npos) << name;
    }
    if (!(*e)["id"].empty()) {
      EXPECT_TRUE(ids.insert((*e)["id"]).second) << (*e)["id"];
    }
    EXPECT_TRUE(e->name != "script" && e->name != "image" && e->name != "use") << e->name;
    for (const auto& [key, value] : e->attributes) {
      EXPECT_TRUE(value.find("://") == value.npos || key == "xmlns") << value;
    }
  }
  EXPECT_EQ(style.find("@import"), style.npos);
  EXPECT_EQ(svg.find("nan"), svg.npos);
}

TEST(Picture, EveryExampleIsSound) {
  int examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kRepository / "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++examples;
    expect_sound(svg_of("examples/" + entry.path().filename().string()));
  }
  EXPECT_GE(examples, 7);
}

TEST(Picture, TheDescriptionSaysWhatThereIsToSee) {
  const XmlElement root = parse_xml(svg_of("examples/figure2.yaml"));
  ASSERT_GE(root.children.size(), 2u);
  EXPECT_EQ(root.children[0].name, "title");
  EXPECT_EQ(root.children[0].text, "Schedule examples/figure2.yaml");
  EXPECT_EQ(root.children[1].name, "desc");
  EXPECT_EQ(root.children[1].text, "T0 [I0 {15}] float: 32 loop points: 15 valid, 17 holes.");
  EXPECT_EQ(root["role"], "img");
}

TEST(Picture, OpenSizesAreNamed) {
  const Inspected i(
      "symbols: {N: {}, K: {}}\nfacts: [\"K <= N\"]\ntensors: {T: {dtype: float, "
      "logical: {k: K, n: N}}}\n");
  const std::string svg = to_svg(i.report);
  expect_sound(svg);
  EXPECT_THAT(texts_of(parse_xml(svg)),
              Contains("Loop points are drawn once all sizes are known. Open: K, N "
                       "(--size NAME=VALUE)."));
}

TEST(Picture, WhatIsIllegalIsLeftOut) {
  const Inspected i(
      "tensors: {A: {dtype: float, logical: {n: 3, m: 3}, transforms: [{swizzle: "
      "{kind: xor, in: [n, m], out: [x, y]}}]}}\n");
  ASSERT_EQ(i.report.tensors.size(), 0u);
  const std::string svg = to_svg(i.report);
  expect_sound(svg);
  EXPECT_THAT(texts_of(parse_xml(svg)), Contains("There is no tensor to draw."));
}

TEST(Picture, OfAThousandTensorsTheFirstAreDrawn) {
  std::string text = "tensors:\n";
  for (int k = 0; k < 1000; ++k) {
    text +=
        "  T" + std::to_string(k) + ": {dtype: float, memory: local, logical: {n: 100, m: 100}}\n";
  }
  const Inspected i(text);
  ASSERT_EQ(i.report.tensors.size(), 1000u);
  const std::string svg = to_svg(i.report);
  expect_sound(svg);
  EXPECT_THAT(texts_of(parse_xml(svg)), Contains(HasSubstr("more tensors not drawn.")));
  EXPECT_LT(svg.size(), 5'000'000u);
}

TEST(Picture, HostileNamesDoNoHarm) {
  test::Numbered t("]]></svg><script>", {"a<b>&\"\x01\xFF", "--><x>"}, {7, 5});
  Schedule& s = *t.schedule;
  s.split(s.loops(t.id())[0], 4, {.outer = "<o>", .inner = "</i>"});
  expect_sound(to_svg(inspect("<&>.yaml", {Subject{.schedule = s}})));
}

TEST(Picture, AFileThatCannotBeWrittenIsRefusedWithItsReason) {
  const Inspected i("tensors: {T: {dtype: float, logical: {n: 4}}}\n");
  EXPECT_EQ(refusal_by<BadInput>([&] { write_svg(i.report, "/none/a.svg"); }),
            "/none/a.svg: error[E802]: cannot write the picture: No such file or directory; help: "
            "name a file in a folder that exists and can be written to");
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_EQ(refusal_by<BadInput>([&] { write_svg(i.report, "/dev/full"); }),
              "/dev/full: error[E802]: cannot write the picture: No space left on device; help: "
              "name a file in a folder that exists and can be written to");
  }
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "selvage-picture-test.svg";
  write_svg(i.report, path.string());
  EXPECT_EQ(contents(path), to_svg(i.report));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace selvage
