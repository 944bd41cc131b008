#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/legality/analysis.h>
#include <selvage/lower/narrow.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace selvage {

// A kernel while its body is put together.
struct KernelDraft {
  Kernel& kernel;
  std::map<BufferId, const Storage*> storages = {};  // of tensors that the fusion does not lay out
  std::vector<Expr> computed = {};                   // index expressions of the body
  std::vector<Expr> conditions = {};                 // what must hold at launch, besides widths
  bool is_vectorised = true;
  std::size_t settled_values = 0;  // how many values, the first, have their index expressions named
  std::unique_ptr<NarrowForms> forms = {};       // under what was known when it was last asked
  std::unordered_set<std::uint32_t> noted = {};  // of `computed`, by id: what form() has given

  // An index expression of the body, in a form that fits the narrowest type.
  Expr form(Expr e);

  // The buffer that holds the same part of a tensor; this one is added where there is none yet.
  BufferId buffer_of(Buffer wanted, const Storage* storage);
  BufferId add_local(std::string name, DataType type, std::int64_t elements);
  BufferId add_shared(std::string name, DataType type, std::int64_t elements);
};

}  // namespace selvage
