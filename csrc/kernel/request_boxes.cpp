#include <selvage/base/integer.h>
#include <selvage/expr/apply.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/kernel/request_boxes.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <ranges>

namespace selvage {

namespace {

constexpr std::int64_t kMostBoxes = 1 << 18;  // that are looked at for one access
constexpr std::int64_t kFew = 64;             // points, which are soon looked at one by one
constexpr std::int64_t kPointsOfABox = 8;     // take as long as one box

}  // namespace

// Goes through the boxes of one statement.
class RequestBoxes::Walk {
 public:
  Walk(const RequestBoxes& boxes, const Access& access, const Blocks& blocks, const Visit& visit)
      : boxes_(boxes), map_(boxes.map_), access_(access), blocks_(blocks), visit_(visit) {
    const AccessScope& scope = map_.scope(access.scope);
    for (Expr c : scope.conditions) roots_.push_back(boxes.numbers_.in_condition(c));
    for (Expr c : access.conditions) roots_.push_back(boxes.numbers_.in_condition(c));
    for (PlaceId loop : scope.loops) add_loop(map_.places()[loop]);
    conditions_ = roots_.size();
    if (access.address.valid()) roots_.push_back(boxes.numbers_.in_address(access.address));
    lay_out();
  }

  bool run(const Warps& warps) {
    if (!is_possible_) return false;
    if (is_empty_) return true;
    ParameterBox box;
    for (std::size_t k = 0; k < 3; ++k) box.ranges.push_back({0, 1, warps.counts[k]});
    box.ranges.insert(box.ranges.end(), blocks_.begin(), blocks_.end());
    for (const Interval& i : loops_) box.ranges.push_back({i.lo, 1, i.hi - i.lo + 1});
    warps_ = &warps;
    walk(std::move(box));
    return is_possible_;
  }

 private:
  // The parameter that is the first block index, and the one that is the first loop.
  static constexpr std::size_t kBlocks = 3, kLoops = 6;
  // An input of the tape: a parameter from kBlocks on, the thread's index along an axis, or a
  // number.
  struct Input {
    enum class Kind : std::uint8_t { Parameter, Thread, Number } kind;
    std::size_t index = 0;
    std::int64_t value = 0;
  };

  // The interval of the loop's iterations over all of these blocks; where the ends are no numbers
  // the conditions say which of them take place.
  void add_loop(const StatementPlace& loop) {
    const Expr last = boxes_.numbers_.end_of(loop);
    const Interval begin = bounds(loop.begin), end = bounds(last);
    if (!begin.has_lo() || !end.has_hi() || loops_.size() + kLoops == ParameterBox::kMost) {
      is_possible_ = false;
    }
    if (!begin.is_point()) roots_.push_back(loop.begin <= loop.variable);
    if (!end.is_point()) roots_.push_back(loop.variable < last);
    is_empty_ = is_empty_ || end.hi <= begin.lo;
    loops_.push_back({begin.lo, end.hi - 1});
    variables_.push_back(loop.variable);
  }

  std::optional<Input> input(Expr symbol) const {
    for (std::size_t k = 0; k < 3; ++k) {
      if (same(map_.threads()[k], symbol)) return Input{Input::Kind::Thread, k, 0};
      if (same(map_.blocks()[k], symbol)) return Input{Input::Kind::Parameter, kBlocks + k, 0};
    }
    for (std::size_t k = 0; k < variables_.size(); ++k) {
      if (same(variables_[k], symbol)) return Input{Input::Kind::Parameter, kLoops + k, 0};
    }
    const std::optional<std::int64_t> size = boxes_.sizes_(symbol);
    return size ? std::optional(Input{Input::Kind::Number, 0, *size}) : std::nullopt;
  }

  // The values of an expression over the blocks and the loops around; everything where it is not
  // known.
  Interval bounds(Expr e) const {
    const std::vector<Expr> symbols = symbols_of(e);
    Tape tape({&e, 1}, symbols);
    std::vector<Interval> values;
    for (std::int64_t v : tape.values()) values.push_back(Interval::point(v));
    for (std::size_t k = 0; k < symbols.size(); ++k) {
      const std::optional<Input> from = input(symbols[k]);
      if (!from) return {};
      Interval& value = values[tape.inputs()[k]];
      switch (from->kind) {
        case Input::Kind::Thread: value = {0, boxes_.block_[from->index] - 1}; break;
        case Input::Kind::Number: value = Interval::point(from->value); break;
        case Input::Kind::Parameter:
          value = from->index < kLoops ? interval(blocks_[from->index - kBlocks])
                                       : loops_[from->index - kLoops];
      }
    }
    for (const Tape::Instruction& in : tape.code()) {
      values[in.out] = apply(in.op, values[in.a], values[in.b], values[in.c]);
    }
    return values[tape.root_slot(0)];
  }

  static Interval interval(const ParameterBox::Range& r) {
    return {r.start, r.start + r.step * (r.count - 1)};
  }

  // Instructions that do not depend on the thread are run once for all lanes.
  void lay_out() {
    symbols_ = symbols_of(roots_);
    tape_.emplace(roots_, symbols_);
    for (std::int64_t v : tape_->values()) values_.push_back(number(box_, v));
    std::vector<bool> is_by_lane(values_.size());
    for (std::size_t k = 0; k < symbols_.size(); ++k) {
      const std::optional<Input> from = input(symbols_[k]);
      if (!from) {
        is_possible_ = false;
        return;
      }
      inputs_.push_back(*from);
      const std::uint32_t slot = tape_->inputs()[k];
      if (from->kind == Input::Kind::Number) values_[slot] = number(box_, from->value);
      if (from->kind == Input::Kind::Parameter) parameters_.emplace_back(slot, from->index);
      if (from->kind == Input::Kind::Thread) threads_.emplace_back(slot, from->index);
      is_by_lane[slot] = from->kind == Input::Kind::Thread;
    }
    for (const Tape::Instruction& in : tape_->code()) {
      is_by_lane[in.out] = is_by_lane[in.a] || is_by_lane[in.b] || is_by_lane[in.c];
      (is_by_lane[in.out] ? by_lane_ : uniform_).push_back(in);
    }
  }

  void run(const std::vector<Tape::Instruction>& code) {
    for (const Tape::Instruction& in : code) {
      values_[in.out] = apply(in.op, values_[in.a], values_[in.b], values_[in.c]);
    }
  }

  void walk(ParameterBox box) {
    const auto is_empty = [](const ParameterBox::Range& r) { return r.count <= 0; };
    if (std::ranges::any_of(box.ranges, is_empty)) return;
    if (++looked_at_ > kMostBoxes) is_possible_ = false;
    if (!is_possible_) return;
    box_ = box;
    const std::optional<BoxedRequest> request = evaluate();
    if (!request) return box.points() <= kFew ? take_points(std::move(box)) : cut(std::move(box));
    for (std::size_t k = 0; k < box.ranges.size(); ++k) {
      const std::int64_t rest = request->moves[k] % access_.granule;
      if (rest != 0)
        return take_residues(box, k, access_.granule / std::gcd(rest, access_.granule));
    }
    if (request->request.active != 0) visit_(*request);
  }

  // Looks at each point by itself, all lanes at a time, with no forms.
  void take_points(ParameterBox box) {
    if (!points_) points_.emplace(roots_, symbols_);
    looked_at_ += box.points() / kPointsOfABox;
    const std::vector<ParameterBox::Range> ranges = box.ranges;
    for (ParameterBox::Range& r : box.ranges) r.count = 1;
    const auto visit = [&](auto& self, std::size_t k) -> void {
      if (k == ranges.size()) return take_point(box);
      for (std::int64_t p = 0; p < ranges[k].count; ++p) {
        box.ranges[k].start = ranges[k].start + p * ranges[k].step;
        self(self, k + 1);
      }
    };
    visit(visit, 0);
  }

  void take_point(const ParameterBox& box) {
    BoxedRequest found{.box = &box, .request = {.bytes = access_.bytes}};
    const auto lanes = std::size_t(warps_->active);
    for (std::size_t k = 0; k < symbols_.size(); ++k) {
      const Input& in = inputs_[k];
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        std::int64_t value = in.value;
        if (in.kind == Input::Kind::Parameter) value = box.ranges[in.index].start;
        if (in.kind == Input::Kind::Thread) {
          value =
              warps_->lanes[in.index][lane] + warps_->steps[in.index] * box.ranges[in.index].start;
        }
        points_->input(k)[lane] = value;
      }
    }
    if (!points_->evaluate(lanes)) {  // undefined in some lane: one by one
      box_ = box;
      const std::optional<BoxedRequest> request = evaluate();
      if (request && request->request.active != 0) visit_(*request);
      return;
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto is_false = [&](std::size_t k) { return points_->root(k, lane) == 0; };
      if (std::ranges::any_of(std::views::iota(std::size_t(0), conditions_), is_false)) continue;
      const std::int64_t at = access_.address.valid() ? points_->root(conditions_, lane) : 0;
      found.request.add(int(lane), at * access_.element_bytes);
    }
    if (found.request.active != 0) visit_(found);
  }

  // Cuts the box along the parameter on which the undecided value depends most: for a quotient into
  // the residues that move it by multiples of the divisor, where these are fewer than the
  // quotients.
  void cut(ParameterBox box) {
    const ParameterBox::Undecided& open = box_.undecided;
    std::size_t at = 0;
    std::int64_t most = 0;
    for (std::size_t k = 0; k < box.ranges.size(); ++k) {
      const std::int64_t way = saturating_mul(std::abs(open.by[k]), box.ranges[k].count - 1);
      if (way <= most) continue;
      most = way;
      at = k;
    }
    if (most == 0) {  // no cut decides it
      is_possible_ = false;
      return;
    }
    ParameterBox::Range& range = box.ranges[at];
    if (open.divisor != 0) {
      const std::int64_t period = std::abs(open.divisor) / std::gcd(open.divisor, open.by[at]);
      if (period < range.count && period <= 2 * (most / std::abs(open.divisor))) {
        return take_residues(box, at, period);
      }
    }
    const std::int64_t half = range.count / 2;
    ParameterBox upper = box;
    upper.ranges[at].start += half * range.step;
    upper.ranges[at].count -= half;
    range.count = half;
    walk(std::move(box));
    walk(std::move(upper));
  }

  void take_residues(const ParameterBox& box, std::size_t k, std::int64_t period) {
    const ParameterBox::Range whole = box.ranges[k];
    for (std::int64_t r = 0; r < std::min(period, whole.count); ++r) {
      ParameterBox part = box;
      part.ranges[k] = {.start = whole.start + r * whole.step,
                        .step = whole.step * period,
                        .count = (whole.count - r + period - 1) / period};
      walk(std::move(part));
    }
  }

  // The request of the present box; nothing where something is undecided.
  std::optional<BoxedRequest> evaluate() {
    box_.undecided = {};
    for (const auto& [slot, k] : parameters_) values_[slot] = parameter(box_, k);
    run(uniform_);
    const auto undecided = box_.undecided;
    BoxedRequest found{.box = &box_, .request = {.bytes = access_.bytes}};
    for (int lane = 0; lane < warps_->active; ++lane) {
      box_.undecided = undecided;
      if (lane == 0 || !threads_.empty()) {
        for (const auto& [slot, k] : threads_) values_[slot] = thread(k, lane);
        run(by_lane_);
      }
      const std::optional<bool> is_active = holds();
      if (!is_active) return std::nullopt;
      if (*is_active && !add(found, lane)) return std::nullopt;
    }
    return found;
  }

  BoxForm thread(std::size_t axis, int lane) {
    BoxForm form = number(box_, warps_->lanes[axis][std::size_t(lane)]);
    // A number of steps, none of which another axis takes.
    if (warps_->steps[axis] == 0) return form;
    return form + number(box_, warps_->steps[axis]) * parameter(box_, axis);
  }

  // Whether all conditions hold. What is undefined at a single point does not hold.
  std::optional<bool> holds() const {
    bool is_open = false;
    for (std::size_t k = 0; k < conditions_; ++k) {
      const BoxForm& condition = values_[tape_->root_slot(k)];
      if (condition.is_known() && condition.constant == 0) return false;
      is_open = is_open || !condition.is_known();
    }
    if (!is_open) return true;
    return is_single() ? std::optional(false) : std::nullopt;
  }
  bool is_single() const {
    return std::ranges::all_of(box_.ranges,
                               [](const ParameterBox::Range& r) { return r.count == 1; });
  }

  // False where the lane's address has no form, or moves otherwise than that of others.
  bool add(BoxedRequest& found, int lane) {
    if (!access_.address.valid()) {
      found.request.add(lane, 0);
      return true;
    }
    const BoxForm& address = values_[tape_->root_slot(conditions_)];
    if (!address.is_known()) return is_single();
    std::array<std::int64_t, ParameterBox::kMost> moves{};
    for (std::size_t k = 0; k < ParameterBox::kMost; ++k)
      moves[k] = address.by[k] * access_.element_bytes;
    if (found.request.active == 0) found.moves = moves;
    if (found.moves != moves) {
      box_.undecided = {};
      for (std::size_t k = 0; k < ParameterBox::kMost; ++k) {
        box_.undecided.by[k] = moves[k] - found.moves[k];
      }
      return false;
    }
    found.request.add(lane, address.constant * access_.element_bytes);
    return true;
  }

  const RequestBoxes& boxes_;
  const AccessMap& map_;
  const Access& access_;
  const Blocks& blocks_;
  const Visit& visit_;
  std::vector<Expr> roots_;  // conditions, then the address if there is one
  std::size_t conditions_ = 0;
  std::vector<Interval> loops_;
  std::vector<Expr> variables_;
  bool is_possible_ = true, is_empty_ = false;
  std::vector<Expr> symbols_;  // of the roots, and what gives their values
  std::vector<Input> inputs_;
  std::optional<Tape> tape_;
  std::optional<LaneTape> points_;
  std::vector<BoxForm> values_;                                              // by slot of the tape
  std::vector<std::pair<std::uint32_t, std::size_t>> parameters_, threads_;  // slots, and which
  std::vector<Tape::Instruction> uniform_, by_lane_;
  ParameterBox box_;  // the present one
  const Warps* warps_ = nullptr;
  std::int64_t looked_at_ = 0;
};

RequestBoxes::RequestBoxes(const AccessMap& map, const SizeValues& sizes)
    : map_(map), sizes_(sizes), numbers_(map, sizes) {
  const auto number = [&](Expr e) {
    const std::optional<std::int64_t> n = sizes(e);
    is_known_ = is_known_ && n.has_value();
    return n.value_or(1);
  };
  for (std::size_t k = 0; k < 3; ++k) {
    grid_[k] = number(map.kernel().launch.grid[k]);
    block_[k] = number(map.kernel().launch.block[k]);
  }
}

RequestBoxes::Blocks RequestBoxes::all_blocks() const {
  Blocks blocks;
  for (std::size_t k = 0; k < 3; ++k) blocks[k].count = grid_[k];
  return blocks;
}

RequestBoxes::Blocks RequestBoxes::middle_block() const {
  Blocks blocks;
  for (std::size_t k = 0; k < 3; ++k) blocks[k].start = grid_[k] / 2;
  return blocks;
}

bool RequestBoxes::visit(const Access& access, const Blocks& blocks, const Visit& visit) {
  Blocks which = blocks;
  if (map_.scope(access.scope).last_block) {
    const auto is_all = [](const ParameterBox::Range& own, std::int64_t all) {
      return own.count == all;
    };
    if (!std::ranges::equal(blocks, grid_, is_all)) return true;
    for (ParameterBox::Range& own : which) own.count = std::min<std::int64_t>(own.count, 1);
  }
  Walk walk(*this, access, which, visit);
  for (const Warps& w : warps()) {
    if (!walk.run(w)) return false;
  }
  return true;
}

// Threads are numbered x fastest, and 32 consecutive numbers are a warp. Where a row of threads is
// a number of warps, or a warp a number of rows, all warps have one form; else each is listed.
std::vector<RequestBoxes::Warps> RequestBoxes::warps() const {
  const auto [x, y, z] = block_;
  Warps all;
  if (x % kWarp == 0) {
    for (int lane = 0; lane < kWarp; ++lane) all.lanes[0][std::size_t(lane)] = lane;
    all.steps = {kWarp, 1, 1};
    all.counts = {x / kWarp, y, z};
    return {all};
  }
  if (kWarp % x == 0 && y % (kWarp / x) == 0) {
    for (int lane = 0; lane < kWarp; ++lane) {
      all.lanes[0][std::size_t(lane)] = lane % x;
      all.lanes[1][std::size_t(lane)] = lane / x;
    }
    all.steps = {0, kWarp / x, 1};
    all.counts = {1, y / (kWarp / x), z};
    return {all};
  }
  std::vector<Warps> list;
  const std::int64_t threads = x * y * z;
  for (std::int64_t first = 0; first < threads; first += kWarp) {
    Warps& warp = list.emplace_back();
    warp.active = int(std::min<std::int64_t>(kWarp, threads - first));
    for (int lane = 0; lane < warp.active; ++lane) {
      const std::int64_t number = first + lane;
      const auto l = std::size_t(lane);
      warp.lanes[0][l] = number % x;
      warp.lanes[1][l] = number / x % y;
      warp.lanes[2][l] = number / x / y;
    }
  }
  return list;
}

}  // namespace selvage
