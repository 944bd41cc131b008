// What helps say of names, done to the text.
#include "tests/report/text_changes.h"

#include <cctype>

namespace selvage::test {

using Match = std::smatch;

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

}  // namespace selvage::test
