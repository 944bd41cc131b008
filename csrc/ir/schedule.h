#pragma once

#include <selvage/ir/fusion.h>
#include <selvage/ir/parallel.h>
#include <selvage/ir/path.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// A loop of one tensor's nest: what the primitives of a Schedule take and give.
struct ScheduledLoop {
  TensorId tensor{};
  DomainId domain{};
  friend bool operator==(const ScheduledLoop&, const ScheduledLoop&) = default;
};

// The names of a split's loops (empty: made up), and which of them has the factor as extent.
struct SplitOptions {
  std::string outer = {}, inner = {};
  bool inner_split = true;  // false: the factor is the outer extent
};

class BufferLayout;

// How the loops of each computed tensor are cut up, ordered and bound. A Schedule is a value over a
// snapshot of a Fusion: copy it, try something, drop it, from several threads.
//
// At first every computed tensor is a serial nest over its logical domain and what it folds over. A
// tensor that others read and that is no output is inlined into its readers; if it folds, it
// follows its readers (with_defaults() in scheduler/defaults.h says how). Primitives take loops of
// the current nest. One that makes no sense throws Illegal and leaves the schedule as it was: E401
// to E404 as DomainGraph says, E410 not a loop of that tensor, E411 not loops of one tensor, E412
// no permutation of the loops, E413 parallel type bound twice, E414 parallel type not supported
// yet, E415 tensor that cannot be inlined, E416 loops from which the tensor's items do not follow,
// E417 a transform of loops of the result together with folded loops, E418 tensor that cannot be
// computed there, E419 tensor that cannot be kept in that memory, E420 tensor that cannot be
// cached, E421 no part of a fold, E422 nothing to replay, E423 blocks that cannot meet atomically,
// E438 stages that cannot be, E448 copies that cannot end later, E502 name taken.
class Schedule {
 public:
  explicit Schedule(const Fusion& fusion);
  ~Schedule();
  Schedule(const Schedule&);
  Schedule(Schedule&&) noexcept;
  Schedule& operator=(const Schedule&);
  Schedule& operator=(Schedule&&) noexcept;

  // Most functions that take a TensorId take a Tensor as well.
  std::vector<ScheduledLoop> loops(TensorId t) const;
  std::vector<ScheduledLoop> loops(Tensor t) const { return loops(t.id()); }
  // The loops of a tensor of that rank: auto [m, n] = s.loops<2>(y);
  template <std::size_t Rank>
  std::array<ScheduledLoop, Rank> loops(TensorId t) const {
    return exactly<Rank>(loops(t));
  }
  template <std::size_t Rank>
  std::array<ScheduledLoop, Rank> loops(Tensor t) const {
    return exactly<Rank>(loops(t.id()));
  }

  // Splits a loop into an outer and an inner one: s.split(l, 8, {.outer = "o", .inner = "i"}).
  std::pair<ScheduledLoop, ScheduledLoop> split(ScheduledLoop l, Expr factor,
                                                SplitOptions options = {});
  std::pair<ScheduledLoop, ScheduledLoop> split(ScheduledLoop l, std::int64_t factor,
                                                SplitOptions options = {}) {
    return split(l, fusion_->pool().constant(factor), std::move(options));
  }
  ScheduledLoop merge(ScheduledLoop outer, ScheduledLoop inner, std::string name = {});
  ScheduledLoop resize(ScheduledLoop l, Expr left, Expr right, std::string name = {});
  std::pair<ScheduledLoop, ScheduledLoop> swizzle(SwizzleKind kind, ScheduledLoop x,
                                                  ScheduledLoop y, std::string x_name = {},
                                                  std::string y_name = {});
  // Moves each row of a loop: iteration i of row `along` becomes i + by*along % modulo. Where rows
  // of `by` elements lie one after another, vectors of `modulo` elements that a split makes of the
  // result are aligned, whatever `by` is. `along` stays as it is: a loop,
  // or what loops were cut out of (E416).
  ScheduledLoop skew(ScheduledLoop l, ScheduledLoop along, Expr by, Expr modulo,
                     std::string name = {});
  // `order` names every loop once, outer to inner.
  Schedule& reorder(std::vector<ScheduledLoop> order);
  // Holds until the loop is split, merged, resized, swizzled or skewed. A tensor binds at most one
  // loop to each block index, each thread index and Vectorize, any number to Unroll, Unswitch and
  // Bulk.
  Schedule& bind(ScheduledLoop l, ParallelType type);
  // inline_into_readers recomputes t in every reader (E415 for inputs, outputs and folds);
  // materialize undoes that: t has a nest of its own.
  Schedule& inline_into_readers(TensorId t);
  Schedule& inline_into_readers(Tensor t) { return inline_into_readers(t.id()); }
  Schedule& materialize(TensorId t);
  Schedule& materialize(Tensor t) { return materialize(t.id()); }
  // Computes t where the body of loop `at` of another tensor begins, once for each iteration of
  // that tensor's loops from the outermost to `at`. Loops among these that t has too (the same
  // iterdomain) are shared and become t's outermost loops. So are loops from which a loop of t
  // follows that was merged or swizzled with others there (settle_joined). The other loops of t run
  // inside, and its memory holds what one iteration needs. All readers of t must be inside these
  // loops, which is checked when the fusion is lowered. t's loops can be cut up further.
  Schedule& compute_at(TensorId t, ScheduledLoop at);
  Schedule& compute_at(Tensor t, ScheduledLoop at) { return compute_at(t.id(), at); }
  // Computes t in the kernel of `reader`, before the loops of `reader`. If `reader` is computed
  // inside another nest, t is computed inside the loops that `reader` shares with that nest.
  Schedule& compute_in(TensorId t, TensorId reader);
  Schedule& compute_in(TensorId t, Tensor reader) { return compute_in(t, reader.id()); }
  Schedule& compute_in(Tensor t, Tensor reader) { return compute_in(t.id(), reader.id()); }
  // Folds t while another tensor's nest runs. t shares the loops of that nest down to `at`, those
  // that it folds over too: its state is empty before the outermost of these, takes in what each
  // iteration adds, and is stored in global memory behind that loop. So one pass over rows can
  // compute what is of a row, and fold the rows:
  //   s.accumulate_at(parts, row)      // parts: of an rfactor; row: a loop of dx
  // Who reads t is a kernel of its own. E421 where t folds over nothing, E418 where it does not
  // fold over `at`, and, when the schedule is lowered, where a tensor in the same nest reads t.
  Schedule& accumulate_at(TensorId t, ScheduledLoop at);
  Schedule& accumulate_at(Tensor t, ScheduledLoop at) { return accumulate_at(t.id(), at); }
  // Computes t in the kernel that computes `host`, by the block that is the last to end there, when
  // all blocks have stored what they compute. So what folds the results of all blocks needs no
  // kernel of its own, and is added up in the same order every time:
  //   s.compute_by_last_block(loss, row_loss)     // loss: the mean of row_loss over all rows
  // t's nest is run by one block, and t is stored in global memory. E418 where `host` is t, or has
  // no nest of its own, or where, when the schedule is lowered, t reads what a later kernel stores,
  // or a loop of t's nest is bound to a block index.
  Schedule& compute_by_last_block(TensorId t, TensorId host);
  Schedule& compute_by_last_block(TensorId t, Tensor host) {
    return compute_by_last_block(t, host.id());
  }
  Schedule& compute_by_last_block(Tensor t, Tensor host) {
    return compute_by_last_block(t.id(), host.id());
  }
  // Says where t's elements are kept. If nothing is said: in global memory if a kernel of its own
  // stores t; else in the registers of each thread if no thread reads what another has computed;
  // else in the block's shared memory. E419: inputs and outputs are kept in global memory.
  Schedule& keep_in(TensorId t, Memory memory);
  Schedule& keep_in(Tensor t, Memory memory) { return keep_in(t.id(), memory); }
  // How t's elements lie in that memory: an allocation domain of its own (ir/buffer_layout.h).
  // E419: an input or an output lies as the fusion says.
  BufferLayout layout(TensorId t);
  BufferLayout layout(Tensor t);
  // Gives t `copies` copies of that memory. Iteration k of the loop that t is computed at, and
  // every reader in it, uses copy k % copies, so the results of one iteration are still there while
  // the next one writes. E419 as layout(); E438 where copies < 1 and, when the schedule is settled,
  // where t is computed at no loop or at one that is neither serial nor unrolled.
  Schedule& stages(TensorId t, std::int64_t copies);
  Schedule& stages(Tensor t, std::int64_t copies) { return stages(t.id(), copies); }
  // How the elements of t, a copy of what lies in global memory, come into shared memory. By
  // CpAsync or Bulk the serial loop that t is computed at becomes a ring of its stages: in
  // iteration k the copies of iteration k + ahead are begun, those of iteration k have ended, and
  // the code of iteration k uses them. `ahead`: below the number of stages; absent: one below, so
  // that each iteration has one barrier. Where several tensors are copied at one loop, it is the
  // least of theirs. By Bulk the loop of t that is bound to Vectorize is one copy, of any multiple
  // of 16 bytes; by Tma the loops that are bound to Bulk are the box of one copy. An output that
  // is a copy of a tile is stored by Tma in such boxes, and by Bulk in such vectors; one that is a
  // fold, and whose blocks meet (meet_atomically), is combined with what it holds. The loop that t
  // is computed at may be a block index where nothing is copied ahead. E419 as layout(); E448 where
  // `ahead` is negative and, when the schedule is settled, where it is too many, or t is computed
  // at no loop or at one that is not serial.
  Schedule& copy(TensorId t, CopyBy by, std::optional<std::int64_t> ahead = {});
  Schedule& copy(Tensor t, CopyBy by, std::optional<std::int64_t> ahead = {}) {
    return copy(t.id(), by, ahead);
  }
  // Lets warps of their own make the copies of t, by Bulk or Tma, while all other threads use them:
  // a ring of two roles, who wait for one another tile by tile. Tensors that are copied at one loop
  // have one role. E448 where t is copied otherwise, not ahead, or not by one thread.
  Schedule& role(TensorId t, CopyRole role);
  Schedule& role(Tensor t, CopyRole role) { return this->role(t.id(), std::move(role)); }
  // Lets blocks that fold t together (a loop that t folds over is bound to BIDx..z) meet in global
  // memory: a kernel before stores the empty state in every element, then each block adds its part,
  // or takes the minimum or maximum, atomically. Floats are added in no fixed order; rfactor makes
  // two kernels instead, with the same result every time. E423 where t is no sum, min or max, is a
  // partial tensor, may be stored twice, is a sum that is not stored in the type it is added up in
  // (float16 would be rounded at each addition), or a min or max whose narrow stored type wraps.
  Schedule& meet_atomically(TensorId t);
  Schedule& meet_atomically(Tensor t) { return meet_atomically(t.id()); }
  // Cuts t up as `reference` was, as far as both have the same iterdomains. Replays the transforms
  // by which the loops of `reference` were made, in that order. Skips one if its inputs are not all
  // loops of t by then, if only some of these are folded over, or if it is a resize that may
  // shrink. Loops that both then have are bound as in `reference`, but a loop that t folds over is
  // serial where `reference` binds it to Bulk. These loops come first, in the reference's order,
  // then t's others; loops that t folds over come after all loops that it does not. E422 where
  // nothing is shared, or where either is an input or inlined; E413 where a type would be bound
  // twice.
  Schedule& like(TensorId t, TensorId reference);
  Schedule& like(TensorId t, Tensor reference) { return like(t, reference.id()); }
  Schedule& like(Tensor t, Tensor reference) { return like(t.id(), reference.id()); }
  // The same, but returns false and leaves the loops as they are where nothing is shared.
  bool like_if_shared(TensorId t, TensorId reference);
  // Ends the following of a fold: t keeps its loops, in a nest of its own unless it has a site.
  Schedule& stop_following(TensorId t);
  // Adds a tensor `name` (empty: one is made up) that is a copy of t, with the same logical domain.
  //   Cache after: of an input, or of a tensor that others read: name[i] = t[i], and all readers of
  //     t read the copy instead, as an index as well. t itself stays as it is.
  //   Cache before: of an output that nothing reads: the new tensor takes over t's definition, view
  //     and fold, and t[i] = name[i]. t keeps its loops except those that it folded over.
  // The copy is a serial nest over its items, is kept in `memory`, and has no place yet: give it
  // one by compute_at or compute_in, or leave that to with_defaults(). In global memory a kernel of
  // its own stores it.
  // A persistent buffer is such a cache: what one row needs is read once and kept, and every pass
  // over the row reads the copy:
  //   s.compute_at(s.cache(x, "x_row", Memory::Local), row)     // row: a loop of the output
  // E420 where nothing reads t and it is no output, where t is a partial tensor of rfactor, or
  // where another tensor is computed at a loop that t would lose.
  TensorId cache(TensorId t, std::string name, Memory memory);
  TensorId cache(Tensor t, std::string name, Memory memory) {
    return cache(t.id(), std::move(name), memory);
  }
  // A box of a tensor's items that moves with some loops of a reader: what one iteration of them
  // reads. legality/read_tile.h finds it.
  struct Tile {
    struct Loop {
      DomainId domain{};
      Expr symbol;  // that stands for its index in `begin`
      Expr index;   // the same over the indices of the reader's definition
    };
    struct Axis {
      // Subscripts begin to begin + extent - 1 are read, before an access mode brings them into the
      // axis; of all points of the reader none below `least` or above `most`, where these are
      // valid.
      Expr begin, extent;
      Expr least = {}, most = {};
      std::optional<AccessMode> mode = {};
    };
    std::vector<Loop> loops;
    std::vector<Axis> axes;            // by axis of the tensor
    std::optional<ValueId> fill = {};  // a constant: what is read out of bounds
  };
  // Adds a tensor `name` (empty: one is made up) that holds, for each iteration of these loops of
  // `reader`, the tile of t that `reader` reads there, with access modes and fills applied:
  //   y[i] = sum[p](x[mirror(i + p - 1)]), i in blocks of 16, p below 3
  //   name[block, u] = x[mirror(block * 16 + u - 1)], u below 18
  //   y[i] = sum[p](name[i / 16, i % 16 + p])
  // Of a computed tensor it takes over the definition, so that what tiles share is computed in each
  // of them. `reader` reads it instead of t. Its loops are those of `reader`, bound as there, and
  // one for each axis. It has no place yet: compute_at() gives it the innermost of these loops.
  // E420 where t is a view, a scan, part of a fold, or a fold that is read with a fill.
  TensorId cache_tile(TensorId t, TensorId reader, const Tile& tile, std::string name,
                      Memory memory);
  // Splits the fold of t into two steps. `folded` are some, not all, of the loops that t folds
  // over. The new partial tensor `name` folds over these: for each element of t and each iteration
  // of t's other folded loops it stores the state of the fold. t then merges these states over the
  // other folded loops. Where a split does not divide, points past the extent are holes of the
  // partial tensor; a state into which no element was folded is the empty one.
  //   sum over n, n split into (o, i), rfactor {o}:    p[m, i] = sum over o of x[m, o*|i| + i]
  //                                                    s[m] = sum over i of p[m, i]
  // In memory the parts of one element lie side by side; or, if t's loops over them stand outside
  // of those over its items, the elements of one part do.
  // t keeps its other loops. The partial tensor has all loops of t, bound as they were, and no
  // place yet: with_defaults() puts it inside t's nest. A tensor that was computed at a loop of t
  // is now computed at that loop of the partial tensor, its new reader. E421 where t does not fold,
  // or where `folded` is empty, all of its folded loops, or has a loop that t does not fold over.
  TensorId rfactor(TensorId t, std::vector<ScheduledLoop> folded, std::string name);
  TensorId rfactor(Tensor t, std::vector<ScheduledLoop> folded, std::string name) {
    return rfactor(t.id(), std::move(folded), std::move(name));
  }
  // Scans in parts, so that blocks may go along one row together. `item` is the inner loop of a
  // split of the axis n along which t scans, n = part * |item| + item; neither is cut up yet. Three
  // new tensors, with the loops of t as they are:
  //   sums[m, part]      = fold over item of x[m, n]            partial, as rfactor makes them
  //   before[m, part]    = fold over q < part of sums[m, q]     a scan
  //   own[m, part, item] = fold over j <= item of the same part   a scan; n past the end is a hole
  // and t, no scan any more, puts one in front of the other:
  //   t[m, n] = before[m, n / |item|] and own[m, n / |item|, n % |item|], merged
  // None has a place yet; give `sums` and `before` kernels of their own, {memory: global}, and
  // compute `own` inside of t. E421 where t is no scan, or `item` no such loop.
  struct ScanParts {
    TensorId sums{}, before{}, own{};
  };
  struct ScanNames {
    std::string sums = {}, before = {}, own = {};  // empty: one is made up
  };
  ScanParts scan_in_parts(TensorId t, ScheduledLoop item, ScanNames names);
  ScanParts scan_in_parts(Tensor t, ScheduledLoop item) {
    return scan_in_parts(t.id(), item, ScanNames{});
  }
  // Makes the variance t two folds: of the mean of what it folds, and of the mean of the squares of
  // distances from that,
  //   mean[m] = mean over n of x[m, n]
  //   t[m] = sum over n of (x[m, n] - mean[m])^2, by the items less t's correction
  // A variance in one pass (Welford's) divides for each item, but reads each item once: two passes
  // pay where rows are kept, or lie in a cache. The mean is a tensor of that name (empty: any) that
  // folds the same values in the same type over the same iterdomains, if there is one; else one is
  // made, which follows its readers as folds do, until something is said of it. Returns it. E421
  // where t is no variance, or is in parts or cut up already.
  TensorId two_pass(TensorId t, const std::string& mean = {});
  TensorId two_pass(Tensor t, const std::string& mean = {}) { return two_pass(t.id(), mean); }
  // Replaces the loops by any iterdomains from which the tensor's logical domain follows (for
  // views, whose loops need not descend from the logical domain). `derive` makes the transforms.
  Schedule& set_loops(TensorId t, std::vector<DomainId> loops);

  // Transforms iterdomains that are not loops at the moment, e.g. of a view's root. The results
  // replace no loops; set_loops says what the loops are.
  std::vector<DomainId> derive(TensorId t, const Transform& request,
                               std::vector<std::string> names);

  // The fusion with the tensors that primitives of this schedule added. Added tensors come last,
  // even after their readers; definition_order() (ir/reads.h) puts every tensor after those it
  // reads.
  const Fusion& fusion() const { return own_ ? *own_ : *fusion_; }
  const Fusion& original() const { return *fusion_; }  // as it was built, without them
  const DomainGraph& graph() const { return graph_; }
  const std::vector<DomainId>& loop_domains(TensorId t) const;
  ParallelType parallel(TensorId t, DomainId d) const;  // Serial, if it is not bound
  bool is_inlined(TensorId t) const;
  // Whether iterdomain d comes only from iterdomains that t folds over or, if t is a scan, from the
  // axis that it runs along.
  bool is_folded(TensorId t, DomainId d) const;
  // Of a fold over the items of rows that goes through positions: the merge of both; else nothing.
  std::optional<DomainId> positions(TensorId t) const;
  // Where a tensor is computed if not in a nest of its own: at a loop of another tensor.
  struct Site {
    TensorId tensor{};
    std::optional<DomainId> loop;  // nothing: outside all loops
    bool accumulates = false;      // accumulate_at(): loops that it folds over are shared, too
    friend bool operator==(const Site&, const Site&) = default;
  };
  const std::optional<Site>& site(TensorId t) const;
  // The tensor whose kernel's last block computes t.
  const std::optional<TensorId>& last_block_of(TensorId t) const;
  std::optional<Memory> memory(TensorId t) const;  // nothing: not set
  // The allocation domain of t's layout, row-major, outermost first. Empty: the elements are laid
  // out over those of t's loops that one instance of the memory spans (ir/buffer_layout.h).
  const std::vector<DomainId>& allocation(TensorId t) const;
  std::int64_t stages(TensorId t) const;  // copies of its memory
  CopyBy copied_by(TensorId t) const;
  const std::optional<CopyRole>& role(TensorId t) const;
  // By how many iterations copies of t are begun before they are used; 0 for those of LoadStore.
  std::int64_t ahead(TensorId t) const;
  // In a settled schedule: the loop whose iterations take the copies in turn, and the iterdomain of
  // the copies' numbers, the inner one of a split of that loop. Nothing: there is one copy.
  struct Stage {
    DomainId loop{}, axis{};
  };
  const std::optional<Stage>& stage(TensorId t) const;
  // Finds these loops once every tensor has its place; with_defaults() calls it.
  Schedule& settle_stages();
  // Lets every tensor that is computed inside another's nest, and not kept in global memory, share
  // loops there from which a loop of its own follows. A split of t's own makes a loop that t has in
  // common with the nest around it; but where that nest has merged an iterdomain of t with one that
  // t lacks, or has swizzled them, no cut of t gives its loops. If the index of a serial loop d of
  // t, over which t does not fold, follows from loops around it that are bound to no threads,
  // through a merge or a swizzle of the tensors that have them, then t has these loops in the place
  // of d, and runs at that index alone:
  //   y: [merge: {in: [mo, no], out: tile}, split: {in: tile, factor: 8, out: [turn, block]}]
  //   a, at a loop of y inside of these: [mo, mi] becomes [turn, block, mi], at
  //     mo = (turn*8 + block) / |no|
  // with_defaults() calls it.
  Schedule& settle_joined();
  // The iterdomains d of t; none before settle_joined().
  const std::vector<DomainId>& joined(TensorId t) const;
  // The cut of t's items that its loops are one of: the loops, but d for the loops that give it.
  std::vector<DomainId> item_loops(TensorId t) const;
  bool meets_atomically(TensorId t) const;
  // Whether a loop that t folds over is bound to a block index.
  bool is_folded_by_blocks(TensorId t) const;
  // Whether t is a fold that follows its readers, as nothing was said of its loops or place yet.
  bool follows(TensorId t) const;
  // How a primitive made a tensor out of tensor `of`, and the loops and transforms of `of` before.
  struct Making {
    // ScanPart: one of the three that scan_in_parts makes, which have `folded` as their item. Mean:
    // that of two_pass.
    enum class Kind : std::uint8_t { CacheAfter, CacheBefore, Tile, Part, ScanPart, Mean };
    Kind kind = Kind::CacheAfter;
    TensorId of{};
    std::vector<DomainId> loops = {};
    std::vector<TransformId> transforms = {};
    std::vector<DomainId> folded = {};  // of a Part: those of `loops` that it folds over
    // Of a Tile: its definition without the limits of Tile::Axis, node by node the same. Items past
    // these limits are read by nobody.
    std::optional<ValueId> unlimited = {};
  };
  // Null for a tensor of the original fusion.
  const Making* making(TensorId t) const;
  // The reads of t in the definition of `reader`; of a tile each without its limits, too.
  struct DirectRead {
    ValueId read{}, unlimited{};
  };
  std::vector<DirectRead> direct_reads(TensorId reader, TensorId t) const;
  // Of a variance in two passes: the tensor that holds the mean.
  const std::optional<TensorId>& mean_of(TensorId t) const;
  // The tensor's own name for an iterdomain, else the label of the iterdomain.
  std::string name(TensorId t, DomainId d) const;
  void rename(TensorId t, DomainId d, std::string name);
  // `wanted`, with a number behind it where a tensor or a size has that name.
  std::string unused_name(const std::string& wanted) const;
  // An index of the kind of `taken`, block or thread, to which no loop of t is bound; Serial if all
  // are in use.
  ParallelType unused_type(TensorId t, ParallelType taken) const;
  // The transforms that connect t's iterdomains: the view's and the schedule's.
  const std::vector<TransformId>& transforms(TensorId t) const;
  // The same, followed by those of t's layout.
  std::vector<TransformId> all_transforms(TensorId t) const;

 private:
  struct Nest;  // of one tensor (ir/schedule_nest.h)
  template <std::size_t Rank>
  static std::array<ScheduledLoop, Rank> exactly(const std::vector<ScheduledLoop>& loops) {
    check_rank(loops.size(), Rank);
    std::array<ScheduledLoop, Rank> result;
    for (std::size_t i = 0; i < Rank; ++i) result[i] = loops[i];
    return result;
  }
  static void check_rank(std::size_t actual, std::size_t asked);
  Nest& nest(TensorId t);
  const Nest& nest(TensorId t) const;
  std::size_t position(ScheduledLoop l) const;
  void use_transform(TensorId t, DomainId in, DomainId out);
  std::vector<ScheduledLoop> cut(TensorId t, const Transform& request,
                                 std::vector<std::string> names);
  void label(TensorId t, DomainId d, const std::string& name);

  void check_not_mixed(TensorId t, const Transform& request) const;
  void put_at(TensorId t, Site site);
  void check_kept_inside(TensorId t) const;
  void settle_stage(TensorId t);
  struct LoopsAround;  // of a tensor: those that are open where it is computed
  const LoopsAround& settle_joined(TensorId t, std::map<TensorId, LoopsAround>& known);
  void join(TensorId t, const LoopsAround& around);
  void check_copies(TensorId t) const;
  std::optional<TensorId> reader_with_loops(TensorId t) const;
  // Moves the loops shared with `host` down to the site to the front, in the order of `host`.
  static void put_shared_first(Nest& own, const std::vector<DomainId>& host, const Site& site);
  // The nest of t after like(); nothing if it shares nothing with the reference.
  std::optional<Nest> alike(TensorId t, TensorId reference) const;
  bool cross(const Transform& transform, const Nest& reference, Nest& own) const;
  // Whether an iterdomain follows from the loops of a nest other than `loop`.
  bool follows_beside(const Nest& own, DomainId loop, DomainId wanted) const;
  // Adds `tensor` with `nest` to `fusion` and takes that over. Checks the name before any change.
  TensorId add_tensor(Fusion fusion, TensorInfo tensor, Nest nest);
  void check_is_whole_variance(TensorId t) const;
  std::optional<TensorId> mean_of_same(TensorId t, const std::string& name) const;
  TensorId read_instead_of(TensorId t) const;
  TensorId add_mean(TensorId t, const std::string& name);
  struct ScanSplit {
    DomainId axis{}, part{}, item{};
  };
  ScanSplit split_of_scan(TensorId t, ScheduledLoop item) const;
  TensorId add_part_of_scan(Fusion changed, TensorInfo tensor, TensorId t, DomainId item);
  // Removes the nest's folded loops except `kept`, which it then folds over, and all transforms of
  // folded iterdomains.
  void drop_folded(Nest& own, const std::vector<DomainId>& kept) const;
  friend class BufferLayout;

  std::shared_ptr<const Fusion> fusion_;
  std::shared_ptr<const Fusion> own_;  // a copy with more tensors, where primitives added some
  DomainGraph graph_;
  std::vector<Nest> nests_;
};

}  // namespace selvage
