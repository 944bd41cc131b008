// doc/reference.md has everything that there is: its tables are those of the readers, its examples
// use every key and function, its fields are those of the JSON. SELVAGE_REGENERATE=1 writes the
// tables of keys and options anew.
#include <selvage/frontend/device_file.h>
#include <selvage/frontend/file_form.h>
#include <selvage/ir/identity.h>
#include <selvage/ir/scalar.h>
#include <tests/support/json_value.h>
#include <tests/support/matches.h>
#include <tests/support/page_blocks.h>
#include <tests/support/temporary_folder.h>
#include <tests/support/this_build.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

namespace {

using test::PageBlock;
using test::TextLines;
using Json = test::JsonValue;
using FormKind = FormInfo::Kind;

const char* const kPage = "doc/reference.md";

// `|` would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

// What stands under a key, in words: of a few words the words themselves.
std::string value_of(const FormInfo& form) {
  constexpr std::size_t kFew = 6;
  if (form.kind != FormKind::Word) return std::string(form.says);
  if (form.words.size() > kFew) {
    std::string name(form.name);
    std::replace(name.begin(), name.end(), '_', ' ');
    return "a " + name;
  }
  std::string list;
  for (const std::string_view word : form.words) {
    list += (list.empty() ? "`" : ", `") + std::string(word) + "`";
  }
  return list;
}

// Of a view, those that a tensor has not.
TextLines table_of_keys(Form form) {
  TextLines lines = {"| key | value | says |", "|---|---|---|"};
  const auto is_of_tensors = [&](const FileKey& key) {
    return std::ranges::any_of(info(Form::Tensor).keys, [&](const FileKey& other) {
      return form == Form::View && other.name == key.name && other.says == key.says;
    });
  };
  for (const FileKey& key : info(form).keys) {
    if (is_of_tensors(key)) continue;
    lines.push_back("| `" + std::string(key.name) + "`" + (key.is_needed ? ", needed" : "") +
                    " | " + value_of(info(key.value)) + " | " + cell(key.says) + " |");
  }
  return lines;
}

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> chunk;
  for (std::size_t n; (n = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
    text.append(chunk.data(), n);
  }
  pclose(pipe);
  return text;
}

// As --help has them.
TextLines table_of_options() {
  TextLines lines = {"| option | does |", "|---|---|"};
  const std::string help = output_of(test::inspect_path() + " --help");
  for (const auto& match : test::matches(help, "\n  (--[a-z-]+)[A-Z .]* {2,}([^\n]*)")) {
    lines.push_back("| `" + match[1] + "` | " + cell(match[2]) + " |");
  }
  return lines;
}

TextLines table_of_device_keys() {
  TextLines lines = {"| key | value | says |", "|---|---|---|"};
  for (const DeviceKey& key : device_keys()) {
    lines.push_back("| `" + std::string(key.name) + "`" + (key.is_needed ? ", needed" : "") +
                    " | " + std::string(key.value) + " | " + cell(key.says) + " |");
  }
  return lines;
}

// The form of each marker `<!-- keys: NAME -->`.
Form form_called(const std::string& name) {
  for (int k = 0; k < kForms; ++k) {
    if (info(Form(k)).name == name) return Form(k);
  }
  ADD_FAILURE() << "no form is called " << name;
  return Form::File;
}

bool is_row(const std::string& line) { return line.starts_with("|"); }

// The page with its generated tables as they have to be.
TextLines regenerated(const TextLines& page, std::set<Form>& shown) {
  TextLines out;
  for (std::size_t k = 0; k < page.size(); ++k) {
    out.push_back(page[k]);
    const auto keys = test::matches(page[k], "^<!-- keys: ([a-z_]+) -->$");
    const bool has_options = page[k] == "<!-- options -->";
    const bool has_devices = page[k] == "<!-- device_keys -->";
    if (keys.empty() && !has_options && !has_devices) continue;
    while (k + 1 < page.size() && (page[k + 1].empty() || is_row(page[k + 1]))) ++k;
    TextLines table;
    if (has_options) {
      table = table_of_options();
    } else if (has_devices) {
      table = table_of_device_keys();
    } else {
      const Form form = form_called(keys[0][1]);
      shown.insert(form);
      table = table_of_keys(form);
    }
    out.insert(out.end(), table.begin(), table.end());
    out.push_back("");
  }
  return out;
}

TEST(Reference, ItsTablesAreThoseOfTheReadersAndOfTheCommand) {
  const TextLines page = lines_of(contents(kRepository / kPage));
  std::set<Form> shown;
  const TextLines wanted = regenerated(page, shown);
  if (std::getenv("SELVAGE_REGENERATE") != nullptr) {
    std::ofstream file(kRepository / kPage);
    for (const std::string& line : wanted) file << line << "\n";
    GTEST_SKIP() << kPage << " has its tables written anew";
  }
  EXPECT_EQ(page, wanted) << "if that is meant, run again with SELVAGE_REGENERATE=1";
  // Kinds of levels stand in the text; a place is told of under the items of a schedule.
  shown.insert({Form::KindLevel, Form::Placed});
  for (int k = 0; k < kForms; ++k) {
    EXPECT_TRUE(keys_of(Form(k)).empty() || shown.contains(Form(k))) << info(Form(k)).name;
  }
}

// The first cells of the rows behind a marker and the table's head.
std::vector<std::string> first_cells(const std::string& marker) {
  std::vector<std::string> cells;
  const TextLines page = lines_of(contents(kRepository / kPage));
  const auto at = std::ranges::find(page, "<!-- " + marker + " -->");
  if (page.end() - at < 3) ADD_FAILURE() << "no table is marked " << marker;
  for (auto line = at + std::min<std::ptrdiff_t>(3, page.end() - at);
       line != page.end() && is_row(*line); ++line) {
    const auto row = test::matches(*line, R"(^\| `([^`]*)` \| (..*) \|$)");
    EXPECT_FALSE(row.empty()) << *line;
    if (!row.empty()) cells.push_back(row[0][1]);
  }
  return cells;
}

// How a function is written.
std::string written(Function f) {
  const std::string text = cell(info(f).text);
  if (f == Function::Neg) return "-a";
  if (f == Function::Not) return "!a";
  if (!std::isalpha(info(f).text[0])) return "a " + text + " b";
  if (info(f).arity == 1) return text + "(a)";
  return text + (info(f).arity == 2 ? "(a, b)" : "(c, a, b)");
}

TEST(Reference, HasEveryFunctionOperatorFoldTypeAndBinding) {
  std::vector<std::string> functions, operators;
  const auto note = [&](Function f) {
    (written(f).ends_with(")") ? functions : operators).push_back(written(f));
  };
#define X(name, ...) note(Function::name);
  SELVAGE_FUNCTIONS(X)
#undef X
  const auto sorted = [](std::vector<std::string> list) {
    std::ranges::sort(list);
    return list;
  };
  EXPECT_EQ(sorted(first_cells("functions")), sorted(functions));
  EXPECT_EQ(sorted(first_cells("operators")), sorted(operators));
  const auto folds = reduction_names();
  EXPECT_EQ(first_cells("folds"), std::vector<std::string>(folds.begin(), folds.end()));
  const std::string page = contents(kRepository / kPage);
  for (Form form : {Form::Type, Form::Parallel, Form::CopyWord}) {
    for (const std::string_view word : info(form).words) {
      EXPECT_NE(page.find("`" + std::string(word)), page.npos) << word;
    }
  }
}

// ---- The examples ----

class Used {
 public:
  void note(const Node& node, Form form) {
    const FormInfo& what = info(form);
    switch (what.kind) {
      case FormKind::Map:
      case FormKind::OneKey:
        for (const FileKey& key : what.keys) {
          if (const Node* value = node.find(key.name)) {
            keys_.insert({form, key.name});
            note(*value, key.value);
          }
        }
        break;
      case FormKind::List:
        for (const Node& item : node.items) note(item, what.of[0]);
        break;
      case FormKind::Named:
      case FormKind::Keyed:
        for (const Entry& entry : node.entries) {
          const auto key = std::ranges::find(what.keys, entry.key, &FileKey::name);
          if (key != what.keys.end()) keys_.insert({form, key->name});
          note(entry.value, key != what.keys.end() ? key->value : what.of[0]);
        }
        break;
      case FormKind::Either:
        for (Form each : what.of) {
          if (may_be(node, each)) note(node, each);
        }
        break;
      case FormKind::Word: words_.insert({form, node.text}); break;
      case FormKind::Any:
      case FormKind::Text:
      case FormKind::Name:
      case FormKind::Integer:
      case FormKind::Extent:
      case FormKind::Truth:
      case FormKind::Nothing: break;
    }
  }
  bool has(Form form, std::string_view key) const { return keys_.contains({form, key}); }
  bool has_word(Form form, std::string_view word) const {
    return words_.contains({form, std::string(word)});
  }

 private:
  static bool may_be(const Node& node, Form form) {
    const FormInfo& what = info(form);
    switch (what.kind) {
      case FormKind::Map:
      case FormKind::OneKey: {
        const auto is_known = [&](const Entry& entry) {
          return std::ranges::find(keys_of(form), entry.key) != keys_of(form).end();
        };
        const auto is_there = [&](const FileKey& key) {
          return !key.is_needed || node.find(key.name) != nullptr;
        };
        return node.kind == Node::Kind::Map && std::ranges::all_of(node.entries, is_known) &&
               std::ranges::all_of(what.keys, is_there);
      }
      case FormKind::Named:
      case FormKind::Keyed: return node.kind == Node::Kind::Map;
      case FormKind::Any: return true;
      case FormKind::List: return node.kind == Node::Kind::Sequence;
      case FormKind::Either:
      case FormKind::Word:
      case FormKind::Text:
      case FormKind::Name:
      case FormKind::Integer:
      case FormKind::Extent:
      case FormKind::Truth:
      case FormKind::Nothing: break;
    }
    return node.kind == Node::Kind::Scalar;
  }

  std::set<std::pair<Form, std::string_view>> keys_;
  std::set<std::pair<Form, std::string>> words_;
};

TEST(Reference, ItsExamplesUseEveryKeyWordFunctionAndFold) {
  Used used;
  std::string text;
  for (const PageBlock& file : test::files_of_page(kPage)) {
    used.note(read_document(file.text(), file.where()), Form::File);
    text += file.text();
  }
  // Kinds of levels, and what is refused by name.
  const std::set<std::string_view> excepted = {"device", "cluster", "warpgroup", "cp_async",
                                               "tma",    "DIDx",    "Group"};
  for (int k = 0; k < kForms; ++k) {
    const FormInfo& form = info(Form(k));
    for (const std::string_view key : keys_of(Form(k))) {
      // What a view shares with a tensor is shown there.
      if (excepted.contains(key) || (Form(k) == Form::View && used.has(Form::Tensor, key)))
        continue;
      EXPECT_TRUE(used.has(Form(k), key)) << form.name << "." << key;
    }
    if (form.kind != FormKind::Word || form.words.size() > 6) continue;
    for (const std::string_view word : form.words) {
      EXPECT_TRUE(excepted.contains(word) || used.has_word(Form(k), word)) << word;
    }
  }
  for (const char* marker : {"functions", "folds"}) {
    for (const std::string& cell : first_cells(marker)) {
      const std::string name = cell.substr(0, cell.find('('));
      EXPECT_FALSE(test::matches(text, "\\b" + name + "(\\[[a-z]+\\])?\\(").empty()) << name;
    }
  }
}

TEST(Reference, ItsExamplesUseEveryOption) {
  std::string commands;
  for (const PageBlock& block : test::blocks_of_page(kPage)) {
    if (block.language == "sh" || block.language == "console") commands += block.text();
  }
  // NVRTC may be missing; two are refused by name.
  const std::set<std::string> excepted = {"--arch"};
  const std::vector<std::string> options = first_cells("options");
  EXPECT_GT(options.size(), 20u);
  for (const std::string& option : options) {
    EXPECT_TRUE(excepted.contains(option) || commands.find(option) != commands.npos) << option;
  }
}

// ---- The JSON ----

// The fields of a report: `*` for what is called as the file likes, [] for the items of an array.
// Nothing is looked for in points, nor twice in what is alike.
void list_fields(const Json& json, const std::string& path, std::set<std::string>& fields) {
  static const std::set<std::string> kAlike = {
      "kernels[].masks", "tensors.*.bank_conflicts.store_witness",
      "tensors.*.bank_conflicts.load_witness", "tensors.*.proofs.refuted"};
  const std::string last = path.substr(path.find_last_of('.') + 1);
  const bool is_point = std::set<std::string>{"witness", "at",        "lost",   "hole",
                                              "sizes",   "row_items", "owners", "output"}
                            .contains(last);
  const char kind = json.dump()[0];
  const bool is_list = kind == '[' && !json.empty() && json[0].dump()[0] == '{';
  if (!path.empty() && kind != '{' && !is_list) fields.insert(path);
  if (!path.empty() && (is_point || kAlike.contains(path))) {
    fields.insert(path);
    return;
  }
  if (path == "tensors.*.predicates") fields.insert(path);
  if (is_list) {
    for (const Json& item : json.elements()) list_fields(item, path + "[]", fields);
  }
  if (kind != '{') return;
  const bool is_named = path == "tensors" || path == "values" || last == "iterdomains";
  if (path == "tensors" && !json.empty()) fields.insert("tensors.*");
  for (const auto& [key, value] : json.items()) {
    list_fields(value, (path.empty() ? "" : path + ".") + (is_named ? "*" : key), fields);
  }
}

TEST(Reference, ItsFieldsAreThoseOfTheJson) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (const PageBlock& file : test::files_of_page(kPage)) {
    files.push_back((folder / (std::to_string(files.size()) + ".yaml")).string());
    std::ofstream(files.back()) << file.text();
  }
  files.push_back((folder / "lost.yaml").string());
  std::ofstream(files.back())
      << "tensors: {T0: {logical: {i: 8}, transforms: [{resize: {in: i, left: "
         "0, right: -1, out: o}}]}}\n";
  for (const char* name : {"shared_tile", "fills", "tma_strong", "tma_box", "rms_norm", "gelu",
                           "layer_norm", "threads_chunks", "threads_masks", "tail"}) {
    files.push_back((kRepository / "examples" / name).string() + ".yaml");
  }
  std::set<std::string> fields;
  for (const std::string& file : files) {
    for (const char* options : {"", " --run --on virtual --time"}) {
      const std::string command = test::inspect_path() + " '" + file + "' --json" + options;
      const std::string text = output_of(command + " 2>/dev/null");
      if (!text.empty()) list_fields(Json::parse(text), "", fields);
    }
  }
  list_fields(Json::parse(output_of("cd '" + kRepository.string() + "' && " + test::inspect_path() +
                                    " examples/figure2.yaml --json --on virtual --print T0")),
              "", fields);
  for (const char* name : {"transpose", "shared_tile"}) {
    list_fields(Json::parse(output_of(test::inspect_path() + " '" +
                                      (kRepository / "examples" / name).string() +
                                      ".yaml' --json --cost 2>/dev/null")),
                "", fields);
  }
  list_fields(
      Json::parse(output_of(test::inspect_path() + " '" +
                            (kRepository / "examples/teaal_positions.yaml").string() +
                            "' --json --load --cost --size I=9 J=9 A_items=40 2>/dev/null")),
      "", fields);
  const std::string open = (folder / "open.yaml").string();
  std::ofstream(open) << "inputs: {x: {shape: [64, 1027], dtype: float}}\n"
                         "compute: [\"y[i, j] = 2 * x[i, j]\"]\n";
  list_fields(Json::parse(output_of(test::inspect_path() + " '" + open +
                                    "' --json --tune --device h100 2>/dev/null")),
              "", fields);
  const std::string checks = (folder / "checks.yaml").string();
  std::ofstream(checks) << "inputs: {x: {shape: [64], dtype: float}}\n"
                           "compute: [\"y[i] = x[checked(i)]\"]\n";
  list_fields(
      Json::parse(output_of(test::inspect_path() + " '" + checks + "' --json --check 2>/dev/null")),
      "", fields);
  const std::vector<std::string> rows = first_cells("json");
  const std::set<std::string> documented(rows.begin(), rows.end());
  EXPECT_EQ(documented.size(), rows.size());
  for (const std::string& field : fields) {
    const bool is_list = documented.lower_bound(field + "[]") != documented.end() &&
                         documented.lower_bound(field + "[]")->starts_with(field + "[]");
    EXPECT_TRUE(documented.contains(field) || is_list) << "not on the page: " << field;
  }
  // What these files do not lead to: a GPU, a compiler for one, a kernel of clusters, a text of
  // more than 4,096 characters, a fault.
  const std::set<std::string> elsewhere = {
      "runs[].device",
      "runs[].faults",
      "runs[].differences",
      "runs[].not_compared",
      "runs[].outputs[].unvisited",
      "kernels[].let",
      "kernels[].launch.cluster",
      "tensors.*.let",
      "tensors.*.bank_conflicts.if",
      "tensors.*.tma.witness",
  };
  for (const std::string& row : rows) {
    if (elsewhere.contains(row) || row.starts_with("kernels[].resources.") ||
        row.starts_with("tensors.*.proofs.")) {
      continue;
    }
    EXPECT_TRUE(fields.contains(row)) << "not in the JSON: " << row;
  }
}

}  // namespace

}  // namespace selvage
