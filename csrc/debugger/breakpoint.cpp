#include <selvage/base/diagnostic.h>
#include <selvage/debugger/breakpoint.h>
#include <selvage/emulate/memory.h>
#include <selvage/expr/text.h>

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace selvage {

namespace {

// The first word, which is taken away with the blanks behind it.
std::string take_word(std::string& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string word = text.substr(0, end);
  text.erase(0, std::min(text.find_first_not_of(' ', end), text.size()));
  return word;
}

}  // namespace

std::int64_t number_in(const std::string& text, const Index3& extents, const char* what) {
  std::vector<std::int64_t> parts;
  for (const char *at = text.data(), *last = at + text.size(); at <= last; ++at) {
    std::int64_t part = 0;
    const auto [end, error] = std::from_chars(at, last, part);
    const bool is_end = end == last || *end == ',';
    if (error != std::errc{} || !is_end || part < 0 || parts.size() == 3) {
      throw BadCommand("'" + text + "' is no " + what + "; write its number, or x,y,z");
    }
    parts.push_back(part);
    at = end;
  }
  const std::int64_t all = LaunchGeometry::count(extents);
  std::int64_t number = parts[0];
  if (parts.size() > 1) {
    parts.resize(3);
    for (std::size_t k = 0; k < 3; ++k) {
      if (parts[k] < extents[k]) continue;
      throw BadCommand("there is no " + std::string(what) + " " + text + ": along " + "xyz"[k] +
                       " there are " + std::to_string(extents[k]));
    }
    number += extents[0] * (parts[1] + extents[1] * parts[2]);
  }
  if (number < all) return number;
  throw BadCommand("there is no " + std::string(what) + " " + text + ": there are " +
                   std::to_string(all));
}

Expr read_expression(const RunView& view, const std::string& text) {
  const StatementTree& tree = view.tree();
  const auto resolve = [&](std::string_view name) {
    for (Expr size : view.kernel().sizes) {
      if (size.name() == name) return size;
    }
    for (PlaceId id = 0; id < tree.size(); ++id) {
      if (tree[id].variable.valid() && tree[id].variable.name() == name) return tree[id].variable;
    }
    return Expr();
  };
  try {
    return parse_expr(*view.kernel().pool, text, resolve);
  } catch (const BadInput& wrong) {
    throw BadCommand(wrong.diagnostic().message +
                     "; variables of the loops and sizes may stand in it");
  }
}

Breakpoint::Breakpoint(std::string text, const RunView& view, const KernelNames& names)
    : text_(std::move(text)) {
  resolve(view, names);
}

std::string Breakpoint::memory_of(const std::string& text) {
  std::string rest = text, word = take_word(rest);
  if (word == "store" || word == "load") word = take_word(rest);
  return word.substr(0, word.find('['));
}

std::string Breakpoint::begin_kernel(const RunView& view, const KernelNames& names) {
  try {
    resolve(view, names);
    return "";
  } catch (const BadCommand& wrong) {
    is_known_ = false;
    return names.has(memory_of(text_)) ? wrong.what() : "";
  }
}

void Breakpoint::resolve(const RunView& view, const KernelNames& names) {
  std::string rest = text_;
  std::string condition;
  if (const std::size_t at = rest.find(" if "); at != std::string::npos) {
    condition = rest.substr(at + 4);
    rest.erase(at);
  }
  const std::string what = rest;
  const std::string word = take_word(rest);
  const std::pair<const char*, Kind> kinds[] = {
      {"store", Kind::Store},     {"load", Kind::Load},     {"line", Kind::Line},
      {"barrier", Kind::Barrier}, {"thread", Kind::Thread}, {"block", Kind::Block}};
  kind_ = Kind::Access;
  for (const auto& [name, kind] : kinds) {
    if (word == name) kind_ = kind;
  }
  const LaunchGeometry& geometry = view.geometry();
  switch (kind_) {
    case Kind::Store:
    case Kind::Load: element_ = names.find(rest); break;
    case Kind::Access: element_ = names.find(what); break;
    case Kind::Line: {
      std::int64_t line = 0;
      std::from_chars(rest.data(), rest.data() + rest.size(), line);
      place_ = names.at_line(line);
      break;
    }
    case Kind::Barrier:
      if (!rest.empty()) throw BadCommand("write barrier alone, or line and its number");
      break;
    case Kind::Thread: number_ = number_in(rest, geometry.block, "thread"); break;
    case Kind::Block: number_ = number_in(rest, geometry.grid, "block"); break;
  }
  wants_nan_ = condition == "nan";
  const bool is_access = kind_ == Kind::Store || kind_ == Kind::Load || kind_ == Kind::Access;
  if (wants_nan_ && !is_access) throw BadCommand("if nan is for stores and loads");
  condition_ = condition.empty() || wants_nan_ ? Expr() : read_expression(view, condition);
  is_known_ = true;
}

bool Breakpoint::holds(const RunView& view) const {
  return !condition_.valid() || value_of(view, condition_).value_or(0) != 0;
}

bool Breakpoint::stops_at_statement(const RunView& view) const {
  return is_known_ && kind_ == Kind::Line && view.at() == place_ && holds(view);
}

bool Breakpoint::stops_at_access(const RunView& view, bool is_store, BufferId b,
                                 std::int64_t address, Scalar value) const {
  const bool is_kind = kind_ == Kind::Access || kind_ == (is_store ? Kind::Store : Kind::Load);
  if (!is_known_ || !is_kind || element_.buffer != b) return false;
  if (element_.address && *element_.address != address) return false;
  if (wants_nan_ && !(is_floating(value.type) && std::isnan(as_real(value)))) return false;
  return holds(view);
}

bool Breakpoint::stops_at_meeting(const RunView& view) const {
  return is_known_ && kind_ == Kind::Barrier && holds(view);
}

bool Breakpoint::stops_at_thread(const RunView& view, bool is_first) const {
  if (!is_known_) return false;
  if (kind_ == Kind::Block) return is_first && view.block() == number_ && holds(view);
  return kind_ == Kind::Thread && std::int64_t(view.thread()) == number_ && holds(view);
}

}  // namespace selvage
