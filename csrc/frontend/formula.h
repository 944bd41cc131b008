#pragma once

#include <selvage/base/data_type.h>
#include <selvage/frontend/document.h>
#include <selvage/ir/access_mode.h>
#include <selvage/ir/identity.h>
#include <selvage/ir/scalar.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// What is written around a subscript: how its axis goes on (ir/access_mode.h), or
//   safe      outside the value is 0, read nowhere
//   unchecked there is no such element: that is promised, for a load
//   checked   as safe, and a fusion that is checked says so (ir/value_check.h)
enum class Remap : std::uint8_t { Clamped, Circular, Mirror, Reflect, Safe, Unchecked, Checked };
// Nothing for those in the last three lines.
std::optional<AccessMode> access_mode(Remap remap);

// A parsed statement in index notation, `y[m, n] = relu(a[m, n] + b[n])`, or for a scalar,
// `y = sum(a[m])`. The reader of the section resolves its names.
//   expression  || && == != < <= > >= + - * / // % with C's precedence, unary - and !,
//               functions as ir/scalar.h names them, casts by the names of types, numbers, true,
//               false, inf, nan, names (also of scalars), elements of tensors, reductions as
//               ir/identity.h names them, scans such as cumsum[j](e), fill(x[...], e),
//               safe(x[...]), values(x)[p] of items of rows; real(z), imag(z), conj(z), complex(x,
//               y), complex64(x); or, as the whole right side, compact(e, condition)
//   subscript   + - * // % of names and integers, in a remap such as mirror(i + 1); or the same of
//               loads as well, elements of tensors: clamped(idx[i]), unchecked(2 * idx[i] + 1)
struct FormulaNode {
  enum class Kind : std::uint8_t {
    Integer,
    Real,
    Truth,
    Name,
    Element,
    Apply,
    Cast,
    Fold,     // of its operand
    Fill,     // an element, and the value out of bounds; without the latter it is 0
    Remap,    // of a whole subscript
    Neutral,  // of the type of its operand: what `how` gives of nothing
    Compact,  // the whole right side: the first operand where the second one holds
    Complex,  // of complex numbers: ComplexStatement puts others in their place
  };
  enum class OfComplex : std::uint8_t { Real, Imag, Conj, FromParts, Complex64, Complex128 };
  Kind kind = Kind::Integer;
  std::size_t at = 0;     // where it stands in the text
  std::string name = {};  // Name, Element
  std::int64_t integer = 0;
  double real = 0;
  Function function = Function::Add;
  DataType type = DataType::Float;           // Cast
  Remap remap = Remap::Clamped;              // Remap
  OfComplex of_complex = OfComplex::Real;    // Complex
  Reduction how = Reduction::Min;            // Neutral
  std::vector<std::uint32_t> operands = {};  // Element: its subscripts
  bool is_fast = false;                      // Apply: fast(...) stands around it
  bool in_subscript = false;
  bool is_filled = false;                  // an Element that a Fill reads
  bool is_by_position = false;             // an Element of items of rows, at one subscript for both
  bool is_loaded = false;                  // in a subscript: a load, or made of one
  std::optional<std::size_t> inside = {};  // the innermost of Formula::folds around it
  std::size_t fold = 0;                    // Fold, Compact: its number in Formula::folds

  // Whether `name` may be that of a tensor. (That of a scalar has no subscripts: kind Name.)
  bool may_read() const { return kind == Kind::Element || kind == Kind::Name; }
};

struct Formula {
  struct Index {
    std::string name;
    std::size_t at;
    // The node of its extent, where that is said: in a fold, behind <.
    std::optional<std::uint32_t> extent = {};
  };
  // sum(e), sum[n](e) or sum[n < 3](e); or a scan. Or what compact[n](e, condition) goes over.
  struct Fold {
    Reduction how = Reduction::Sum;
    std::size_t at = 0;
    std::int64_t correction = kUsualCorrection;  // var(e, 0)
    std::optional<std::size_t> outer = {};       // the innermost fold around it
    bool is_named = false;                       // its indices are written: sum[n](e)
    // The indices that it folds over, outer to inner: as written or by find_folded_indices().
    std::vector<Index> indices = {};
    // Of a scan, cumsum[n](e): the index along which it runs, one of the indices around it.
    std::optional<Index> scanned = {};
    bool is_compaction = false;
    std::string name() const;  // "sum", "cumsum", "compact"
  };
  std::string target;
  std::size_t target_at = 0;
  std::vector<Index> indices;  // of the target, one for each axis
  // Of y[2 * i + 1, j] = ..., by axis: the node of the subscript at which an item is stored. Empty:
  // each at its own indices. The indices are found by find_stored_indices().
  std::vector<std::uint32_t> stored_at = {};
  bool is_by_position = false;  // values(y)[p] = ...
  // Of a result over positions: the tensor of offsets that tells of which rows they are.
  std::string offsets = {};
  std::vector<FormulaNode> nodes;  // operands before their users, the value last
  std::vector<Fold> folds;         // in the order in which they begin
  // Of assert(condition, "message"): all(condition), over all indices in it, of a target that the
  // reader names.
  struct Assertion {
    std::string condition, message;
  };
  std::optional<Assertion> assertion = {};

  // The reduction or scan that is the whole right side, or null. Its indices are the tensor's,
  // after those on the left.
  const Fold* whole() const;
  bool is_compaction() const { return nodes.back().kind == FormulaNode::Kind::Compact; }
};

// The value of `inf` or `nan` in a formula, if nothing else has that name.
std::optional<double> parse_special_number(std::string_view name);

// Throws BadInput at the place in the file: E104 too long or too deep, E108 number too large, E314
// not a statement, E315 unknown function, E390 some access modes.
Formula parse_formula(const Node& text);
bool is_assertion(std::string_view text);  // it begins with `assert(`

// `A[p + 1, q] += 2`: a store to an element with any subscripts.
struct Update {
  Formula formula = {};                   // its nodes: of the element, then of the value
  std::uint32_t element = 0;              // the number of the element's node
  std::optional<Function> function = {};  // += -= *=: combines the old element with the value
};
// Throws as parse_formula does, and E390 for loads in subscripts.
Update parse_update(const Node& text);

// Whether the tensor `name` reads `target`, directly or through other statements.
bool waits_for(std::string_view name, std::string_view target, std::span<const Formula> all);

// Finds the index in each subscript on the left, for a statement that stores elsewhere than at its
// indices. Throws BadInput E314 at a place in `text` where there is none or another one, or two
// axes have the same.
void find_stored_indices(Formula& formula, const Node& text,
                         const std::function<bool(const std::string&)>& is_symbol);

// Finds the indices of reductions that name none. Such a reduction folds over all names in
// subscripts inside it, except: indices on the left, symbols, indices that a reduction around it
// names, and indices that a reduction inside it folds over.
void find_folded_indices(Formula& formula,
                         const std::function<bool(const std::string&)>& is_symbol);

}  // namespace selvage
