#include <selvage/base/names.h>
#include <selvage/base/words.h>
#include <selvage/frontend/einsum_mapping.h>
#include <selvage/frontend/einsum_partitioning.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/made_nodes.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/sparse_loops.h>

#include <algorithm>
#include <charconv>
#include <functional>

namespace selvage {

namespace {

constexpr std::int64_t kMostThreads = 1024;  // of a block
constexpr std::int64_t kThreads = 256;       // of a block, where nothing else says how many

class MappingReader {
 public:
  MappingReader(const EinsumExpression& einsum, const StoredTensors& tensors,
                const FileSymbols& symbols)
      : tensor_(einsum.target.name), einsum_(einsum), tensors_(tensors), symbols_(symbols) {
    for (const std::string& variable : einsum.variables()) {
      ranks_.push_back({.name = rank_of(variable), .loop = variable});
    }
    // What a tensor that leaves out 0 has of a rank is as many as its items there.
    for (const EinsumTensor& read : einsum.operands()) {
      const StoredRanks& stored = tensors.at(read.name);
      for (Rank& rank : ranks_) {
        if (stored.compressed.contains(rank.name)) rank.items_of = read.name;
      }
      for (const EinsumIndex& index : read.indices) {
        if (index.variable()) continue;
        for (const auto& term : index.terms) affine_.insert(rank_of(term.second));
      }
    }
  }

  EinsumMapping read(const Node& mapping) {
    EinsumMapping made;
    made.items = made_list(std::vector<Node>{}, mapping.place);
    made.of = tensor_;
    items_ = &made.items;
    const Node* parts = part_of(mapping, "partitioning");
    const Node* order = part_of(mapping, "loop-order");
    const Node* spacetime = part_of(mapping, "spacetime");
    if (parts != nullptr || order != nullptr || spacetime != nullptr)
      take_formats(mapping, made.of);
    if (parts != nullptr) partition(*parts);
    if (order != nullptr) reorder(*order);
    if (spacetime != nullptr) {
      made.mapped.slips = run_in(*spacetime);
    } else if (parts != nullptr || order != nullptr) {
      const Node& said = parts != nullptr ? *parts : *order;
      refuse("E333", said.place, "mapping of " + tensor_ + ": nothing says what runs in space",
             "add spacetime: {" + tensor_ + ": {space: [" + ranks_[0].name +
                 "], time: [...]}}; or leave all mappings out, and everything is scheduled "
                 "automatically");
    }
    for (Rank& rank : ranks_) {
      MappedRank mapped{rank.name, rank.loop, {rank.loop}, rank.is_space};
      if (!rank.block_loop.empty()) {
        mapped.domain = rank.name;
        mapped.loops = {rank.block_loop, rank.loop};
      }
      mapped.loops.insert(mapped.loops.end(), rank.inside.begin(), rank.inside.end());
      made.mapped.ranks.push_back(std::move(mapped));
    }
    return made;
  }

 private:
  struct Rank {
    std::string name, loop;
    std::optional<std::int64_t> extent = {};  // where it is a number
    std::string items_of = {};  // whose items are its points; empty: its points are coordinates
    bool is_flattened = false;
    bool is_space = false;
    std::string block_loop = {};           // outer to `loop`, where it is cut up among blocks
    std::vector<std::string> inside = {};  // loops inside of `loop` that belong to it
    // How the matrix is stored of which it runs over what is no list of items; empty: over items.
    std::string stored_as = {};
  };

  // What the formats of the matrices make of their rows and columns.
  void take_formats(const Node& mapping, std::string& of) {
    for (const EinsumTensor& read : einsum_.operands()) {
      const StoredRanks& stored = tensors_.at(read.name);
      if (!stored.format || stored.ranks.size() != 2) continue;
      Rank *row = find(stored.ranks[0]), *column = find(stored.ranks[1]);
      if (row == nullptr || column == nullptr) continue;
      const SparseLoops loops =
          sparse_loops(*stored.format, row->loop, column->loop, [&](const std::string& name) {
            return tensors_.contains(name) || symbols_.find(name) != nullptr ||
                   std::ranges::find(ranks_, name, &Rank::loop) != ranks_.end();
          });
      const std::string format = to_string(*stored.format);
      if (fills_up(*stored.format)) column->stored_as = format;
      const std::vector<std::string>& target = tensors_.at(tensor_).ranks;
      const bool has_items =
          target.size() > 1 && target[0] == row->name && target[1] == column->name;
      if (loops.has_parts()) {
        if (has_items || std::ranges::find(target, row->name) == target.end()) {
          refuse_unsupported(
              einsum_.text->place,
              "a mapping of " + tensor_ + ", which is not by rows of " + read.name +
                  ", stored as " + format + ",",
              "compute a result at rows of " + read.name + " alone, or store it as csr");
        }
        of = tensor_ + parts_suffix(*stored.format);
        add_item("merge", made_map({{"in", made_list(loops.of_row, mapping.place)},
                                    {"out", made_text(row->loop, mapping.place)}},
                                   mapping.place));
        column->loop = loops.of_column[0];
        column->inside.assign(loops.of_column.begin() + 1, loops.of_column.end());
      } else if (has_items && loops.all[0] != row->loop) {
        std::swap(*row, *column);  // which are the first ones
      }
    }
  }
  // Slots, diagonals and blocks are not cut up by what they hold.
  static void check_is_of_items(const Rank& rank, const Place& place, const std::string& what) {
    if (rank.stored_as.empty()) return;
    refuse_unsupported(place,
                       what + " of " + rank.name + ", which is stored as " + rank.stored_as + ",",
                       "cut up the rows alone, or store the matrix as csr");
  }

  const Node* part_of(const Node& mapping, const char* key) const {
    const Node* all = mapping.find(key);
    return all == nullptr ? nullptr : all->find(tensor_);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Rank& rank : ranks_) names.push_back(rank.name);
    return names;
  }
  Rank* find(const std::string& name) {
    const auto it = std::ranges::find(ranks_, name, &Rank::name);
    return it == ranks_.end() ? nullptr : &*it;
  }
  Rank& rank_called(const std::string& name, const Place& place, const std::string& what) {
    if (Rank* rank = find(name)) return *rank;
    const std::vector<std::string> known = names();
    refuse("E333", place, what + " of " + tensor_ + ": there is no rank " + shown(name) + " there",
           meant(name, std::vector<std::string_view>(known.begin(), known.end()),
                 "its ranks are " + joined(known)));
  }
  void add_item(const char* word, Node value) {
    const Place place = value.place;
    items_->items.push_back(made_map({{word, std::move(value)}}, place));
  }

  // A rank may be cut up that another entry makes, so those that wait for others come later.
  void partition(const Node& parts) {
    std::vector<const Entry*> left;
    for (const Entry& entry : expect_map(parts, "partitioning." + tensor_)) {
      if (entry.key.starts_with('(') && !entry.key.ends_with(')')) {
        refuse("E333", entry.place,
               "partitioning of " + tensor_ + ": " + shown(entry.key) + " is no rank",
               "a key with a comma stands on a line of its own, or in quotes: \"(I, J)\"");
      }
      left.push_back(&entry);
    }
    while (!left.empty()) {
      const auto is_there = [&](const Entry* entry) {
        return std::ranges::all_of(ranks_of_key(entry->key),
                                   [&](const std::string& r) { return find(r) != nullptr; });
      };
      const auto next = std::ranges::find_if(left, is_there);
      if (next == left.end()) {
        for (const std::string& rank : ranks_of_key(left[0]->key)) {
          rank_called(rank, left[0]->place, "partitioning");
        }
      }
      cut(**next);
      left.erase(next);
    }
  }

  void cut(const Entry& entry) {
    std::vector<Partitioning> list;
    for (const Node& item : expect_sequence(entry.value, "partitioning." + tensor_)) {
      list.push_back(read_partitioning(item));
    }
    if (list.empty()) {
      refuse("E334", entry.value.place, "partitioning of " + entry.key + ": the list is empty",
             "write such as [uniform_shape(4)], or leave " + entry.key + " out");
    }
    const std::vector<std::string> ranks = ranks_of_key(entry.key);
    const auto flattens = [](const Partitioning& p) {
      return p.kind == Partitioning::Kind::Flatten;
    };
    if (std::ranges::any_of(list, flattens)) {
      if (list.size() > 1) {
        refuse("E334", list[1].place, "flatten() stands alone in its list",
               "cut " + joined(ranks, "") + " up in an entry of its own");
      }
      return flatten(ranks, entry);
    }
    if (ranks.size() > 1) {
      refuse("E334", entry.place, "several ranks, and what cuts one rank up",
             "write [flatten()] for " + entry.key + ", and cut " + joined(ranks, "") +
                 " up in an entry of its own");
    }
    split(ranks[0], list);
  }

  void flatten(const std::vector<std::string>& ranks, const Entry& entry) {
    if (ranks.size() < 2) {
      refuse("E334", entry.place,
             "flatten() makes one rank of several, and " + ranks[0] + " is one",
             "write (I, J): [flatten()], or leave it out");
    }
    Rank made{.name = joined(ranks, ""), .loop = joined(ranks, ""), .is_flattened = true};
    std::string outer;
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      const Rank& rank = *find(ranks[k]);
      check_is_of_items(rank, entry.place, "flatten()");
      if (affine_.contains(rank.name)) {
        refuse("E334", entry.place, rank.name + " stands in a sum of indices: it is not flattened",
               "leave " + rank.name + " out of " + entry.key);
      }
      if (!rank.items_of.empty()) made.items_of = rank.items_of;
      const bool is_last = k + 1 == ranks.size();
      const std::string out = is_last ? made.loop : made.loop + "_" + std::to_string(k);
      if (k > 0) {
        add_item("merge", made_map({{"in", made_list({outer, rank.loop}, entry.place)},
                                    {"out", made_text(out, entry.place)}},
                                   entry.place));
      }
      outer = k == 0 ? rank.loop : out;
    }
    *find(ranks[0]) = made;
    for (std::size_t k = 1; k < ranks.size(); ++k) {
      std::erase_if(ranks_, [&](const Rank& rank) { return rank.name == ranks[k]; });
    }
  }

  std::optional<std::int64_t> value_of(const std::string& amount) const {
    if (is_digit(amount[0])) {
      std::int64_t value = 0;
      const auto [end, error] =
          std::from_chars(amount.data(), amount.data() + amount.size(), value);
      return error == std::errc{} ? std::optional(value) : std::nullopt;
    }
    const FileSymbols::Symbol* symbol = symbols_.find(amount);
    return symbol == nullptr ? std::nullopt : symbol->value;
  }

  void check(const Partitioning& p, const Rank& rank, const Partitioning* outer) const {
    using enum Partitioning::Kind;
    const bool is_shape = p.kind != UniformOccupancy;
    if (!is_digit(p.amount[0]) && symbols_.find(p.amount) == nullptr) {
      refuse("E302", p.place, "there is no size " + shown(p.amount),
             "declare it: symbols: {" + p.amount + ": {value: 4}}");
    }
    if (value_of(p.amount) == 0) {
      refuse("E334", p.place, "parts of 0", "write a number from 1 on");
    }
    if (is_shape && rank.is_flattened) {
      refuse(
          "E334", p.place, rank.name + " is flattened, and no shape cuts it up",
          "write uniform_occupancy(A." + p.amount + "), of the tensor whose items fill the parts");
    }
    if (is_shape && !rank.items_of.empty()) {
      refuse("E334", p.place,
             rank.items_of + " stores only what is not 0 of " + rank.name +
                 ", so parts of its shape hold different numbers of items",
             "write uniform_occupancy(" + rank.items_of + "." + p.amount + ")");
    }
    if (p.kind == UniformOccupancy) check_leader(p, rank);
    // Parts begin at multiples of their own size, which are those of a split of the outer part only
    // where one size divides the other.
    if (outer == nullptr || p.kind != UniformShape || outer->kind == UniformOccupancy) return;
    const auto own = value_of(p.amount), whole = value_of(outer->amount);
    if (outer->kind == UniformShape && own && whole && *whole % *own == 0) return;
    if (outer->kind == UniformShape && p.amount == outer->amount) return;
    refuse("E334", p.place,
           "parts of " + p.amount + " do not fill those of " + outer->amount + " around them",
           "write a size that divides the one before it");
  }

  void check_leader(const Partitioning& p, const Rank& rank) const {
    const auto leader = tensors_.find(p.leader);
    if (leader == tensors_.end()) {
      std::vector<std::string_view> known;
      for (const auto& [name, stored] : tensors_) known.push_back(name);
      refuse("E205", p.place, "there is no tensor " + shown(p.leader),
             meant(p.leader, known, "declare it under einsum"));
    }
    if (rank.items_of == p.leader) return;
    const bool has_rank =
        std::ranges::find(leader->second.ranks, rank.name) != leader->second.ranks.end();
    if (has_rank && rank.items_of.empty()) return;  // each coordinate is an item
    refuse("E334", p.place,
           "parts of " + rank.name + " are not filled by items of " + p.leader + ", which " +
               (rank.items_of.empty() ? "has no such rank" : "is not what stores " + rank.name),
           rank.items_of.empty()
               ? "name a tensor that has the rank " + rank.name
               : "write uniform_occupancy(" + rank.items_of + "." + p.amount + ")");
  }

  // K becomes K2, K1, K0 by two partitionings.
  void split(const std::string& name, const std::vector<Partitioning>& list) {
    const std::size_t at = std::size_t(find(name) - ranks_.data());
    const Rank whole = ranks_[at];
    std::string rest = whole.loop;
    std::vector<Rank> made;
    std::optional<std::int64_t> size;  // of the part that is cut up next, where it is a number
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Partitioning& p = list[k];
      check_is_of_items(whole, p.place, "a partitioning");
      check(p, whole, k == 0 ? nullptr : &list[k - 1]);
      const std::size_t number = list.size() - k;
      Rank outer = whole;
      outer.name = outer.loop = name + std::to_string(number);
      const bool is_nway = p.kind == Partitioning::Kind::NwayShape;
      const auto value = value_of(p.amount);
      outer.extent = is_nway ? value : std::nullopt;
      if (size && value && !is_nway) outer.extent = (*size + *value - 1) / *value;
      const std::string inner = number == 1 ? name + "0" : name + "_" + std::to_string(number - 1);
      Node body = made_map({{"in", made_text(rest, p.place)},
                            {"factor", made_text(p.amount, p.place)},
                            {"out", made_list({outer.loop, inner}, p.place)}},
                           p.place);
      if (is_nway) put(body, "inner", made_text("false", p.place));
      add_item("split", std::move(body));
      size = is_nway ? std::nullopt : value;
      made.push_back(outer);
      rest = inner;
    }
    Rank last = whole;
    last.name = last.loop = name + "0";
    last.extent = size;
    made.push_back(last);
    ranks_.erase(ranks_.begin() + std::ptrdiff_t(at));
    ranks_.insert(ranks_.begin() + std::ptrdiff_t(at), made.begin(), made.end());
  }

  void reorder(const Node& order) {
    std::vector<Rank> ordered;
    for (const Node& item : expect_sequence(order, "loop-order." + tensor_)) {
      const std::string& name = as_text(item, "loop-order." + tensor_);
      const Rank& rank = rank_called(name, item.place, "loop-order");
      if (std::ranges::find(ordered, name, &Rank::name) != ordered.end()) {
        refuse("E333", item.place, "loop-order of " + tensor_ + " has the rank " + name + " twice",
               "leave one of the two out");
      }
      ordered.push_back(rank);
    }
    for (const Rank& rank : ranks_) {
      if (std::ranges::find(ordered, rank.name, &Rank::name) != ordered.end()) continue;
      refuse("E333", order.place,
             "loop-order of " + tensor_ + " leaves the rank " + rank.name + " out",
             "name each once: " + joined(names()));
    }
    std::vector<std::string> loops;
    for (const Rank& rank : ordered) {
      loops.push_back(rank.loop);
      loops.insert(loops.end(), rank.inside.begin(), rank.inside.end());
    }
    const bool is_same = std::ranges::equal(ordered, ranks_, {}, &Rank::name, &Rank::name);
    ranks_ = std::move(ordered);
    if (!is_same) add_item("reorder", made_list(loops, order.place));
  }

  // I0, I0.pos or I0.coord. Of rows, all of which are stored, and of parts, the position is the
  // coordinate.
  static std::string rank_in_space(const Node& item, const std::string& what) {
    constexpr std::string_view kStyles[] = {"pos", "coord"};
    const std::string& text = as_text(item, what);
    const std::size_t dot = std::min(text.find('.'), text.size());
    if (dot < text.size() &&
        std::ranges::find(kStyles, text.substr(dot + 1)) == std::end(kStyles)) {
      refuse("E333", item.place, what + ": " + shown(text) + " is no rank",
             "write " + text.substr(0, dot) + ", with .pos or .coord behind it if at all");
    }
    return text.substr(0, dot);
  }

  // Whether each point of space has a clock of its own.
  bool run_in(const Node& spacetime) {
    const std::string what = "spacetime." + tensor_;
    expect_map(spacetime, what, Form::Spacetime);
    std::set<std::string> said;
    for (const char* key : {"space", "time"}) {
      const Node* list = spacetime.find(key);
      if (list == nullptr) continue;
      for (const Node& item : expect_sequence(*list, what + "." + key)) {
        const std::string name = rank_in_space(item, what + "." + key);
        Rank& rank = rank_called(name, item.place, std::string("spacetime.") + key);
        if (!said.insert(name).second) {
          refuse("E333", item.place, what + " has the rank " + name + " twice",
                 "say once whether it runs in space or in time");
        }
        rank.is_space = key == std::string_view("space");
        if (rank.is_space && !rank.inside.empty()) {
          refuse_unsupported(item.place,
                             name + " in space, which is stored as " + rank.stored_as + ",",
                             "run " + name + " in time");
        }
      }
    }
    for (const Rank& rank : ranks_) {
      if (said.contains(rank.name)) continue;
      refuse("E333", spacetime.place, what + " leaves the rank " + rank.name + " out",
             "add it to time, to run one after another; or to space");
    }
    const Node* opt = spacetime.find("opt");
    if (opt != nullptr) as_one_of(*opt, what + ".opt", Form::SlipWord);
    const Node* where = spacetime.find("space");
    bind(where == nullptr ? spacetime.place : where->place);
    return opt != nullptr;
  }

  // The innermost of space become threads, as far as a block has so many, the others blocks.
  void bind(const Place& place) {
    constexpr const char* kThreadIndices[] = {"TIDx", "TIDy", "TIDz"};
    constexpr const char* kBlockIndices[] = {"BIDx", "BIDy", "BIDz"};
    std::vector<Rank*> space;
    for (auto rank = ranks_.rbegin(); rank != ranks_.rend(); ++rank) {
      if (rank->is_space) space.push_back(&*rank);
    }
    Node bound = made_map({}, place);
    std::size_t threads = 0, blocks = 0, k = 0;
    std::int64_t in_block = 1;
    for (; k < space.size() && threads < std::size(kThreadIndices); ++k) {
      const auto extent = space[k]->extent;
      if (!extent || *extent > kMostThreads / in_block) break;
      in_block *= *extent;
      put(bound, space[k]->loop, made_text(kThreadIndices[threads++], place));
    }
    for (; k < space.size(); ++k) {
      Rank& rank = *space[k];
      if (blocks == std::size(kBlockIndices)) {
        refuse("E333", place, "spacetime." + tensor_ + ": too many ranks run in space",
               "run some of them in time, or flatten them");
      }
      if (threads == 0) {
        rank.block_loop = rank.loop + "_block";
        const std::string inner = rank.loop + "_thread";
        add_item("split", made_map({{"in", made_text(rank.loop, place)},
                                    {"factor", made_text(std::to_string(kThreads), place)},
                                    {"out", made_list({rank.block_loop, inner}, place)}},
                                   place));
        rank.loop = inner;
        put(bound, inner, made_text(kThreadIndices[threads++], place));
        put(bound, rank.block_loop, made_text(kBlockIndices[blocks++], place));
      } else {
        put(bound, rank.loop, made_text(kBlockIndices[blocks++], place));
      }
    }
    if (!bound.entries.empty()) add_item("bind", std::move(bound));
  }

  const std::string tensor_;
  const EinsumExpression& einsum_;
  const StoredTensors& tensors_;
  const FileSymbols& symbols_;
  std::vector<Rank> ranks_;
  std::set<std::string> affine_;  // ranks that stand in sums of indices
  Node* items_ = nullptr;
};

}  // namespace

EinsumMapping read_einsum_mapping(const Node& mapping, const EinsumExpression& einsum,
                                  const StoredTensors& tensors, const FileSymbols& symbols) {
  return MappingReader(einsum, tensors, symbols).read(mapping);
}

}  // namespace selvage
