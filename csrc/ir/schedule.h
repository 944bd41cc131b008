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

// What a split calls its loops (empty: a name is made up), and which of them the factor is the
// extent of.
struct SplitOptions {
  std::string outer = {}, inner = {};
  bool inner_split = true;  // false: the factor is how many outer iterations there are
};

class BufferLayout;

// How the loops of each computed tensor are cut up, ordered and bound: a value over a Fusion, as
// that was when the schedule was made. Copy it, try something, drop it, from several threads.
//
// At first every computed tensor is a serial nest over its logical domain and what it folds over;
// one that only other tensors read is inlined into its readers, or, where it folds, it follows
// them: with_defaults() (scheduler/defaults.h) says how. Primitives take loops of the current nest
// and throw Illegal where they make no sense, leaving the schedule as it was: E401 to E404 as
// DomainGraph says, E410 not a loop of that tensor, E411 not loops of one tensor, E412 no
// permutation of the loops, E413 parallel type bound twice, E414 parallel type not supported yet,
// E415 not to be inlined, E416 loops from which the tensor's items do not follow, E417 loops of the
// result and loops that are folded over in one transform, E418 not to be computed there, E419 not
// to be kept in that memory, E420 not to be cached, E421 no part of a fold, E422 nothing to replay,
// E423 blocks that cannot meet atomically, E502 name taken.
class Schedule {
 public:
  explicit Schedule(const Fusion& fusion);
  ~Schedule();
  Schedule(const Schedule&);
  Schedule(Schedule&&) noexcept;
  Schedule& operator=(const Schedule&);
  Schedule& operator=(Schedule&&) noexcept;

  // Wherever a TensorId is taken, a Tensor may stand.
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

  // Into an outer and an inner loop: s.split(l, 8, {.outer = "o", .inner = "i"}).
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
  // Every loop once, outer to inner.
  Schedule& reorder(std::vector<ScheduledLoop> order);
  // Until the loop is split, merged, resized or swizzled. Block and thread indices and Vectorize
  // are bound once each, Unroll, Unswitch and Bulk as often as is wanted.
  Schedule& bind(ScheduledLoop l, ParallelType type);
  // Recomputed in every reader; not for outputs. And the other way round: stored by a kernel.
  Schedule& inline_into_readers(TensorId t);
  Schedule& inline_into_readers(Tensor t) { return inline_into_readers(t.id()); }
  Schedule& materialize(TensorId t);
  Schedule& materialize(Tensor t) { return materialize(t.id()); }
  // Computed where loop `at` of another tensor begins, once for each iteration of the loops down to
  // and with it: a loop of these that is its own too (the same iterdomain) is shared, the others
  // are iterated over, and what it keeps is what one iteration needs. Its shared loops come first
  // after that. Everyone who reads it must do so within these loops; that is seen when the fusion
  // is lowered. Its loops are its own to cut up further.
  Schedule& compute_at(TensorId t, ScheduledLoop at);
  Schedule& compute_at(Tensor t, ScheduledLoop at) { return compute_at(t.id(), at); }
  // The same, inside no loop of the reader's own: in its kernel, before its loops; but inside those
  // that the reader shares with the nest that it is computed in itself.
  Schedule& compute_in(TensorId t, TensorId reader);
  Schedule& compute_in(TensorId t, Tensor reader) { return compute_in(t, reader.id()); }
  Schedule& compute_in(Tensor t, Tensor reader) { return compute_in(t.id(), reader.id()); }
  // Where its elements are kept: global memory if it is stored by a kernel of its own, else, if
  // nothing is said, the registers of each thread where no thread reads what another has computed,
  // and the block's shared memory where one does. E419: an output is kept in global memory.
  Schedule& keep_in(TensorId t, Memory memory);
  Schedule& keep_in(Tensor t, Memory memory) { return keep_in(t.id(), memory); }
  // How its elements lie there: an allocation domain of its own (ir/buffer_layout.h). E419: an
  // input or an output lies as the fusion says.
  BufferLayout layout(TensorId t);
  BufferLayout layout(Tensor t);
  // So many copies of that memory, in turn: an iteration of the loop that t is computed at uses the
  // copy of its own number modulo `copies`, and so do all who read it there. What one iteration has
  // left is then still there while the next one writes. E419 as of layout(); when the schedule is
  // settled, E438 where t is computed at no loop, or at one that is not serial.
  Schedule& stages(TensorId t, std::int64_t copies);
  Schedule& stages(Tensor t, std::int64_t copies) { return stages(t.id(), copies); }
  // Blocks that fold t together, where a loop that it folds over is bound to BIDx..z, meet in
  // global memory: a kernel before stores the empty state in every element, and then each block
  // adds what it has come to, or takes the minimum or the maximum, atomically. Floats are added in
  // no fixed order; rfactor makes two kernels of it instead, with the same result every time. E423
  // where t is no sum, min or max, or a part of one, or a sum whose elements are not of the type
  // that it is added up in (float16 would be rounded at each addition).
  Schedule& meet_atomically(TensorId t);
  Schedule& meet_atomically(Tensor t) { return meet_atomically(t.id()); }
  // What `reference` was cut into, as far as t has the same iterdomains: its transforms in the
  // order in which they were made, each where all that it takes are loops of t by now, and not
  // folded loops and others in one. Loops that both then have are bound as the reference's; one
  // that t folds over is serial where the reference's is of a tile. They come first, in the
  // reference's order, then t's others; those that t folds over stand behind the rest. E422 where
  // nothing is shared, or either is an input or inlined; E413 where a type would be bound twice.
  Schedule& like(TensorId t, TensorId reference);
  Schedule& like(TensorId t, Tensor reference) { return like(t, reference.id()); }
  Schedule& like(Tensor t, Tensor reference) { return like(t.id(), reference.id()); }
  // The same, and false where nothing is shared: then the loops stay as they are.
  bool like_if_shared(TensorId t, TensorId reference);
  // A fold of which nothing else is said stays a nest of its own from now on.
  Schedule& stop_following(TensorId t);
  // A new tensor `name` (empty: one is made up) that is a copy, with the same logical domain.
  //   Cache after: of an input, or of what others read: name[i] = t[i], and all who read t read the
  //     copy instead (but loads within subscripts). t itself stays as it is.
  //   Cache before: of an output that nothing reads: the new tensor takes over its definition, view
  //     and fold, and t[i] = name[i]. t keeps its loops but those that it folded over.
  // The copy is a serial nest over its items, is kept in `memory`, and has no place yet: give it
  // one by compute_at or compute_in, or leave it to with_defaults(). In global memory it is stored
  // by a kernel of its own.
  // Persistent buffers are caches, too: what one row needs is read once, kept, and read from there
  // by every pass over the row:
  //   s.compute_at(s.cache(x, "x_row", Memory::Local), row)     // row: a loop of the output
  // E420 where nothing reads t and it is no output, t is a partial tensor of rfactor, or where
  // another tensor is computed at a loop that t would lose.
  TensorId cache(TensorId t, std::string name, Memory memory);
  TensorId cache(Tensor t, std::string name, Memory memory) {
    return cache(t.id(), std::move(name), memory);
  }
  // Folds in two steps. t folds over several loops; `folded` are some of them, not all. The new
  // tensor `name` folds over these: it has an element for each of t's and each iteration of the
  // other loops that t folds over, and keeps there the state that the fold comes to. t then merges
  // those states over these other loops. Where a split does not divide, the points past the extent
  // are holes of the partial tensor: a state of no element is the empty one.
  //   sum over n, n split into (o, i), rfactor {o}:    p[m, i] = sum over o of x[m, o*|i| + i]
  //                                                    s[m] = sum over i of p[m, i]
  // t keeps its other loops; the partial tensor has all loops of t, bound as they were, and no
  // place yet: with_defaults() puts it inside t's nest. What was computed at a loop of t is
  // computed at that loop of the partial tensor, which is who reads it now. E421 where t does not
  // fold, or `folded` is not a part of its folded loops.
  TensorId rfactor(TensorId t, std::vector<ScheduledLoop> folded, std::string name);
  TensorId rfactor(Tensor t, std::vector<ScheduledLoop> folded, std::string name) {
    return rfactor(t.id(), std::move(folded), std::move(name));
  }
  // Any set of iterdomains from which the tensor's logical domain follows (for views, whose loops
  // need not descend from the logical domain). Transforms are made on the graph by `derive`.
  Schedule& set_loops(TensorId t, std::vector<DomainId> loops);

  // A transform of iterdomains that are not loops at the moment, e.g. of a view's root: the result
  // replaces nothing; set_loops says what the loops are.
  std::vector<DomainId> derive(TensorId t, const Transform& request,
                               std::vector<std::string> names);

  // As the schedule has it: with the tensors that its primitives added. These come last, whoever
  // reads them: definition_order() (ir/reads.h) has everything after what it reads.
  const Fusion& fusion() const { return own_ ? *own_ : *fusion_; }
  const Fusion& original() const { return *fusion_; }  // as it was built
  const DomainGraph& graph() const { return graph_; }
  const std::vector<DomainId>& loop_domains(TensorId t) const;
  ParallelType parallel(TensorId t, DomainId d) const;  // Serial, if it is not bound
  bool is_inlined(TensorId t) const;
  // Is what the tensor folds over all that this iterdomain stems from?
  bool is_folded(TensorId t, DomainId d) const;
  // Where it is computed, if not in a nest of its own.
  struct Site {
    TensorId tensor{};
    std::optional<DomainId> loop;  // nothing: outside all of its loops
    friend bool operator==(const Site&, const Site&) = default;
  };
  const std::optional<Site>& site(TensorId t) const;
  std::optional<Memory> memory(TensorId t) const;  // if something was said
  // What its elements are laid out over, row-major, outermost first; empty: over those of its loops
  // that one place of its memory spans.
  const std::vector<DomainId>& allocation(TensorId t) const;
  std::int64_t stages(TensorId t) const;  // copies of its memory
  // Of a schedule that is settled: the loop whose iterations take them in turn, and the iterdomain
  // of their numbers, which that is split into. Nothing: there is one copy.
  struct Stage {
    DomainId loop{}, axis{};
  };
  const std::optional<Stage>& stage(TensorId t) const;
  // Once every tensor has its place: finds those loops (with_defaults() does).
  Schedule& settle_stages();
  bool meets_atomically(TensorId t) const;
  // And is there a loop that it folds over that is bound to a block index?
  bool is_folded_by_blocks(TensorId t) const;
  // A fold for which nothing was said yet: it follows its readers.
  bool follows(TensorId t) const;
  // How a primitive made a tensor, and what the tensor that it was made of was cut into before.
  struct Making {
    enum class Kind : std::uint8_t { CacheAfter, CacheBefore, Part };
    Kind kind = Kind::CacheAfter;
    TensorId of{};
    std::vector<DomainId> loops = {};
    std::vector<TransformId> transforms = {};
    std::vector<DomainId> folded = {};  // of a Part: those of these loops that it folds over
  };
  // Null: it is a tensor of the fusion itself.
  const Making* making(TensorId t) const;
  // What a tensor calls an iterdomain: its own name for it, or the label of the iterdomain.
  std::string name(TensorId t, DomainId d) const;
  void rename(TensorId t, DomainId d, std::string name);
  // Another block or thread index, as `taken` is one, to which no loop of the tensor is bound;
  // Serial: all are in use.
  ParallelType unused_type(TensorId t, ParallelType taken) const;
  // The transforms that a tensor's iterdomains are tied by: the view's and the schedule's.
  const std::vector<TransformId>& transforms(TensorId t) const;
  // The same, and then those of its layout.
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

  void check_not_mixed(TensorId t, DomainId a, DomainId b) const;
  void put_at(TensorId t, Site site);
  void check_kept_inside(TensorId t) const;
  void settle_stage(TensorId t);
  std::optional<TensorId> reader_with_loops(TensorId t) const;
  // Loops that it shares with those of `host` down to the site come first, in the host's order.
  static void put_shared_first(Nest& own, const std::vector<DomainId>& host, const Site& site);
  // The nest of t as like() has it; nothing where it shares nothing with the reference.
  std::optional<Nest> alike(TensorId t, TensorId reference) const;
  static bool cross(const Transform& transform, const Nest& reference, Nest& own);
  // Takes over a fusion with one more tensor; its name is checked before anything is changed.
  TensorId add_tensor(Fusion fusion, TensorInfo tensor, Nest nest);
  std::string unused_name(const std::string& wanted) const;  // wanted, or with a number
  // Leaves `kept` of the loops that it folds over, as what it folds over, and no transforms of
  // these.
  void drop_folded(Nest& own, const std::vector<DomainId>& kept) const;
  friend class BufferLayout;

  std::shared_ptr<const Fusion> fusion_;
  std::shared_ptr<const Fusion> own_;  // a copy with more tensors, where primitives added some
  DomainGraph graph_;
  std::vector<Nest> nests_;
};

}  // namespace selvage
