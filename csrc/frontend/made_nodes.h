#pragma once

#include <selvage/frontend/document.h>

#include <string>
#include <utility>
#include <vector>

namespace selvage {

// Parts of a document that a reader makes of other parts. Each has the place of what it stands for,
// so that what is wrong with it is said there.
Node made_text(std::string text, const Place& place);
Node made_list(std::vector<Node> items, const Place& place);
Node made_list(const std::vector<std::string>& texts, const Place& place);
Node made_map(std::vector<std::pair<std::string, Node>> entries, const Place& place);
void put(Node& map, std::string key, Node value);

// A document as YAML that reads as the same: what nests one level deep on one line.
std::string to_yaml(const Node& document);

}  // namespace selvage
