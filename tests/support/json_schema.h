// A JSON schema (draft 2020-12), as far as the schema of schedule files uses it.
#pragma once

#include <memory>
#include <string>

namespace selvage::test {

class JsonSchema {
 public:
  // A keyword that is not known here, or a reference that leads nowhere, throws when it is met.
  explicit JsonSchema(const std::string& text);
  ~JsonSchema();

  // Whether the JSON text is valid by it.
  bool accepts(const std::string& json) const;
  // Throws unless every definition is well formed.
  void check() const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace selvage::test
