#include "tests/corpus/line.h"

#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>

#include <istream>
#include <stdexcept>

namespace selvage::corpus {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    parts.emplace_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

// The parts between colons of each item between semicolons.
std::vector<std::vector<std::string>> items(std::string_view field, std::size_t parts) {
  std::vector<std::vector<std::string>> all;
  if (field.empty()) return all;
  for (const std::string& item : split(field, ';')) {
    all.push_back(split(item, ':'));
    if (all.back().size() != parts) throw std::invalid_argument("not a declaration: " + item);
  }
  return all;
}

}  // namespace

std::string to_text(const Line& line) {
  std::string text = line.id + '\t' + line.kind + '\t', separator;
  for (const auto& [name, extent] : line.loops) {
    text += separator + name + ':' + extent;
    separator = ";";
  }
  text += '\t';
  separator.clear();
  for (const Line::Parameter& p : line.parameters) {
    text += separator + p.name + ':' + std::to_string(p.lo) + ':' + std::to_string(p.hi);
    separator = ";";
  }
  text += '\t' + line.expression;
  return line.guard.empty() ? text : text + '\t' + line.guard;
}

Line parse_line(std::string_view text) {
  const std::vector<std::string> fields = split(text, '\t');
  if (fields.size() < 5 || fields.size() > 6) {
    throw std::invalid_argument("5 or 6 fields are wanted: " + std::string(text));
  }
  Line line{fields[0], fields[1], {}, {}, fields[4], fields.size() == 6 ? fields[5] : ""};
  for (const auto& loop : items(fields[2], 2)) line.loops.emplace_back(loop[0], loop[1]);
  for (const auto& p : items(fields[3], 3)) {
    line.parameters.push_back({p[0], std::stoll(p[1]), std::stoll(p[2])});
  }
  return line;
}

std::vector<Line> read_lines(std::istream& in) {
  std::vector<Line> lines;
  for (std::string text; std::getline(in, text);) {
    if (!text.empty()) lines.push_back(parse_line(text));
  }
  return lines;
}

Problem::Problem(const Line& line) : parameters(line.parameters) {
  for (const Line::Parameter& p : parameters) {
    symbols.push_back(pool->symbol(p.name));
    facts.bound(symbols.back(), pool->constant(p.lo), pool->constant(p.hi));
  }
  for (const auto& [name, extent] : line.loops) {
    extents.push_back(parse_expr(*pool, extent));
    symbols.push_back(pool->symbol(name));
    facts.loop(symbols.back(), extents.back());
  }
  expression = parse_expr(*pool, line.expression);
  if (line.guard.empty()) return;
  guard = parse_expr(*pool, line.guard);
  facts.assume(guard);
}

}  // namespace selvage::corpus
