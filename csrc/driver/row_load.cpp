#include <selvage/driver/row_load.h>
#include <selvage/expr/tape.h>
#include <selvage/index/coordinates.h>
#include <selvage/lower/row_tiles.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>
#include <utility>

namespace selvage {

namespace {

// Loops as functions of a row, an item of it, and the dense axes beside.
class LoadCounter {
 public:
  LoadCounter(const Schedule& schedule, TensorId t, const RunArguments& arguments)
      : schedule_(schedule), graph_(schedule.graph()), t_(t), sizes_(arguments.sizes) {
    const TensorInfo& tensor = schedule.fusion()[t];
    domain_ = nest_domain(tensor);
    for (std::size_t k = 0; k < domain_.size(); ++k) {
      if (!graph_[domain_[k]].ragged) continue;
      item_ = k;
      row_ =
          std::size_t(std::ranges::find(domain_, graph_[domain_[k]].ragged->row) - domain_.begin());
    }
    if (!item_ || row_ == domain_.size()) return;
    rows_ = &graph_[graph_[domain_[*item_]].ragged->rows];
    const std::string& name = schedule.fusion()[TensorId(rows_->offsets)].name;
    for (const auto* arrays : {&arguments.inputs, &arguments.offsets}) {
      if (const auto told = arrays->find(name); told != arrays->end()) offsets_ = &told->second;
    }
    if (offsets_ == nullptr) return;
    load_.offsets = name;
    folds_items_ = tensor.fold && contains(tensor.fold->domains, domain_[*item_]);
    load_.tensor = tensor.name;
  }

  std::optional<RowLoad> count() {
    if (offsets_ == nullptr || offsets_->size() < 1) return std::nullopt;
    load_.rows = offsets_->size() - 1;
    load_.items = offset(load_.rows);
    for (std::int64_t r = 0; r < load_.rows; ++r)
      load_.longest = std::max(load_.longest, length(r));
    if (!find_loops()) return std::nullopt;
    if (!visit()) return std::nullopt;
    finish();
    return std::move(load_);
  }

 private:
  struct Loop {
    Expr index;
    ParallelType type = ParallelType::Serial;
    std::int64_t extent = 1;  // at least that of each row
  };

  std::int64_t offset(std::int64_t k) const { return offsets_->get_int(k); }
  std::int64_t length(std::int64_t row) const { return offset(row + 1) - offset(row); }

  // The extent of a loop of the longest row, and of the group with the most positions.
  std::optional<std::int64_t> most(Expr extent) const {
    SizeValues all = sizes_;
    all.add(rows_->row, 0);
    all.add(rows_->begin, 0);
    all.add(rows_->end, load_.longest);
    if (groups_ != nullptr) {
      all.add(groups_->begin, 0);
      all.add(groups_->end, longest_group_);
    }
    return all(extent);
  }

  // Of the group that has the row: where its positions begin and end.
  std::pair<std::int64_t, std::int64_t> group_around(std::int64_t row) const {
    const std::int64_t first = row / height_ * height_;
    const std::int64_t last = std::min(first + height_, load_.rows);
    const std::int64_t added = groups_->groups->added;
    return {offset(first) + added * first, offset(last) + added * last};
  }

  bool find_groups() {
    for (TransformId id : schedule_.transforms(t_)) {
      const auto* merge = std::get_if<Merge>(&graph_[id]);
      if (merge == nullptr || !merge->group || graph_.rows_of(*merge) != rows_) continue;
      groups_ = graph_.groups_of(*merge);
      height_ = sizes_(groups_->groups->height).value_or(0);
      if (height_ < 1) return false;
      for (std::int64_t r = 0; r < load_.rows; r += height_) {
        const auto [begin, end] = group_around(r);
        longest_group_ = std::max(longest_group_, end - begin);
      }
    }
    return true;
  }

  bool find_loops() {
    if (!find_groups()) return false;
    for (DomainId d : domain_) {
      symbols_.push_back(graph_.pool().symbol("at." + std::to_string(symbols_.size())));
      extents_.push_back(most(graph_[d].extent).value_or(-1));
      if (extents_.back() < 0) return false;
    }
    // On a merge path each row has one position more than items.
    if (const auto positions = schedule_.positions(t_)) {
      added_ = graph_[merge_of(graph_, *positions).inner].ragged->added;
    }
    const std::vector<DomainId>& loops = schedule_.loop_domains(t_);
    const std::vector<Expr> indices = coordinates_from(graph_, domain_, symbols_, loops);
    for (std::size_t k = 0; k < loops.size(); ++k) {
      const auto extent = most(graph_[loops[k]].extent);
      if (!indices[k].valid() || !extent) return false;
      loops_.push_back(
          {indices[k], schedule_.parallel(t_, loops[k]), std::max<std::int64_t>(*extent, 1)});
    }
    leave_out_dense();
    return are_points_few() && number_threads();
  }

  bool are_points_few() const {
    std::int64_t points = load_.items + load_.rows;
    for (std::size_t k = 0; k < domain_.size(); ++k) {
      if (k == row_ || k == *item_) continue;
      if (extents_[k] > 0 && points > kMostLoadPoints / extents_[k]) return false;
      points *= extents_[k];
    }
    return points <= kMostLoadPoints;
  }

  // A dense axis that is a loop as it is, and bound to nothing, repeats the same work.
  void leave_out_dense() {
    for (std::size_t k = 0; k < domain_.size(); ++k) {
      if (k == row_ || k == *item_) continue;
      const auto alone = std::ranges::find_if(
          loops_, [&](const Loop& loop) { return same(loop.index, symbols_[k]); });
      const bool is_free = alone != loops_.end() && alone->type == ParallelType::Serial;
      if (!is_free) continue;
      load_.times *= extents_[k];
      extents_[k] = std::min<std::int64_t>(extents_[k], 1);
    }
  }

  bool number_threads() {
    std::array<std::int64_t, 6> extents;
    extents.fill(1);
    for (const Loop& loop : loops_) {
      if (is_index(loop.type)) extents[place(loop.type)] = loop.extent;
    }
    std::int64_t threads = 1;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      strides_[k] = threads;
      if (extents[k] > kMostLoadPoints / threads) return false;
      threads *= extents[k];
      if (k == 2) in_block_ = threads;
    }
    load_.threads.resize(std::size_t(threads));
    std::int64_t time = 1;
    for (const Loop& loop : loops_) {
      if (is_index(loop.type) || loop.type == ParallelType::Vectorize) continue;
      if (loop.extent > INT64_MAX / 2 / time) return false;
      time *= loop.extent;
    }
    return true;
  }
  static std::size_t place(ParallelType type) {
    return std::size_t(axis(type)) + (is_block(type) ? 3 : 0);
  }

  bool visit() {
    std::vector<Expr> inputs = symbols_, roots;
    inputs.insert(inputs.end(), {rows_->row, rows_->begin, rows_->end});
    if (groups_ != nullptr) inputs.insert(inputs.end(), {groups_->begin, groups_->end});
    inputs.insert(inputs.end(), sizes_.symbols.begin(), sizes_.symbols.end());
    for (const Loop& loop : loops_) roots.push_back(loop.index);
    Tape tape(roots, inputs);
    std::vector<std::int64_t> at(inputs.size(), 0);
    std::ranges::copy(sizes_.values, at.end() - std::ptrdiff_t(sizes_.values.size()));
    load_.outcomes.assign(std::size_t(load_.rows), RowLoad::Outcome::Store);
    return dense(0, at, tape);
  }

  // All indices of the dense axes from axis k on.
  bool dense(std::size_t k, std::vector<std::int64_t>& at, Tape& tape) {
    while (k < domain_.size() && (k == row_ || k == *item_)) ++k;
    if (k == domain_.size()) return rows_at(at, tape);
    for (at[k] = 0; at[k] < extents_[k]; ++at[k]) {
      if (!dense(k + 1, at, tape)) return false;
    }
    return true;
  }

  bool rows_at(std::vector<std::int64_t>& at, Tape& tape) {
    const std::size_t symbols = domain_.size();
    first_of_row_.assign(std::size_t(load_.rows), -1);
    is_first_ = load_.takers.empty();
    if (is_first_) load_.takers.resize(std::size_t(std::min(load_.rows, RowLoad::kShownRows)));
    const bool has_ends = added_ > 0;
    const bool is_path = schedule_.positions(t_) || groups_ != nullptr;
    for (std::int64_t r = 0; r < load_.rows; ++r) {
      const std::int64_t begin = offset(r), items = length(r);
      at[row_] = at[symbols] = r;
      at[symbols + 1] = begin;
      at[symbols + 2] = begin + items;
      if (groups_ != nullptr) std::tie(at[symbols + 3], at[symbols + 4]) = group_around(r);
      // A row without items is that of the thread which would have its first.
      const std::int64_t points = has_ends  ? items + 1
                                  : is_path ? items
                                            : std::max(items, std::int64_t{1});
      for (std::int64_t j = 0; j < points; ++j) {
        at[*item_] = j;
        if (!tape.evaluate(at)) return false;
        if (!take(tape, r, j < items, has_ends && j == items)) return false;
        const bool is_shown =
            r < RowLoad::kShownRows &&
            (j < std::min(items, RowLoad::kShownItems) || (has_ends && j == items));
        if (is_shown && is_first_) load_.takers[std::size_t(r)].push_back(last_thread_);
      }
    }
    return true;
  }

  bool take(const Tape& tape, std::int64_t row, bool is_item, bool is_end) {
    std::int64_t thread = 0, time = 0;
    for (std::size_t k = 0; k < loops_.size(); ++k) {
      const std::int64_t index = tape.root(k);
      if (index < 0 || index >= loops_[k].extent) return false;
      if (is_index(loops_[k].type)) {
        thread += index * strides_[place(loops_[k].type)];
      } else if (loops_[k].type != ParallelType::Vectorize) {
        time = time * loops_[k].extent + index;
      }
    }
    last_thread_ = thread;
    RowLoad::Thread& own = load_.threads[std::size_t(thread)];
    own.items += is_item ? 1 : 0;
    own.ends += is_end ? 1 : 0;
    if (own.rows.empty() || own.rows.back() != row) own.rows.push_back(row);
    if (is_item || is_end) points_.push_back({thread, time});
    note_outcome(row, thread);
    return true;
  }

  void note_outcome(std::int64_t row, std::int64_t thread) {
    using enum RowLoad::Outcome;
    std::int64_t& first = first_of_row_[std::size_t(row)];
    RowLoad::Outcome& outcome = load_.outcomes[std::size_t(row)];
    if (first < 0) first = thread;
    if (first == thread || !folds_items_) return;
    if (leaves_carries(schedule_, t_)) {
      outcome = Carry;
    } else if (first / in_block_ == thread / in_block_) {
      if (outcome == Store) outcome = Fold;
    } else {
      outcome = Atomic;
    }
  }

  void finish() {
    for (RowLoad::Thread& thread : load_.threads) {
      std::ranges::sort(thread.rows);
      const auto [end, last] = std::ranges::unique(thread.rows);
      thread.rows.erase(end, last);
    }
    // The steps of each group of threads that go together, by its number.
    const auto steps_of = [&](auto group) {
      std::vector<Point> stamps;
      stamps.reserve(points_.size());
      for (const Point& point : points_) stamps.push_back({group(point.thread), point.time});
      std::ranges::sort(stamps);
      const auto [end, last] = std::ranges::unique(stamps);
      stamps.erase(end, last);
      return stamps;
    };
    const std::int64_t warps = (in_block_ + kWarp - 1) / kWarp;
    const auto warp_of = [&](std::int64_t thread) {
      return thread / in_block_ * warps + thread % in_block_ / kWarp;
    };
    load_.steps = std::int64_t(steps_of([](std::int64_t) { return std::int64_t{0}; }).size());
    load_.warp_steps = std::int64_t(steps_of(warp_of).size());
    std::int64_t own = 0, thread = -1;
    for (const Point& point : steps_of(std::identity())) {
      own = point.thread == thread ? own + 1 : 1;
      thread = point.thread;
      load_.slowest = std::max(load_.slowest, own);
      ++load_.busy;
    }
  }

  struct Point {
    std::int64_t thread, time;
    auto operator<=>(const Point&) const = default;
  };

  const Schedule& schedule_;
  const DomainGraph& graph_;
  TensorId t_;
  const SizeValues& sizes_;
  std::vector<DomainId> domain_;
  std::size_t row_ = 0;
  std::optional<std::size_t> item_;  // where these stand among them
  const RaggedRows* rows_ = nullptr;
  const RaggedRows* groups_ = nullptr;  // that loops go through, of `height_` rows each
  std::int64_t height_ = 1, longest_group_ = 0;
  const Array* offsets_ = nullptr;
  std::vector<Expr> symbols_;
  std::vector<std::int64_t> extents_;
  std::vector<Loop> loops_;
  std::array<std::int64_t, 6> strides_ = {};
  std::int64_t in_block_ = 1, added_ = 0;
  bool folds_items_ = false;
  bool is_first_ = false;                   // the first point of the dense axes is gone through
  std::int64_t last_thread_ = -1;           // who had the last point
  std::vector<std::int64_t> first_of_row_;  // the first thread that has a part of it
  std::vector<Point> points_;
  RowLoad load_;
};

}  // namespace

bool RowLoad::has_ends() const {
  return std::ranges::any_of(threads, [](const Thread& thread) { return thread.ends > 0; });
}

double RowLoad::utilisation() const {
  const double all = double(steps) * double(threads.size());
  return all == 0 ? 1 : double(busy) / all;
}

double RowLoad::warp_utilisation() const {
  return warp_steps == 0 ? 1 : double(busy) / (double(warp_steps) * double(kWarp));
}

std::optional<RowLoad> row_load(const Schedule& schedule, TensorId t,
                                const RunArguments& arguments) {
  return LoadCounter(schedule, t, arguments).count();
}

std::vector<RowLoad> row_loads(const Schedule& schedule, const RunArguments& arguments) {
  std::vector<RowLoad> all;
  for (std::size_t k = 0; k < schedule.fusion().size(); ++k) {
    const TensorId t{std::uint32_t(k)};
    if (schedule.fusion()[t].is_input || schedule.is_inlined(t)) continue;
    if (auto load = row_load(schedule, t, arguments)) all.push_back(std::move(*load));
  }
  return all;
}

}  // namespace selvage
