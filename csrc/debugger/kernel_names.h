#pragma once

#include <selvage/emulate/watch.h>
#include <selvage/kernel/print.h>

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// A command that makes no sense; what() says why, and what would.
class BadCommand : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The shapes of memory whose axes a kernel does not tell, by name.
using Shapes = std::map<std::string, std::vector<Expr>>;

// The value of an expression for the thread that runs; nothing where a variable has none.
std::optional<std::int64_t> value_of(const RunView& view, Expr e);

// The words for what a running kernel does: the lines of its loops, and the elements of its memory.
class KernelNames {
 public:
  KernelNames(const RunView& view, const Shapes& shapes);

  // The item that lies at an address; nothing: the memory has no axes, or no item lies there.
  std::optional<std::vector<std::int64_t>> item(BufferId b, std::int64_t address) const;
  // "y[17, 3]"; where item() has none, y[75] by its address.
  std::string element(BufferId b, std::int64_t address) const;

  // The extent of the innermost axis; nothing: the memory has no axes, or that is not its rows.
  std::optional<std::int64_t> row_length(BufferId b) const;

  // The memory that a text names and, of y[17, 3], the address. Throws BadCommand.
  struct Element {
    BufferId buffer = 0;
    std::optional<std::int64_t> address = {};
  };
  Element find(std::string_view text) const;
  bool has(std::string_view memory) const;

  // Lines are numbered from 1.
  const std::vector<std::string>& lines() const { return nest_.lines; }
  std::size_t line_of(PlaceId id) const { return nest_.line_of[id] + 1; }
  // The statement of that line. Throws BadCommand if there is none.
  PlaceId at_line(std::int64_t line) const;
  // The text of a statement's line without its indent.
  std::string text_of(PlaceId id) const;

 private:
  struct Axis {
    std::int64_t stride, extent;
  };
  struct Named {
    std::string name;
    std::int64_t elements = 0;
    std::vector<Axis> axes;              // empty: not known
    std::vector<std::size_t> by_stride;  // the axes, that of the widest stride first
  };
  static std::vector<Axis> axes_of(const RunView& view, const Buffer& buffer, const Shapes& shapes);
  std::int64_t address_of(const Named& memory, const std::vector<std::int64_t>& at) const;

  std::vector<Named> memory_;  // by buffer
  NestLines nest_;
};

}  // namespace selvage
