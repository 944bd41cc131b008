#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/frontend/sections.h>
#include <selvage/frontend/statement_indices.h>

#include <span>
#include <string>

namespace selvage {

// What the names in a statement mean: indices, sizes, and tensors that are computed before it.
class StatementNames {
 public:
  // `all`: the statements of the file, for better messages.
  StatementNames(const Formula& formula, const Node& text, std::span<const Formula> all,
                 Fusion& fusion, SizeScope& sizes, FileContext& context,
                 const StatementIndices& indices)
      : formula_(formula),
        text_(text),
        all_(all),
        fusion_(fusion),
        sizes_(sizes),
        context_(context),
        indices_(indices) {}

  // An index, a size, or nothing.
  Expr symbol(const FormulaNode& name) const;
  // The tensor that is read; E205 if there is none, E318 if it is computed too late.
  TensorId source_of(const FormulaNode& node) const;
  // A tensor without axes, which may be read by its name alone; one that is computed too late is
  // for source_of to refuse.
  bool is_scalar(const std::string& name) const;
  bool is_tensor(const std::string& name) const;  // of this statement or a later one, too
  // The name, or it with _2, _3, ... behind it, whichever nothing has.
  std::string unused(const std::string& name) const;
  [[noreturn]] void refuse_name(const FormulaNode& node, bool in_value) const;

 private:
  Place place(std::size_t at) const { return place_in(text_, at); }
  bool computes(const std::string& name) const;
  bool waits_for_target(const std::string& name) const;

  const Formula& formula_;
  const Node& text_;
  std::span<const Formula> all_;
  Fusion& fusion_;
  SizeScope& sizes_;
  FileContext& context_;
  const StatementIndices& indices_;
};

}  // namespace selvage
