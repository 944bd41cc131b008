// Selvage's simplifier beside others, in one run and one thread.
//   compare_simplifiers [--chains=N] [--repeat=N] [--worse=N] [FILE...]
// Simplifies the lines of the files, or the tests' own corpus of N chains, N times each, and prints
// tables; with --worse also the N lines on which another simplifier beats Selvage by most.
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string_view>

#include "benchmarks/peers/comparison.h"
#include "tests/corpus/generate.h"

namespace {

using namespace selvage;

struct Options {
  int chains = 480, repeat = 3, worse = 0;
  std::vector<std::string> files;
};

int number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) {
    throw std::invalid_argument("not a number from 1 on: " + std::string(text));
  }
  return value;
}

Options read_options(int argc, char** argv) {
  Options options;
  const std::pair<std::string_view, int*> numbers[] = {
      {"--chains=", &options.chains}, {"--repeat=", &options.repeat}, {"--worse=", &options.worse}};
  for (int k = 1; k < argc; ++k) {
    const std::string_view argument = argv[k];
    bool is_number = false;
    for (const auto& [name, value] : numbers) {
      if (!argument.starts_with(name)) continue;
      *value = number(argument.substr(name.size()));
      is_number = true;
    }
    if (is_number) continue;
    if (argument.starts_with("-")) {
      throw std::invalid_argument("no option of this program: " + std::string(argument));
    }
    options.files.emplace_back(argument);
  }
  return options;
}

std::vector<corpus::Line> read(const Options& options) {
  if (options.files.empty()) return corpus::generate(options.chains);
  std::vector<corpus::Line> lines;
  for (const std::string& file : options.files) {
    std::ifstream in(file);
    if (!in) throw std::invalid_argument(file + ": " + std::strerror(errno));
    const std::vector<corpus::Line> more = corpus::read_lines(in);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

}  // namespace

int main(int argc, char** argv) try {
  const Options options = read_options(argc, argv);
  std::vector<std::unique_ptr<peers::Peer>> all;
  all.push_back(peers::make_selvage());
  all.push_back(peers::make_isl());
  all.push_back(peers::make_mlir());
  peers::Comparison comparison(read(options), std::move(all));
  comparison.run(options.repeat);
  comparison.print_tables(std::cout);
  if (options.worse > 0) comparison.print_worse(std::cout, std::size_t(options.worse));
  return 0;
} catch (const std::exception& e) {
  std::cerr << "compare_simplifiers: " << e.what() << "\n";
  return 2;
}
