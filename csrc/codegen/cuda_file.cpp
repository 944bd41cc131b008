// The texts of several kernels as one file.
#include <selvage/codegen/cuda.h>

#include <functional>
#include <set>
#include <string_view>

namespace selvage {

std::string one_file(std::span<const std::vector<CudaText>> steps) {
  std::string file;
  std::set<std::string, std::less<>> defined;
  for (const std::vector<CudaText>& step : steps) {
    for (const CudaText& own : step) {
      if (!file.empty()) file += "\n";
      std::string_view text = own.text;
      std::size_t begin = 0;
      for (std::size_t end : own.definitions) {
        const std::string_view definition = text.substr(begin, end - begin);
        if (defined.emplace(definition).second) file += definition;
        begin = end;
      }
      file += text.substr(begin);
    }
  }
  return file;
}

std::string cuda(const Program& program) {
  std::vector<std::vector<CudaText>> steps;
  for (const ProgramStep& step : program.steps) steps.push_back(cuda(step.variants));
  return one_file(steps);
}

}  // namespace selvage
