// Whatever primitives do to a fusion, a file says it: read and written again it is the same text,
// and the schedule that is read has the same loops, places and memories.
#include <selvage/emulate/reference.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/schedule_writer.h>

#include <gtest/gtest.h>

#include "tests/frontend/random_file.h"
#include "tests/frontend/schedule_files.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

// What a schedule says of a tensor, by extents and by names of tensors.
std::string said(const Schedule& s, TensorId t) {
  const TensorInfo& info = s.fusion()[t];
  if (info.is_input) return "input";
  if (s.is_inlined(t)) return "inlined";
  std::string text = s.follows(t) ? "follows " : "";
  for (DomainId d : s.loop_domains(t)) {
    text += to_string(s.graph()[d].extent) + (s.is_folded(t, d) ? " folded " : " ") +
            std::string(to_string(s.parallel(t, d))) + ", ";
  }
  if (const auto& site = s.site(t)) {
    text += "at " + s.fusion()[site->tensor].name;
    const std::vector<DomainId>& host = s.loop_domains(site->tensor);
    if (site->loop) {
      text += " " + std::to_string(std::find(host.begin(), host.end(), *site->loop) - host.begin());
    }
  }
  if (const auto memory = s.memory(t)) text += " memory " + std::to_string(int(*memory));
  for (DomainId d : s.allocation(t)) text += " by " + to_string(s.graph()[d].extent);
  text += " stages " + std::to_string(s.stages(t));
  if (info.fold) {
    text += " over " + std::to_string(info.fold->domains.size());
    text += info.fold->is_partial ? " partial" : "";
    text += info.fold->merges ? " merges" : "";
  }
  return text;
}

// Sites at loops that are no more, and shared loops that do not come first, are not to be read.
bool is_sound(const Schedule& s) {
  for (std::size_t k = 0; k < s.fusion().size(); ++k) {
    const auto& site = s.site(TensorId(k));
    if (!site) continue;
    if (s.is_inlined(site->tensor)) return false;
    if (!site->loop) continue;
    const std::vector<DomainId>& host = s.loop_domains(site->tensor);
    if (std::find(host.begin(), host.end(), *site->loop) == host.end()) return false;
  }
  return true;
}

TEST(WrittenFiles, AreReadAsWhatWasWritten) {
  std::mt19937_64 rng(22);
  int written = 0, caches = 0, parts = 0, two_passes = 0, sites = 0, layouts = 0;
  std::map<std::string, int> refused;
  for (int k = 0; k < count(300, 5000); ++k) {
    const RandomFile random(rng);
    if (!is_sound(*random.schedule)) continue;
    std::string text;
    try {
      text = to_schedule_file(*random.fusion, *random.schedule);
    } catch (const BadInput& e) {
      std::string why = e.diagnostic().message;
      why = why.substr(why.find(": ") == std::string::npos ? 0 : why.find(": "));
      ++refused[why];
      continue;
    }
    ++written;
    SCOPED_TRACE("file " + std::to_string(k) + "\n" + text);
    const ScheduleFile file = schedule_files::read(text);
    ASSERT_TRUE(file.illegal.empty()) << to_text(file.illegal);
    ASSERT_EQ(to_schedule_file(*file.fusion, *file.schedule), text);
    const Schedule &before = *random.schedule, &after = *file.schedule;
    ASSERT_EQ(before.fusion().size(), after.fusion().size());
    for (std::size_t i = 0; i < before.fusion().size(); ++i) {
      const std::string& name = before.fusion()[TensorId(i)].name;
      const auto t = after.fusion().find(name);
      ASSERT_TRUE(t) << name;
      ASSERT_EQ(said(before, TensorId(i)), said(after, *t)) << name;
    }
    caches += random.caches;
    parts += random.parts;
    two_passes += random.two_passes;
    sites += random.sites;
    layouts += random.layouts;
  }
  for (const auto& [why, times] : refused)
    std::printf("[FIGURE] refused %d times%s\n", times, why.c_str());
  std::printf("[FIGURE] %d files, %d caches, %d parts, %d in two passes, %d places, %d layouts\n",
              written, caches, parts, two_passes, sites, layouts);
  EXPECT_GT(written, more_than(200));
  EXPECT_GT(caches, more_than(100));
  EXPECT_GT(parts, more_than(20));
  EXPECT_GT(two_passes, more_than(2));
  EXPECT_GT(sites, more_than(30));
  EXPECT_GT(layouts, more_than(12));
}

}  // namespace
}  // namespace selvage
