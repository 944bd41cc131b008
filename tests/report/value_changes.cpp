// What helps say of values, expressions of sizes and lists of loops, done to the text.
#include "tests/report/text_changes.h"

#include <algorithm>

namespace selvage::test {

namespace {

using Match = std::smatch;

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

std::string repeated(int count, const std::string& item) {
  std::string list;
  for (int k = 0; k < count; ++k) list += (k > 0 ? ", " : "") + item;
  return "[" + list + "]";
}

}  // namespace

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
         if (m->str(1) == "contiguity") return t.replace_value(repeated(count, "true"));
         return t.replace_value(count == 2 ? "[1000, 1]" : repeated(count, "8"));
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
         const auto first = t.noted();
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

}  // namespace selvage::test
