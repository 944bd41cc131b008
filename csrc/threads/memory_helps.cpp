#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/index/region_threads.h>
#include <selvage/threads/bodies.h>
#include <selvage/threads/item_path.h>
#include <selvage/threads/memory_helps.h>

#include <algorithm>
#include <optional>

namespace selvage {

namespace {

// The text of an expression in a statement of a file, where division is //.
std::string in_statement(Expr e) {
  std::string text = to_string(e);
  for (std::size_t at = 0; (at = text.find(" / ", at)) != std::string::npos; at += 4) {
    text.replace(at, 3, " // ");
  }
  return text;
}

// Adds to `all` the subscripts of each element of the array that a value reads.
void add_reads(const ValueGraph& values, ValueId v, std::uint32_t array,
               std::vector<std::vector<Expr>>& all) {
  const ValueNode& node = values[v];
  if (node.kind == ValueNode::Kind::Read && node.source == array) {
    const auto is_same = [&](const std::vector<Expr>& other) {
      return std::equal(other.begin(), other.end(), node.subscripts.begin(), node.subscripts.end(),
                        [](Expr a, Expr b) { return same(a, b); });
    };
    if (std::none_of(all.begin(), all.end(), is_same)) all.push_back(node.subscripts);
  }
  for (ValueId operand : node.operands) add_reads(values, operand, array, all);
}

// The value with `first` put in front of the subscripts of every read of the array.
ValueId with_subscript(ValueGraph& values, ValueId v, std::uint32_t array, Expr first) {
  ValueNode node = values[v];
  for (ValueId& operand : node.operands) operand = with_subscript(values, operand, array, first);
  if (node.kind == ValueNode::Kind::Read && node.source == array) {
    node.subscripts.insert(node.subscripts.begin(), first);
  }
  return values.add(std::move(node));
}

class MemoryMends {
 public:
  MemoryMends(const ThreadProgram& program, const LevelTree& tree, const Diagnostic& d)
      : program_(program), copy_(program), tree_(tree), d_(d) {}

  std::vector<Mend> all() {
    const auto path = find_item(copy_, d_.place);
    if (!path || d_.tensors.empty() || !std::holds_alternative<Assign>(path->item().node))
      return {};
    const std::uint32_t array = d_.tensors[0];
    if (d_.code == "E824") unwritten(*path, array);
    if (d_.code == "E815") {
      // One thread alone helps only if the statement stores the array, not if it reads it.
      if (std::get<Assign>(path->item().node).array == array) by_one(*path);
      axis_for_blocks(array);
      two_kernels(*path);
      std::stable_partition(mends_.begin(), mends_.end(),
                            [](const Mend& m) { return !m.is_last_resort; });
    }
    return std::move(mends_);
  }

 private:
  bool is_nameable(Expr e) const {
    const std::vector<Expr> symbols = symbols_of(e);
    return std::all_of(symbols.begin(), symbols.end(), [&](Expr s) {
      const auto is_it = [&](const auto& name) { return name == s.name(); };
      return std::any_of(program_.names.begin(), program_.names.end(), is_it) ||
             contains(program_.symbols, s);
    });
  }
  // The symbols that may be used in front of a step: the program's, and the indices of the levels
  // and loops around it.
  std::vector<Expr> known_at(const ItemPath& path, std::size_t depth) const {
    std::vector<Expr> known = program_.symbols;
    const auto add = [&](const InnerParallel& node) {
      for (const ParallelLevel& level : node.levels) {
        for (const MaskIndex& i : level.indices) known.push_back(i.symbol);
      }
    };
    add(program_.outermost);
    for (std::size_t k = 0; k < depth; ++k) {
      const ThreadItem& item = path.steps[k].item();
      if (const auto* inner = std::get_if<InnerParallel>(&item.node)) add(*inner);
      if (const auto* loop = std::get_if<SerialFor>(&item.node)) known.push_back(loop->index);
    }
    return known;
  }

  // ---- elements read but never written ----

  // Mends that put statements which write the elements read as far out as their subscripts allow.
  void unwritten(const ItemPath& path, std::uint32_t array) {
    const auto& assign = std::get<Assign>(path.item().node);
    std::vector<std::vector<Expr>> reads;
    add_reads(program_.values, assign.value, array, reads);
    std::string text;
    ThreadBody body;
    for (const std::vector<Expr>& subscripts : reads) {
      std::string element;
      for (Expr e : subscripts) {
        if (!is_nameable(e)) return;
        element += (element.empty() ? "" : ", ") + in_statement(e);
      }
      const std::string name = program_.arrays[array].name;
      text += (text.empty() ? "\"" : ", \"") + name + "[" + element + "] = 0\"";
      body.push_back({Assign{array, subscripts, {}}, {}});
    }
    std::vector<Expr> used;
    for (const auto& subscripts : reads) {
      for (Expr s : symbols_of(subscripts)) used.push_back(s);
    }
    put_somewhere(text, body, used, path);
    // Or loops that write the whole array.
    const ThreadArray& a = program_.arrays[array];
    NamesOf names(program_);
    std::vector<Expr> indices;
    std::string element;
    for (std::size_t k = 0; k < a.shape.size(); ++k) {
      indices.push_back(program_.pool->symbol(names.fresh("every")));
      element += (k == 0 ? "" : ", ") + std::string(indices[k].name());
    }
    text = "\"" + a.name + "[" + element + "] = 0\"";
    body = {{Assign{array, indices, {}}, {}}};
    for (std::size_t k = indices.size(); k-- > 0;) {
      const std::string name(indices[k].name());
      body = {
          {SerialFor{.index = indices[k], .extent = a.shape[k], .label = name, .body = body}, {}}};
      text = "{for: {index: " + name + ", in: " + to_string(a.shape[k]) + ", do: [" + text + "]}}";
    }
    put_somewhere(text, body, {}, path);
  }
  // Adds mends that put the items first in a body around the place, where they overwrite nothing
  // that the body writes.
  void put_somewhere(const std::string& text, const ThreadBody& body, const std::vector<Expr>& used,
                     const ItemPath& path) {
    for (const bool is_by_one : {false, true}) {
      for (const bool waits : {false, true}) {
        for (std::size_t k = 0; k < path.steps.size(); ++k) {
          const std::vector<Expr> known = known_at(path, k);
          const bool is_known =
              std::all_of(used.begin(), used.end(), [&](Expr s) { return contains(known, s); });
          if (!is_known) continue;
          const ThreadItem& first = (*path.steps[k].body)[0];
          put_in_front(first.place, text, body, waits, is_by_one, path, k);
          const bool is_own = k == path.steps.size() - 1 && path.steps[k].index > 0;
          if (is_own) put_in_front(d_.place, text, body, waits, is_by_one, path, k);
        }
      }
    }
  }
  void put_in_front(const Place& place, std::string text, ThreadBody body, bool waits,
                    bool is_by_one, const ItemPath& path, std::size_t depth) {
    if (place.line == 0) return;
    if (is_by_one) {
      InThreads alone = one_thread(path, depth, LevelKind::Warpgroup);
      if (alone.text.empty()) return;
      alone.is_async = alone.is_async && !path.is_in_inthreads(depth);
      text = "{inthreads: {when: " + alone.text + (alone.is_async ? ", async: true" : "") +
             ", do: [" + text + "]}}";
      alone.body = std::move(body);
      body = {{std::move(alone), {}}};
    }
    using Among = Synchronize::Among;
    const bool is_inside = path.is_in_region(depth);
    if (waits) {
      body.push_back({Synchronize{is_inside ? Among::Region : Among::Shared}, {}});
      text += is_inside ? ", {sync: region}" : ", {sync: shared}";
    }
    mends_.push_back({"put " + text + " in front of " + selvage::text(place),
                      [place, body](ThreadProgram& program) {
                        const auto at = find_item(program, place);
                        if (!at) return;
                        ThreadBody own = body;
                        set_zero(own, program.values);
                        const ItemPath::Step& step = at->steps.back();
                        step.body->insert(step.body->begin() + std::ptrdiff_t(step.index),
                                          own.begin(), own.end());
                      },
                      !mends_.empty()});
  }
  static void set_zero(ThreadBody& body, ValueGraph& values) {
    for (ThreadItem& item : body) {
      if (auto* assign = std::get_if<Assign>(&item.node)) assign->value = values.whole(0);
      if (auto* in = std::get_if<InThreads>(&item.node)) set_zero(in->body, values);
      if (auto* loop = std::get_if<SerialFor>(&item.node)) set_zero(loop->body, values);
    }
  }

  // ---- elements that several blocks access ----

  // A region for one instance of the levels around a place that are of kind `from` or further in,
  // without those of devices.
  InThreads one_thread(const ItemPath& path, std::size_t depth, LevelKind from) const {
    ItemPath outside = path;
    outside.steps.resize(depth + 1);
    InThreads alone{.when = program_.pool->truth(true), .text = {}, .is_async = true, .body = {}};
    for (const InnerParallel* node : levels_around(program_, outside)) {
      const auto it = tree_.levels.find(node);
      if (it == tree_.levels.end()) continue;
      for (std::size_t k = 0; k < it->second.size(); ++k) {
        const ParallelLevel& level = it->second[k];
        if (!level.kind || *level.kind == LevelKind::Device || *level.kind < from) continue;
        for (const MaskIndex& i : level.indices) {
          if (i.extent == 1) continue;
          if (!is_nameable(i.symbol)) return {.when = {}, .text = {}, .body = {}};
          alone.when = both(alone.when, eq(i.symbol, 0));
          alone.text += (alone.text.empty() ? "" : " && ") + std::string(i.symbol.name()) + " == 0";
        }
      }
    }
    return alone;
  }

  void by_one(const ItemPath& path) {
    const std::size_t own = path.steps.size() - 1;
    InThreads alone = one_thread(path, own, LevelKind::Block);
    if (alone.text.empty()) return;
    alone.is_async = !path.is_in_inthreads(own);
    const Place place = d_.place;
    mends_.push_back({"write inthreads: {when: " + alone.text +
                          (alone.is_async ? ", async: true" : "") + ", do: [...]} in its place",
                      [place, alone](ThreadProgram& program) {
                        const auto at = find_item(program, place);
                        if (!at) return;
                        InThreads in = alone;
                        in.body = {at->item()};
                        at->item().node = std::move(in);
                      }});
  }

  // The block's number among all blocks, as an expression of the indices of the levels around.
  Expr block_at(const std::vector<const InnerParallel*>& around) const {
    Expr block = program_.pool->constant(0);
    for (const InnerParallel* node : around) {
      const auto it = tree_.levels.find(node);
      if (it == tree_.levels.end()) continue;
      for (const ParallelLevel& level : it->second) {
        if (!level.kind || *level.kind > LevelKind::Cluster) continue;
        for (const MaskIndex& i : level.indices) {
          block = block.is_const(0) ? i.symbol : block * i.extent + i.symbol;
        }
      }
    }
    return block;
  }
  struct Used {
    Place place;
    Expr block;
  };
  // Adds the statements in the body that read or write the array.
  void find_used(const ThreadBody& body, std::uint32_t array,
                 std::vector<const InnerParallel*> around, std::vector<Used>& all) const {
    for (const ThreadItem& item : body) {
      if (const auto* assign = std::get_if<Assign>(&item.node)) {
        std::vector<std::vector<Expr>> reads;
        add_reads(program_.values, assign->value, array, reads);
        if (assign->array == array || !reads.empty()) all.push_back({item.place, block_at(around)});
      }
      const ThreadBody* inside = body_of(item);
      if (inside == nullptr) continue;
      std::vector<const InnerParallel*> own = around;
      if (const auto* inner = std::get_if<InnerParallel>(&item.node)) own.push_back(inner);
      find_used(*inside, array, own, all);
    }
  }
  void axis_for_blocks(std::uint32_t array) {
    std::vector<Used> all;
    find_used(program_.outermost.body, array, {&program_.outermost}, all);
    const ThreadArray& a = program_.arrays[array];
    const LevelChain& chain = tree_.chains.front();
    const std::int64_t blocks = chain.blocks();
    constexpr std::size_t kMostWritten = 8;  // more axes make no sentence
    if (chain.extent(LevelKind::Device) != 1 || a.shape.size() > kMostWritten) return;
    std::string shape = std::to_string(blocks);
    for (Expr n : a.shape) shape += ", " + to_string(n);
    std::string words;
    std::vector<Expr> told;
    for (const Used& used : all) {
      if (!is_nameable(used.block)) return;
      const auto is_it = [&](Expr e) { return same(e, used.block); };
      if (std::any_of(told.begin(), told.end(), is_it)) continue;
      told.push_back(used.block);
    }
    for (Expr block : told) {
      words += (words.empty() ? "" : ", and ") + a.name + "[" + in_statement(block) + ", ...]";
      std::string where;
      for (const Used& used : all) {
        if (!same(used.block, block)) continue;
        where += (where.empty() ? " at " : " and ") + text(used.place);
      }
      if (told.size() > 1) words += where;
    }
    mends_.push_back({"give " + a.name + " the shape [" + shape + "] and write " + words + " for " +
                          a.name + "[...]",
                      [array, all, blocks, rank = a.shape.size()](ThreadProgram& program) {
                        if (program.arrays[array].shape.size() != rank) return;
                        ThreadProgram changed = program;
                        if (!add_subscripts(changed, changed.outermost.body, array, all)) return;
                        std::vector<Expr>& axes = changed.arrays[array].shape;
                        axes.insert(axes.begin(), program.pool->constant(blocks));
                        program = std::move(changed);
                      }});
    mends_.back().is_last_resort = is_of_one(told);
  }
  // Whether one of several block numbers is constant: then one block acts for all, which elements
  // for each block cannot replace.
  static bool is_of_one(const std::vector<Expr>& blocks) {
    return blocks.size() > 1 &&
           std::any_of(blocks.begin(), blocks.end(), [](Expr e) { return e.is(Op::Const); });
  }
  // Puts the block's number in front of the array's subscripts in all statements. Returns false if
  // some statement is not in `all`.
  static bool add_subscripts(ThreadProgram& program, ThreadBody& body, std::uint32_t array,
                             const std::vector<Used>& all) {
    return std::all_of(body.begin(), body.end(), [&](ThreadItem& item) {
      auto* inside = const_cast<ThreadBody*>(body_of(item));
      if (inside != nullptr) return add_subscripts(program, *inside, array, all);
      auto* assign = std::get_if<Assign>(&item.node);
      if (assign == nullptr) return true;
      std::vector<std::vector<Expr>> reads;
      add_reads(program.values, assign->value, array, reads);
      if (assign->array != array && reads.empty()) return true;
      const auto used = std::find_if(all.begin(), all.end(),
                                     [&](const Used& u) { return at(u.place) == at(item.place); });
      if (used == all.end()) return false;
      assign->value = with_subscript(program.values, assign->value, array, used->block);
      if (assign->array == array) {
        assign->subscripts.insert(assign->subscripts.begin(), used->block);
      }
      return true;
    });
  }

  // Cuts the program into two kernels: the second begins when all blocks of the first have ended.
  void two_kernels(const ItemPath& path) {
    const ThreadBody& body = program_.outermost.body;
    const std::size_t cut = path.steps[0].index;
    for (const std::size_t at : {cut, cut + 1}) {
      if (at == 0 || at >= body.size() || body[at].place.line == 0) continue;
      const auto half = [at](bool is_second) {
        return [at, is_second](ThreadProgram& program) {
          ThreadBody& all = program.outermost.body;
          if (at >= all.size()) return;
          const auto middle = all.begin() + std::ptrdiff_t(at);
          is_second ? all.erase(all.begin(), middle) : all.erase(middle, all.end());
        };
      };
      mends_.push_back({"make two kernels of it, the second from " + text(body[at].place) + " on",
                        half(false), false, half(true)});
      mends_.back().is_last_resort = at != cut;
    }
  }

  const ThreadProgram& program_;
  ThreadProgram copy_;  // to find what stands where
  const LevelTree& tree_;
  const Diagnostic& d_;
  std::vector<Mend> mends_;
};

}  // namespace

std::vector<Mend> memory_mends(const ThreadProgram& program, const LevelTree& tree,
                               const Diagnostic& d) {
  return MemoryMends(program, tree, d).all();
}

}  // namespace selvage
