#include <selvage/expr/symbols.h>
#include <selvage/simplifier/point.h>

namespace selvage {

std::vector<Expr> symbols_in(const Point& point) {
  std::vector<Expr> list;
  for (const auto& [symbol, value] : point) list.push_back(symbol);
  return list;
}

std::vector<std::int64_t> values_in(const Point& point) {
  std::vector<std::int64_t> list;
  for (const auto& [symbol, value] : point) list.push_back(value);
  return list;
}

Point point_at(std::span<const Expr> symbols, std::span<const std::int64_t> values) {
  Point point;
  for (std::size_t i = 0; i < symbols.size(); ++i) point.emplace_back(symbols[i], values[i]);
  return point;
}

std::optional<std::int64_t> value_of(Expr symbol, const Point& point) {
  for (const auto& [other, value] : point) {
    if (same(other, symbol)) return value;
  }
  return std::nullopt;
}

std::optional<std::int64_t> value_at(Expr e, const Point& point) {
  return evaluate(e, symbols_in(point), values_in(point));
}

Point in_order(std::span<const Expr> first, const Point& point) {
  Point ordered;
  for (Expr symbol : first) ordered.emplace_back(symbol, value_of(symbol, point).value_or(0));
  for (const auto& entry : point) {
    if (!contains(first, entry.first)) ordered.push_back(entry);
  }
  return ordered;
}

std::string to_text(const Point& point) {
  std::string text;
  for (const auto& [symbol, value] : point) {
    text += (text.empty() ? "" : ", ") + std::string(symbol.name()) + " = " + std::to_string(value);
  }
  return text;
}

}  // namespace selvage
