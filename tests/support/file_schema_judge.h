// Whether the schema of schedule files and their readers agree on a file.
#pragma once

#include <selvage/base/diagnostic.h>
#include <selvage/frontend/document.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace selvage::test {

// The tree as JSON, as an editor takes it: numbers, true and false without quotes are such.
std::string json_of(const Node& node);

// Where the two contradict each other: the readers find nothing wrong and the schema does, or they
// find what is wrong in form (a key, a kind, a word) and the schema does not. `errors` is what the
// readers say.
std::optional<std::string> schema_contradiction(const Node& root,
                                                const std::vector<Diagnostic>& errors);
// The same for a text; nothing where it is no document, or longer than a person writes.
std::optional<std::string> schema_contradiction(std::string_view text,
                                                const std::vector<Diagnostic>& errors);

}  // namespace selvage::test
