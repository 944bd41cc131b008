#include <selvage/kernel/print.h>
#include <selvage/legality/analysis.h>
#include <selvage/lower/program.h>

namespace selvage {

Program::Program() = default;
Program::~Program() = default;
Program::Program(const Program&) = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(const Program&) = default;
Program& Program::operator=(Program&&) noexcept = default;

std::string loop_nest(const Program& program) {
  std::string text;
  for (const ProgramStep& step : program.steps) {
    text += (text.empty() ? "" : "\n") + loop_nest(step.variants.front());
  }
  return text;
}

}  // namespace selvage
