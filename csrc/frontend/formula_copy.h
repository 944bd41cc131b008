#pragma once

#include <selvage/frontend/formula.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace selvage {

// Copies parts of a formula into another one: nodes with their operands, and the folds that they
// stand in and make.
class FormulaCopy {
 public:
  // What stands in the place of a node, by its number in `to`; nothing: a copy of it.
  using InPlaceOf = std::function<std::optional<std::uint32_t>(std::uint32_t)>;

  FormulaCopy(const Formula& from, Formula& to, InPlaceOf in_place_of)
      : from_(from), to_(to), in_place_of_(std::move(in_place_of)) {}

  // Folds that are not copied: what stands in one of them stands in `there` of the copy.
  void leave_out(std::size_t fold, std::optional<std::size_t> there) { folds_[fold] = there; }

  std::uint32_t node(std::uint32_t number);
  std::optional<std::size_t> fold(std::optional<std::size_t> number);
  std::vector<Formula::Index> indices(const std::vector<Formula::Index>& list);
  std::uint32_t add(FormulaNode node);

 private:
  const Formula& from_;
  Formula& to_;
  InPlaceOf in_place_of_;
  std::map<std::uint32_t, std::uint32_t> nodes_;
  std::map<std::size_t, std::optional<std::size_t>> folds_;
};

}  // namespace selvage
