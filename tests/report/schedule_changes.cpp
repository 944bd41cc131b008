// What helps say of schedules, statements and sizes, as changes of a file.
#include "tests/report/refused_file.h"

#include <algorithm>

#include "tests/report/file_items.h"
#include "tests/report/file_text.h"

namespace selvage::test {

namespace {

using Match = std::smatch;

// Each match, as the expression says; a copy of the text must outlive it.
std::vector<Match> all_of(const std::string& text, const char* words) {
  const std::regex expression(words);
  return {std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()};
}

// In every statement.
bool rewrite(RefusedFile& file, const std::string& words, const std::string& by) {
  const std::vector<std::string> before = file.compute;
  for (std::string& statement : file.compute) replace_all(statement, words, by);
  return file.compute != before;
}

// In every item of every list.
bool reschedule(RefusedFile& file, const std::string& words, const std::string& by) {
  const auto before = file.schedule;
  for (auto& [tensor, list] : file.schedule) {
    for (std::string& item : list) replace_all(item, words, by);
  }
  return file.schedule != before;
}

bool reschedule(RefusedFile& file, const std::string& tensor, const std::string& words,
                const std::string& by) {
  const std::vector<std::string> before = file.schedule[tensor];
  for (std::string& item : file.schedule[tensor]) replace_all(item, words, by);
  return file.schedule[tensor] != before;
}

// The loop, split, and what was bound bound inside.
bool bind_inner(RefusedFile& file, const std::string& tensor, const std::string& loop,
                const std::string& factor) {
  std::vector<std::string>& list = file.schedule[tensor];
  const std::string outer = loop + "_o", inner = loop + "_i";
  if (!reschedule(file, tensor, "([{ ])" + loop + ": ([A-Z]\\w+)", "$1" + inner + ": $2")) {
    return false;
  }
  const auto at = std::find_if(list.begin(), list.end(), [&](const std::string& item) {
    return item.find(inner + ": ") != std::string::npos;
  });
  list.insert(at, split(loop, factor, outer, inner));
  return true;
}

// What the tensor is declared with is another.
bool redeclare(RefusedFile& file, const std::string& tensor, const std::string& words,
               const std::string& by) {
  for (auto& [name, array] : file.inputs) {
    if (name != tensor) continue;
    const std::string before = array;
    array =
        std::regex_replace(array, std::regex(words), by, std::regex_constants::format_first_only);
    return array != before;
  }
  return false;
}

// The names in brackets, and of the operands, of the statement that computes the tensor.
std::vector<std::string> names_in(const RefusedFile& file, const std::string& tensor, bool left) {
  for (const std::string& statement : file.compute) {
    if (first_word(statement).substr(0, tensor.size() + 1) != tensor + "[") continue;
    const std::string side =
        left ? statement.substr(0, statement.find('=')) : statement.substr(statement.find('='));
    std::vector<std::string> names;
    for (const Match& m : all_of(side, "[\\[ ](\\w+)(?=[,\\]])")) names.push_back(m.str(1));
    return names;
  }
  return {};
}

bool widen_literal(RefusedFile& file, const std::string& type, const std::string& literal) {
  return rewrite(file, "\\(" + literal + "\\)", type + "(" + literal + ")") ||
         rewrite(file, "([-+*] )" + literal + "\\b", "$1" + type + "(" + literal + ")");
}

// The first operand whose declaration says so, cast.
bool cast_operand(RefusedFile& file, const std::string& declared, const std::string& type) {
  for (const auto& [name, array] : file.inputs) {
    if (array.find("dtype: " + declared + "}") == std::string::npos) continue;
    return rewrite(file, "\\b(" + name + "\\[[^\\]]*\\])", type + "($1)");
  }
  return false;
}

bool merge_alike(RefusedFile& file, const std::string& message) {
  const auto m = found(message, "^(\\w+) folds over (\\w+) and not over (\\w+):");
  if (!m) return false;
  const std::vector<std::string> kept = names_in(file, m->str(1), true);
  std::vector<std::string> folded;
  for (const std::string& name : names_in(file, m->str(1), false)) {
    if (std::find(kept.begin(), kept.end(), name) == kept.end()) folded.push_back(name);
  }
  const std::vector<std::string>& pair = kept.size() > 1 ? kept : folded;
  if (pair.size() < 2) return false;
  return reschedule(file, m->str(1), "in: \\[\\w+, \\w+\\]",
                    "in: [" + pair[0] + ", " + pair[1] + "]");
}

bool split_and_take_half(RefusedFile& file, const std::string& message) {
  const auto m = found(message, "a part of (\\w+) would fold over all of it, (\\w+)");
  if (!m) return false;
  std::vector<std::string>& list = file.schedule[m->str(1)];
  const std::string loop = m->str(2);
  const auto at = std::find_if(list.begin(), list.end(), [](const std::string& item) {
    return item.rfind("{rfactor", 0) == 0;
  });
  if (at == list.end()) return false;
  replace_all(*at, "in: \\[.*?\\]", "in: [" + loop + "_i]");
  list.insert(at, split(loop, 2, loop + "_o", loop + "_i"));
  return true;
}

// A read of too few or too many subscripts.
bool read_every_axis(RefusedFile& file, const std::string& message) {
  const auto m = found(message, "^(\\w+) has rank (\\d+) and is read at (\\d+)");
  if (!m) return false;
  const int rank = std::stoi(m->str(2));
  for (int given = std::stoi(m->str(3)); given < rank; ++given) {
    if (!rewrite(file, "\\b" + m->str(1) + "\\[([^\\]]*)\\]", m->str(1) + "[$1, 0]")) return false;
  }
  for (int given = std::stoi(m->str(3)); given > rank; --given) {
    if (!rewrite(file, "\\b" + m->str(1) + "\\[([^\\]]*), \\w+\\]", m->str(1) + "[$1]")) {
      return false;
    }
  }
  return true;
}

constexpr const char* kTwoExtents =
    "index (\\w+) has extent (\\w+) in (\\w+)\\[.* and (\\w+) in (\\w+)\\[";

}  // namespace

const std::vector<Change>& schedule_changes() {
  using File = RefusedFile;
  using Text = std::string;
  static const std::vector<Change> list = {
      {"bind it to BIDx",
       [](File& f, const Match&, const Text& message) {
         const auto m = found(message, "binding (\\w+)");
         return m && reschedule(f, m->str(1) + ": [A-Z]\\w+", m->str(1) + ": BIDz");
       }},
      {"leave it serial",
       [](File& f, const Match&, const Text& message) {
         const auto m = found(message, "binding (\\w+)");
         return m && reschedule(f, m->str(1) + ": [A-Z]\\w+", m->str(1) + ": Serial");
       }},
      {"leave inline out of the schedule of (\\w+)",
       [](File& f, const Match& m, const Text&) { return remove_items(f, m.str(1), "inline"); }},
      {"leave inline out",
       [](File& f, const Match&, const Text& message) {
         return f.schedule.erase(first_word(message)) > 0;
       }},
      {"take (\\w+), which is computed in loops",
       [](File& f, const Match& m, const Text& message) {
         return reschedule(f, "into: " + first_word(message), "into: " + m.str(1));
       }},
      {"compute (\\w+) there as well, (inline: \\{.*?\\})",
       [](File& f, const Match& m, const Text&) {
         f.schedule[m.str(1)].push_back("{" + m.str(2) + "}");
         return true;
       }},
      {"cache it, and keep the copy there: (\\{cache: .*?\\}\\})",
       [](File& f, const Match& m, const Text& message) {
         const bool was_kept = remove_items(f, first_word(message), "memory");
         f.schedule[first_word(message)].push_back(m.str(1));
         return was_kept;
       }},
      {"keep it in global memory$",
       [](File& f, const Match&, const Text& message) {
         const bool was_kept = remove_items(f, first_word(message), "memory");
         f.schedule[first_word(message)].push_back("{memory: global}");
         return was_kept;
       }},
      {"leave the cache out",
       [](File& f, const Match&, const Text& message) {
         const auto m = found(message, "nothing reads (\\w+)");
         return m && remove_items(f, m->str(1), "cache");
       }},
      {"say where (\\w+) itself is kept: (memory: \\w+)",
       [](File& f, const Match& m, const Text&) {
         const bool was_cached = remove_items(f, m.str(1), "cache");
         f.schedule[m.str(1)].push_back("{" + m.str(2) + "}");
         return was_cached;
       }},
      {"leave the rfactor out",
       [](File& f, const Match&, const Text& message) {
         return remove_items(f, first_word(message), "rfactor");
       }},
      {"take (?:some|one) of (?!the two)(\\w+)",
       [](File& f, const Match& m, const Text&) {
         return reschedule(f, "(rfactor: \\{in: )\\[.*?\\]", "$1[" + m.str(1) + "]");
       }},
      {"split a loop, and take one of the two",
       [](File& f, const Match&, const Text& message) { return split_and_take_half(f, message); }},
      {"leave like out",
       [](File& f, const Match&, const Text& message) {
         for (auto& [tensor, items] : f.schedule) {
           const bool is_meant = tensor == first_word(message) ||
                                 found(items.empty() ? "" : items.back(), "like: ").has_value();
           if (is_meant && remove_items(f, tensor, "like")) return true;
         }
         return false;
       }},
      {"cut one of the two up by itself, without like",
       [](File& f, const Match&, const Text& message) {
         const auto m = found(message, "the lists of (\\w+)");
         return m && remove_items(f, m->str(1), "like");
       }},
      {"leave one of the two out",
       [](File& f, const Match&, const Text& message) {
         const auto m = found(message, "where (\\w+) is computed");
         if (!m || f.schedule[m->str(1)].empty()) return false;
         f.schedule[m->str(1)].pop_back();
         return true;
       }},
      {"split (\\w+ of \\w+.*) by (\\d+) or less, and bind the inner parts? alone",
       [](File& f, const Match& m, const Text&) {
         const Text loops = m.str(1);
         bool done = true;
         for (const Match& loop : all_of(loops, "(\\w+) of (\\w+)")) {
           done = done && bind_inner(f, loop.str(2), loop.str(1), m.str(2));
         }
         return done;
       }},
      {"leave (\\w+ of \\w+.*) serial",
       [](File& f, const Match& m, const Text&) {
         const Text loops = m.str(1);
         bool done = true;
         for (const Match& loop : all_of(loops, "(\\w+) of (\\w+)")) {
           done = done && rebind(f, loop.str(2), loop.str(1), "Serial");
         }
         return done;
       }},
      {"put what it folds over last, (reorder: \\[.*?\\])",
       [](File& f, const Match& m, const Text& message) {
         const auto tensor = found(message, "keeps of (\\w+)");
         if (tensor) f.schedule[tensor->str(1)].push_back("{" + m.str(1) + "}");
         return tensor.has_value();
       }},
      {"put outer loops before inner ones, (reorder: \\[.*?\\])",
       [](File& f, const Match& m, const Text& message) {
         const auto tensor = found(message, "the loops of (\\w+)");
         if (tensor) f.schedule[tensor->str(1)].push_back("{" + m.str(1) + "}");
         return tensor.has_value();
       }},
      {"bind (\\w+) of (\\w+) to (\\w+)$",
       [](File& f, const Match& m, const Text&) {
         return rebind(f, m.str(2), m.str(1), m.str(3));
       }},
      {"transform loops that are folded over, or",
       [](File& f, const Match&, const Text& message) { return merge_alike(f, message); }},
      {"make the extents equal",
       [](File& f, const Match&, const Text& message) {
         const auto m = found(message, kTwoExtents);
         return m && redeclare(f, m->str(5), "\\b" + m->str(4) + "\\b", m->str(2));
       }},
      {"read the axis of extent 1 with the subscript 0",
       [](File& f, const Match&, const Text& message) {
         const auto m = found(message, kTwoExtents);
         if (!m) return false;
         const Text tensor = m->str(2) == "1" ? m->str(3) : m->str(5);
         return rewrite(f, "\\b(" + tensor + "\\[[^\\]]*)\\b" + m->str(1) + "\\b", "$010");
       }},
      {"give one subscript for each axis",
       [](File& f, const Match&, const Text& message) { return read_every_axis(f, message); }},
      {"put it on the left",
       [](File& f, const Match&, const Text& message) {
         const auto m = found(message, "^(\\w+) is neither an index of (\\w+)");
         if (!m) return false;
         for (auto& [name, declared] : f.outputs) {
           if (name == m->str(2)) declared = "{}";
         }
         return rewrite(f,
                        "^" + m->str(2) + "\\[(.*?)\\] =", m->str(2) + "[$1, " + m->str(1) + "] =");
       }},
      {"fold over it, such as sum",
       [](File& f, const Match&, const Text& message) {
         const auto m = found(message, "^(\\w+) is neither an index of (\\w+)");
         return m && rewrite(f, "^(" + m->str(2) + "\\[.*?\\] = )(.*)$", "$1sum($2)");
       }},
      {"write (\\w+)\\((-?\\d+)\\)",
       [](File& f, const Match& m, const Text&) { return widen_literal(f, m.str(1), m.str(2)); }},
      {"cast what it meets to int64",
       [](File& f, const Match&, const Text&) { return cast_operand(f, "uint64", "int64"); }},
      {"write (u?int\\d+)\\(\\.\\.\\.\\)",
       [](File& f, const Match& m, const Text& message) {
         const auto both = found(message, "both the (\\w+) and the uint64");
         return both && cast_operand(f, m.str(1) == "uint64" ? both->str(1) : "uint64", m.str(1));
       }},
      {"smaller|by less",
       [](File& f, const Match&, const Text&) {
         const Text large = "\\b\\d{6,}\\b";
         bool done = reschedule(f, large, "8");
         for (auto& [name, array] : f.inputs) done |= redeclare(f, name, large, "8");
         return done;
       }},
  };
  return list;
}

}  // namespace selvage::test
