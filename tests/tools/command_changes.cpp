// What helps say of options, of the environment and of what a file expects, as changes of a
// command.
#include <algorithm>

#include "tests/tools/refused_command.h"

namespace selvage::test {

namespace {

using Match = std::smatch;
std::string found(const std::string& text, const char* words) {
  Match m;
  return std::regex_search(text, m, std::regex(words)) ? m.str(1) : "";
}

void erase_options(Command& c, const std::string& option) {
  std::erase_if(c.options, [&](const auto& o) {
    return o.first == option || o.first.starts_with(option + "=");
  });
}

// The last of that name, or with that name and "=".
std::pair<std::string, std::string>* last(Command& c, const std::string& option) {
  for (auto it = c.options.rbegin(); it != c.options.rend(); ++it) {
    if (it->first == option || it->first.starts_with(option + "=")) return &*it;
  }
  return nullptr;
}

bool erase_last(Command& c, const std::string& option, const std::string& value = "") {
  for (std::size_t k = c.options.size(); k-- > 0;) {
    if (c.options[k].first != option || !c.options[k].second.starts_with(value)) continue;
    c.options.erase(c.options.begin() + std::ptrdiff_t(k));
    return true;
  }
  return false;
}

bool set_value(Command& c, const std::string& option, const std::string& value) {
  auto* at = last(c, option);
  if (at == nullptr) return false;
  at->second = value;
  return true;
}

Ways each_value(const Command& before, const std::string& option,
                const std::vector<std::string>& values) {
  Ways ways;
  for (const std::string& value : values) {
    ways.push_back(before);
    set_value(ways.back(), option, value);
  }
  return ways;
}

bool rewrite(Command& c, const std::string& words, const std::string& by) {
  const std::string before = c.text();
  c.text() = std::regex_replace(before, std::regex(words), by);
  return c.text() != before;
}

Ways in_environment(const Command& before, const std::string& name,
                    const std::vector<std::string>& values) {
  Ways ways;
  for (const std::string& value : values) {
    ways.push_back(before);
    ways.back().environment[name] = value;
  }
  return ways;
}

// The value 3 of N is below its min 4: another value, or another bound.
Ways within_bound(const Command& before, const Refusal& r, const char* bound) {
  const std::string limit = found(r.message, " (?:min|max) (\\d+)");
  const std::string value = found(r.message, "^the value (\\d+)");
  const std::string name = found(r.message, " of (\\w+) is ");
  Ways ways = way(before, [&](Command& c) {
    std::string* given = c.value_of("--size", name);
    if (given != nullptr) *given = name + "=" + limit;
    return given != nullptr;
  });
  for (const Command& c : way(before, [&](Command& c) {
         return rewrite(c, std::string(bound) + ": " + limit, std::string(bound) + ": " + value);
       })) {
    ways.push_back(c);
  }
  return ways;
}

std::string some_value(const std::string& option) {
  if (option == "--seed") return "1";
  if (option == "--size") return "N=4";
  if (option == "--input") return "a=@/a.npy";
  if (option == "--output") return "y=@/y.npy";
  if (option == "--print") return "y";
  if (option == "--on") return "virtual";
  return "@/made";  // of a file or a folder
}

}  // namespace

const std::vector<CommandChange>& command_changes() {
  using C = Command;
  using R = Refusal;
  static const std::vector<CommandChange> list = {
      {"name a (?:schedule )?file(?: that can be read)?, or - for (?:standard input|stdin)",
       [](const C& before, const Match&, const R& r) {
         Ways ways(2, before);
         for (std::size_t k = 0; k < 2; ++k) {
           const std::string name = k == 0 ? "@/case.yaml" : "-";
           if (r.code == "E101" && last(ways[k], "--simplify") != nullptr) {
             set_value(ways[k], "--simplify", name);
           } else {
             ways[k].file = name;
           }
         }
         ways[1].input = ways[1].text();
         return ways;
       }},
      {"give it a larger value, or a smaller min",
       [](const C& before, const Match&, const R& r) { return within_bound(before, r, "min"); }},
      {"give it a smaller value, or a larger max",
       [](const C& before, const Match&, const R& r) { return within_bound(before, r, "max"); }},
      {"give it a value that multiple_of divides",
       [](const C& before, const Match&, const R& r) {
         return way(before, [&](C& c) {
           const std::string name = found(r.message, " of (\\w+) is no multiple");
           std::string* given = c.value_of("--size", name);
           if (given != nullptr) *given = name + "=" + found(r.message, "multiple of (\\d+)");
           return given != nullptr;
         });
       }},
      {"expect legal: (\\w+)",
       [](const C& before, const Match& m, const R&) {
         return way(before, [&](C& c) { return rewrite(c, "legal: \\w+", "legal: " + m.str(1)); });
       }},
      {"expect (\\w+): (\\[.*\\])",
       [](const C& before, const Match& m, const R&) {
         return way(before, [&](C& c) {
           return rewrite(c, "(predicates: \\{)" + m.str(1) + ": \\[.*?\\]",
                          "$1" + m.str(1) + ": " + m.str(2));
         });
       }},
      {"did you mean '(\\w+)'",
       [](const C& before, const Match& m, const R& r) {
         return way(before, [&](C& c) {
           const std::string wrong = found(r.message, "^predicates of '(\\w+)'");
           return !wrong.empty() &&
                  rewrite(c, "predicates: \\{" + wrong + ":", "predicates: {" + m.str(1) + ":");
         });
       }},
      {"did you mean '(--[\\w-]+)'",
       [](const C& before, const Match& m, const R& r) {
         return way(before, [&](C& c) {
           auto* option = last(c, found(r.message, "no option '(.*)'"));
           if (option != nullptr) option->first = m.str(1);
           return option != nullptr;
         });
       }},
      {"leave it out",
       [](const C& before, const Match&, const R& r) {
         return way(before, [&](C& c) {
           if (r.message.starts_with("predicates of")) {
             return rewrite(c, "predicates: \\{\\w+: \\[.*?\\]\\}", "predicates: {}");
           }
           std::string word = found(r.message, "'(.*?)'");
           if (word.empty()) word = found(r.message, "^(--\\w+)");
           return erase_last(c, word);
         });
       }},
      {"give it once",
       [](const C& before, const Match&, const R& r) {
         return way(before, [&](C& c) {
           const std::string name = found(r.message, " gives (\\w+) twice");
           return erase_last(c, found(r.message, "^(--[\\w-]+)"), name.empty() ? "" : name + "=");
         });
       }},
      {"write (--\\w+) (\\w+)=(.*)$",
       [](const C& before, const Match& m, const R& r) {
         return way(before, [&](C& c) {
           for (auto& [option, value] : c.options) {
             if (option != m.str(1) || value != found(r.message, "found '(.*)'$")) continue;
             const bool is_path = option != "--size";
             value = m.str(2) + (is_path ? "=@/" : "=") + m.str(3);
             return true;
           }
           return false;
         });
       }},
      {"such as --size (\\w+)=(\\d+)",
       [](const C& before, const Match& m, const R&) {
         return way(before, [&](C& c) {
           std::string* given = c.value_of("--size", m.str(1));
           // Of two of that name, the one that is no number.
           for (auto& [option, value] : c.options) {
             const std::regex number("\\w+=\\d+");
             if (option == "--size" && value.starts_with(m.str(1) + "=") &&
                 !std::regex_match(value, number)) {
               given = &value;
             }
           }
           if (given != nullptr) *given = m.str(1) + "=" + m.str(2);
           return given != nullptr;
         });
       }},
      {"write virtual, emulate or gpu",
       [](const C& before, const Match&, const R&) {
         return each_value(before, "--on", {"virtual", "emulate", "gpu"});
       }},
      {"write it as (\\w+) or (\\w+)",
       [](const C& before, const Match& m, const R&) {
         return each_value(before, "--arch", {m.str(1), m.str(2)});
       }},
      {"compile for (sm_\\w+)|such as --arch (sm_\\w+)",
       [](const C& before, const Match& m, const R&) {
         return each_value(before, "--arch", {m.str(1) + m.str(2)});
       }},
      {"add --run",
       [](const C& before, const Match&, const R&) {
         return way(before, [](C& c) {
           c.add("--run");
           return true;
         });
       }},
      {"choose one",
       [](const C& before, const Match&, const R&) {
         Ways ways;
         for (const char* kept : {"--json", "--dot"}) {
           ways.push_back(before);
           for (const char* other : {"--json", "--dot"}) {
             if (other != kept) erase_options(ways.back(), other);
           }
         }
         return ways;
       }},
      {"leave one of the two out",
       [](const C& before, const Match&, const R& r) {
         const std::string first = found(r.message, "^(--\\w+)");
         const std::string second = found(r.message, " and (--\\w+) are");
         Ways ways(2, before);
         erase_options(ways[0], first);
         if (second.empty()) {
           ways[1].file = "";
         } else {
           erase_options(ways[1], second);
         }
         return ways;
       }},
      {"write a whole number, such as --seed (\\d+)",
       [](const C& before, const Match& m, const R&) {
         return each_value(before, "--seed", {m.str(1)});
       }},
      {"write its value behind it",
       [](const C& before, const Match&, const R& r) {
         const std::string option = found(r.message, "^(--[\\w-]+)");
         return each_value(before, option, {some_value(option)});
       }},
      {"leave the value out",
       [](const C& before, const Match&, const R& r) {
         return way(before, [&](C& c) {
           auto* option = last(c, found(r.message, "(--[\\w-]+)"));
           if (option == nullptr) return false;
           option->first = option->first.substr(0, option->first.find('='));
           return true;
         });
       }},
      {"name a file in a folder that exists",
       [](const C& before, const Match&, const R&) {
         return each_value(before, "--svg", {"@/drawn.svg"});
       }},
      {"put a folder in its place",
       [](const C& before, const Match&, const R& r) {
         return way(before, [&](C& c) {
           std::string path = found(r.message, ": (@.*) is no folder");
           if (path.empty()) path = r.place;
           c.folders.insert(path);
           return c.texts.erase(path) > 0;
         });
       }},
      {"chmod go-w (.*)",
       [](const C& before, const Match& m, const R&) {
         return way(before, [&](C& c) {
           c.folders.insert(m.str(1));
           return c.shared_folders.erase(m.str(1)) > 0;
         });
       }},
      {"take a shorter name",
       [](const C& before, const Match&, const R&) {
         return in_environment(before, "SELVAGE_CACHE_DIR", {"@/short"});
       }},
      {"SELVAGE_CACHE_DIR names another folder, or none when it is empty",
       [](const C& before, const Match&, const R&) {
         return in_environment(before, "SELVAGE_CACHE_DIR", {"@/another/folder", ""});
       }},
      {"write digits alone",
       [](const C& before, const Match&, const R&) {
         return in_environment(before, "SELVAGE_CACHE_BYTES", {"1048576"});
       }},
      {"unset it, or set it to 1",
       [](const C& before, const Match&, const R&) {
         Ways ways = in_environment(before, "SELVAGE_VIRTUAL_THREADS", {"", "1"});
         ways[0].environment.erase("SELVAGE_VIRTUAL_THREADS");
         return ways;
       }},
  };
  return list;
}

}  // namespace selvage::test
