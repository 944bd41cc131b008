// The schema that editors complete from and the readers of schedule files know the same language.
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/report/file_schema.h>
#include <tests/support/counts.h>
#include <tests/support/file_schema_judge.h>
#include <tests/support/json_schema.h>
#include <tests/support/json_value.h>
#include <tests/support/page_blocks.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>

namespace selvage {

namespace {

using Json = test::JsonValue;

TEST(FileSchema, IsWellFormed) {
  EXPECT_NO_THROW(test::JsonSchema(file_schema()).check());
  const Json schema = Json::parse(file_schema());
  EXPECT_EQ(schema["$schema"].text(), "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["$defs"].size(), std::size_t(kForms));
  for (int k = 0; k < kForms; ++k) EXPECT_FALSE(info(Form(k)).name.empty()) << "form " << k;
}

TEST(FileSchema, HasEveryKeyThatTheReadersKnowAndNoOther) {
  const Json definitions = Json::parse(file_schema())["$defs"];
  int keys = 0;
  for (int k = 0; k < kForms; ++k) {
    const FormInfo& form = info(Form(k));
    const Json definition = definitions[std::string(form.name)];
    std::vector<std::string> known, said;
    for (const std::string_view key : keys_of(Form(k))) known.emplace_back(key);
    if (definition.contains("properties")) {
      for (const auto& [key, property] : definition["properties"].items()) {
        said.push_back(key);
        EXPECT_FALSE(property["description"].text().empty()) << form.name << "." << key;
      }
    }
    EXPECT_EQ(known, said) << form.name;
    keys += int(known.size());
  }
  EXPECT_GT(keys, 100);
}

TEST(FileSchema, ListsTheWordsOfTheReaders) {
  const Json definitions = Json::parse(file_schema())["$defs"];
  EXPECT_EQ(definitions["memory"]["enum"].dump(), R"(["global","shared","local"])");
  EXPECT_EQ(definitions["type"]["enum"].size(), 13u);
  EXPECT_EQ(definitions["parallel_type"]["enum"][0], "Serial");
}

std::vector<Diagnostic> errors_of(const std::string& text) {
  try {
    return read_schedule_text(text, "a.yaml").illegal;
  } catch (const BadFile& e) {
    return e.diagnostics();
  }
}

// Every schedule file among the examples and on the pages, by where it stands.
std::map<std::string, std::string> all_files() {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kRepository / "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    files[entry.path().filename().string()] = contents(entry.path());
  }
  for (const char* page : {"README.md", "doc/tutorial.md", "doc/reference.md"}) {
    for (const test::PageBlock& file : test::files_of_page(page)) {
      files[file.where()] = file.text();
    }
  }
  return files;
}

// Pages show what is refused, too.
TEST(FileSchema, TakesEveryExampleAndEveryFileOfThePages) {
  const test::JsonSchema schema(file_schema());
  for (const auto& [where, text] : all_files()) {
    const bool accepted = schema.accepts(test::json_of(read_document(text, where)));
    EXPECT_TRUE(accepted || !errors_of(text).empty()) << where;
  }
}

// As YAML that is JSON, but for a value that is not there.
std::string as_yaml(const Node& file) {
  std::string text = test::json_of(file);
  const std::string_view null = ": null";
  for (std::size_t at; (at = text.find(null)) != text.npos;) text.replace(at, null.size(), ": ");
  return text;
}

// Every node below, in a fixed order.
void list_nodes(Node& node, std::vector<Node*>& list) {
  list.push_back(&node);
  for (Node& item : node.items) list_nodes(item, list);
  for (Entry& entry : node.entries) list_nodes(entry.value, list);
}

// One change to the form of a file: a key that nobody knows, a key that is missing, a value of
// another kind. Returns whether there is a change of this number at the node.
bool change(Node& node, int number) {
  constexpr std::string_view kOthers[] = {"zzz",   "7",   "true",          "[]",  "[zzz]",
                                          "{}",    "[7]", "{zzz: 7}",      "''",  "[zzz, z, zz]",
                                          "[[7]]", "0.5", "{zzz: [true]}", "'4'", "[{zzz: 7}]",
                                          "xor",   "half"};
  constexpr int kOther = int(std::size(kOthers));
  if (number < kOther) {
    Node other = read_document("k: " + std::string(kOthers[number]), "a.yaml").entries[0].value;
    node = std::move(other);
    return true;
  }
  number -= kOther;
  if (node.kind != Node::Kind::Map) return false;
  if (number == 0) {
    node.entries.push_back({"zzz", node.place, read_document("[]", "a.yaml")});
    return true;
  }
  if (number > int(node.entries.size())) return false;
  node.entries.erase(node.entries.begin() + (number - 1));
  return true;
}

TEST(FileSchema, AgreesWithTheReadersOnFilesThatAreChanged) {
  std::mt19937 random(1);
  int changed = 0, of_form = 0;
  for (const auto& [where, text] : all_files()) {
    const Node original = read_document(text, where);
    Node copy = original;
    std::vector<Node*> nodes;
    list_nodes(copy, nodes);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      for (int number = 0; number < 40; ++number) {
        if (random() % 400 >= std::size_t(count(20, 400))) continue;
        Node file = original;
        std::vector<Node*> own;
        list_nodes(file, own);
        if (!change(*own[n], number)) continue;
        ++changed;
        const std::vector<Diagnostic> errors = errors_of(as_yaml(file));
        const auto wrong = test::schema_contradiction(file, errors);
        EXPECT_FALSE(wrong) << where << ": " << *wrong;
        of_form +=
            std::ranges::any_of(errors, [](const Diagnostic& d) { return d.code == "E106"; });
      }
    }
  }
  EXPECT_GT(changed, more_than(1000));
  EXPECT_GT(of_form, more_than(30));
}

}  // namespace

}  // namespace selvage
