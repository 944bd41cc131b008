// What the help of a refusal of a thread program says is done to the file, and the refusal is gone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <regex>

#include "checked.h"
#include "tests/support/counts.h"
#include "tests/threads/refused_programs.h"

namespace selvage {

namespace {

using namespace threads;

constexpr int kMostSteps = 8;  // one refusal may stand behind another of its code

std::vector<Diagnostic> told_of(const std::string& text) {
  try {
    return report_on(text).diagnostics;
  } catch (const BadFile& e) {
    return e.diagnostics();
  }
}

// A help as it is written in a file.
std::string in_yaml(std::string item) {
  item = std::regex_replace(item, std::regex("(when|if): (.*?), (do|async):"), "$1: \"$2\", $3:");
  return item[0] == '{' || item[0] == '"' ? item : "{" + item + "}";
}

// A file on which changes are made, each at places that it had before.
class Doer {
 public:
  Doer(const std::string& text, const Diagnostic& d)
      : text_(text), own_(offset(d.place.line, d.place.column)) {}

  // The programs that it becomes, one or two; none: the words name no change.
  std::vector<std::string> done(const std::string& words) {
    for (const Change& change : changes()) {
      std::smatch match;
      if (!std::regex_match(words, match, std::regex(change.words))) continue;
      std::vector<std::string> parts(match.begin(), match.end());
      change.act(*this, parts);
      std::stable_sort(edits_.begin(), edits_.end(),
                       [](const Edit& a, const Edit& b) { return a.from > b.from; });
      std::string text = text_;
      for (const Edit& e : edits_) text.replace(e.from, e.to - e.from, e.by);
      if (second_.empty()) return {text};
      return {text, second_};
    }
    return {};
  }

 private:
  struct Edit {
    std::size_t from, to;
    std::string by;
  };
  struct Span {
    std::size_t from, to;
  };
  using Parts = std::vector<std::string>;
  struct Change {
    const char* words;
    std::function<void(Doer&, const Parts&)> act;
  };

  static const std::vector<Change>& changes() {
    static const std::vector<Change> all = {
        {"write when: (.*?)(, which holds for one that gets here)?",
         [](Doer& x, const Parts& m) {
           const std::size_t from = x.text_.find("when: ", x.own_) + 6;
           x.edits_.push_back({from, x.text_.find('"', from + 1) + 1, "\"" + m[1] + "\""});
         }},
        {"write (sync: \\w+) behind the \\w+ at (\\S+) instead",
         [](Doer& x, const Parts& m) {
           x.erase(x.item(x.own_));
           x.put_behind(x.item(x.place(m[2])), m[1]);
         }},
        {"write (.*) in its place(, and (sync: \\w+) behind it)?",
         [](Doer& x, const Parts& m) {
           const Span item = x.item(x.own_);
           std::string by = in_yaml(m[1]);
           const std::size_t rest = by.find("[...]");
           if (rest != by.npos) by.replace(rest + 1, 3, x.body_of(item));
           x.edits_.push_back({item.from, item.to, by});
           if (!m[3].empty()) x.put_behind(item, m[3]);
         }},
        {"close the inthreads at (\\S+) in front of it, write (sync: \\w+), and open it again "
         "behind",
         [](Doer& x, const Parts& m) {
           const Span region = x.item(x.place(m[1])), item = x.item(x.own_);
           const Span body = x.inside(region);
           const std::string head = x.text_.substr(region.from, body.from - region.from);
           std::size_t next = item.to, last = item.from;
           while (x.text_[next] == ',' || x.text_[next] == ' ') ++next;
           while (x.text_[last - 1] == ',' || x.text_[last - 1] == ' ') --last;
           x.edits_.push_back({last, next, "]}}, {" + m[2] + "}, " + head});
         }},
        {"leave async out here",
         [](Doer& x, const Parts&) {
           const std::string words = "async: true, ";
           const std::size_t from = x.text_.find(words, x.own_);
           x.edits_.push_back({from, from + words.size(), ""});
         }},
        {"make it asynchronous, async: true",
         [](Doer& x, const Parts&) {
           const std::size_t from = x.text_.find("do: [", x.own_);
           x.edits_.push_back({from, from, "async: true, "});
         }},
        {"leave it out|take it out", [](Doer& x, const Parts&) { x.erase(x.item(x.own_)); }},
        {"put (.*) in front of (\\S+)",
         [](Doer& x, const Parts& m) {
           const Span item = x.item(x.place(m[2]));
           x.edits_.push_back({item.from, item.from, in_yaml(m[1]) + ", "});
         }},
        {"put (.*) at the end of the for at (\\S+)",
         [](Doer& x, const Parts& m) {
           const Span body = x.inside(x.item(x.place(m[2])));
           x.edits_.push_back({body.to, body.to, ", " + in_yaml(m[1])});
         }},
        {"give (\\w+) the shape (\\[.*?\\]) and write (.*) for \\w+\\[\\.\\.\\.\\]",
         [](Doer& x, const Parts& m) { x.add_axis(m[1], m[2], m[3]); }},
        {"give (\\w+ the extent .*)", [](Doer& x, const Parts& m) { x.give_extents(m[1]); }},
        {"give (\\w+ the shape .*)",
         [](Doer& x, const Parts& m) {
           const std::regex form("(\\w+) the shape (\\[[^\\]]*\\])");
           for (std::sregex_iterator e(m[1].begin(), m[1].end(), form), end; e != end; ++e) {
             const std::size_t from = x.shape_of(e->str(1));
             x.edits_.push_back({from, x.closed(from), e->str(2)});
           }
         }},
        {"keep (\\w+) in global memory",
         [](Doer& x, const Parts& m) {
           const std::size_t from = x.text_.find(", memory: ", x.shape_of(m[1]));
           x.edits_.push_back({from, x.text_.find('}', from), ""});
         }},
        {"write (.*) for the level at (\\S+)",
         [](Doer& x, const Parts& m) {
           const Span level = x.item(x.place(m[2]));
           x.edits_.push_back({level.from, level.to, m[1]});
         }},
        {"write the levels there as (.*)",
         [](Doer& x, const Parts& m) {
           const std::size_t from = x.text_.rfind("[{", x.own_ + 1) + 1;
           std::size_t list = from;
           while (x.closed(list - 1) < x.own_) list = x.text_.rfind("[{", list - 2) + 1;
           x.edits_.push_back({list, x.closed(list - 1) - 1, m[1]});
         }},
        {"make two kernels of it, the second from (\\S+) on",
         [](Doer& x, const Parts& m) {
           const std::size_t at = x.item(x.place(m[1])).from, end = x.text_.rfind(']');
           const std::size_t body = x.text_.find("body: [") + 7;
           x.second_ = x.text_.substr(0, body) + x.text_.substr(at);
           x.edits_.push_back({at - 2, end, ""});
         }},
        {"put (for: .*) around (the body|what stands in the parallel at (\\S+)), and write (.*) in "
         "its place",
         [](Doer& x, const Parts& m) {
           const Span item = x.item(x.own_);
           x.edits_.push_back({item.from, item.to, in_yaml(m[4])});
           Span body{x.text_.find("body: [") + 7, x.text_.rfind(']')};
           if (!m[3].empty()) body = x.inside(x.item(x.place(m[3])));
           const std::string around = in_yaml(m[1]);
           const std::size_t rest = around.find("...");
           x.edits_.push_back({body.from, body.from, around.substr(0, rest)});
           x.edits_.push_back({body.to, body.to, around.substr(rest + 3)});
         }},
    };
    return all;
  }

  // ---- the text ----

  std::size_t offset(int line, int column) const {
    std::size_t at = 0;
    for (int k = 1; k < line; ++k) at = text_.find('\n', at) + 1;
    return at + std::size_t(column) - 1;
  }
  std::size_t place(const std::string& words) const {
    return offset(std::stoi(words), std::stoi(words.substr(words.find(':') + 1)));
  }
  // Behind the bracket that closes the one here.
  std::size_t closed(std::size_t at) const {
    bool is_quoted = false;
    for (int depth = 0;; ++at) {
      const char c = text_[at];
      if (c == '"') is_quoted = !is_quoted;
      if (is_quoted) continue;
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      if (depth == 0) return at + 1;
    }
  }
  // A statement, a level, or what a key begins.
  Span item(std::size_t at) const {
    if (text_[at] == '"') return {at, text_.find('"', at + 1) + 1};
    const std::size_t from = text_[at] == '{' ? at : text_.rfind('{', at);
    return {from, closed(from)};
  }
  Span inside(const Span& item) const {
    const std::size_t from = text_.find("do: [", item.from) + 4;
    return {from + 1, closed(from) - 1};
  }
  std::string body_of(const Span& item) const {
    if (text_[item.from] == '"') return text_.substr(item.from, item.to - item.from);
    const Span body = inside(item);
    return text_.substr(body.from, body.to - body.from);
  }
  std::size_t shape_of(const std::string& name) const {
    return text_.find(name + ": {shape: ") + name.size() + 10;
  }
  // t the extent 32 and put inthreads: {...} around what stands in the parallel at 3:5, and ...
  void give_extents(const std::string& written) {
    const std::regex extent("(\\w+) the extent (\\d+)");
    for (std::sregex_iterator e(written.begin(), written.end(), extent), end; e != end; ++e) {
      std::smatch old;
      const std::regex entry("\\b" + e->str(1) + ": ([^,}\\]]*)");
      if (!std::regex_search(text_, old, entry)) continue;
      const std::size_t from = std::size_t(old.position(1));
      edits_.push_back({from, from + std::size_t(old.length(1)), e->str(2)});
    }
    const std::regex mask("put (\\w+: .*?) around what stands in the parallel at (\\d+:\\d+)");
    for (std::sregex_iterator m(written.begin(), written.end(), mask), end; m != end; ++m) {
      const Span body = inside(item(place(m->str(2))));
      const std::string around = in_yaml(m->str(1));
      const std::size_t rest = around.find("...");
      const std::string before = around.substr(0, rest), after = around.substr(rest + 3);
      if (body.from == body.to) {
        edits_.push_back({body.from, body.to, before + after});
        continue;
      }
      edits_.push_back({body.from, body.from, before});
      edits_.push_back({body.to, body.to, after});
    }
  }
  // `written`: A[b, ...] at 3:5 and 4:7, and A[0, ...] at 6:5; everywhere, where no place is told.
  void add_axis(const std::string& name, const std::string& shape, const std::string& written) {
    const std::size_t declared = shape_of(name);
    edits_.push_back({declared, closed(declared), shape});
    const std::regex form("\\w+\\[([^\\]]*), \\.\\.\\.\\]((?: (?:at|and) \\d+:\\d+)*)"),
        place("\\d+:\\d+");
    for (std::sregex_iterator m(written.begin(), written.end(), form), end; m != end; ++m) {
      const std::string places = m->str(2);
      std::vector<Span> spans;
      for (std::sregex_iterator p(places.begin(), places.end(), place); p != end; ++p) {
        spans.push_back(item(this->place(p->str())));
      }
      if (places.empty()) spans.push_back({text_.find("body: ["), text_.size()});
      for (const Span& s : spans) {
        for (std::size_t at = s.from; (at = text_.find(name + "[", at)) < s.to; ++at) {
          edits_.push_back({at + name.size() + 1, at + name.size() + 1, m->str(1) + ", "});
        }
      }
    }
  }
  void erase(Span item) {
    if (text_.compare(item.to, 2, ", ") == 0) {
      item.to += 2;
    } else if (text_.compare(item.from - 2, 2, ", ") == 0) {
      item.from -= 2;
    }
    edits_.push_back({item.from, item.to, ""});
  }
  void put_behind(const Span& item, const std::string& other) {
    edits_.push_back({item.to, item.to, ", " + in_yaml(other)});
  }

  std::string text_, second_ = {};
  std::size_t own_;
  std::vector<Edit> edits_;
};

std::vector<std::string> alternatives(const std::string& help) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t at; (at = help.find("; or ", begin)) != help.npos; begin = at + 5) {
    parts.push_back(help.substr(begin, at - begin));
  }
  parts.push_back(help.substr(begin));
  return parts;
}

// Does each way that the help names lead to a program of which nothing is refused? Others may stand
// beside it or behind it, and are mended in turn; the same does not come again.
bool is_mended(const std::string& text, const std::vector<Diagnostic>& told, const Diagnostic& d,
               std::string& trail, int steps = kMostSteps) {
  const auto like = [&](const std::vector<Diagnostic>& all) {
    return std::count_if(all.begin(), all.end(), [&](const Diagnostic& o) {
      return o.code == d.code && o.message == d.message;
    });
  };
  for (const std::string& way : alternatives(d.help)) {
    const std::vector<std::string> programs = Doer(text, d).done(way);
    trail = "\n" + to_text(d) + "\nno change is named: " + way;
    if (programs.empty() || steps == 0) return false;
    for (const std::string& after : programs) {
      const std::vector<Diagnostic> left = told_of(after);
      trail = "\n" + to_text(d) + "\n" + after + to_text(left);
      if (like(left) >= like(told)) return false;
      const auto next = std::find_if(left.begin(), left.end(), [&](const Diagnostic& o) {
        return o.code == d.code || o.severity == Severity::Error;
      });
      if (next == left.end()) continue;
      std::string more;
      if (is_mended(after, left, *next, more, steps - 1)) continue;
      trail += more;
      return false;
    }
  }
  return true;
}

class ProgramHelps : public testing::TestWithParam<std::string> {};

TEST_P(ProgramHelps, DoneToTheFileMendIt) {
  const std::string code = GetParam();
  const int wanted = count(6, 300);
  thread_oracle::Draws draws(std::uint64_t(std::stoi(code.substr(1))));
  int refused = 0, mended = 0, drawn = 0;
  std::string first;
  for (; refused < wanted && drawn < 2 * wanted + 20; ++drawn) {
    const std::string text = program_refused_with(code, draws);
    const std::vector<Diagnostic> told = told_of(text);
    const bool is_it = !told.empty() && std::all_of(told.begin(), told.end(),
                                                    [&](const auto& d) { return d.code == code; });
    if (!is_it) continue;
    ++refused;
    std::string trail;
    if (is_mended(text, told, told[0], trail)) {
      ++mended;
    } else if (first.empty()) {
      first = text + trail;
    }
  }
  std::printf("%s: of %d programs %d are refused, and %d mended by their help\n", code.c_str(),
              drawn, refused, mended);
  EXPECT_EQ(refused, wanted) << "too few programs are refused";
  EXPECT_EQ(mended, refused) << first;
}

INSTANTIATE_TEST_SUITE_P(Codes, ProgramHelps, testing::ValuesIn(program_codes()),
                         [](const auto& info) { return info.param; });

}  // namespace

}  // namespace selvage
