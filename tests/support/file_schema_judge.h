// Whether the schema of schedule files and their readers agree on a file.
#pragma once

#include <selvage/base/diagnostic.h>
#include <selvage/frontend/document.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace selvage::test {

// The tree as JSON, as an editor reads it: numbers, true and false without quotes are not strings.
std::string json_of(const Node& node);

// Says where schema and readers contradict each other: the schema finds something wrong where the
// readers find nothing, or nothing where the readers find a wrong form (a key, a kind, a word).
// `errors`: what the readers say.
std::optional<std::string> schema_contradiction(const Node& root,
                                                const std::vector<Diagnostic>& errors);
// The same for a text; nothing if it is not a document, or longer than a person writes.
std::optional<std::string> schema_contradiction(std::string_view text,
                                                const std::vector<Diagnostic>& errors);

}  // namespace selvage::test
