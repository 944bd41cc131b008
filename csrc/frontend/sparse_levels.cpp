#include <selvage/base/stored_tensor.h>
#include <selvage/base/words.h>
#include <selvage/frontend/formula_copy.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/sparse_levels.h>
#include <selvage/frontend/sparse_reads.h>
#include <selvage/ir/identity.h>

#include <algorithm>

namespace selvage {

namespace {

using Kind = FormulaNode::Kind;
using LevelKey = SparseReads::Key;

// Whether a fold over several levels folds what folds over each of them give.
bool folds_by_levels(Reduction how) {
  switch (how) {
    case Reduction::Sum:
    case Reduction::Prod:
    case Reduction::Min:
    case Reduction::Max:
    case Reduction::FMin:
    case Reduction::FMax:
    case Reduction::Any:
    case Reduction::All:
    case Reduction::LogSumExp: return true;
    case Reduction::Mean:
    case Reduction::Variance:
    case Reduction::ArgMax:
    case Reduction::ArgMin: return false;
  }
  return false;
}

// Takes the last level of a tensor out of a statement, as often as there is one.
class LevelsWriter {
 public:
  LevelsWriter(const Formula& formula, const Node& text, LevelTensors& levels,
               SparseTensors& sparse)
      : from_(formula), text_(text), levels_(levels), sparse_(sparse) {}

  std::optional<LevelStatements> write() {
    const auto is_of_levels = [&](const FormulaNode& n) { return find(n) != nullptr; };
    if (std::ranges::none_of(from_.nodes, is_of_levels)) return std::nullopt;
    for (std::uint32_t k = 0; k < from_.nodes.size(); ++k) check_read(k);
    while (const auto read = next_read()) {
      if (take_out(*read)) return std::move(made_);
    }
    made_.formulas.push_back(std::move(from_));
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse_at(std::size_t at, const std::string& what,
                              const std::string& help) const {
    refuse("E520", place_in(text_, at), what, help);
  }

  const LevelTensor* find(const FormulaNode& node) const {
    if (!node.may_read()) return nullptr;
    const auto it = levels_.find(node.name);
    return it == levels_.end() ? nullptr : &it->second;
  }
  LevelKey key(std::uint32_t name) const { return SparseReads::key_in(from_, from_.nodes[name]); }
  // The indices at which a node reads the levels of a tensor.
  std::vector<LevelKey> keys_of(const FormulaNode& read) const {
    std::vector<LevelKey> keys;
    for (std::size_t a = 0; a < find(read)->extents.size(); ++a) {
      keys.push_back(key(read.operands[a]));
    }
    return keys;
  }

  void check_read(std::uint32_t k) const {
    const FormulaNode& node = from_.nodes[k];
    const LevelTensor* tensor = find(node);
    if (tensor == nullptr) return;
    const std::size_t axes = tensor->extents.size();
    bool is_plain = node.operands.size() == axes + tensor->inner;
    std::set<LevelKey> used;
    for (std::size_t a = 0; a < axes && is_plain; ++a) {
      is_plain = from_.nodes[node.operands[a]].kind == Kind::Name &&
                 used.insert(key(node.operands[a])).second;
    }
    if (is_plain) return;
    const std::vector<std::string> names = {"i", "j", "k", "l", "m", "n"};
    const auto count = std::ptrdiff_t(std::min(axes, names.size()));
    refuse_at(node.at,
              node.name + " is sparse, and read at other subscripts than " + std::to_string(axes) +
                  " indices",
              "write " + node.name + bracketed({names.begin(), names.begin() + count}));
  }

  // The one whose last index is folded innermost; no fold at all comes last.
  std::optional<std::uint32_t> next_read() const {
    std::optional<std::uint32_t> next;
    LevelKey last;
    for (std::uint32_t k = 0; k < from_.nodes.size(); ++k) {
      const LevelTensor* tensor = find(from_.nodes[k]);
      if (tensor == nullptr || tensor->extents.size() < 3) continue;
      const LevelKey own = keys_of(from_.nodes[k]).back();
      if (next && own.second <= last.second) continue;
      next = k;
      last = own;
    }
    return next;
  }

  // ---- A level, and the fold or the result that goes over it ----

  // Whether that computes the result, so that nothing is left.
  bool take_out(std::uint32_t read) {
    const FormulaNode& node = from_.nodes[read];
    tensor_ = *find(node);
    keys_ = keys_of(node);
    name_ = node.name;
    fold_ = keys_.back().second;
    top_ = std::uint32_t(from_.nodes.size() - 1);
    if (fold_) {
      const auto is_fold = [&](const FormulaNode& n) {
        return (n.kind == Kind::Fold || n.kind == Kind::Compact) && n.fold == *fold_;
      };
      top_ = std::uint32_t(std::ranges::find_if(from_.nodes, is_fold) - from_.nodes.begin());
    }
    if (from_.is_compaction()) {
      refuse_at(node.at, "compact goes through no tensor of levels, as " + name_ + " is",
                "compute what is to be kept in a statement of its own");
    }
    check_left(node);
    check_order(node);
    inner_ = {};
    inner_.target = from_.target;
    inner_.target_at = from_.target_at;
    const bool is_result = !fold_ || (top_ + 1 == from_.nodes.size() && is_at_nodes());
    if (!is_result) inner_.target = level_name();
    write_inner(is_result);
    LevelTensor own = tensor_;
    own.inner = inner_.indices.size() - (fold_ ? 1 : 2);
    if (fold_) own.extents.pop_back();
    if (is_result) {
      made_.result = own.last();
    } else {
      sparse_[inner_.target] = own.last();
      levels_[inner_.target] = std::move(own);
      from_ = written_outer();
    }
    made_.formulas.push_back(std::move(inner_));
    return is_result;
  }

  // How many of the left indices are those of the levels, in order and in front.
  std::size_t left_levels() const {
    std::size_t k = 0;
    for (; k < std::min(from_.indices.size(), keys_.size()); ++k) {
      if (LevelKey(from_.indices[k].name, std::nullopt) != keys_[k]) break;
    }
    return k;
  }
  // Whether a fold over the last level is the whole statement, and has its result at the nodes of
  // the level before.
  bool is_at_nodes() const {
    return from_.stored_at.empty() && !from_.assertion && left_levels() + 1 == keys_.size();
  }

  std::string level_name() const {
    return free_name(from_.target + "_level_" + std::to_string(keys_.size() - 2),
                     [&](const std::string& name) {
                       return levels_.contains(name) || SparseReads::is_used_in(from_, name);
                     });
  }

  // Each index is bound outside of those behind it.
  void check_order(const FormulaNode& node) const {
    std::vector<SparseReads::Binder> around;  // from within
    for (auto f = node.inside; f; f = from_.folds[*f].outer) around.emplace_back(f);
    around.emplace_back();
    const auto depth = [&](const LevelKey& k) { return std::ranges::find(around, k.second); };
    for (std::size_t a = 0; a + 1 < keys_.size(); ++a) {
      if (depth(keys_[a]) >= depth(keys_[a + 1])) continue;
      refuse_at(node.at,
                name_ + " is stored by " + keys_[a].first + " before " + keys_[a + 1].first +
                    ", and the fold over " + keys_[a].first + " stands inside of that over " +
                    keys_[a + 1].first,
                "fold over both at once, or over " + keys_[a + 1].first + " inside");
    }
  }

  void check_left(const FormulaNode& node) const {
    const std::size_t in_front = left_levels();
    for (std::size_t a = std::max<std::size_t>(in_front, 1); a < keys_.size(); ++a) {
      if (keys_[a].second) continue;
      std::vector<std::string> before;
      for (std::size_t b = 0; b <= a; ++b) before.push_back(keys_[b].first);
      refuse_at(from_.target_at,
                from_.target + " is at " + keys_[a].first + ", of which only the nodes of " +
                    name_ + " tell at those of " + joined({before.begin(), before.end() - 1}),
                "compute a result at " + before[0] + ", or at " + bracketed(before) +
                    " in front; or store " + name_ + " with another axis first");
    }
    if (in_front > 1 && !from_.stored_at.empty()) {
      refuse_at(node.at, from_.target + " has items of " + name_ + ", and is stored elsewhere",
                "store it at its indices, and move it in the next statement");
    }
  }

  // ---- The statement over the last level ----

  void write_inner(bool is_result) {
    row_ = free_name("p",
                     [&](const std::string& name) { return SparseReads::is_used_in(from_, name); });
    FormulaCopy copy(from_, inner_, [&](std::uint32_t k) { return in_inner(k); });
    copy_ = &copy;
    if (fold_) {
      for (auto f = from_.folds[*fold_].outer; f; f = from_.folds[*f].outer) {
        copy.leave_out(*f, std::nullopt);
      }
    }
    inner_.indices = {{row_, from_.target_at}};
    const std::size_t levels = keys_.size() - 1;
    if (is_result) {
      for (std::size_t k = levels; k < from_.indices.size(); ++k) {
        inner_.indices.push_back(copy.indices({from_.indices[k]})[0]);
      }
    } else {
      rest_ = free_indices();
      for (const LevelKey& index : rest_) inner_.indices.push_back({index.first, from_.target_at});
    }
    if (fold_) {
      auto& own = inner_.folds[copy.fold(fold_).value()].indices;
      std::erase_if(own, [&](const Formula::Index& i) {
        return std::ranges::find(keys_.begin(), keys_.end() - 1, LevelKey(i.name, fold_)) !=
               keys_.end() - 1;
      });
    }
    copy.node(top_);
    if (fold_) inner_.offsets = tensor_.matrix(keys_.size() - 2).matrix + kOffsetsSuffix;
    copy_ = nullptr;
  }

  // The indices that the fold sees and does not bind, but for those of the levels: as on the left,
  // then as folds around bind them.
  std::vector<LevelKey> free_indices() const {
    std::set<LevelKey> used;
    std::vector<std::uint32_t> open = {top_};
    while (!open.empty()) {
      const std::uint32_t k = open.back();
      open.pop_back();
      const FormulaNode& n = from_.nodes[k];
      open.insert(open.end(), n.operands.begin(), n.operands.end());
      if (n.kind == Kind::Name) used.insert(key(k));
    }
    std::vector<LevelKey> list;
    const auto take = [&](const std::vector<Formula::Index>& indices, SparseReads::Binder binder) {
      for (const Formula::Index& i : indices) {
        const LevelKey own(i.name, binder);
        const bool is_of_levels = std::ranges::find(keys_, own) != keys_.end();
        if (used.contains(own) && !is_of_levels) list.push_back(own);
      }
    };
    take(from_.indices, std::nullopt);
    for (auto f = from_.folds[*fold_].outer; f; f = from_.folds[*f].outer) {
      take(from_.folds[*f].indices, f);
    }
    return list;
  }

  // What stands in the place of a node of the statement, if it is not a copy.
  std::optional<std::uint32_t> in_inner(std::uint32_t k) {
    const FormulaNode& node = from_.nodes[k];
    if (node.kind == Kind::Name) {
      const auto at = std::ranges::find(keys_.begin(), keys_.end() - 1, key(k));
      if (at == keys_.end() - 1) return std::nullopt;
      return coordinate(std::size_t(at - keys_.begin()), node);
    }
    if (node.kind != Kind::Element) return std::nullopt;
    if (find(node) != nullptr && is_at_levels(node)) return read_of_levels(node);
    check_apart(node);
    return read_within(k);
  }

  // Whether it reads what belongs to the tensor's own nodes, or their children, at the indices.
  bool is_at_levels(const FormulaNode& node) const {
    const std::vector<LevelKey> own = keys_of(node);
    return find(node)->tensor == tensor_.tensor && own.size() <= keys_.size() &&
           std::equal(own.begin(), own.end(), keys_.begin());
  }

  void check_apart(const FormulaNode& node) const {
    const auto matrix = sparse_.find(node.name);
    const LevelTensor* other = find(node);
    if (other == nullptr && matrix == sparse_.end()) return;
    const auto is_shared = [&](std::uint32_t subscript) {
      return from_.nodes[subscript].kind == Kind::Name &&
             std::ranges::find(keys_, key(subscript)) != keys_.end();
    };
    const bool has_levels = other != nullptr && other->extents.size() > 2;
    if (!has_levels && std::ranges::none_of(node.operands, is_shared)) return;
    refuse_at(
        node.at,
        node.name + " is sparse, and stands with the items of " + name_ +
            ": these are not gone through together",
        "read each in a fold of its own, at indices of its own, or make " + node.name + " dense");
  }

  // T[i, j, k] is T[p, k], and what belongs to nodes is read at these.
  std::uint32_t read_of_levels(const FormulaNode& node) {
    const std::size_t axes = find(node)->extents.size();
    FormulaNode read = node;
    read.inside = copy_->fold(node.inside);
    read.operands.clear();
    const FormulaNode like = subscript_like(node);
    if (axes == keys_.size()) {
      read.operands = {position(axes - 2, like), copy_->node(node.operands[axes - 1])};
    } else {
      read.is_by_position = true;
      read.operands = {position(axes - 1, like)};
      clamp(read, 0);
    }
    for (std::size_t k = axes; k < node.operands.size(); ++k) {
      read.operands.push_back(copy_->node(node.operands[k]));
    }
    return copy_->add(std::move(read));
  }

  FormulaNode subscript_like(const FormulaNode& node) {
    FormulaNode like{.at = node.at};
    like.inside = copy_->fold(node.inside);
    like.in_subscript = true;
    return like;
  }

  // The node of a level to which p belongs.
  std::uint32_t position(std::size_t level, const FormulaNode& like) {
    if (level + 2 == keys_.size()) {
      FormulaNode name = like;
      name.kind = Kind::Name;
      name.name = row_;
      return copy_->add(std::move(name));
    }
    const std::string matrix = tensor_.matrix(level + 1).matrix;
    made_.levels_with_rows.insert(matrix);
    return element(matrix + kRowsSuffix, level + 1, like);
  }
  // What an array has of the node of its level to which p belongs.
  std::uint32_t element(const std::string& array, std::size_t level, const FormulaNode& like) {
    FormulaNode inside = like;
    inside.in_subscript = true;
    FormulaNode read = like;
    read.kind = Kind::Element;
    read.name = array;
    read.is_by_position = true;
    read.is_loaded = like.in_subscript;
    read.operands = {position(level, inside)};
    clamp(read, 0);
    return copy_->add(std::move(read));
  }
  // The coordinate of that node.
  std::uint32_t coordinate(std::size_t level, const FormulaNode& name) {
    FormulaNode like{.at = name.at};
    like.inside = copy_->fold(name.inside);
    like.in_subscript = name.in_subscript;
    if (level == 0) return position(0, like);
    return element(tensor_.matrix(level).matrix + kColumnsSuffix, level, like);
  }
  // A subscript that data tell stays within the axis.
  void clamp(FormulaNode& read, std::size_t axis) {
    FormulaNode clamped = inner_.nodes[read.operands[axis]];
    if (!clamped.is_loaded) return;
    clamped.kind = Kind::Remap;
    clamped.name.clear();
    clamped.is_by_position = false;
    clamped.remap = Remap::Clamped;
    clamped.operands = {read.operands[axis]};
    read.operands[axis] = copy_->add(std::move(clamped));
  }

  // An element of a dense tensor, clamped where an index is the whole subscript and is told by
  // nodes: the axis has as many items as that of the tensor.
  std::optional<std::uint32_t> read_within(std::uint32_t k) {
    const FormulaNode& node = from_.nodes[k];
    FormulaNode read = node;
    read.inside = copy_->fold(node.inside);
    for (std::uint32_t& operand : read.operands) operand = copy_->node(operand);
    for (std::size_t axis = 0; axis < node.operands.size(); ++axis) {
      const FormulaNode& name = from_.nodes[node.operands[axis]];
      if (name.kind != Kind::Name) continue;
      const auto at = std::ranges::find(keys_.begin(), keys_.end() - 1, key(node.operands[axis]));
      if (at == keys_.end() - 1) continue;
      const auto level = std::size_t(at - keys_.begin());
      made_.uses.push_back({tensor_.matrix(std::max<std::size_t>(level, 1)).matrix, level == 0,
                            node.name, axis, name.at});
      clamp(read, axis);
    }
    return copy_->add(std::move(read));
  }

  // ---- What is left ----

  // The statement with the values of the nodes in the place of the fold, which goes on over those
  // levels that it binds.
  Formula written_outer() {
    Formula outer = from_;
    outer.nodes.clear();
    outer.folds.clear();
    std::vector<Formula::Index> left;
    for (std::size_t a = 0; a + 1 < keys_.size(); ++a) {
      if (keys_[a].second != fold_) continue;
      const auto& list = from_.folds[*fold_].indices;
      left.push_back(*std::ranges::find(list, keys_[a].first, &Formula::Index::name));
    }
    const Formula::Fold& own = from_.folds[*fold_];
    if (!left.empty() && !folds_by_levels(own.how)) {
      refuse_at(own.at,
                own.name() + " goes over several levels of " + name_ +
                    ", and is not made of those of each",
                "fold over " + keys_.back().first + " alone, or write sums");
    }
    FormulaCopy copy(from_, outer, [&](std::uint32_t k) -> std::optional<std::uint32_t> {
      if (k != top_) return std::nullopt;
      return in_outer(copy_->fold(left.empty() ? own.outer : fold_), left);
    });
    copy_ = &copy;
    if (left.empty()) {
      copy.leave_out(*fold_, copy.fold(own.outer));
    } else {
      outer.folds[copy.fold(fold_).value()].indices = copy.indices(left);
    }
    outer.indices = copy.indices(from_.indices);
    for (std::uint32_t& k : outer.stored_at) k = copy.node(k);
    copy.node(std::uint32_t(from_.nodes.size() - 1));
    copy_ = nullptr;
    return outer;
  }
  std::uint32_t in_outer(std::optional<std::size_t> inside,
                         const std::vector<Formula::Index>& left) {
    const FormulaNode& before = from_.nodes[top_];
    FormulaNode read{.kind = Kind::Element, .at = before.at, .name = inner_.target};
    read.inside = inside;
    const auto add_index = [&](const std::string& index) {
      FormulaNode name{.kind = Kind::Name, .at = before.at, .name = index};
      name.in_subscript = true;
      name.inside = inside;
      read.operands.push_back(copy_->add(std::move(name)));
    };
    for (std::size_t a = 0; a + 1 < keys_.size(); ++a) add_index(keys_[a].first);
    for (const LevelKey& index : rest_) add_index(index.first);
    const std::uint32_t value = copy_->add(std::move(read));
    if (left.empty()) return value;
    FormulaNode fold{.kind = Kind::Fold, .at = before.at, .operands = {value}};
    fold.fold = inside.value();
    fold.inside = copy_->fold(from_.folds[*fold_].outer);
    return copy_->add(std::move(fold));
  }

  Formula from_;  // what is left of the statement
  const Node& text_;
  LevelTensors& levels_;
  SparseTensors& sparse_;
  LevelStatements made_;
  // Of the read whose last level is taken out:
  LevelTensor tensor_;
  std::string name_;
  std::vector<LevelKey> keys_;
  SparseReads::Binder fold_;  // over the last level; nothing: the result has its items
  std::uint32_t top_ = 0;     // the node of that fold, or the whole right side
  Formula inner_;
  std::string row_;             // the index of nodes
  std::vector<LevelKey> rest_;  // the further indices of what is computed at them
  FormulaCopy* copy_ = nullptr;
};

}  // namespace

SparseTensor LevelTensor::matrix(std::size_t level) const {
  return {.matrix = name_of_level(tensor, level),
          .format = {StorageKind::Csr},
          .rows = level == 1 ? extents[0] : name_of_level(tensor, level - 1) + kItemsSuffix,
          .columns = extents[level],
          .inner = inner};
}

std::optional<LevelStatements> by_levels(const Formula& formula, const Node& text,
                                         LevelTensors& levels, SparseTensors& sparse) {
  if (levels.empty()) return std::nullopt;
  return LevelsWriter(formula, text, levels, sparse).write();
}

}  // namespace selvage
