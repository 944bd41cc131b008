#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace selvage {

// Chooses C identifiers in nested blocks. No two identifiers visible at one place are equal. None
// is a word of C, C++ or CUDA, or begins like the names of compilers and of the virtual device.
class Names {
 public:
  Names() { open(); }
  void open() { blocks_.emplace_back(); }
  void close() { blocks_.pop_back(); }

  // The wanted name, made an identifier; with a number behind it if it is taken.
  std::string declare(std::string_view wanted);
  // The same for the name of a function.
  std::string declare_kernel(std::string_view wanted);

 private:
  bool taken(const std::string& name) const;
  std::vector<std::unordered_set<std::string>> blocks_;
};

}  // namespace selvage
