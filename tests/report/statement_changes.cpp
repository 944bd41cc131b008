// What helps say of statements and of thread programs, done to the text.
#include "tests/report/text_changes.h"

#include <algorithm>

namespace selvage::test {

namespace {

using Match = std::smatch;

// In the statement, or whatever else stands in quotes at the place.
bool rewrite(const Told& t, const std::string& words, const std::string& by) {
  const TextSpan span = t.file.value_around(t.at);
  const std::string before(t.file.at(span));
  const std::string after =
      std::regex_replace(before, std::regex(words), by, std::regex_constants::format_first_only);
  t.file.replace(span, after);
  return after != before;
}

bool replace_in_file(const Told& t, const std::string& words, const std::string& by) {
  const std::string before = t.file.text;
  t.file.text = std::regex_replace(before, std::regex(words), by);
  return t.file.text != before;
}

// A call gets so many operands: its first, or an element, as often.
bool take_operands(const Told& t) {
  const auto m = found(t.diagnostic.message, "^(\\w+) takes (\\d+) operands?, not (\\d+)");
  if (!m) return false;
  const TextSpan name = t.file.word(t.at);
  const TextSpan call{name.end, t.file.text.find(')', name.end) + 1};
  const TextSpan first = t.file.value(name.end + 1);
  std::string operand(t.file.at(first));
  if (t.file.text[first.begin] == ')') operand = "x[i, j]";
  std::string all;
  for (int k = 0; k < std::stoi(m->str(2)); ++k) all += (k > 0 ? ", " : "") + operand;
  t.file.replace(call, "(" + all + ")");
  return true;
}

// The statement that computes the tensor becomes the first one.
bool move_up(const Told& t, const std::string& tensor) {
  const std::size_t begin = t.file.text.find("\"" + tensor + "[");
  if (begin == std::string::npos) return false;
  const std::string statement(t.file.at(t.file.value(begin)));
  t.file.remove_entry(begin);
  t.file.add_entry(t.file.text.find("compute: [") + 9, statement);
  return true;
}

}  // namespace

const std::vector<TextChange>& statement_changes() {
  static const std::vector<TextChange> list = {
      {"^write (\\w+)\\[...\\]$",
       [](const Told& t, const Match& m) {
         return t.replace_word(m.str(1) + (m.str(1) == "w" ? "[j]" : "[i, j]"));
       }},
      {"^use an index of the left side, a symbol, or a tensor",
       [](const Told& t, const Match&) { return t.replace_word(t.mistake.put_right); }},
      {"^write a statement such as",
       [](const Told& t, const Match&) { return t.replace_all_of_it(t.mistake.put_right); }},
      {"^write pow\\(a, b\\)",
       [](const Told& t, const Match&) {
         return rewrite(t, "(\\w+(?:\\[.*?\\])?) \\*\\* (\\w+)", "pow($1, $2)");
       }},
      {"or a \\* a for a square",
       [](const Told& t, const Match&) {
         return rewrite(t, "(\\w+(?:\\[.*?\\])?) \\*\\* \\w+", "$1 * $1");
       }},
      {"^write select\\(c, a, b\\) for a if",
       [](const Told& t, const Match&) {
         return rewrite(t, "= (.*) if (.*) else (\\w+)", "= select($2, $1, $3)");
       }},
      {"^write select\\(c, a, b\\) for c \\?",
       [](const Told& t, const Match&) {
         return rewrite(t, "= (.*) \\? (.*) : (\\w+)", "= select($1, $2, $3)");
       }},
      {"^write an index for each axis",
       [](const Told& t, const Match&) {
         t.file.text.replace(t.at, 1, "k");
         return true;
       }},
      {"^write a (&&|\\|\\|) b$|^write (!)a$",
       [](const Told& t, const Match& m) { return t.replace_word(m.str(1) + m.str(2)); }},
      {"^write numbers like 4, (0.5)",
       [](const Told& t, const Match& m) {
         const std::size_t end = t.file.text.find_first_of(" \"", t.at);
         t.file.replace({t.at, end}, m.str(1));
         return true;
       }},
      {"^leave one of them out on the left",
       [](const Told& t, const Match&) {
         return rewrite(t, "(\\w)\\[(\\w), \\w\\] =", "$1[$2] =");
       }},
      {"or write the operand alone",
       [](const Told& t, const Match&) { return rewrite(t, "(?:sum|max)\\((.*)\\)", "$1"); }},
      {"^fold over an index that is not on the left",
       [](const Told& t, const Match&) {
         return rewrite(t, "\\[j\\]\\(x\\[i, j\\]", "[k](x[i, k]");
       }},
      {"^give every axis an index of its own",
       [](const Told& t, const Match&) { return t.replace_word("fresh"); }},
      {"^write plain indices on the left, such",
       [](const Told& t, const Match&) { return rewrite(t, "\\w\\[.*?\\] =", "t[i, j] ="); }},
      {"^write it around a subscript, such as",
       [](const Told& t, const Match&) {
         return rewrite(t, "(\\w+)\\(x\\[i, j\\]\\)", "x[$1(i), j]");
       }},
      {"^write (fill\\(.*\\)|safe\\(.*\\))$",
       [](const Told& t, const Match& m) { return rewrite(t, "(?:fill|safe)\\(.*\\)", m.str(1)); }},
      {"^use min, max, select, exp, (relu)",
       [](const Told& t, const Match& m) { return t.replace_word(m.str(1)); }},
      {"^give it as many", [](const Told& t, const Match&) { return take_operands(t); }},
      {"^write select\\(condition, a, b\\)",
       [](const Told& t, const Match&) {
         return rewrite(t, "select\\(.*\\)", "select(x[i, j] > 0, 1, 2)");
       }},
      {"^write (\\w+)\\(e\\)",
       [](const Told& t, const Match& m) {
         return rewrite(t, m.str(1) + "\\((.*?\\]).*\\)", m.str(1) + "($1)");
       }},
      {"or (var\\()e, 0\\)$",
       [](const Told& t, const Match&) { return rewrite(t, "var\\((.*?\\]).*\\)", "var($1, 0)"); }},
      {"^use sums of indices, integers and sizes.* such as (.*)$",
       [](const Told& t, const Match& m) {
         return rewrite(t, "x\\[[^,]*,", "x[" + m.str(1) + ",");
       }},
      {"^write it around the whole subscript, such as x\\[(.*)\\]$",
       [](const Told& t, const Match& m) {
         return rewrite(t, "x\\[[^,]*,", "x[" + m.str(1) + ",");
       }},
      {"^read a tensor at \\[(\\w+)\\]( inside)?",
       [](const Told& t, const Match& m) {
         if (!m.str(2).empty()) return rewrite(t, "(sum\\[\\w\\]\\()", "$1a[" + m.str(1) + "] + ");
         return rewrite(t, "= ", "= a[" + m.str(1) + "] + ");
       }},
      {"or give (\\w+) a shape under outputs",
       [](const Told& t, const Match& m) {
         const bool is_matrix = t.file.text.find("y[i, j]") != std::string::npos;
         return replace_in_file(
             t, "outputs: \\{" + m.str(1) + ": \\{",
             "outputs: {" + m.str(1) + ": {shape: [" + (is_matrix ? "8, 8" : "8") + "], ");
       }},
      {"^give the result another name",
       [](const Told& t, const Match&) {
         t.file.replace(t.file.word(t.file.value_around(t.at).begin + 1), "fresh");
         return true;
       }},
      {"^move its statement up",
       [](const Told& t, const Match&) {
         const auto m = found(t.diagnostic.message, "^\\w+");
         return m && move_up(t, m->str());
       }},
      {"^take (\\w+) out of the statement of (\\w+)",
       [](const Told& t, const Match& m) {
         return replace_in_file(t, "(\"" + m.str(2) + "\\[.*?= .*?)\\b" + m.str(1) + "\\[", "$1x[");
       }},
      {"^write (\\w+)\\(...\\) around what fills them",
       [](const Told& t, const Match& m) {
         return rewrite(t, "(fill\\(.*?\\], )(.*?)\\)\"", "$1" + m.str(1) + "($2))\"");
       }},
      {"or cast (\\w+) in a statement of its own",
       [](const Told& t, const Match& m) {
         if (!rewrite(t, "fill\\(" + m.str(1), "fill(fresh")) return false;
         t.file.add_entry(t.file.text.find("compute: [") + 9,
                          "\"fresh[i] = float(" + m.str(1) + "[i])\"");
         return true;
       }},

      // ---- Thread programs ----
      {"^write the loop: for:",
       [](const Told& t, const Match&) {
         return t.replace_all_of_it("{for: {index: k, in: 4, do: [\"B[q] += q\"]}}");
       }},
      {"^mask what is out of bounds",
       [](const Told& t, const Match&) {
         return rewrite(t, "(?:safe|fill|mirror)\\(([^,()]*)(?:, .*?)?\\)", "$1");
       }},
      {"^write //, which does",
       [](const Told& t, const Match&) { return rewrite(t, "([^/])/([^/])", "$1//$2"); }},
      {"^use \\+ - \\* // %, min and max",
       [](const Told& t, const Match&) { return rewrite(t, "B\\[.*\\] =", "B[q] ="); }},
      {"^smaller extents",
       [](const Told& t, const Match&) { return replace_in_file(t, "\\b\\d{7,}\\b", "8"); }},
      {"or a condition that compares the larger index with a number",
       [](const Told& t, const Match&) {
         return replace_in_file(t, "few: \"(.*?)\"", "few: \"p < 3\"");
       }},
      {"^smaller numbers",
       [](const Told& t, const Match&) { return replace_in_file(t, "\\b\\d{7,}\\b", "7"); }},
  };
  return list;
}

}  // namespace selvage::test
