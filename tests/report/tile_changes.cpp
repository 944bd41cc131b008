#include "tests/report/tile_changes.h"

#include <algorithm>

namespace selvage::test {

namespace {

using FileTensor = RefusedFile::Tensor;

// "a", "a and b", "a, b and c"
const std::string kNames = "(\\w+(?:, \\w+)*(?: and \\w+)?)";

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  const std::regex word("\\w+");
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) {
    if (at->str() != "and") names.push_back(at->str());
  }
  return names;
}

void bind_to(FileTensor& t, const std::string& loop, const std::string& type) {
  std::erase_if(t.bind, [&](const auto& b) { return b.first == loop; });
  if (type != "Serial") t.bind.emplace_back(loop, type);
}

// The name of the inner part.
std::string split(FileTensor& t, const std::string& loop, const std::string& factor) {
  const std::string o = loop + "_o", i = loop + "_i";
  t.transforms.push_back("{split: {in: " + loop + ", factor: " + factor + ", out: [" + o + ", " +
                         i + "]}}");
  const auto at = std::find(t.loop.begin(), t.loop.end(), loop);
  *t.loop.insert(at, o) = o;
  *std::find(t.loop.begin(), t.loop.end(), loop) = i;
  bind_to(t, loop, "Serial");
  return i;
}

void put_last(FileTensor& t, const std::string& loop) {
  std::erase(t.loop, loop);
  t.loop.push_back(loop);
  bind_to(t, loop, "Bulk");
}

bool remove_lines(FileTensor& t, const std::string& beginning) {
  return std::erase_if(t.rest,
                       [&](const std::string& line) { return line.rfind(beginning, 0) == 0; }) > 0;
}

bool edit_transform(FileTensor& t, const std::string& words, const std::string& by) {
  for (std::string& step : t.transforms) {
    if (!std::regex_search(step, std::regex(words))) continue;
    replace_all(step, words, by);
    return true;
  }
  return false;
}

// What went into the swizzle stands for what came out of it.
bool leave_swizzle_out(FileTensor& t, const std::string& x, const std::string& y) {
  const std::regex words("swizzle: .*in: \\[" + x + ", " + y + "\\], out: \\[(\\w+), (\\w+)\\]");
  for (auto at = t.transforms.begin(); at != t.transforms.end(); ++at) {
    std::smatch m;
    if (!std::regex_search(*at, m, words)) continue;
    const std::string u = m.str(1), v = m.str(2);
    t.transforms.erase(at);
    const auto rename = [&](std::string& text) {
      replace_all(text, "\\b" + u + "\\b", x);
      replace_all(text, "\\b" + v + "\\b", y);
    };
    for (auto* list : {&t.transforms, &t.loop}) std::for_each(list->begin(), list->end(), rename);
    for (auto& [loop, type] : t.bind) rename(loop);
    return true;
  }
  return false;
}

bool leave_out(FileTensor& t, const std::string& what) {
  bool found = false;
  for (const char* key : {"fill", "duplicates", "allocation"}) {
    if (what.find(key) != std::string::npos) found = remove_lines(t, key) || found;
  }
  if (what.find("strides") != std::string::npos) {
    t.strides.clear();
    found = true;
  }
  if (what.find("guard") == std::string::npos) return found;
  for (std::string& line : t.rest) replace_all(line, ", guard: false", "");
  return true;
}

// Both of two changes.
bool do_both(RefusedFile& file, const std::smatch& words, const std::string& message) {
  for (const std::string& part : {words.str(1), words.str(2)}) {
    const std::vector<Change>& all = tile_changes();
    const bool done = std::any_of(all.begin(), all.end(), [&](const Change& change) {
      std::smatch match;
      return std::regex_search(part, match, std::regex(change.words)) &&
             change.act(file, match, message);
    });
    if (!done) return false;
  }
  return true;
}

std::vector<Change> list_of_changes() {
  static const std::string serial = "leave " + kNames + " serial$";
  static const std::string parts =
      "split " + kNames + " by (\\d+) and bind the inner parts? to Bulk( as the last loop)?";
  return {
      {"^(.*), and then (.*)$", do_both},
      {"write memory: global",
       [](RefusedFile& f, const std::smatch&, const std::string&) {
         return remove_lines(*f.tensor, "memory:");
       }},
      {serial.c_str(),
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         for (const std::string& loop : names_in(m.str(1))) bind_to(*f.tensor, loop, "Serial");
         return true;
       }},
      {parts.c_str(),
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         for (const std::string& loop : names_in(m.str(1))) {
           const std::string inner = split(*f.tensor, loop, m.str(2));
           m[3].matched ? put_last(*f.tensor, inner) : bind_to(*f.tensor, inner, "Bulk");
         }
         return true;
       }},
      {"split (\\w+) by (\\d+), the inner part by (\\d+), and bind the innermost part to Bulk",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         const std::string inner = split(*f.tensor, m.str(1), m.str(2));
         bind_to(*f.tensor, split(*f.tensor, inner, m.str(3)), "Bulk");
         return true;
       }},
      {"split (\\w+) by (\\d+) instead of (\\d+)",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         return edit_transform(*f.tensor, "in: " + m.str(1) + ", factor: " + m.str(3),
                               "in: " + m.str(1) + ", factor: " + m.str(2));
       }},
      {"strides: (\\[.*\\])",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         remove_lines(*f.tensor, "contiguity:");
         f.tensor->strides = m.str(1);
         return true;
       }},
      {"bind (\\w+) to Bulk as the last loop|let (\\w+) be the last loop",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         put_last(*f.tensor, m[1].matched ? m.str(1) : m.str(2));
         return true;
       }},
      {"bind (\\w+) to Bulk, too",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         bind_to(*f.tensor, m.str(1), "Bulk");
         return true;
       }},
      {"resize (\\w+) by (.*) on the right, and by nothing on the left",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         return edit_transform(*f.tensor, "in: " + m.str(1) + ", left: [^,]*, right: [^,]*,",
                               "in: " + m.str(1) + ", left: 0, right: " + m.str(2) + ",");
       }},
      {"swizzle (\\w+) and (\\w+) with kind: (\\w+)",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         return edit_transform(*f.tensor,
                               "kind: \\w+, in: \\[" + m.str(1) + ", " + m.str(2) + "\\]",
                               "kind: " + m.str(3) + ", in: [" + m.str(1) + ", " + m.str(2) + "]");
       }},
      {"leave the swizzle of (\\w+) and (\\w+) out",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         return leave_swizzle_out(*f.tensor, m.str(1), m.str(2));
       }},
      {"(?:write|ask for) (fill: -?\\d+)|(dtype): (\\w+)",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         if (m[2].matched) {
           f.tensor->dtype = m.str(3);
           return true;
         }
         remove_lines(*f.tensor, "fill:");
         f.tensor->rest.push_back(m.str(1));
         return true;
       }},
      {"leave ((?:fill|strides|allocation|guard: false|duplicates: allowed| and )+) out",
       [](RefusedFile& f, const std::smatch& m, const std::string&) {
         return leave_out(*f.tensor, m.str(1));
       }},
  };
}

}  // namespace

const std::vector<Change>& tile_changes() {
  static const std::vector<Change> list = list_of_changes();
  return list;
}

}  // namespace selvage::test
