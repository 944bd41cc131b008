#include "tests/report/refused_file.h"

#include <selvage/base/words.h>

#include <algorithm>
#include <numeric>

#include "tests/report/file_items.h"
#include "tests/report/tile_changes.h"

namespace selvage::test {

namespace {

std::string map_of(const Named& entries) {
  std::vector<std::string> list;
  for (const auto& [key, value] : entries) list.push_back(key + ": " + value);
  return "{" + joined(list) + "}";
}

// The axes of a view are names alone.
std::string axes_of(const Named& logical) {
  if (logical.empty() || !logical[0].second.empty()) return map_of(logical);
  std::vector<std::string> list;
  for (const auto& [name, nothing] : logical) list.push_back(name);
  return bracketed(list);
}

std::vector<std::string> parts_of(const std::string& help) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t at; (at = help.find("; or ", begin)) != std::string::npos; begin = at + 5) {
    parts.push_back(help.substr(begin, at - begin));
  }
  parts.push_back(help.substr(begin));
  return parts;
}

// A cache says its memory and its place where it is made.
bool edit_cache(RefusedFile& file, const std::string& name, const std::string& memory,
                bool has_place) {
  for (auto& [tensor, list] : file.schedule) {
    for (std::string& item : list) {
      if (item.find("cache: {as: " + name + ",") == std::string::npos) continue;
      replace_all(item, "memory: \\w+", "memory: " + memory);
      if (!has_place) replace_all(item, ", at: \\w+", "");
      return true;
    }
  }
  return false;
}

void unbind(RefusedFile& file, const std::string& tensor, const std::string& loop) {
  rebind(file, tensor, loop, "Serial");
  file.schedule[tensor].push_back("{bind: {" + loop + ": Serial}}");
}

// The loop of the one tensor, split and its inner part bound to Vectorize.
void split_vector(RefusedFile::Tensor& t, const std::string& loop, const std::string& factor) {
  const std::string o = loop + "_o", v = loop + "_v";
  t.transforms.push_back(split(loop, factor, o, v));
  const auto at = std::find(t.loop.begin(), t.loop.end(), loop);
  *t.loop.insert(at, o);
  *std::find(t.loop.begin(), t.loop.end(), loop) = v;
  std::erase_if(t.bind, [&](const auto& b) { return b.second == "Vectorize"; });
  t.bind.emplace_back(v, "Vectorize");
}

std::string vector_in(const std::string& message) {
  std::smatch m;
  return std::regex_search(message, m, std::regex("vector (\\w+)")) ? m.str(1) : "";
}

const std::vector<Change>& changes() {
  static const std::vector<Change> list = {
      {"(\\w+): \\{multiple_of: (\\d+)\\}",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         std::int64_t& own = f.symbols[m.str(1)]["multiple_of"];
         own = std::lcm(std::max<std::int64_t>(own, 1), std::stoll(m.str(2)));
         return true;
       }},
      {"say that (.+): under facts in a file",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         f.facts.push_back(m.str(1));
         return true;
       }},
      {"read fill\\((\\w+)\\[(.*)\\], 0\\)",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         const std::string element = m.str(1) + "[" + m.str(2) + "]";
         bool found = false;
         for (std::string& statement : f.compute) {
           const std::size_t at = statement.find(element, statement.find('='));
           if (at == std::string::npos) continue;
           statement.replace(at, element.size(), "fill(" + element + ", 0)");
           found = true;
         }
         return found;
       }},
      {"(\\w+): \\{min: (\\d+)\\}",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         f.symbols[m.str(1)]["min"] = std::stoll(m.str(2));
         return true;
       }},
      {"leave the loop (\\w+) of (\\w+) serial",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         unbind(f, m.str(2), m.str(1));
         return true;
       }},
      {"compute (\\w+) further out, before the loop \\w+: (inline: \\{.*\\})",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         remove_items(f, m.str(1), "inline");
         f.schedule[m.str(1)].push_back("{" + m.str(2) + "}");
         return true;
       }},
      {"keep (\\w+) in shared memory",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         if (edit_cache(f, m.str(1), "shared", true)) return true;
         remove_items(f, m.str(1), "memory");
         f.schedule[m.str(1)].push_back("{memory: shared}");
         return true;
       }},
      {"give (\\w+) a kernel of its own",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         if (edit_cache(f, m.str(1), "global", false)) return true;
         for (const char* key : {"memory", "inline"}) remove_items(f, m.str(1), key);
         f.schedule[m.str(1)].push_back("{memory: global}");
         return true;
       }},
      {"leave blocks: atomic out",
       [](RefusedFile& f, const std::smatch&, const std::string& message) {
         remove_items(f, first_word(message), "blocks");
         return true;
       }},
      {"(\\{rfactor: .*\\}), (\\{bind: .*\\}), with (\\w+): \\[(.*)\\]",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         const std::string tensor = m.str(3).substr(0, m.str(3).rfind("_parts"));
         f.schedule[tensor].push_back(m.str(1));
         f.schedule[tensor].push_back(m.str(2));
         f.schedule[m.str(3)].push_back(m.str(4));
         return true;
       }},
      {"split (\\w+), bind the outer loop to (\\w+) and rfactor the inner one, as (\\w+): "
       "\\[(.*)\\]",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         const std::string n = m.str(1), parts = m.str(3);
         const std::string tensor = parts.substr(0, parts.rfind("_parts"));
         std::vector<std::string>& list = f.schedule[tensor];
         for (std::string& item : list) {
           replace_all(item, "([{ ])" + n + ": " + m.str(2), "$1" + n + "_o: " + m.str(2));
         }
         const std::string outer = n + "_o", inner = n + "_i";
         list.insert(list.begin(), split(n, 4, outer, inner));
         list.push_back("{rfactor: {in: [" + inner + "], as: " + parts + "}}");
         list.push_back("{bind: {" + outer + ": Serial}}");
         f.schedule[parts].push_back(m.str(4));
         return true;
       }},
      {"let the blocks meet, (\\{blocks: atomic\\})",
       [](RefusedFile& f, const std::smatch& m, const std::string& message) {
         std::smatch t;
         if (!std::regex_search(message, t, std::regex("which (\\w+) folds"))) return false;
         f.schedule[t.str(1)].push_back(m.str(1));
         return true;
       }},
      {"(reorder: \\[.*?\\])",
       [](RefusedFile& f, const std::smatch& m, const std::string& message) {
         std::vector<std::string>& list = f.schedule[first_word(message)];
         list.push_back("{" + m.str(1) + "}");
         return true;
       }},
      {"bind (\\w+) to (\\w+)$",
       [](RefusedFile& f, const std::smatch& m, const std::string& message) {
         std::smatch t;
         if (!std::regex_search(message, t, std::regex("of (\\w+) is bound"))) return false;
         rebind(f, t.str(1), m.str(1), m.str(2));
         return true;
       }},
      {"bind one of them: (\\w+): \\[(.*)\\]",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         f.schedule[m.str(1)].push_back(m.str(2));
         return true;
       }},
      {"resize by nothing negative",
       [](RefusedFile& f, const std::smatch&, const std::string&) {
         const auto grow = [](std::string& item) {
           replace_all(item, "(left|right): -\\d+", "$1: 0");
         };
         for (auto& [name, list] : f.schedule) std::for_each(list.begin(), list.end(), grow);
         if (f.tensor)
           std::for_each(f.tensor->transforms.begin(), f.tensor->transforms.end(), grow);
         return true;
       }},
      {"use kind: (\\w+)",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         for (std::string& item : f.tensor->transforms)
           replace_all(item, "kind: xor", "kind: " + m.str(1));
         return true;
       }},
      {"strides: (\\[.*?\\])",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         if (!f.tensor) return false;
         f.tensor->strides = m.str(1);
         return true;
       }},
      {"split (\\w+) by (\\d+) and bind the inner loop",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         if (!f.tensor) return false;
         split_vector(*f.tensor, m.str(1), m.str(2));
         return true;
       }},
      {"split by (\\d+) instead",
       [](RefusedFile& f, const std::smatch& m, const std::string& message) {
         if (!f.tensor) return false;
         split_vector(*f.tensor, vector_in(message), m.str(1));
         return true;
       }},
      {"take the vector out of (\\w+), .* split by (\\d+)",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         if (!f.tensor) return false;
         split_vector(*f.tensor, m.str(1), m.str(2));
         return true;
       }},
      {"leave (\\w+) serial",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         if (!f.tensor) return false;
         std::erase_if(f.tensor->bind, [&](const auto& b) { return b.first == m.str(1); });
         return true;
       }},
  };
  return list;
}

// The first of the changes that the part of a help names, if it can be done to the file.
std::optional<RefusedFile> done_to(const RefusedFile& file, const std::string& part,
                                   const std::string& message, const std::vector<Change>& list) {
  for (const Change& change : list) {
    std::smatch match;
    if (!std::regex_search(part, match, std::regex(change.words))) continue;
    RefusedFile copy = file;
    if (change.act(copy, match, message)) return copy;
  }
  return std::nullopt;
}

}  // namespace

std::string first_word(const std::string& message) {
  return message.substr(0, message.find_first_of(" ,"));
}

void replace_all(std::string& text, const std::string& words, const std::string& by) {
  text = std::regex_replace(text, std::regex(words), by);
}

bool rebind(RefusedFile& file, const std::string& tensor, const std::string& loop,
            const std::string& type) {
  const std::vector<std::string> before = file.schedule[tensor];
  for (std::string& item : file.schedule[tensor]) {
    replace_all(item, "([{ ])" + loop + ": [A-Z]\\w+", "$1" + loop + ": " + type);
  }
  return file.schedule[tensor] != before;
}

bool remove_items(RefusedFile& file, const std::string& tensor, const std::string& key) {
  return std::erase_if(file.schedule[tensor],
                       [&](const std::string& item) { return item.rfind("{" + key, 0) == 0; }) > 0;
}

std::string RefusedFile::text() const {
  std::string all;
  if (!symbols.empty()) {
    all += "symbols:\n";
    for (const auto& [name, known] : symbols) {
      Named entries;
      for (const auto& [key, value] : known) entries.emplace_back(key, std::to_string(value));
      all += "  " + name + ": " + map_of(entries) + "\n";
    }
  }
  if (!facts.empty()) all += "facts:\n";
  for (const std::string& fact : facts) all += "  - \"" + fact + "\"\n";
  if (tensor) {
    const Tensor& t = *tensor;
    all += "tensors:\n  T0:\n    dtype: " + t.dtype + "\n    logical: " + axes_of(t.logical) + "\n";
    if (!t.strides.empty()) all += "    strides: " + t.strides + "\n";
    if (!t.transforms.empty()) all += "    transforms:\n";
    for (const std::string& step : t.transforms) all += "      - " + step + "\n";
    if (!t.loop.empty()) all += "    loop: " + bracketed(t.loop) + "\n";
    if (!t.bind.empty()) all += "    bind: " + map_of(t.bind) + "\n";
    for (const std::string& line : t.rest) all += "    " + line + "\n";
    return all;
  }
  all += "inputs: " + map_of(inputs) + "\n";
  if (!outputs.empty()) all += "outputs: " + map_of(outputs) + "\n";
  all += "compute:\n";
  for (const std::string& statement : compute) all += "  - \"" + statement + "\"\n";
  std::string lists;
  for (const auto& [name, list] : schedule) {
    if (list.empty()) continue;
    const bool is_inline = list.size() == 1 && list[0] == "inline";
    lists += "  " + name + ": " + (is_inline ? list[0] : bracketed(list)) + "\n";
  }
  if (!lists.empty()) all += "schedule:\n" + lists;
  return all;
}

std::vector<RefusedFile> mended(const RefusedFile& file, const std::string& message,
                                const std::string& help) {
  std::vector<RefusedFile> files;
  for (const std::string& part : parts_of(help)) {
    for (const auto* list : {&tile_changes(), &schedule_changes(), &changes()}) {
      if (list == &tile_changes() && !file.tensor) continue;
      if (auto done = done_to(file, part, message, *list)) {
        files.push_back(std::move(*done));
        break;
      }
    }
  }
  return files;
}

}  // namespace selvage::test
