// examples [NAME] [B=3 H=1027 ...] [--cuda]: the loop nests of all examples, or of one, CUDA text
// if it is asked for, and a run on the virtual device beside the unscheduled program.
#include <selvage/base/words.h>
#include <selvage/selvage.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <optional>
#include <set>
#include <string_view>

#include "examples.h"

namespace {

using namespace selvage;

struct Request {
  std::string name;  // empty: all
  std::map<std::string, std::int64_t> sizes;
  bool prints_cuda = false;
};

std::optional<Request> parse(int count, char** words) {
  Request request;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const std::size_t equals = word.find('=');
    if (word == "--cuda") {
      request.prints_cuda = true;
    } else if (equals != std::string_view::npos) {
      std::int64_t& value = request.sizes[std::string(word.substr(0, equals))];
      const char* const end = word.data() + word.size();
      const auto [rest, error] = std::from_chars(word.data() + equals + 1, end, value);
      if (error != std::errc() || rest != end) return std::nullopt;
    } else if (request.name.empty() && !word.starts_with('-')) {
      request.name = word;
    } else {
      return std::nullopt;
    }
  }
  return request;
}

bool show(const Example& example, const Request& request) {
  const Program program = lower(*example.fusion, example.schedule);
  std::cout << "== " << example.name << '\n';
  for (const ProgramStep& step : program.steps) {
    for (const Kernel& kernel : step.variants) {
      std::cout << kernel.name << " if " << to_string(kernel.condition) << '\n';
    }
    std::cout << loop_nest(step.variants.front()) << '\n';
    if (request.prints_cuda) std::cout << cuda(step.variants.front()).text << '\n';
  }
  for (const LaunchCheck& c : program.checks) {
    std::cout << "only if " << to_string(c.condition) << '\n';
  }
  RunRequest run_request{.sizes = {}, .on = Machine::Virtual};
  for (const std::string& size : example.sizes) {
    const auto asked = request.sizes.find(size);
    const std::int64_t value =
        asked == request.sizes.end() ? (size == "B" ? 3 : 1027) : asked->second;
    run_request.sizes[size] = value;
    std::cout << size << " = " << value << ' ';
  }
  const RunResult result = run(*example.fusion, program, run_request);
  std::cout << (result.passed() ? ": as without a schedule\n\n" : ": wrong\n\n");
  return result.passed();
}

int complain(const std::string& why) {
  std::cerr << why << '\n';
  return 2;
}

}  // namespace

int main(int count, char** words) {
  const auto request = parse(count, words);
  if (!request) return complain("usage: examples [NAME] [B=3 H=1027 ...] [--cuda]");
  std::vector<Example> shown = examples();
  std::vector<std::string> names;
  std::set<std::string> sizes;
  for (const Example& e : shown) {
    names.push_back(e.name);
    sizes.insert(e.sizes.begin(), e.sizes.end());
  }
  if (!request->name.empty()) {
    std::erase_if(shown, [&](const Example& e) { return e.name != request->name; });
  }
  if (shown.empty()) {
    return complain("no example is called " + request->name + "; there are " + joined(names));
  }
  for (const auto& [size, value] : request->sizes) {
    const auto has_size = [&](const Example& e) {
      return std::find(e.sizes.begin(), e.sizes.end(), size) != e.sizes.end();
    };
    if (std::none_of(shown.begin(), shown.end(), has_size)) {
      return complain("no size is called " + size + "; there are " +
                      joined({sizes.begin(), sizes.end()}));
    }
  }
  bool all_passed = true;
  try {
    for (const Example& example : shown) all_passed = show(example, *request) && all_passed;
  } catch (const Error& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
  return all_passed ? 0 : 1;
}
