#include <selvage/base/names.h>
#include <selvage/frontend/document.h>
#include <selvage/frontend/readers.h>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <streambuf>

namespace selvage {

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

namespace {

// The place of byte `at`, found by counting: for errors only.
Place place_of(std::string_view text, std::size_t at, const std::string& file) {
  const std::string_view before = text.substr(0, at);
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  return {file, 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
          1 + static_cast<int>(at - line_start)};
}

// ---- Before the parser ----

// Bytes of the well-formed UTF-8 character at `at`, or 0.
std::size_t character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t n = lead >= 0xc2 && lead < 0xe0   ? 2
                        : lead >= 0xe0 && lead < 0xf0 ? 3
                        : lead >= 0xf0 && lead < 0xf5 ? 4
                                                      : 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  // No character: overlong forms, surrogates, and codes past U+10FFFF.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) >= 0xa0) ||
      (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) >= 0x90)) {
    return 0;
  }
  return n;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') || byte == 0x7f;
}

// Refuses control characters and text that is not UTF-8 before yaml-cpp sees them: it takes byte 4
// for the end of its input, and guesses at other encodings.
void check_characters(std::string_view text, const std::string& file) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t n = character(text, at);
    if (n == 0) {
      refuse("E102", place_of(text, at, file), "the file is not UTF-8", "save it as UTF-8 text");
    }
    if (is_control(text[at])) {
      refuse("E102", place_of(text, at, file),
             "the file holds the control character " + shown(text.substr(at, 1)), "remove it");
    }
    at += n;
  }
}

// Limits the number of brackets and marks before parsing: the scanner of yaml-cpp may read up to
// the closing bracket before it reports the opening one, at some hundred bytes for each mark.
void check_amount(std::string_view text, const std::string& file) {
  std::int64_t brackets = 0;
  std::int64_t marks = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (std::strchr("[]{},:?&*!", text[at]) == nullptr) continue;
    if (text[at] == '[' || text[at] == '{') ++brackets;
    if (++marks > kMostMarks || brackets > kMostBrackets) {
      refuse("E104", place_of(text, at, file),
             brackets > kMostBrackets
                 ? "the file has more than " + std::to_string(kMostBrackets) + " opening brackets"
                 : "the file has more than " + std::to_string(kMostMarks) + " marks of YAML",
             "split the file");
    }
  }
}

// ---- The parser's events, into a tree ----

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::optional<Node> root() && {
    if (bad_key_) throw BadInput(*bad_key_);
    return std::move(root_);
  }

  // The innermost [ or { that is still open.
  std::optional<Place> open_bracket() const {
    if (open_.empty() || !open_.back().flow) return std::nullopt;
    return open_.back().node.place;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (root_) {
      refuse("E102", place(mark), "a second document begins here",
             "write one document a file, and indent what belongs together alike");
    }
  }
  void OnDocumentEnd() override {}

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_alias(place(mark)); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check_properties(mark, anchor, "");
    put_scalar(mark, std::string(null_text(mark)), false);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_properties(mark, anchor, tag);
    const auto control = std::find_if(value.begin(), value.end(), is_control);
    if (control != value.end()) {
      refuse("E102", place(mark), "the text holds the control character " + shown({&*control, 1}),
             "remove it");
    }
    put_scalar(mark, value, tag == "!");
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    check_properties(mark, anchor, tag);
    open(Node::Kind::Sequence, mark, style);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    check_properties(mark, anchor, tag);
    open(Node::Kind::Map, mark, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  [[noreturn]] static void refuse_alias(Place at) {
    refuse("E103", std::move(at), "aliases ('*name') are not allowed",
           "write the value out, or quote text that begins with '*'");
  }

 private:
  struct Open {
    Node node;
    bool flow;
    std::optional<Entry> entry;         // of a map: the key whose value comes next
    std::map<std::string, Place> keys;  // a tree: no choice of keys makes it slow
  };

  Place place(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }

  char character_at(const YAML::Mark& mark) const {
    const auto at = static_cast<std::size_t>(mark.pos);
    return mark.pos >= 0 && at < text_.size() ? text_[at] : '\0';
  }

  // Refuses tags and anchors. yaml-cpp gives a plain node the tag "?" or none, and the tag "!" both
  // to quoted text and where the file has a lone '!'.
  void check_properties(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag) {
    const bool tagged = !tag.empty() && tag != "?" && (tag != "!" || character_at(mark) == '!');
    if (tagged && (anchor == YAML::NullAnchor || character_at(mark) == '!')) {
      refuse("E103", place(mark), "tags ('!name') are not allowed",
             "remove it, or quote text that begins with '!'");
    }
    if (anchor != YAML::NullAnchor) {
      refuse("E103", place(mark), "anchors ('&name') are not allowed",
             "remove it, or quote text that begins with '&'");
    }
  }

  // The word for null at the mark; empty if the value is missing. yaml-cpp reports both alike, but
  // the mark of a missing value is that of the next token. In a block, that token stands no deeper
  // than the block; in brackets, it is a comma or the closing bracket.
  //
  //   a:            a has no value; its mark is that of the n
  //   null: 3       a key
  std::string_view null_text(const YAML::Mark& mark) const {
    if (!open_.empty()) {
      const Open& in = open_.back();
      const bool is_key = in.node.kind == Node::Kind::Map && !in.entry;
      if (!is_key && !in.flow && mark.column + 1 <= in.node.place.column) return {};
    }
    const std::string_view rest = text_.substr(std::min(text_.size(), std::size_t(mark.pos)));
    for (const std::string_view word : {"null", "Null", "NULL", "~"}) {
      if (rest.starts_with(word)) return word;
    }
    return {};
  }

  void put_scalar(const YAML::Mark& mark, std::string value, bool quoted) {
    Node node;
    node.place = place(mark);
    node.text = std::move(value);
    node.quoted = quoted;
    count(node.place);
    put(std::move(node));
  }

  void open(Node::Kind kind, const YAML::Mark& mark, YAML::EmitterStyle::value style) {
    if (open_.size() == kDeepestNesting) {
      refuse("E104", place(mark),
             "nested more than " + std::to_string(kDeepestNesting) + " levels deep",
             "nest less deeply");
    }
    Open in{.node = {}, .flow = style == YAML::EmitterStyle::Flow, .entry = {}, .keys = {}};
    in.node.kind = kind;
    in.node.place = place(mark);
    count(in.node.place);
    open_.push_back(std::move(in));
  }

  void close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    put(std::move(node));
  }

  void put(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& in = open_.back();
    if (in.node.kind == Node::Kind::Sequence) {
      in.node.items.push_back(std::move(node));
    } else if (!in.entry) {
      put_key(in, std::move(node));
    } else {
      if (node.is_nothing()) node.place = in.entry->place;
      in.entry->value = std::move(node);
      in.node.entries.push_back(*std::move(in.entry));
      in.entry.reset();
    }
  }

  // A key that is not text is refused only at the end: yaml-cpp takes the content of a bracket that
  // is not closed for a key before it reports the bracket.
  void put_key(Open& in, Node node) {
    if (node.kind != Node::Kind::Scalar || node.is_nothing()) {
      if (!bad_key_) {
        const char* found = node.kind == Node::Kind::Map        ? "a map"
                            : node.kind == Node::Kind::Sequence ? "a sequence"
                                                                : "nothing";
        bad_key_ =
            Diagnostic{.code = "E107",
                       .place = node.place,
                       .message = std::string("expected text as the key of a map, found ") + found,
                       .help = "write 'key: value'"};
      }
    } else {
      const auto [first, is_new] = in.keys.emplace(node.text, node.place);
      if (!is_new) {
        refuse("E105", node.place, "the key " + shown(node.text) + " stands twice in this map",
               "remove or rename one of the two", {"first at " + to_text(first->second)});
      }
    }
    in.entry = Entry{std::move(node.text), std::move(node.place), {}};
  }

  void count(const Place& at) {
    if (++nodes_ > kMostNodes) {
      refuse("E104", at, "the file has more than " + std::to_string(kMostNodes) + " values",
             "split the file");
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::vector<Open> open_;
  std::optional<Node> root_;
  std::optional<Diagnostic> bad_key_;
  std::int64_t nodes_ = 0;
};

// ---- The parser's errors, in our words ----

struct Wording {
  const char* message;
  const char* help;
};
struct Rewording {
  const char* theirs;
  Wording ours;
};

namespace said = YAML::ErrorMsg;

// clang-format off
constexpr Rewording kRewordings[] = {
    {said::END_OF_SEQ_FLOW,    {"a ']' or a ',' is missing",            "close the bracket, and put a comma between items"}},
    {said::END_OF_MAP_FLOW,    {"a '}' or a ',' is missing",            "close the bracket, and put a comma between entries"}},
    {said::FLOW_END,           {"a bracket is closed that was never opened", "remove it, or quote the text that it belongs to"}},
    {said::MAP_VALUE,          {"a ':' stands where no value can follow", "quote text that holds ': ', and indent with spaces"}},
    {said::MAP_KEY,            {"a '?' stands where no key can follow", "quote text that begins with '?'"}},
    {said::BLOCK_ENTRY,        {"a '-' stands where no item can follow", "begin items on a line of their own, or quote the text"}},
    {said::END_OF_MAP,         {"this line belongs to no map or sequence", "indent it like the entries it belongs to"}},
    {said::END_OF_SEQ,         {"this line belongs to no map or sequence", "indent it like the items it belongs to"}},
    {said::EOF_IN_SCALAR,      {"quoted text is not closed",            "add the closing quote"}},
    {said::DOC_IN_SCALAR,      {"quoted text is not closed before the next document", "add the closing quote"}},
    {said::UNKNOWN_TOKEN,      {"a character that no value can begin with", "quote the text"}},
    {said::TAB_IN_INDENTATION, {"a tab in the indentation",             "indent with spaces"}},
    {said::ALIAS_NOT_FOUND,    {"a '*' that no value can begin with",   "quote the text"}},
    {said::ANCHOR_NOT_FOUND,   {"a '&' that no value can begin with",   "quote the text"}},
};
// clang-format on

std::size_t line_begin(std::string_view text, std::size_t at) {
  const std::size_t end = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return end == std::string_view::npos ? 0 : end + 1;
}

std::size_t offset_of(std::string_view text, const Place& place) {
  std::size_t at = 0;
  for (int line = 1; line < place.line; ++line) {
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  return std::min(at + std::size_t(std::max(place.column, 1)) - 1, text.size());
}

// Whether the line has an odd number of double quotes, not counting those in comments and in single
// quotes:
//   "a\"b"  'say "a'  it's  # 5" wide       has not
bool lacks_quote(std::string_view line) {
  char open = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const auto follows = [&](const char* any) {
      return i == 0 || std::strchr(any, line[i - 1]) != nullptr;
    };
    if (open == '"' && c == '\\') {
      ++i;
    } else if (open != '\0') {
      if (c == open) open = '\0';
    } else if (c == '"' || (c == '\'' && follows(" \t[{,:"))) {
      open = c;
    } else if (c == '#' && follows(" \t")) {
      break;
    }
  }
  return open == '"';
}

// The first line that lacks a quote, from the line of the open bracket to that of the error, which
// the parser then reports because a text ended too early.
std::optional<int> line_without_quote(std::string_view text, const std::optional<Place>& bracket,
                                      std::size_t at) {
  std::size_t begin = line_begin(text, bracket ? offset_of(text, *bracket) : at);
  int line = 1 + int(std::count(text.begin(), text.begin() + std::ptrdiff_t(begin), '\n'));
  while (begin < text.size() && begin <= at) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (lacks_quote(text.substr(begin, end - begin))) return line;
    begin = end + 1;
    ++line;
  }
  return std::nullopt;
}

// A better message than the parser's, by the text around the error; nullopt if there is none.
std::optional<Wording> better_wording(const std::string& theirs, std::string_view text,
                                      const std::optional<Place>& bracket, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t begin = line_begin(text, at);
  const std::size_t first = std::min(text.find_first_not_of(" \t", begin), text.size());
  if (text.substr(begin, first - begin).find('\t') != std::string_view::npos) {
    return Wording{"a tab in the indentation", "indent with spaces"};
  }
  if (theirs == said::FLOW_END && bracket && at < text.size()) {
    const char open = text[std::min(offset_of(text, *bracket), text.size() - 1)];
    if (open == '[' && text[at] == '}') {
      return Wording{"a '}' closes what a '[' has opened", "write ']' for it"};
    }
    if (open == '{' && text[at] == ']') {
      return Wording{"a ']' closes what a '{' has opened", "write '}' for it"};
    }
  }
  const std::size_t last = before.find_last_not_of(' ');
  if (theirs == said::END_OF_MAP && last != std::string_view::npos && last >= begin &&
      (before[last] == ']' || before[last] == '}')) {
    return Wording{"text stands behind a closed bracket", "remove it, or begin a line with it"};
  }
  return std::nullopt;
}

[[noreturn]] void refuse_yaml(const YAML::Exception& e, const TreeBuilder& builder,
                              std::string_view text, const std::string& file) {
  const auto at = static_cast<std::size_t>(std::max(e.mark.pos, 0));
  Place place =
      e.mark.is_null() ? Place{file, 0, 0} : place_of(text, std::min(at, text.size()), file);
  if (e.msg == said::UNKNOWN_ANCHOR) TreeBuilder::refuse_alias(std::move(place));
  std::vector<std::string> notes;
  if (const auto bracket = builder.open_bracket()) {
    notes.push_back("in the bracket opened at " + to_text(*bracket));
  }
  Wording wording{e.msg.c_str(), "see https://yaml.org/spec/1.2.2"};
  for (const Rewording& row : kRewordings) {
    if (e.msg == row.theirs) wording = row.ours;
  }
  std::string help = wording.help;
  if (const auto line = line_without_quote(text, builder.open_bracket(), at)) {
    help = "add the quote that is missing in line " + std::to_string(*line);
  } else if (const auto own = better_wording(e.msg, text, builder.open_bracket(), at)) {
    wording = *own;
    help = wording.help;
  }
  refuse("E102", std::move(place), std::string("not YAML: ") + wording.message, std::move(help),
         std::move(notes));
}

// Reads from a string without copying it.
class Source : public std::streambuf {
 public:
  explicit Source(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // the get area is only read
    setg(begin, begin, begin + text.size());
  }
};

}  // namespace

Node read_document(std::string_view text, const std::string& file) {
  if (static_cast<std::int64_t>(text.size()) > kLargestFile) {
    refuse("E104", {file, 0, 0},
           "the file is larger than " + std::to_string(kLargestFile >> 20) + " MiB",
           "split the file");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  check_characters(text, file);
  check_amount(text, file);

  TreeBuilder builder(text, file);
  try {
    Source source(text);
    std::istream stream(&source);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {}
  } catch (const YAML::Exception& e) {
    refuse_yaml(e, builder, text, file);
  }
  std::optional<Node> root = std::move(builder).root();
  if (!root || root->is_nothing()) {
    refuse("E102", {file, 1, 1}, "the file is empty", "write a schedule, such as 'tensors: ...'");
  }
  return *std::move(root);
}

Node read_document_file(const std::string& path) {
  const auto fail = [&](const std::string& why) {
    refuse("E101", {path, 0, 0}, "cannot read the file: " + why,
           "name a file that can be read, or - for standard input");
  };
  const auto close = [](std::FILE* f) {
    if (f != stdin) std::fclose(f);
  };
  const std::unique_ptr<std::FILE, decltype(close)> in(
      path == "-" ? stdin : std::fopen(path.c_str(), "rb"), close);
  if (!in) fail(std::strerror(errno));
  struct stat status {};
  if (fstat(fileno(in.get()), &status) == 0 && S_ISDIR(status.st_mode)) fail("it is a directory");

  // Reads until the text exceeds kLargestFile; the caller then refuses it.
  std::string text;
  std::vector<char> chunk(1 << 16);
  while (static_cast<std::int64_t>(text.size()) <= kLargestFile) {
    const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), in.get());
    text.append(chunk.data(), n);
    if (n < chunk.size()) break;
  }
  if (std::ferror(in.get()) != 0) fail(std::strerror(errno));
  return read_document(text, path);
}

}  // namespace selvage
