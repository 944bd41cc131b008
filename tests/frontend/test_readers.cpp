#include <selvage/frontend/readers.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <functional>

namespace selvage {
namespace {

// What `read` says to the value of k in "k: VALUE".
template <typename Read>
std::string reader_refusal(const std::string& value, Read read) {
  const Node root = read_document("k: " + value, "a.yaml");
  return refusal_by<BadInput>([&] { read(root.entries.at(0).value, root.entries.at(0).key); });
}

std::int64_t integer(const std::string& value) {
  return as_integer(read_document(value, "a.yaml"), "k");
}
bool boolean(const std::string& value) { return as_bool(read_document(value, "a.yaml"), "k"); }

TEST(AsInteger, ReadsAllOf64Bits) {
  EXPECT_EQ(integer("0"), 0);
  EXPECT_EQ(integer("-12"), -12);
  EXPECT_EQ(integer("\"12\""), 12);
  EXPECT_EQ(integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(integer("-9223372036854775808"), INT64_MIN);
}

TEST(AsInteger, RefusesEverythingElse) {
  for (const char* text : {"1.5", "1e3", "0x10", "true", "1_000", "+1", "--1", "'-'", "1 2", "N",
                           "~", "'12 '", "1,0", "0b1", "0o7"}) {
    EXPECT_EQ(reader_refusal(text, as_integer).substr(0, 24), "a.yaml:1:4: error[E108]:") << text;
  }
  EXPECT_EQ(reader_refusal("1.5", as_integer),
            "a.yaml:1:4: error[E108]: k: '1.5' is not an integer; help: write a whole number in "
            "decimal digits, such as 4");
  EXPECT_EQ(reader_refusal("010", as_integer),
            "a.yaml:1:4: error[E108]: k: '010' is not an integer; help: leave out the leading "
            "zeros");
  EXPECT_EQ(reader_refusal("9223372036854775808", as_integer),
            "a.yaml:1:4: error[E108]: k: '9223372036854775808' does not fit in 64 bits; help: "
            "integers lie between -9223372036854775808 and 9223372036854775807");
}

TEST(AsInteger, RefusesOtherKinds) {
  EXPECT_EQ(reader_refusal("[1]", as_integer),
            "a.yaml:1:4: error[E107]: k: expected an integer, found a sequence; help: write one "
            "integer, such as 4");
  EXPECT_EQ(reader_refusal("{a: 1}", as_integer),
            "a.yaml:1:4: error[E107]: k: expected an integer, found a map; help: write one "
            "integer, such as 4");
  EXPECT_EQ(reader_refusal("", as_integer),
            "a.yaml:1:1: error[E107]: k: expected an integer, found nothing; help: write one "
            "integer, such as 4");
}

TEST(AsBool, ReadsTrueAndFalseOnly) {
  EXPECT_TRUE(boolean("true"));
  EXPECT_FALSE(boolean("false"));
  for (const char* text : {"yes", "no", "on", "True", "FALSE", "1", "y"}) {
    EXPECT_EQ(reader_refusal(text, as_bool),
              "a.yaml:1:4: error[E109]: k: '" + std::string(text) +
                  "' is not a boolean; help: write true or false, without quotes");
  }
  EXPECT_EQ(reader_refusal("'true'", as_bool),
            "a.yaml:1:4: error[E109]: k: the quoted text 'true' is not a boolean; help: write "
            "true or false, without quotes");
  EXPECT_EQ(reader_refusal("[]", as_bool),
            "a.yaml:1:4: error[E107]: k: expected true or false, found a sequence; help: write "
            "true or false, without quotes");
}

TEST(AsText, TakesAnyScalarThatIsThere) {
  EXPECT_EQ(as_text(read_document("no", "a.yaml"), "k"), "no");
  EXPECT_EQ(as_text(read_document("''", "a.yaml"), "k"), "");
  EXPECT_EQ(reader_refusal("", as_text),
            "a.yaml:1:1: error[E107]: k: expected text, found nothing; help: write one value "
            "here, in quotes if it holds ': ' or ' #'");
}

TEST(AsName, ChecksTheName) {
  EXPECT_EQ(as_name(read_document("I0", "a.yaml"), "out"), "I0");
  EXPECT_EQ(reader_refusal("for", as_name),
            "a.yaml:1:4: error[E203]: k: 'for' is a keyword or built-in of C++ or CUDA; help: "
            "choose another name, such as 'for_'");
  EXPECT_EQ(reader_refusal("''", as_name).substr(0, 46),
            "a.yaml:1:4: error[E201]: k: '' is not a name; ");
  const Node map = read_document("{I0: 1, 2x: 2}", "a.yaml");
  EXPECT_EQ(key_as_name(map.entries[0]), "I0");
  EXPECT_THROW(key_as_name(map.entries[1]), BadInput);
}

constexpr std::string_view kKeys[] = {"transforms", "loop"};

TEST(ExpectMap, CollectsAllUnknownKeys) {
  const Node root = read_document("transfroms: []\nloop: []\ncolour: 1\n", "a.yaml");
  Diagnostics errors;
  EXPECT_EQ(expect_map(root, "T0", kKeys, &errors).size(), 3U);
  EXPECT_EQ(
      to_text(errors.list()),
      "a.yaml:1:1: error[E106]: T0: unknown key 'transfroms'; help: did you mean "
      "'transforms'?\n"
      "a.yaml:3:1: error[E106]: T0: unknown key 'colour'; help: it may also have transforms\n");
  EXPECT_THROW(expect_map(root, "T0", kKeys), BadInput);
}

TEST(ExpectMap, RefusesOtherKinds) {
  const auto read = [](const Node& n, std::string_view what) { expect_map(n, what); };
  EXPECT_EQ(reader_refusal("3", read),
            "a.yaml:1:4: error[E107]: k: expected a map, found '3'; help: write {key: value}, or "
            "one 'key: value' a line");
  EXPECT_EQ(reader_refusal("''", read),
            "a.yaml:1:4: error[E107]: k: expected a map, found ''; help: write {key: value}, or "
            "one 'key: value' a line");
}

TEST(ExpectSequence, RefusesOtherKinds) {
  const auto read = [](const Node& n, std::string_view what) { expect_sequence(n, what); };
  EXPECT_EQ(reader_refusal("[1, 2]", read), "accepted");
  EXPECT_EQ(reader_refusal("a, b", read),
            "a.yaml:1:4: error[E107]: k: expected a sequence, found 'a, b'; help: write [a, b], or "
            "one '- item' a line");
}

TEST(Require, NamesTheMissingKey) {
  const auto read = [](const Node& n, std::string_view what) { require(n, what, "factor"); };
  EXPECT_EQ(reader_refusal("{factor: 4}", read), "accepted");
  EXPECT_EQ(reader_refusal("{in: I0}", read),
            "a.yaml:1:4: error[E110]: k: the key 'factor' is missing; help: add 'factor: ...'");
}

TEST(Diagnostics, OneRefusalHidesNoOther) {
  const Node root = read_document("{a: x, b: 2, c: y}", "a.yaml");
  Diagnostics errors;
  std::int64_t sum = 0;
  for (const Entry& e : root.entries) {
    errors.attempt([&] { sum += as_integer(e.value, e.key); });
  }
  EXPECT_EQ(sum, 2);
  EXPECT_EQ(errors.list().size(), 2U);
  EXPECT_THROW(errors.attempt([] { throw std::runtime_error("ours"); }), std::runtime_error);
}

}  // namespace
}  // namespace selvage
