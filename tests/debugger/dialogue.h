#pragma once

#include <tests/support/temporary_folder.h>
#include <tools/schedule_inspect/command.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace selvage::test {

// What schedule_inspect prints of a file a.yaml with these options and lines of standard input; the
// folder of the file is left out of paths.
inline std::string dialogue(const std::string& file, const std::vector<std::string>& options,
                            const std::string& commands, int* status = nullptr) {
  const TemporaryFolder folder;
  const std::string root = folder.path().string() + "/", path = root + "a.yaml";
  std::ofstream(path) << file;
  std::vector<const char*> words = {"schedule_inspect", path.c_str()};
  for (const std::string& option : options) words.push_back(option.c_str());
  std::istringstream in(commands);
  std::ostringstream out;
  const int result = perform_command(int(words.size()), words.data(), in, out, out);
  if (status != nullptr) *status = result;
  std::string text = out.str();
  for (std::size_t at = 0; (at = text.find(root)) != std::string::npos;)
    text.erase(at, root.size());
  return text;
}

}  // namespace selvage::test
