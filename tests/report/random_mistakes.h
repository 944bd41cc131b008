// Random schedule files with one mistake each in their form, their names or their values.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/report/file_text.h"

namespace selvage::test {

// A file with a mistake, and what stood where the mistake is, for helps that leave open what is
// right.
struct Mistake {
  FileText file;
  std::string put_right;
};

using MistakeMaker = std::function<Mistake(std::mt19937_64&)>;
// By the code that the mistake leads to, in most draws: the ways to make it.
using MistakeMakers = std::map<std::string, std::vector<MistakeMaker>>;

const MistakeMakers& form_mistakes();
const MistakeMakers& name_mistakes();
const MistakeMakers& value_mistakes();
const MistakeMakers& loop_mistakes();
const MistakeMakers& statement_mistakes();
const MistakeMakers& thread_mistakes();

// ---- Files that are well, their maps and lists in brackets, one key of the file a line ----

FileText random_fusion(std::mt19937_64& rng);
FileText random_tensors(std::mt19937_64& rng);
FileText random_threads(std::mt19937_64& rng);
FileText random_file(std::mt19937_64& rng);  // any of these

// ---- Mistakes ----

// A random match of the expression, its first group; empty where there is none.
TextSpan random_match(const FileText& file, const std::string& words, std::mt19937_64& rng);
// What a random match holds becomes that; a file without a match stays as it is.
Mistake instead(FileText file, const std::string& words, const std::string& by,
                std::mt19937_64& rng);
// The same as a maker: one of several texts, in a file of that kind.
MistakeMaker any_of(FileText (*file)(std::mt19937_64&), const char* words,
                    std::vector<std::string> by);
// A letter left out, doubled, or changed.
std::string mistyped(const std::string& word, std::mt19937_64& rng);

}  // namespace selvage::test
