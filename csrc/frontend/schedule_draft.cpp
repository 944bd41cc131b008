// `schedule` of section 2, read: which names mean what.
#include <selvage/frontend/loop_list.h>
#include <selvage/frontend/names.h>
#include <selvage/frontend/schedule_draft.h>
#include <selvage/frontend/words.h>

#include <algorithm>
#include <map>

namespace selvage {

namespace {

using Tensor = ScheduleDraft::Tensor;

constexpr std::int64_t kMostLargeItems = kMostTensors;  // cache, rfactor and like, of a file

// What is known of a tensor's loops while its list is read, by the numbers of its names.
struct Progress {
  LoopList loops{{}};
  std::vector<std::size_t> logical, folds;
  std::vector<bool> is_folded = {};               // by name
  bool is_known = true;                           // until a `like`
  std::map<std::size_t, std::string> moved = {};  // to a tensor that it made

  void begin() {
    std::vector<std::size_t> all = logical;
    all.insert(all.end(), folds.begin(), folds.end());
    loops.reorder(all);
    is_folded.assign(all.size(), false);
    for (std::size_t d : folds) is_folded[d] = true;
  }
  bool folds_over(std::size_t d) const { return d < is_folded.size() && is_folded[d]; }
};

// A tensor as another list makes it.
struct Made {
  std::string maker;
  DomainNames names;
  Progress progress;
  std::optional<ScheduleDraft::Site> site;
};

class Reader {
 public:
  Reader(std::span<const Formula> statements, std::span<const NamedInput> inputs, SizeScope& sizes,
         FileContext& context)
      : statements_(statements),
        inputs_(inputs),
        sizes_(sizes),
        context_(context),
        errors_(context.errors) {
    for (const Formula& f : statements_) {
      for (const FormulaNode& n : f.nodes) {
        if (n.kind == FormulaNode::Kind::Element) is_read_[n.name] = true;
      }
    }
  }

  ScheduleDraft read(const Node& node) {
    draft_.place = node.place;
    if (node.kind == Node::Kind::Scalar) {
      as_one_of(node, "schedule", {"auto"});
      return std::move(draft_);
    }
    draft_.is_automatic = false;
    for (const Entry& entry : expect_map(node, "schedule")) {
      entries_[entry.key] = &entry;
      find_made(entry);
    }
    for (const Entry& entry : node.entries) {
      errors_.attempt([&] { read_entry(entry); });
    }
    // Tensors without a list of their own.
    for (auto& [name, made] : made_) {
      if (!made.site || draft_.find(name) != nullptr) continue;
      Tensor tensor{.name = name, .names = made.names, .place = made.site->place};
      tensor.maker = made.maker;
      tensor.site = made.site;
      draft_.tensors.push_back(std::move(tensor));
    }
    return std::move(draft_);
  }

 private:
  // Which list makes which tensor, to read that one first.
  void find_made(const Entry& entry) {
    if (entry.value.kind != Node::Kind::Sequence) return;
    for (const Node& item : entry.value.items) {
      for (const char* key : {"cache", "rfactor"}) {
        const Node* body = item.find(key);
        const Node* as = body == nullptr ? nullptr : body->find("as");
        if (as != nullptr) makers_.emplace(as->text, &entry);
      }
    }
  }

  const Formula* statement(const std::string& name) const {
    for (const Formula& f : statements_) {
      if (f.target == name) return &f;
    }
    return nullptr;
  }
  const NamedInput* input(const std::string& name) const {
    for (const NamedInput& i : inputs_) {
      if (i.name == name) return &i;
    }
    return nullptr;
  }

  [[noreturn]] void refuse_tensor(const std::string& name, const Place& place,
                                  const std::string& what) const {
    if (input(name) != nullptr) {
      refuse("E205", place, what + ": " + name + " is an input and has no loops",
             "cache it, and take the copy");
    }
    std::vector<std::string_view> words;
    for (const Formula& f : statements_) words.push_back(f.target);
    for (const auto& [made, entry] : makers_) words.push_back(made);
    refuse("E205", place, what + ": no statement computes " + shown(name),
           meant(name, words, "name a tensor that stands on the left of a statement"));
  }

  void read_entry(const Entry& entry) {
    if (!begun_.emplace(entry.key, true).second) return;
    const Formula* formula = statement(entry.key);
    const NamedInput* source = input(entry.key);
    if (formula != nullptr || source != nullptr) {
      Tensor tensor{
          .name = entry.key, .names = {entry.key, context_.symbols, errors_}, .place = entry.place};
      Progress progress;
      const auto define = [&](const std::string& name, std::vector<std::size_t>& list) {
        list.push_back(tensor.names.define(name, entry.place));
      };
      if (formula != nullptr) {
        for (const Formula::Index& index : formula->indices) define(index.name, progress.logical);
        for (const Formula::Index& index : folded_indices(*formula)) {
          define(index.name, progress.folds);
        }
      } else {
        for (const std::string& axis : source->axes) define(axis, progress.logical);
      }
      progress.begin();
      return read_tensor(entry, std::move(tensor), std::move(progress));
    }
    const auto maker = makers_.find(entry.key);
    if (maker == makers_.end()) refuse_tensor(entry.key, entry.place, "schedule");
    const std::size_t before = errors_.list().size();
    errors_.attempt([&] { read_entry(*maker->second); });
    const auto made = made_.find(entry.key);
    if (made == made_.end()) {
      // Nothing made it: where its maker is wrong, that has been said.
      if (errors_.list().size() == before) refuse_tensor(entry.key, entry.place, "schedule");
      return;
    }
    Tensor tensor{.name = entry.key, .names = made->second.names, .place = entry.place};
    tensor.maker = made->second.maker;
    tensor.site = made->second.site;
    Progress progress = made->second.progress;
    if (!progress.is_known) tensor.items.push_back({ScheduleDraft::Like{}, entry.place});
    read_tensor(entry, std::move(tensor), std::move(progress));
  }

  void read_tensor(const Entry& entry, Tensor tensor, Progress progress) {
    tensor.is_listed = true;
    const std::string what = "schedule." + entry.key;
    if (entry.value.kind == Node::Kind::Scalar) {
      as_one_of(entry.value, what, {"inline"});
      tensor.is_inlined = true;
    } else if (entry.value.kind == Node::Kind::Map) {
      const Entry& item = expect_one(entry.value, what);
      constexpr std::string_view kPlaces[] = {"inline"};
      one_of(item.key, item.place, what, kPlaces);
      read_site(item, tensor);
    } else {
      const std::vector<Node>& items = expect_sequence(entry.value, what);
      if (input(entry.key) != nullptr && items.empty()) {
        refuse("E205", entry.place, "schedule: " + entry.key + " is an input and has no loops",
               "schedule the tensors that read it");
      }
      std::size_t last_barrier = 0;
      for (const Node& item : items) {
        const std::size_t before = errors_.list().size();
        errors_.attempt([&] { read_item(item, tensor, progress, last_barrier); });
        // The loops are not known any more; the rest would repeat it.
        if (errors_.list().size() != before) return;
      }
      check_bindings(tensor, progress, last_barrier);
    }
    draft_.tensors.push_back(std::move(tensor));
  }

  // Those of the loops that there are in the end.
  void check_bindings(const Tensor& tensor, const Progress& progress, std::size_t from) {
    for (std::size_t k = from; k < tensor.items.size(); ++k) {
      const auto* b = std::get_if<FileBinding>(&tensor.items[k].action);
      if (b == nullptr || is_loop(tensor, progress, b->domain)) continue;
      refuse("E313", b->place,
             "bind: " + tensor.names.all()[b->domain].name + " is no loop of " + tensor.name +
                 " in the end",
             "bind what comes out of the transform that takes it");
    }
  }

  static bool is_loop(const Tensor& tensor, const Progress& progress, std::size_t d) {
    if (progress.is_known) return progress.loops.has(d);
    return !tensor.names.all()[d].feeds[std::size_t(Feeds::Transforms)];
  }

  [[noreturn]] void refuse_no_loop(const Tensor& tensor, const Progress& progress, std::size_t d,
                                   const char* code, const Place& place, const std::string& what,
                                   const std::string& otherwise) {
    const auto moved = progress.moved.find(d);
    const bool is_moved = moved != progress.moved.end();
    refuse(code, place,
           what + ": " + tensor.names.all()[d].name + " is no loop of " + tensor.name + " any more",
           is_moved ? "it is a loop of " + moved->second + " now: schedule that" : otherwise);
  }

  void read_item(const Node& item, Tensor& tensor, Progress& progress, std::size_t& last_barrier) {
    constexpr std::string_view kItems[] = {"split",   "merge",  "resize", "swizzle",
                                           "reorder", "bind",   "cache",  "rfactor",
                                           "like",    "inline", "memory"};
    const std::string what = "schedule." + tensor.name;
    const Entry& entry = expect_one(item, what);
    const std::size_t kind = one_of(entry.key, entry.place, what, kItems);
    if (input(tensor.name) != nullptr && kind != 6) {
      refuse("E205", entry.place, what + ": " + tensor.name + " is an input and has no loops",
             "cache it, and schedule the copy");
    }
    if (kind == 6 || kind == 7 || kind == 8) {
      if (++large_items_ > kMostLargeItems) {
        refuse("E104", entry.place,
               "the file has more than " + std::to_string(kMostLargeItems) +
                   " items cache, rfactor and like",
               "split the file");
      }
    }
    switch (kind) {
      case 4: read_reorder(entry, tensor, progress); break;
      case 5: read_bind(entry, tensor, progress); break;
      case 6: read_cache(entry, tensor, progress); break;
      case 7: read_rfactor(entry, tensor, progress); break;
      case 8: read_like(entry, tensor, progress); break;
      case 9: read_site(entry, tensor); break;
      case 10:
        tensor.items.push_back({read_memory(entry.value, what + ".memory"), entry.place});
        break;
      default: read_cut(entry, tensor, progress); break;
    }
    if (kind == 6 || kind == 7 || kind == 8) last_barrier = tensor.items.size();
  }

  // After a `like`, a name that nothing in the list has made is one of the other tensor.
  void find_late(const Node* node, Tensor& tensor, const Progress& progress) {
    if (progress.is_known || node == nullptr) return;
    if (node->kind == Node::Kind::Sequence) {
      for (const Node& each : node->items) find_late(&each, tensor, progress);
    } else if (node->kind == Node::Kind::Scalar) {
      find_late(node->text, node->place, tensor);
    }
  }
  static void find_late(const std::string& name, const Place& place, Tensor& tensor) {
    if (!is_identifier(name) || tensor.names.has(name)) return;
    for (std::size_t k = tensor.items.size(); k-- > 0;) {
      auto* like = std::get_if<ScheduleDraft::Like>(&tensor.items[k].action);
      if (like == nullptr) continue;
      like->late.push_back(tensor.names.define(name, place));
      return;
    }
  }

  void read_cut(const Entry& entry, Tensor& tensor, Progress& progress) {
    if (++context_.transforms > kMostTransforms) {
      refuse("E104", entry.place,
             "the file has more than " + std::to_string(kMostTransforms) + " transforms",
             "split the file");
    }
    find_late(entry.value.find("in"), tensor, progress);
    const std::size_t before = errors_.list().size();
    FileTransform t = read_transform(entry, tensor.names, sizes_, Feeds::Transforms, errors_);
    if (errors_.list().size() == before && progress.is_known) {
      for (std::size_t d : t.in) {
        if (progress.loops.has(d)) continue;
        refuse_no_loop(tensor, progress, d, "E313", entry.place, entry.key + ".in",
                       "take a loop that it has");
      }
      progress.loops.replace(t.in, t.out, t.kind == FileTransform::Kind::Swizzle);
      progress.is_folded.resize(tensor.names.size(), false);
      for (std::size_t d : t.out) progress.is_folded[d] = progress.is_folded[t.in[0]];
    }
    tensor.items.push_back({std::move(t), entry.place});
  }

  void read_reorder(const Entry& entry, Tensor& tensor, Progress& progress) {
    const std::string what = "reorder";
    find_late(&entry.value, tensor, progress);
    std::vector<std::size_t> order;
    std::vector<bool> seen(tensor.names.size(), false);
    for (const Node& node : expect_sequence(entry.value, what)) {
      const std::size_t d = tensor.names.find(node, what);
      const std::string& name = tensor.names.all()[d].name;
      if (!is_loop(tensor, progress, d)) {
        refuse_no_loop(tensor, progress, d, "E307", node.place, what,
                       "name what came out of the transform that took it");
      }
      if (seen[d]) {
        refuse("E307", node.place, "reorder: " + name + " stands there twice", "name it once");
      }
      seen[d] = true;
      order.push_back(d);
    }
    if (progress.is_known) {
      for (std::size_t d : progress.loops.loops()) {
        if (seen[d]) continue;
        refuse("E307", entry.value.place,
               "reorder: the loop " + tensor.names.all()[d].name + " of " + tensor.name +
                   " is missing",
               "name every loop once");
      }
      progress.loops.reorder(order);
    }
    tensor.items.push_back({ScheduleDraft::Reorder{std::move(order)}, entry.place});
  }

  void read_bind(const Entry& entry, Tensor& tensor, Progress& progress) {
    if (!progress.is_known && entry.value.kind == Node::Kind::Map) {
      for (const Entry& each : entry.value.entries) find_late(each.key, each.place, tensor);
    }
    for (FileBinding& b : read_bindings(entry.value, tensor.names, errors_)) {
      if (!is_loop(tensor, progress, b.domain)) {
        refuse_no_loop(tensor, progress, b.domain, "E313", b.place, "bind",
                       "bind what came out of the transform that took it");
      }
      tensor.items.push_back({std::move(b), entry.place});
    }
  }

  Memory read_memory(const Node& node, const std::string& what) {
    return Memory(as_one_of(node, what, {"global", "shared", "local"}));
  }

  // The name of a tensor that a list makes: no other has it.
  std::string read_made(const Node& body, const std::string& what) {
    const Node& as = require(body, what, "as");
    const std::string& name = as_name(as, what + ".as");
    if (const FileSymbols::Symbol* s = context_.symbols.find(name)) {
      refuse("E204", as.place, "the tensor " + name + " has the name of a symbol",
             "rename one of the two", {"the symbol is declared at " + to_text(s->place)});
    }
    if (statement(name) != nullptr || input(name) != nullptr || made_.count(name) != 0) {
      refuse("E204", as.place, what + ": there is a tensor " + name + " already",
             "choose another name");
    }
    return name;
  }

  void read_cache(const Entry& entry, Tensor& tensor, Progress& progress) {
    const std::string& what = entry.key;
    expect_map(entry.value, what, {"as", "memory", "at", "by", "stages"});
    const std::string name = read_made(entry.value, what);
    const Memory memory = read_memory(require(entry.value, what, "memory"), what + ".memory");
    if (const Node* by = entry.value.find("by")) {
      if (as_one_of(*by, what + ".by", {"ldst", "cp_async", "tma"}) != 0) {
        refuse_unsupported(by->place, what + ".by: " + by->text, "write by: ldst");
      }
    }
    if (const Node* stages = entry.value.find("stages")) {
      if (as_integer_of(*stages, what + ".stages", 1, 64) != 1) {
        refuse_unsupported(stages->place, "more than one stage of a cache", "leave stages out");
      }
    }
    Made made{tensor.name, {name, context_.symbols, errors_}, {}, {}};
    made.progress.is_known = progress.is_known;
    const auto define = [&](std::size_t d, std::vector<std::size_t>& list) {
      list.push_back(made.names.define(tensor.names.all()[d].name, entry.place));
    };
    for (std::size_t d : progress.logical) define(d, made.progress.logical);
    // A cache before takes over what is folded over.
    const bool is_read = is_read_[tensor.name] || !tensor.maker.empty();
    if (!is_read && input(tensor.name) == nullptr) {
      for (std::size_t d : progress.folds) define(d, made.progress.folds);
      drop_folded(tensor, progress, name);
      progress.folds.clear();
    }
    made.progress.begin();
    if (const Node* at = entry.value.find("at")) {
      made.site = ScheduleDraft::Site{{}, as_name(*at, what + ".at"), entry.place, at->place};
    }
    made_.emplace(name, std::move(made));
    tensor.items.push_back({ScheduleDraft::Cache{name, memory}, entry.place});
  }

  static void drop_folded(const Tensor& tensor, Progress& progress, const std::string& to) {
    if (!progress.is_known) return;
    for (std::size_t d = 0; d < tensor.names.size(); ++d) {
      if (!progress.loops.has(d) || !progress.folds_over(d)) continue;
      progress.loops.remove(d);
      progress.moved.emplace(d, to);
    }
  }

  void read_rfactor(const Entry& entry, Tensor& tensor, Progress& progress) {
    const std::string& what = entry.key;
    expect_map(entry.value, what, {"in", "as"});
    const Node& in = require(entry.value, what, "in");
    find_late(&in, tensor, progress);
    const std::string name = read_made(entry.value, what);
    std::vector<std::size_t> some;
    const auto take = [&](const Node& node) {
      const std::size_t d = tensor.names.find(node, what + ".in");
      if (!is_loop(tensor, progress, d)) {
        refuse_no_loop(tensor, progress, d, "E313", node.place, what + ".in",
                       "take what came out of the transform that took it");
      }
      some.push_back(d);
    };
    if (in.kind == Node::Kind::Scalar) {
      take(in);
    } else {
      for (const Node& node : expect_sequence(in, what + ".in")) take(node);
    }
    Made made{tensor.name, tensor.names.of(name), progress, {}};
    made.progress.is_folded.assign(tensor.names.size(), false);
    made.progress.folds.clear();
    std::vector<std::size_t> rest;
    for (std::size_t d : progress.loops.loops()) {
      if (!progress.folds_over(d)) continue;
      const bool is_taken = std::count(some.begin(), some.end(), d) != 0;
      (is_taken ? made.progress.folds : made.progress.logical).push_back(d);
      if (is_taken) made.progress.is_folded[d] = true;
      if (!is_taken) rest.push_back(d);
    }
    for (std::size_t d : made.progress.folds) {
      progress.loops.remove(d);
      progress.moved.emplace(d, name);
    }
    progress.folds = std::move(rest);
    made_.emplace(name, std::move(made));
    tensor.items.push_back({ScheduleDraft::Rfactor{name, std::move(some)}, entry.place});
  }

  void check_computed(const Node& node, const std::string& what) {
    const std::string& name = as_text(node, what);
    if (statement(name) == nullptr && makers_.count(name) == 0) {
      refuse_tensor(name, node.place, what);
    }
  }

  void read_like(const Entry& entry, Tensor& tensor, Progress& progress) {
    check_computed(entry.value, entry.key);
    tensor.items.push_back({ScheduleDraft::Like{entry.value.text, {}}, entry.place});
    progress.is_known = false;
  }

  void read_site(const Entry& entry, Tensor& tensor) {
    const std::string& what = entry.key;
    expect_map(entry.value, what, {"into", "at"});
    const Node& into = require(entry.value, what, "into");
    check_computed(into, what + ".into");
    if (tensor.site) {
      refuse("E320", entry.place, "where " + tensor.name + " is computed is said twice",
             "leave one of the two out", {"the first is at " + to_text(tensor.site->place)});
    }
    ScheduleDraft::Site site{into.text, {}, entry.place, entry.place};
    if (const Node* at = entry.value.find("at")) {
      site.at = as_name(*at, what + ".at");
      site.at_place = at->place;
    }
    tensor.site = std::move(site);
  }

  std::span<const Formula> statements_;
  std::span<const NamedInput> inputs_;
  SizeScope& sizes_;
  FileContext& context_;
  Diagnostics& errors_;
  ScheduleDraft draft_;
  std::map<std::string, bool> is_read_, begun_;
  std::map<std::string, const Entry*> entries_, makers_;
  std::map<std::string, Made> made_;
  std::int64_t large_items_ = 0;
};

}  // namespace

std::vector<Formula::Index> folded_indices(const Formula&) { return {}; }

ScheduleDraft::Tensor* ScheduleDraft::find(const std::string& name) {
  const auto it =
      std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name; });
  return it == tensors.end() ? nullptr : &*it;
}

ScheduleDraft read_schedule_draft(const Node* schedule, std::span<const Formula> statements,
                                  std::span<const NamedInput> inputs, SizeScope& sizes,
                                  FileContext& context) {
  if (schedule == nullptr) return {};
  return Reader(statements, inputs, sizes, context).read(*schedule);
}

void check_amounts(ScheduleDraft& draft, SizeScope& sizes, Diagnostics& errors) {
  for (ScheduleDraft::Tensor& tensor : draft.tensors) {
    for (ScheduleDraft::Item& item : tensor.items) {
      auto* transform = std::get_if<FileTransform>(&item.action);
      if (transform != nullptr) check_amounts({transform, 1}, tensor.names, sizes, errors);
    }
  }
}

}  // namespace selvage
