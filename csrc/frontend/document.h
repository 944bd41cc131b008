#pragma once

#include <selvage/base/diagnostic.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// A YAML file as a tree of texts, each with its place. Scalars have no types: a loop may be called
// `no`, `null` or `~`, and the readers of readers.h convert a text to an integer or a Boolean where
// the format wants one. Anchors, aliases, tags, a second document, keys that are not text, and a
// key that comes twice are refused.
struct Entry;
struct Node {
  enum class Kind { Scalar, Sequence, Map };

  Kind kind = Kind::Scalar;
  Place place;
  std::string text;            // of a scalar; empty where the file has no value
  bool quoted = false;         // 'text', "text", or a block of text after | or >
  std::vector<Node> items;     // of a sequence
  std::vector<Entry> entries;  // of a map, in file order

  // Whether the file has no value there.
  bool is_nothing() const { return kind == Kind::Scalar && text.empty() && !quoted; }
  // The value under `key`, or null. Takes time linear in the entries.
  const Node* find(std::string_view key) const;
};

struct Entry {
  std::string key;
  Place place;
  Node value;
};

// Any text is read in time and memory linear in its size. A text past these limits, which leave
// room for 100,000 transforms, is refused (E104); up to them, no text takes more than about two
// seconds.
inline constexpr int kDeepestNesting = 64;
inline constexpr std::int64_t kLargestFile = 10 << 20;  // bytes
inline constexpr std::int64_t kMostNodes = 2'000'000;   // scalars, sequences and maps
inline constexpr std::int64_t kMostBrackets = 1'000'000;
inline constexpr std::int64_t kMostMarks = 2'000'000;  // any of []{},:?&*!

// The one document in `text`, which must be UTF-8. `file`: the name of the file in its places.
// Throws BadInput (E102 to E105, E107).
Node read_document(std::string_view text, const std::string& file);
// The same for a file, or for standard input if `path` is "-". Throws BadInput (E101 to E105,
// E107).
Node read_document_file(const std::string& path);

}  // namespace selvage
