// Random command lines of schedule_inspect that are refused with a given code, for most draws.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/tools/refused_command.h"

namespace selvage::test {

using RandomCommand = std::function<Command(std::mt19937_64&)>;

// By code: those about arrays and sizes of a run.
const std::map<std::string, RandomCommand>& run_refusals();

// The codes that there are commands for, in order.
std::vector<std::string> refused_command_codes();

Command random_command_refused_with(const std::string& code, std::mt19937_64& rng);

// A command that is accepted, and what it is made of.
struct Run {
  struct Tensor {
    std::string name, dtype;
    std::vector<std::string> dims;  // a size or a number each
  };
  Command command;
  std::map<std::string, std::int64_t> sizes;  // all that stand in the file
  std::vector<Tensor> inputs;                 // in a thread program all arrays
  std::string output;
  bool is_threads = false;

  ArrayFile array(const Tensor& tensor) const;  // as the tensor is declared
  // Gives the tensor a file of its own, by --input.
  ArrayFile& give(const Tensor& tensor);
};

// Sizes that no array tells are given by --size, or under sizes: in the file, or stay open, as
// `gives_sizes` says.
Run random_run(std::mt19937_64& rng, bool gives_sizes = true);
Run random_thread_run(std::mt19937_64& rng, bool gives_sizes = true);
Run random_run_of_any_kind(std::mt19937_64& rng);

// The word as somebody would mistype it.
std::string mistyped(std::mt19937_64& rng, const std::string& word);

}  // namespace selvage::test
