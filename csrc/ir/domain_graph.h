#pragma once

#include <selvage/expr/expr.h>
#include <selvage/simplifier/facts.h>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace selvage {

enum class DomainId : std::uint32_t {};     // index into a DomainGraph; never dangles
enum class TransformId : std::uint32_t {};  // likewise

inline std::size_t index_of(DomainId d) { return std::size_t(d); }
bool contains(std::span<const DomainId> list, DomainId d);
inline std::size_t index_of(TransformId t) { return std::size_t(t); }

enum class RowsId : std::uint32_t {};  // index into a DomainGraph's rows; never dangles
inline std::size_t index_of(RowsId r) { return std::size_t(r); }

// Rows of different lengths that lie one after another: row r has the positions offsets[r] to
// offsets[r + 1] - 1. The contract of offsets: the first is 0, none is less than the one before it,
// the last is `items`. A nest is at one row at a time; `row`, `begin` and `end` are symbols that
// stand for it and for its offsets, and are bound by the nest (legality/row_numbers.h).
struct RaggedRows {
  std::uint32_t offsets;  // the number of the tensor that holds them, count + 1 integers
  Expr count, items;
  Expr row, begin, end;  // 0 <= row < count; 0 <= begin <= end <= items
  // Of groups of rows: group g is the rows g*height to g*height + height - 1 of `rows`, as far as
  // there are any, each with `added` positions more than items; it has the positions of all of
  // them. So its offsets are those of the rows at multiples of the height.
  struct Groups {
    RowsId rows;
    Expr height;
    std::int64_t added = 0;
  };
  std::optional<Groups> groups = {};
};

// An index space [0, extent). How it is used (parallel, reduced, padded) belongs to its user.
// The name labels it for people and identifies nothing.
struct IterDomain {
  std::string name;
  Expr extent;
  // Of a ragged iterdomain: its extent is that of a row, end - begin, and differs from one index of
  // the iterdomain `row` to the next.
  // `added`: its extent is so much more, as it was resized.
  struct Ragged {
    RowsId rows;
    DomainId row;
    std::int64_t added = 0;
  };
  std::optional<Ragged> ragged = {};
};

// Each transform is a pair: what it does to extents, and what it does to coordinates.
//
// Split: cuts [0, n) into tiles.                           n = 10, factor 4     inner 0 1 2 3
//   x = outer*|inner| + inner                                         outer 0         0 1 2 3
//   inner split:  |inner| = factor, |outer| = ceil(n / factor)              1         4 5 6 7
//   outer split:  |outer| = factor, |inner| = ceil(n / factor)              2         8 9 . .
//   Onto [0, n) if and only if the factor divides n; otherwise the last tiles have holes.
struct Split {
  DomainId in, outer, inner;
  Expr factor;
  bool inner_split = true;
};
// Merge: out = outer*|inner| + inner, |out| = |outer|*|inner|.
// Of a row and its ragged iterdomain: out = begin + added*outer + inner, the position, |out| =
// items
// + added*|outer|. Back: outer = the row that has the position, the number of offsets behind the
// first and in front of the last that, with what is added, are at most out; inner = out - begin -
// added*outer. Onto [0, |out|), and no two items share a position.
// Of the rows of one group, where a split has made `group` and `outer` of a row, and the ragged
// iterdomain of that row: the same, from the group's first position on, which differs with `group`.
// So `out` is a ragged iterdomain of the group, and only rows of the group are searched.
struct Merge {
  DomainId outer, inner, out;
  std::optional<DomainId> group = {};
};
// Resize: out = in + left, |out| = |in| + left + right. A negative side shrinks.
struct Resize {
  DomainId in, out;
  Expr left, right;
};
// Swizzle of (X, Y) to (U, V) of the same extents: x = u, and
//   Xor:          y = u ^ v, legal if and only if the least power of two >= |X| divides |Y|
//   CyclicShift:  y = (v + u) % |Y|
// or, with x and u in the same square of |Y| rows, x / |Y| = u / |Y|,
//   Hilbert:      (x, y) is point u*|Y| + v of Hilbert's curve through the squares, one after the
//                 other; legal if and only if |Y| is a power of two that divides |X|
//                 (index/hilbert.h)
enum class SwizzleKind : std::uint8_t { Xor, CyclicShift, Hilbert };
std::string_view to_string(SwizzleKind kind);  // as files name it
std::string in_words(SwizzleKind kind);        // "cyclic shift"
struct Swizzle {
  SwizzleKind kind;
  DomainId in_x, in_y, out_x, out_y;
};
// Skew: out = in + by*along % modulo, |out| = |in| + modulo - 1. It moves each row to an offset of
// its own and leaves the row, `along`, as it is: where rows of `by` elements lie one after another,
// the elements whose `out` is a multiple of `modulo` lie at multiples of it.
struct Skew {
  DomainId in, along, out;
  Expr by, modulo;
};
using Transform = std::variant<Split, Merge, Resize, Swizzle, Skew>;

// What a transform takes the place of.
std::vector<DomainId> inputs(const Transform& t);
std::vector<DomainId> outputs(const Transform& t);
// What it reads beside, and leaves: a skew goes along it, a merge is within a group of rows.
std::optional<DomainId> beside(const Transform& t);

// Replaces the inputs of a transform among `loops` by its results `made`: the two results of a
// split side by side, the result of a merge in the place of the outer input.
void cross(std::vector<DomainId>& loops, const Transform& t, const std::vector<DomainId>& made);

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};

// The name of an iterdomain that nobody has named: `from` and `mark`; if `from` is long, the number
// instead, so that names do not grow without end along a chain.
std::string derived_name(const std::string& from, const char* mark, std::size_t number);

// Iterdomains and the transforms between them, append-only: nothing that exists ever changes.
// A graph may lie over a frozen one, whose ids it continues; copying it copies the overlay only.
// Equal transforms of the same iterdomains give the same results, so two tensors that split one
// iterdomain by the same factor share what comes out.
//
// Every derivation throws Illegal and leaves the graph as it was where the result would be no index
// space: E401 factor or modulus below 1, E402 extent past 64 bits, E403 extent below 1, E404
// illegal swizzle; E455 groups of rows that are grouped again.
class DomainGraph {
 public:
  DomainGraph(std::shared_ptr<ExprPool> pool, std::shared_ptr<const Facts> facts);
  // An overlay on `base`, which must not grow any more.
  explicit DomainGraph(std::shared_ptr<const DomainGraph> base);
  ~DomainGraph();
  DomainGraph(const DomainGraph&);
  DomainGraph(DomainGraph&&) noexcept;
  DomainGraph& operator=(const DomainGraph&);
  DomainGraph& operator=(DomainGraph&&) noexcept;

  DomainId add(std::string name, Expr extent);
  RowsId add_rows(RaggedRows rows);
  // The iterdomain of the items of a row, at each index of `row`: the same for the same two.
  DomainId ragged(std::string name, DomainId row, RowsId rows);
  std::pair<DomainId, DomainId> split(DomainId in, Expr factor, bool inner_split = true,
                                      std::string outer_name = {}, std::string inner_name = {});
  // The same, where the extent of `in` is known to be outer * factor.
  std::pair<DomainId, DomainId> split_evenly(DomainId in, Expr outer, Expr factor);
  DomainId merge(DomainId outer, DomainId inner, std::string name = {});
  DomainId resize(DomainId in, Expr left, Expr right, std::string name = {});
  std::pair<DomainId, DomainId> swizzle(SwizzleKind kind, DomainId x, DomainId y,
                                        std::string x_name = {}, std::string y_name = {});
  DomainId skew(DomainId in, DomainId along, Expr by, Expr modulo, std::string name = {});
  // Any of these: `request` leaves its outputs open, `names` names them.
  std::vector<DomainId> make(const Transform& request, const std::vector<std::string>& names);

  // Simplifies the extents again, by these facts about sizes.
  void simplify_extents(std::shared_ptr<const Facts> facts);

  std::size_t size() const { return first_domain_ + domains_.size(); }
  std::size_t transforms() const { return first_transform_ + transforms_.size(); }
  std::size_t rows() const { return first_rows_ + rows_.size(); }
  const IterDomain& operator[](DomainId d) const;
  const Transform& operator[](TransformId t) const;
  const RaggedRows& operator[](RowsId r) const;
  // The rows that a merge numbers the positions of; null if it merges by one extent. And the
  // groups of them, if it does so within each; else null.
  const RaggedRows* rows_of(const Merge& merge) const;
  const RaggedRows* groups_of(const Merge& merge) const;
  // The transforms that read or make an iterdomain, in the order in which they were made.
  std::vector<TransformId> around(DomainId d) const;

  ExprPool& pool() const { return *pool_; }
  const std::shared_ptr<ExprPool>& shared_pool() const { return pool_; }
  const std::shared_ptr<const Facts>& facts() const { return facts_; }

 private:
  using Key = std::vector<std::uint64_t>;
  const Transform* find(const Key& key) const;
  void record(Key key, Transform transform);
  std::pair<DomainId, DomainId> split_into(DomainId in, Expr factor, Expr rest, bool inner_split,
                                           std::string outer_name, std::string inner_name);
  DomainId next() const { return DomainId(size()); }
  Expr canonical(Expr e) const;
  // The group of rows that `outer` and `inner` are the rows of, and their items.
  std::optional<DomainId> group_of(DomainId outer, DomainId inner) const;
  RowsId add_groups(const IterDomain::Ragged& items, DomainId group, Expr height);
  void check_has_items(const IterDomain& x, const char* what) const;
  void check_squares(const IterDomain& x, const IterDomain& y) const;

  std::shared_ptr<ExprPool> pool_;
  std::shared_ptr<const Facts> facts_;
  std::shared_ptr<const DomainGraph> base_;
  std::size_t first_domain_ = 0;
  std::size_t first_transform_ = 0;
  std::size_t first_rows_ = 0;
  std::vector<IterDomain> domains_;
  std::vector<Transform> transforms_;
  std::vector<RaggedRows> rows_;
  std::map<Key, std::size_t> made_;  // what was derived already, in this overlay
  std::map<std::size_t, std::vector<TransformId>> around_;
};

// The extents of some iterdomains, where all of them are numbers.
std::optional<std::vector<std::int64_t>> known_extents(const DomainGraph& graph,
                                                       std::span<const DomainId> domains);

}  // namespace selvage
