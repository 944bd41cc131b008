#include "tests/report/text_changes.h"

#include <algorithm>

namespace selvage::test {

namespace {

using Match = std::smatch;

// The place that stands in a note, such as "the first is at a.yaml:3:7".
std::optional<std::size_t> noted(const FileText& file, const Diagnostic& told) {
  for (const std::string& note : told.notes) {
    if (const auto m = found(note, ":(\\d+):(\\d+)$")) {
      return file.offset(std::stoi(m->str(1)), std::stoi(m->str(2)));
    }
  }
  return std::nullopt;
}

// All brackets of the line that stay open are closed at its end.
bool close_brackets(FileText& file, std::size_t open) {
  std::string closers;
  const std::size_t end = std::min(file.text.find('\n', open), file.text.size());
  bool is_quoted = false;
  for (std::size_t k = file.text.rfind('\n', open) + 1; k < end; ++k) {
    const char c = file.text[k];
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (c == '[' || c == '{') closers.insert(closers.begin(), c == '[' ? ']' : '}');
    if (c != ']' && c != '}') continue;
    if (!closers.empty() && closers[0] == c) {
      closers.erase(0, 1);
    } else {
      return false;
    }
  }
  file.text.insert(end, closers);
  return !closers.empty();
}

// ---- The form of a file: E1 ----

const std::vector<TextChange>& form_changes() {
  static const std::vector<TextChange> list = {
      {"^close the bracket, and put a comma between",
       [](const Told& t, const Match&) {
         const auto open = noted(t.file, t.diagnostic);
         if (open && close_brackets(t.file, *open)) return true;
         t.file.text.insert(t.at, ", ");
         return true;
       }},
      {"^remove it, or quote (?:the text that it belongs to|text)|^remove it$",
       [](const Told& t, const Match&) {
         if (t.file.text[t.at] == '&' || t.file.text[t.at] == '!') {
           const std::size_t end = t.file.text.find(' ', t.at);
           t.file.text.erase(t.at, end - t.at + 1);
         } else {
           t.file.text.erase(t.at, 1);
         }
         return true;
       }},
      {"^save it as UTF-8",
       [](const Told& t, const Match&) {
         t.file.text.erase(t.at, 1);
         return true;
       }},
      {"^write one document a file",
       [](const Told& t, const Match&) {
         t.file.text.erase(std::min(t.file.text.rfind("---", t.at), t.at));
         return true;
       }},
      {"^indent with spaces",
       [](const Told& t, const Match&) {
         std::replace(t.file.text.begin(), t.file.text.end(), '\t', ' ');
         return true;
       }},
      {"^write a schedule, such as",
       [](const Told& t, const Match&) {
         t.file.text = t.mistake.put_right;
         return true;
       }},
      {"^quote text that holds ': '",
       [](const Told& t, const Match&) {
         const std::size_t line = t.file.text.rfind('\n', t.at) + 1;
         const std::size_t begin = t.file.text.find(": ", line) + 2;
         const std::size_t end = std::min(t.file.text.find('\n', begin), t.file.text.size());
         t.file.text.insert(end, "'");
         t.file.text.insert(begin, "'");
         return true;
       }},
      {"^quote the text|quote text that begins",
       [](const Told& t, const Match&) {
         const TextSpan span = t.file.value(t.at);
         const std::string text(t.file.at(span));
         return t.replace_value("'" + text + "'");
       }},
      {"^add the closing quote",
       [](const Told& t, const Match&) {
         const std::size_t end = std::min(t.file.text.find('\n', t.at), t.file.text.size());
         t.file.text.insert(end, "\"");
         return true;
       }},
      {"^indent it like the (?:entries|items) it belongs to",
       [](const Told& t, const Match&) {
         const std::size_t line = t.file.text.rfind('\n', t.at) + 1;
         const std::size_t first = t.file.text.find_first_not_of(" -", line);
         t.file.text.erase(line, first - line);
         return true;
       }},
      {"^write the value out", [](const Told& t, const Match&) { return t.put_right(); }},
      {"^split the file",
       [](const Told& t, const Match&) {
         t.file.text = t.mistake.put_right;
         return true;
       }},
      {"^(?:write a shorter one|use several statements|use fewer axes|merge some|nest less deeply)",
       [](const Told& t, const Match&) { return t.put_right(); }},
      {"^remove or rename one of the two$",
       [](const Told& t, const Match&) {
         t.file.remove_entry(t.at);
         return true;
       }},
      {"^it may (?:also )?have (\\w+)|^remove it: no other key",
       [](const Told& t, const Match&) {
         if (!t.mistake.put_right.empty()) return t.replace_word(t.mistake.put_right);
         t.file.remove_entry(t.at);
         return true;
       }},
      {"^add the quote that is missing in line",
       [](const Told& t, const Match&) {
         t.file.text = t.mistake.put_right;
         return true;
       }},
      {"^write '(.)' for it$",
       [](const Told& t, const Match& m) {
         t.file.text.replace(t.at, 1, m.str(1));
         return true;
       }},
      {"^remove it, or begin a line with it",
       [](const Told& t, const Match&) {
         t.file.text.erase(t.at, t.file.text.find('\n', t.at) - t.at);
         return true;
       }},
      {"^write its indices as a list",
       [](const Told& t, const Match&) {
         t.file.replace(t.file.value(t.at - 1), t.mistake.put_right);
         return true;
       }},
      {"^write 'key: value'", [](const Told& t, const Match&) { return t.replace_value("a"); }},
      {"^write one '- key: ...' for each",
       [](const Told& t, const Match&) {
         t.file.text.replace(t.at - 2, 2, "}, {");
         return true;
       }},
      {"such as (\\d+)$", [](const Told& t, const Match& m) { return t.replace_value(m.str(1)); }},
      {"^leave out the leading zeros",
       [](const Told& t, const Match&) {
         const std::size_t end = t.file.text.find_first_not_of('0', t.at);
         t.file.text.erase(t.at, end - t.at);
         return true;
       }},
      {"^integers lie between -9223372036854775808 and|^use a smaller integer|"
       "^use a number that a double can hold",
       [](const Told& t, const Match&) { return t.replace_word("8"); }},
      {"^write true or false", [](const Told& t, const Match&) { return t.replace_value("true"); }},
      {"^add '(\\w+): ...'$",
       [](const Told& t, const Match& m) {
         t.file.add_entry(t.at, m.str(1) + ": " + t.mistake.put_right);
         return true;
       }},
      {"such as in: 4,",
       [](const Told& t, const Match&) {
         t.file.text.insert(t.file.word(t.at).end, ", in: 4");
         return true;
       }},
  };
  return list;
}

// ---- Values and expressions: E3 ----

// The value of a key in the map of a symbol, which gets one where it has none.
void set_known(FileText& file, const std::string& symbol, const std::string& key,
               const std::string& value) {
  const std::size_t map = file.text.find('{', file.text.find(symbol + ": {"));
  const std::size_t at = file.text.find(key + ": ", map);
  if (at < file.value(map).end) {
    file.replace(file.value(at + key.size() + 2), value);
  } else {
    file.add_entry(map, key + ": " + value);
  }
}

std::string times(int count, const std::string& item) {
  std::string list;
  for (int k = 0; k < count; ++k) list += (k > 0 ? ", " : "") + item;
  return "[" + list + "]";
}

const std::vector<TextChange>& value_changes() {
  static const std::vector<TextChange> list = {
      {"^(?:write (?:an integer expression|a number|\\[a, b\\]|\\{|one value|one name|\\[)|"
       "use \\+ - \\* / %|name (?:one|two)|describe one|write what is run|"
       "write one integer|write one, such as)",
       [](const Told& t, const Match&) {
         return !t.mistake.put_right.empty() && t.replace_all_of_it(t.mistake.put_right);
       }},
      {"^write /, which divides integers",
       [](const Told& t, const Match&) {
         t.file.text.erase(t.file.text.find("//", t.at), 1);
         return true;
       }},
      {"^declare it under symbols",
       [](const Told& t, const Match&) {
         t.file.add_entry(t.file.text.find("symbols: {") + 9, t.word() + ": {}");
         return true;
       }},
      {"^compare with <",
       [](const Told& t, const Match&) {
         const TextSpan span = t.file.value_around(t.at);
         t.file.text.insert(span.end - (t.file.text[span.end - 1] == '"' ? 1 : 0), " > 0");
         return true;
       }},
      {"^write one of them$",
       [](const Told& t, const Match&) {
         const auto m = found(t.diagnostic.message, "is none of (\\w+)");
         return m && t.replace_word(m->str(1));
       }},
      {"^it is at (?:least|most) (-?\\d+)$",
       [](const Told& t, const Match& m) { return t.replace_value(m.str(1)); }},
      {"^write a number", [](const Told& t, const Match&) { return t.replace_value("4"); }},
      {"or give the symbol a value",
       [](const Told& t, const Match&) {
         const auto m = found(t.diagnostic.message, "([A-Z]\\w*)[^A-Z]* of ");
         if (!m) return false;
         t.file.text += "sizes: {" + m->str(1) + ": 8}\n";
         return true;
       }},
      {"^give one for each",
       [](const Told& t, const Match&) {
         const auto m = found(t.diagnostic.message, "^(\\w+).* for (\\d+) ");
         if (!m) return false;
         const int count = std::stoi(m->str(2));
         if (m->str(1) == "contiguity") return t.replace_value(times(count, "true"));
         return t.replace_value(count == 2 ? "[1000, 1]" : times(count, "8"));
       }},
      {"^write false under contiguity",
       [](const Told& t, const Match&) {
         const std::size_t key = t.file.text.rfind("contiguity: ", t.at) + 12;
         const TextSpan list = t.file.value(key);
         std::string all(t.file.at(list));
         all = std::regex_replace(all, std::regex("true"), "false");
         t.file.replace(list, all);
         return true;
       }},
      {"or leave contiguity out",
       [](const Told& t, const Match&) {
         t.file.remove_entry(t.file.text.rfind("contiguity: ", t.at));
         return true;
       }},
      {"^give it a larger value",
       [](const Told& t, const Match&) {
         const auto m = found(t.diagnostic.message, "below its min (\\d+)");
         return m && t.replace_value(m->str(1));
       }},
      {"^give it a smaller value",
       [](const Told& t, const Match&) {
         const auto m = found(t.diagnostic.message, "above its max (\\d+)");
         return m && t.replace_value(m->str(1));
       }},
      {"or a (?:smaller (min)|larger (max))$",
       [](const Told& t, const Match& which) {
         const auto m = found(t.diagnostic.message, "^the value (\\d+) of (\\w+)");
         if (!m) return false;
         set_known(t.file, m->str(2), which.str(1) + which.str(2), m->str(1));
         return true;
       }},
      {"declared so: symbols: \\{(\\w+): \\{min: 0\\}\\}",
       [](const Told& t, const Match& m) {
         set_known(t.file, m.str(1), "min", "0");
         return true;
       }},
      {"^give it a value that multiple_of divides",
       [](const Told& t, const Match&) {
         const auto m = found(t.diagnostic.message, "no multiple of (\\d+)");
         return m && t.replace_value(std::to_string(2 * std::stoi(m->str(1))));
       }},
      {"^give it a max that is not below its min",
       [](const Told& t, const Match&) {
         const auto m = found(t.diagnostic.message, "at least (\\d+)");
         return m && t.replace_value(m->str(1));
       }},
      {"^give it a larger max",
       [](const Told& t, const Match&) { return t.replace_value("576576"); }},
      {"^correct it, or the symbols, sizes and facts before it",
       [](const Told& t, const Match&) { return t.put_right(); }},
      {"^write one file for each",
       [](const Told& t, const Match&) {
         t.file.remove_entry(t.at);
         return true;
       }},
      {"^write 'tensors:' to look at",
       [](const Told& t, const Match&) {
         t.file.text = t.mistake.put_right;
         return true;
       }},
      {"^write by: ldst", [](const Told& t, const Match&) { return t.replace_value("ldst"); }},
      {"^leave stages out",
       [](const Told& t, const Match&) {
         t.file.remove_entry(t.at - 8);
         return true;
       }},
      {"^use indices and integers in subscripts",
       [](const Told& t, const Match&) { return t.replace_value(t.mistake.put_right); }},
      {"^write (\\w+)\\[...\\] = ... once",
       [](const Told& t, const Match&) {
         t.file.text.erase(t.at, 1);
         return true;
       }},
      {"^write plain indices on the left$",
       [](const Told& t, const Match&) { return t.replace_value(t.mistake.put_right); }},
      {"^write safe\\(x\\[...\\]\\) or",
       [](const Told& t, const Match&) { return t.replace_word("safe"); }},
      {"^remove the statement",
       [](const Told& t, const Match&) {
         t.file.remove_entry(t.file.value_around(t.at).begin);
         return true;
       }},
      {"or put (\\w+) under outputs",
       [](const Told& t, const Match& m) {
         t.file.add_entry(t.file.text.find("outputs: {") + 9, m.str(1) + ": {}");
         return true;
       }},
      {"^leave it out, or correct its name",
       [](const Told& t, const Match&) {
         t.file.remove_entry(t.at);
         return true;
       }},
      {"^use what comes out of the first",
       [](const Told& t, const Match&) {
         const auto first = noted(t.file, t.diagnostic);
         if (!first) return false;
         const std::size_t out = t.file.text.find("out: ", *first) + 5;
         return t.replace_word(
             std::string(t.file.at(t.file.word(t.file.text[out] == '[' ? out + 1 : out))));
       }},
      {"^name it once",
       [](const Told& t, const Match&) {
         t.file.remove_entry(t.at);
         return true;
       }},
  };
  return list;
}

// ---- Names, and words from a list: E2, E304 ----

const std::vector<TextChange>& name_changes() {
  static const std::vector<TextChange> list = {
      {"did you mean '([^']+)'",
       [](const Told& t, const Match& m) { return t.replace_word(m.str(1)); }},
      {"^choose another name, such as '([^']+)'",
       [](const Told& t, const Match& m) {
         const std::string word = t.word();
         t.file.rename(word, m.str(1));
         return true;
       }},
      {"^names consist of letters, digits and '_'",
       [](const Told& t, const Match&) {
         const auto m = found(t.diagnostic.message, "'(.*)' is not a name");
         if (!m) return false;
         std::string by = "n_";
         for (const char c : m->str(1)) by += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
         t.file.rename(m->str(1), by);
         return true;
       }},
      {"^names have at most 64 characters",
       [](const Told& t, const Match&) {
         const std::string word = t.word();
         t.file.rename(word, word.substr(0, 64));
         return true;
       }},
      {"^leave out the underscores",
       [](const Told& t, const Match&) {
         const std::string word = t.word();
         const std::size_t first = word.find_first_not_of('_');
         t.file.rename(word, first == std::string::npos ? "n" : word.substr(first));
         return true;
       }},
      {"^choose a name without '_stride_'",
       [](const Told& t, const Match&) {
         t.file.rename(t.word(), "n");
         return true;
       }},
      {"^rename one of the two$|^choose another name$|^give (?:it|the array) another "
       "(?:name|label)|"
       "^name the index otherwise|^go over another index",
       [](const Told& t, const Match&) { return t.replace_word("fresh"); }},
      {"^name an iterdomain that is made before this line|^name a tensor that stands on the left|"
       "^use an index, a named value or a symbol|"
       "^name one of its loops",
       [](const Told& t, const Match&) { return t.replace_word(t.mistake.put_right); }},
      {"^(?:its loops|the loops of \\w+|the loops that read it) are (\\w+)",
       [](const Told& t, const Match& m) {
         // Of an item that takes a loop, the place is that of its key.
         const std::size_t in = t.file.text.find("in: ", t.at);
         const std::string word = t.word();
         if (word != "split" && word != "merge" && word != "resize") {
           return t.replace_word(m.str(1));
         }
         t.file.replace(t.file.word(in + 4), m.str(1));
         return true;
       }},
      {"^(?:name every loop once:|name every iterdomain that no transform takes:|all follows from|"
       "write read.loop: all of the logical domain follows from) (\\w+(?:, \\w+)*)$",
       [](const Told& t, const Match& m) { return t.replace_value("[" + m.str(1) + "]"); }},
      {"^name what no transform takes: (.*)$",
       [](const Told& t, const Match& m) {
         t.file.replace(t.file.value(t.file.text.rfind('[', t.at)), "[" + m.str(1) + "]");
         return true;
       }},
      {"^write memory: shared",
       [](const Told& t, const Match&) {
         const std::size_t key = t.file.text.find("memory: ");
         t.file.replace(t.file.value(key + 8), "shared");
         return true;
       }},
      {"or leave read out$",
       [](const Told& t, const Match&) {
         t.file.remove_entry(t.file.text.rfind("read: ", t.at));
         return true;
       }},
      {"^divide by what is never 0, such as (.*)$",
       [](const Told& t, const Match& m) {
         const std::string by = m.str(1);
         // The expression stands where it got its name, the place may be where that is used.
         if (const auto e = found(t.diagnostic.message, "'([^']*)' divides by")) {
           const std::string whole = e->str(1);
           const std::size_t at = t.file.text.find(whole);
           if (at != std::string::npos) {
             t.file.replace({at + whole.find_last_of("/%") + 2, at + whole.size()}, by);
             return true;
           }
         }
         std::string text(t.file.at(t.file.value_around(t.at)));
         // The last divisor, which may have a bracket around it.
         const std::size_t sign = text.find_last_of("/%,");
         if (sign == std::string::npos) return false;
         const std::size_t end = text[sign] == ',' ? text.find(')', sign) : text.find('"', sign);
         text.replace(sign + 1, std::min(end, text.size()) - sign - 1, " " + by);
         return t.replace_all_of_it(text[0] == '"' ? text : "\"" + text + "\"");
       }},
      {"^declare it under (inputs|arrays)",
       [](const Told& t, const Match& m) {
         const std::string name = t.word();
         t.file.add_entry(t.file.text.find(m.str(1) + ": {") + m.str(1).size() + 2,
                          name + ": {shape: [8], dtype: float}");
         return true;
       }},
      {"^schedule the tensors that read it",
       [](const Told& t, const Match&) {
         t.file.remove_entry(t.at);
         return true;
       }},
      {"^cache it, and schedule the copy",
       [](const Told& t, const Match&) {
         const std::size_t line = t.file.text.rfind('\n', t.at) + 1;
         const std::string name(t.file.at(t.file.word(line + 2)));
         const std::string copy = name + "_c";
         t.file.text.insert(line,
                            "  " + name + ": [{cache: {as: " + copy + ", memory: shared}}]\n");
         t.file.text.replace(t.file.text.find('\n', line) + 3, name.size(), copy);
         return true;
       }},
      {"^cache it, and take the copy",
       [](const Told& t, const Match&) {
         const std::string name = t.word(), copy = name + "_c";
         t.replace_word(copy);
         const std::string item = "{cache: {as: " + copy + ", memory: shared}}";
         const std::size_t list = t.file.text.find("\n  " + name + ": [");
         if (list != std::string::npos) {
           t.file.add_entry(list + name.size() + 5, item);
         } else {
           t.file.text.insert(t.file.text.find("schedule:\n") + 10,
                              "  " + name + ": [" + item + "]\n");
         }
         return true;
       }},
      {"^give it a statement of its own, (\\w+)\\[...\\] = ..., and read that in (\\w+)",
       [](const Told& t, const Match& m) {
         const std::string before = t.file.text;
         t.file.text = std::regex_replace(
             t.file.text, std::regex("\"" + m.str(2) + "\\[(.*?)\\] = (sum\\(.*?\\]\\))"),
             "\"" + m.str(1) + "[$1] = $2\", \"" + m.str(2) + "[$1] = " + m.str(1) + "[$1]");
         return t.file.text != before;
       }},
      {"^leave at out",
       [](const Told& t, const Match&) {
         t.file.remove_entry(t.at - 4);
         return true;
       }},
      {"loops of its own: (\\w+): \\[\\]",
       [](const Told& t, const Match& m) {
         t.file.text.insert(t.file.text.find("schedule:\n") + 10, "  " + m.str(1) + ": []\n");
         return true;
       }},
  };
  return list;
}

}  // namespace

std::optional<Match> found(const std::string& text, const char* words) {
  Match match;
  if (!std::regex_search(text, match, std::regex(words))) return std::nullopt;
  return match;
}

std::vector<Mistake> changed_as_told(const Mistake& mistake, const Diagnostic& told) {
  std::vector<Mistake> ways;
  for (const auto* list :
       {&form_changes(), &value_changes(), &name_changes(), &statement_changes()}) {
    for (const TextChange& change : *list) {
      Match match;
      if (!std::regex_search(told.help, match, std::regex(change.words))) continue;
      Mistake copy = mistake;
      const std::size_t at = copy.file.offset(told.place.line, told.place.column);
      if (change.act(Told{copy, copy.file, told, at}, match)) ways.push_back(std::move(copy));
    }
  }
  return ways;
}

}  // namespace selvage::test
