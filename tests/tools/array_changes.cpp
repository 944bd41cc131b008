// What helps say of the arrays and sizes of a run, as changes of a command.
#include <algorithm>

#include "tests/tools/refused_command.h"

namespace selvage::test {

namespace {

using Match = std::smatch;
std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  const std::regex part("[^, ]+");
  for (auto it = std::sregex_iterator(list.begin(), list.end(), part); it != std::sregex_iterator();
       ++it) {
    parts.push_back(it->str());
  }
  return parts;
}

// The option that names the file.
std::pair<std::string, std::string>* option_with(Command& c, const std::string& path) {
  for (auto& option : c.options) {
    if (option.second == path || option.second.ends_with("=" + path)) return &option;
  }
  return nullptr;
}

std::string name_in(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}

bool spell(Command& c, const std::string& path, const std::function<void(ArrayFile&)>& change) {
  const auto at = c.arrays.find(path);
  if (at == c.arrays.end()) return false;
  change(at->second);
  return true;
}

void give_size(Command& c, const std::string& name, const std::string& value) {
  if (std::string* given = c.value_of("--size", name)) {
    *given = name + "=" + value;
  } else {
    c.add("--size", name + "=" + value);
  }
}

// The name that nothing has, of an input, an output, an array or a size.
std::string unknown_name(const std::string& message) {
  static const std::regex words(
      "no (?:input|output|input or output|global array|size) '?([^ ']+)'?$");
  Match m;
  return std::regex_search(message, m, words) ? m.str(1) : "";
}

std::pair<std::string, std::string>* option_of_unknown(Command& c, const Refusal& refusal) {
  const std::string name = unknown_name(refusal.message);
  const bool is_shown = refusal.message.starts_with("--print");
  for (auto& option : c.options) {
    if (option.first == "--print" && option.second == name) return &option;
    if (!is_shown && option.second.starts_with(name + "=")) {
      const bool is_output = refusal.message.find("no output") != std::string::npos;
      const bool is_size = refusal.code == "E205";
      if (is_size ? option.first == "--size"
                  : option.first == (is_output ? "--output" : "--input") ||
                        refusal.message.find("array") != std::string::npos) {
        return &option;
      }
    }
  }
  return nullptr;
}

bool rename(Command& c, const Refusal& refusal, const std::string& name) {
  auto* option = option_of_unknown(c, refusal);
  if (option == nullptr) return false;
  const std::size_t at = option->second.find('=');
  option->second = name + (at == std::string::npos ? "" : option->second.substr(at));
  return true;
}

// All numbers that make something large, in the file and in what is given.
bool make_smaller(Command& c, const std::string& by) {
  const Command before = c;
  static const std::regex large("\\d{7,}");
  c.text() = std::regex_replace(c.text(), large, by);
  for (auto& [option, value] : c.options) {
    if (option == "--size") value = std::regex_replace(value, large, by);
  }
  return c.text() != before.texts.at("@/case.yaml") || c.options != before.options;
}

}  // namespace

const std::vector<CommandChange>& array_changes() {
  using C = Command;
  using R = Refusal;
  static const std::vector<CommandChange> list = {
      {"name a \\.npy file that can be read",
       [](const C& before, const Match&, const R& r) {
         return way(before, [&](C& c) {
           auto* option = option_with(c, r.place);
           if (option == nullptr) return false;
           const std::string path = "@/" + name_in(option->second) + ".npy";
           option->second = name_in(option->second) + "=" + path;
           c.arrays.try_emplace(path);
           return true;
         });
       }},
      {"save it little-endian: a\\.astype\\('(.*)'\\)",
       [](const C& before, const Match& m, const R& r) {
         return way(before, [&](C& c) {
           return spell(c, r.place, [&](ArrayFile& a) { a.descr = m.str(1); });
         });
       }},
      {"save the array (?:again )?with numpy\\.save|save the array in version 1\\.0",
       [](const C& before, const Match&, const R& r) {
         return way(before, [&](C& c) {
           return spell(c, r.place, [](ArrayFile& a) { a.instead.reset(); });
         });
       }},
      {"use bool, int8 to int64, .*float32",
       [](const C& before, const Match&, const R& r) {
         return way(before,
                    [&](C& c) { return spell(c, r.place, [](ArrayFile& a) { a.descr = "<f4"; }); });
       }},
      {"name a file in a directory that exists",
       [](const C& before, const Match&, const R& r) {
         return way(before, [&](C& c) {
           auto* option = option_with(c, r.place);
           if (option == nullptr) return false;
           option->second = name_in(option->second) + "=@/written.npy";
           return true;
         });
       }},
      {"name another folder, which is there or can be made",
       [](const C& before, const Match&, const R&) {
         return way(before, [&](C& c) {
           for (auto& [option, value] : c.options) {
             if (option == "--save-inputs") value = "@/elsewhere/inputs";
           }
           return true;
         });
       }},
      {"^one of (.*)",
       [](const C& before, const Match& m, const R& r) {
         Ways ways;
         for (const std::string& name : split(m.str(1))) {
           const Ways one = way(before, [&](C& c) { return rename(c, r, name); });
           ways.insert(ways.end(), one.begin(), one.end());
         }
         return ways;
       }},
      {"did you mean '(\\w+)'",
       [](const C& before, const Match& m, const R& r) {
         return way(before, [&](C& c) { return rename(c, r, m.str(1)); });
       }},
      {"leave it out: ",
       [](const C& before, const Match&, const R& r) {
         return way(before, [&](C& c) {
           const auto* option = option_of_unknown(c, r);
           if (option == nullptr) return false;
           c.options.erase(c.options.begin() + (option - c.options.data()));
           return true;
         });
       }},
      {"give (\\w+)\\[(.*)\\] for it",
       [](const C& before, const Match& m, const R& r) {
         return way(before, [&](C& c) {
           Match name;
           if (!std::regex_search(r.message, name, std::regex("^the (?:input|array) (\\w+)"))) {
             return false;
           }
           const std::string* given = c.value_of("--input", name.str(1));
           if (given == nullptr) return false;
           ArrayFile array{.descr = descr_of(m.str(1)), .shape = {}};
           for (const std::string& n : split(m.str(2))) array.shape.push_back(std::stoll(n));
           c.arrays[given->substr(given->find('=') + 1)] = array;
           return true;
         });
       }},
      {"give it one, --size (\\w+)=VALUE, or under sizes: in the file",
       [](const C& before, const Match& m, const R&) {
         Command option = before, section = before;
         option.add("--size", m.str(1) + "=4");
         const std::regex sizes("sizes: \\{");
         if (std::regex_search(section.text(), sizes)) {
           section.text() =
               std::regex_replace(section.text(), sizes, "sizes: {" + m.str(1) + ": 4, ");
         } else {
           section.text() += "sizes: {" + m.str(1) + ": 4}\n";
         }
         return Ways{option, section};
       }},
      {"such as (\\w+) = (\\d+)",
       [](const C& before, const Match& m, const R&) {
         return way(before, [&](C& c) {
           give_size(c, m.str(1), m.str(2));
           return true;
         });
       }},
      {"choose strides that keep the items of \\w+ apart, such as \\[(.*)\\]",
       [](const C& before, const Match& m, const R&) {
         return way(before, [&](C& c) {
           for (auto& [option, value] : c.options) {  // the stride of rows has a name
             if (option != "--size" ||
                 !(value.starts_with("s=") || value.starts_with("y_stride_i"))) {
               continue;
             }
             value = name_in(value) + "=" + split(m.str(1)).front();
             return true;
           }
           c.text() = std::regex_replace(c.text(), std::regex("strides: \\[.*?\\]"),
                                         "strides: [" + m.str(1) + "]");
           return true;
         });
       }},
      {"read fill\\((\\w+)\\[.*\\], 0\\)",
       [](const C& before, const Match& m, const R&) {
         return way(before, [&](C& c) {
           c.text() = std::regex_replace(
               c.text(), std::regex("\\+ (" + m.str(1) + "\\[[^\\]]*\\])"), "+ fill($1, 0)");
           return c.text().find("fill(") != std::string::npos;
         });
       }},
      {"make (?:the )?extents (?:smaller|of the file)|choose smaller sizes",
       [](const C& before, const Match&, const R&) {
         return way(before, [](C& c) { return make_smaller(c, "8"); });
       }},
      {"let the facts allow smaller values of",
       [](const C& before, const Match&, const R&) {
         return way(before, [](C& c) { return make_smaller(c, "2"); });
       }},
      {"run on the virtual device, --on virtual",
       [](const C& before, const Match&, const R&) {
         return way(before, [](C& c) {
           for (auto& [option, value] : c.options) {
             if (option == "--on") value = "virtual";
           }
           return true;
         });
       }},
  };
  return list;
}

}  // namespace selvage::test
