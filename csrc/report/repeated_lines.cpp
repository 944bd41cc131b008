#include <selvage/base/words.h>
#include <selvage/ir/about.h>
#include <selvage/lower/mend_repeated.h>
#include <selvage/report/cost_lines.h>
#include <selvage/report/repeated_lines.h>

namespace selvage {

namespace {

bool is_copy(const Schedule& schedule, TensorId t) {
  const Schedule::Making* making = schedule.making(t);
  return making != nullptr && making->kind == Schedule::Making::Kind::CacheAfter;
}

// "each of the 1,000 threads TIDx (loop n of y)"
std::string text_of(const Schedule& schedule, const RepeatedWork::By& by) {
  const std::string loop = "loop " + schedule.name(by.loop.tensor, by.loop.domain) + " of " +
                           schedule.fusion()[by.loop.tensor].name;
  const std::string number = grouped(by.times);
  if (!is_index(by.parallel)) return "each of the " + number + " iterations of the " + loop;
  return "each of the " + number + (is_thread(by.parallel) ? " threads " : " blocks ") +
         std::string(to_string(by.parallel)) + " (" + loop + ")";
}

}  // namespace

Diagnostic warning_of(const Schedule& written, const Program& program, const RepeatedWork& work) {
  const Schedule& schedule = *program.schedule;
  const TensorInfo& tensor = schedule.fusion()[work.tensor];
  const char* verb = tensor.fold                      ? "folded"
                     : is_copy(schedule, work.tensor) ? "loaded"
                                                      : "computed";
  std::vector<std::string> by;
  for (const RepeatedWork::By& b : work.by) by.push_back(text_of(schedule, b));
  Diagnostic warning{.code = "E439", .severity = Severity::Warning, .place = {}, .message = {}};
  warning.message = "each element of " + tensor.name + " is " + verb + " " + grouped(work.times()) +
                    " times: all of it by " + listed(by);
  warning.notes.push_back(grouped(work.times() * work.points) + " steps instead of " +
                          grouped(work.points));
  const RepeatedMend mend = mend_repeated(written, program, work);
  warning.help = mend.text.empty() ? "give " + tensor.name + " loops of its own for what repeats it"
                                   : mend.text;
  warning.tensors = as_subjects(mend.is_of_tensor ? work.tensor : work.by.front().loop.tensor);
  return warning;
}

void print_repeated(const FusionReport& fusion, Lines& out) {
  if (fusion.repeated.empty()) return;
  out.heading("Repeated work");
  for (const Diagnostic& warning : fusion.repeated) {
    out.line(2, warning.message);
    out.line(4, joined(warning.notes));
    out.line(4, "to end it, " + warning.help);
  }
}

}  // namespace selvage
