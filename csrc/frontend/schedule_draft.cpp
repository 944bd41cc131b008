// Reads the file's `schedule` (section 2) and resolves its names.
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/listed_loops.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/schedule_scope.h>

#include <algorithm>
#include <map>
#include <utility>

namespace selvage {

namespace {

// The keys of Form::ScheduleItem, in their order.
enum ItemKey : std::size_t {
  kSplit,
  kMerge,
  kResize,
  kSwizzle,
  kSkew,
  kReorder,
  kBind,
  kCache,
  kRfactor,
  kLike,
  kInline,
  kMemory,
  kBlocks,
  kLayout,
  kStages,
  kCopy,
  kScanInParts,
  kTwoPass,
  kLastBlockOf
};

using ListedTensor = ScheduleDraft::Tensor;

// Limits for a file: the number of its items cache, rfactor and like; the number of names of their
// tensors that are copied or looked up, of all these items together.
constexpr std::int64_t kMostLargeItems = kMostTensors;
constexpr std::size_t kMostCopiedNames = 1'000'000;
constexpr std::size_t kMostParted = 64;  // loops of one rfactor

class ScheduleReader {
 public:
  ScheduleReader(std::span<const Formula> statements, std::span<const NamedInput> inputs,
                 SizeScope& sizes, FileContext& context)
      : scope_(statements, inputs, context.symbols),
        sizes_(sizes),
        context_(context),
        errors_(context.errors) {}

  ScheduleDraft read(const Node& node) {
    draft_.place = node.place;
    if (node.kind == Node::Kind::Scalar) {
      draft_.is_automatic = as_one_of(node, "schedule", Form::AutoWord) == 0;
      return std::move(draft_);
    }
    draft_.is_automatic = false;
    for (const Entry& entry : expect_map(node, "schedule")) {
      scope_.note_makers(entry);
    }
    for (const Entry& entry : node.entries) {
      errors_.attempt([&] { read_entry(entry); });
    }
    // Tensors that an item made with a site, but that have no list of their own.
    for (auto& [name, made] : scope_.made) {
      if (!made.site || draft_.find(name) != nullptr) continue;
      ListedTensor tensor{.name = name, .names = made.names, .place = made.site->place};
      tensor.maker = made.maker;
      tensor.site = made.site;
      draft_.tensors.push_back(std::move(tensor));
    }
    return std::move(draft_);
  }

 private:
  void read_entry(const Entry& entry) {
    if (!begun_.emplace(entry.key, true).second) return;
    const Formula* formula = scope_.statement(entry.key);
    const NamedInput* source = scope_.input(entry.key);
    if (formula != nullptr || source != nullptr) {
      ListedTensor tensor{
          .name = entry.key, .names = {entry.key, context_.symbols, errors_}, .place = entry.place};
      ListProgress progress;
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
    const Entry* maker = scope_.maker(entry.key);
    if (maker == nullptr) scope_.refuse_tensor(entry.key, entry.place, "schedule");
    const std::size_t before = errors_.list().size();
    errors_.attempt([&] { read_entry(*maker); });
    const auto made = scope_.made.find(entry.key);
    if (made == scope_.made.end()) {
      // The maker's list did not make the tensor. If that list is wrong, an error says so already.
      if (errors_.list().size() == before) scope_.refuse_tensor(entry.key, entry.place, "schedule");
      return;
    }
    ListedTensor tensor{.name = entry.key, .names = made->second.names, .place = entry.place};
    tensor.maker = made->second.maker;
    tensor.site = made->second.site;
    ListProgress progress = made->second.progress;
    if (!progress.is_known) tensor.items.push_back({ScheduleDraft::Like{}, entry.place});
    read_tensor(entry, std::move(tensor), std::move(progress));
  }

  void read_tensor(const Entry& entry, ListedTensor tensor, ListProgress progress) {
    tensor.is_listed = true;
    const std::string what = "schedule." + entry.key;
    if (entry.value.kind == Node::Kind::Scalar) {
      as_one_of(entry.value, what, Form::InlineWord);
      tensor.is_inlined = true;
    } else if (entry.value.kind == Node::Kind::Map) {
      const Entry& item = expect_one(entry.value, what);
      one_of(item.key, item.place, what, keys_of(Form::Placed));
      read_site(item, tensor);
    } else {
      const std::vector<Node>& items = expect_sequence(entry.value, what);
      if (scope_.input(entry.key) != nullptr && items.empty()) {
        refuse("E205", entry.place, "schedule: " + entry.key + " is an input and has no loops",
               "schedule the tensors that read it");
      }
      std::size_t last_barrier = 0;
      for (const Node& item : items) {
        const std::size_t before = errors_.list().size();
        errors_.attempt([&] { read_item(item, tensor, progress, last_barrier); });
        // After an error the loops are unknown; errors in later items would only follow from it.
        if (errors_.list().size() != before) return;
      }
      check_bindings(tensor, progress, last_barrier);
    }
    draft_.tensors.push_back(std::move(tensor));
  }

  void read_item(const Node& item, ListedTensor& tensor, ListProgress& progress,
                 std::size_t& last_barrier) {
    const std::string what = "schedule." + tensor.name;
    const Entry& entry = expect_one(item, what);
    const auto kind = ItemKey(one_of(entry.key, entry.place, what, keys_of(Form::ScheduleItem)));
    if (scope_.input(tensor.name) != nullptr && kind != kCache) {
      refuse("E205", entry.place, what + ": " + tensor.name + " is an input and has no loops",
             "cache it, and schedule the copy");
    }
    const bool is_large = kind == kCache || kind == kRfactor || kind == kLike ||
                          kind == kScanInParts || kind == kTwoPass;
    if (is_large) {
      check_count(++large_items_, kMostLargeItems, entry.place, "items cache, rfactor and like");
      copied_names_ += tensor.names.size();
      if (copied_names_ > kMostCopiedNames) {
        refuse("E104", entry.place,
               "the items cache, rfactor and like of the file stand behind more than " +
                   std::to_string(kMostCopiedNames) + " iterdomains in all",
               "split the file");
      }
    }
    switch (kind) {
      case kReorder: read_reorder(entry, tensor, progress); break;
      case kBind: read_bind(entry, tensor, progress); break;
      case kCache: read_cache(entry, tensor, progress); break;
      case kRfactor: read_rfactor(entry, tensor, progress); break;
      case kLike: read_like(entry, tensor, progress); break;
      case kInline: read_site(entry, tensor); break;
      case kMemory:
        tensor.items.push_back({read_memory(entry.value, what + ".memory"), entry.place});
        break;
      case kBlocks:
        as_one_of(entry.value, what + ".blocks", Form::BlocksWord);
        tensor.items.push_back({ScheduleDraft::AtomicBlocks{}, entry.place});
        break;
      case kStages:
        tensor.items.push_back(
            {ScheduleDraft::Stages{read_stages(entry.value, what + ".stages")}, entry.place});
        break;
      case kCopy: {
        expect_map(entry.value, what + ".copy", Form::CopyMap);
        ScheduleDraft::Copies copies;
        copies.by = read_by(require(entry.value, what + ".copy", "by"), what + ".copy.by");
        copies.ahead = read_ahead(entry.value, what + ".copy");
        copies.role = read_role(entry.value, what + ".copy");
        tensor.items.push_back({copies, entry.place});
        break;
      }
      case kLayout: read_layout(entry, tensor, progress); break;
      case kScanInParts: read_scan_in_parts(entry, tensor, progress); break;
      case kTwoPass: read_two_pass(entry, tensor, progress); break;
      case kLastBlockOf:
        tensor.items.push_back(
            {ScheduleDraft::LastBlockOf{scope_.read_computed(entry.value, entry.key)},
             entry.place});
        break;
      case kSplit:
      case kMerge:
      case kResize:
      case kSwizzle:
      case kSkew: read_cut(entry, tensor, progress); break;
    }
    if (is_large) last_barrier = tensor.items.size();
  }

  void read_cut(const Entry& entry, ListedTensor& tensor, ListProgress& progress) {
    check_count(++context_.transforms, kMostTransforms, entry.place, "transforms");
    find_late(entry.value.find("in"), tensor, progress);
    find_late(entry.value.find("along"), tensor, progress);
    const std::size_t before = errors_.list().size();
    FileTransform t = read_transform(entry, tensor.names, sizes_, Feeds::Transforms, errors_);
    if (errors_.list().size() == before && progress.is_known) {
      for (std::size_t d : t.in) {
        check_loop(tensor, progress, d, "E313", entry.place, entry.key + ".in",
                   "take a loop that it has");
      }
      progress.loops.replace(t.in, t.out, t.kind == FileTransform::Kind::Swizzle);
      progress.is_folded.resize(tensor.names.size(), false);
      for (std::size_t d : t.out) progress.is_folded[d] = progress.is_folded[t.in[0]];
    }
    tensor.items.push_back({std::move(t), entry.place});
  }

  void read_reorder(const Entry& entry, ListedTensor& tensor, ListProgress& progress) {
    const std::string what = "reorder";
    find_late(&entry.value, tensor, progress);
    std::vector<std::size_t> order;
    std::vector<bool> seen(tensor.names.size(), false);
    for (const Node& node : expect_sequence(entry.value, what)) {
      const std::size_t d = tensor.names.find(node, what);
      check_loop(tensor, progress, d, "E307", node.place, what,
                 "name what came out of the transform that took it");
      if (seen[d]) {
        refuse("E307", node.place, "reorder: " + node.text + " stands there twice", "name it once");
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
               few_names("name every loop once: ", loops_of(tensor, progress),
                         "name every loop once"));
      }
      progress.loops.set(order);
    }
    tensor.items.push_back({ScheduleDraft::Reorder{std::move(order)}, entry.place});
  }

  void read_bind(const Entry& entry, ListedTensor& tensor, ListProgress& progress) {
    if (!progress.is_known && entry.value.kind == Node::Kind::Map) {
      for (const Entry& each : entry.value.entries) find_late(each.key, each.place, tensor);
    }
    for (FileBinding& b : read_bindings(entry.value, tensor.names, errors_)) {
      check_loop(tensor, progress, b.domain, "E313", b.place, "bind",
                 "bind what came out of the transform that took it");
      tensor.items.push_back({std::move(b), entry.place});
    }
  }

  static constexpr std::int64_t kMostStages = 64;
  std::int64_t read_stages(const Node& node, const std::string& what) {
    return as_integer_of(node, what, 1, kMostStages);
  }
  CopyBy read_by(const Node& node, const std::string& what) {
    return CopyBy(as_one_of(node, what, Form::CopyWord));
  }
  std::optional<CopyRole> read_role(const Node& map, const std::string& what) {
    const Node *role = map.find("role"), *warps = map.find("warps"),
               *registers = map.find("registers");
    if (role == nullptr) {
      if (const Node* of_role = warps != nullptr ? warps : registers) {
        refuse("E205", of_role->place, what + ": warps and registers are those of a role",
               "name the role, role: load; or leave them out");
      }
      return std::nullopt;
    }
    CopyRole own{.name = as_name(*role, what + ".role")};
    if (warps != nullptr) own.warps = as_integer_of(*warps, what + ".warps", 1, 4);
    if (registers != nullptr) {
      own.registers = as_integer_of(*registers, what + ".registers", 24, 128);
    }
    return own;
  }
  std::optional<std::int64_t> read_ahead(const Node& map, const std::string& what) {
    const Node* ahead = map.find("ahead");
    if (ahead == nullptr) return std::nullopt;
    return as_integer_of(*ahead, what + ".ahead", 0, kMostStages - 1);
  }

  void read_layout(const Entry& entry, ListedTensor& tensor, ListProgress& progress) {
    const std::string& what = entry.key;
    expect_map(entry.value, what, Form::Layout);
    ScheduleDraft::Layout layout;
    if (const Node* transforms = entry.value.find("transforms")) {
      for (const Node& item : expect_sequence(*transforms, what + ".transforms")) {
        for (const Entry& transform : item.entries) {
          find_late(transform.value.find("in"), tensor, progress);
        }
      }
      layout.transforms = read_transforms(*transforms, what + ".transforms", tensor.names, sizes_,
                                          Feeds::Layout, context_.transforms, errors_);
    }
    const Node& order = require(entry.value, what, "order");
    find_late(&order, tensor, progress);
    for (const Node& node : expect_sequence(order, what + ".order")) {
      layout.order.push_back(tensor.names.find(node, what + ".order"));
    }
    tensor.items.push_back({std::move(layout), entry.place});
  }

  Memory read_memory(const Node& node, const std::string& what) {
    return Memory(as_one_of(node, what, Form::MemoryWord));
  }

  void read_cache(const Entry& entry, ListedTensor& tensor, ListProgress& progress) {
    const std::string& what = entry.key;
    expect_map(entry.value, what, Form::Cache);
    const std::string name = scope_.read_new_name(entry.value, what);
    const Memory memory = read_memory(require(entry.value, what, "memory"), what + ".memory");
    const Node* by = entry.value.find("by");
    const CopyBy way = by == nullptr ? CopyBy::LoadStore : read_by(*by, what + ".by");
    const std::optional<std::int64_t> ahead = read_ahead(entry.value, what);
    const Node* stages = entry.value.find("stages");
    const std::int64_t copies = stages == nullptr ? 1 : read_stages(*stages, what + ".stages");
    MadeTensor made{tensor.name, {name, context_.symbols, errors_}, {}, {}};
    made.progress.is_known = progress.is_known;
    const auto define = [&](std::size_t d, std::vector<std::size_t>& list) {
      list.push_back(made.names.define(tensor.names.all()[d].name, entry.place));
    };
    for (std::size_t d : progress.logical) define(d, made.progress.logical);
    // The cache of a tensor that nothing reads takes over its fold: folded indices move there.
    const bool is_read = scope_.is_read(tensor.name) || !tensor.maker.empty();
    if (!is_read && scope_.input(tensor.name) == nullptr) {
      for (std::size_t d : progress.folds) define(d, made.progress.folds);
      if (progress.is_known) progress.drop_folded(name);
    }
    made.progress.begin();
    if (const Node* at = entry.value.find("at")) {
      made.site = ScheduleDraft::Site{{}, as_name(*at, what + ".at"), entry.place, at->place};
    }
    scope_.made.emplace(name, std::move(made));
    draft_.makers.emplace(name, tensor.name);
    tensor.items.push_back(
        {ScheduleDraft::Cache{name, memory, copies, way, ahead, read_role(entry.value, what)},
         entry.place});
  }

  void read_rfactor(const Entry& entry, ListedTensor& tensor, ListProgress& progress) {
    const std::string& what = entry.key;
    expect_map(entry.value, what, Form::Rfactor);
    const Node& in = require(entry.value, what, "in");
    find_late(&in, tensor, progress);
    const std::string name = scope_.read_new_name(entry.value, what);
    std::vector<std::size_t> some;
    const auto take = [&](const Node& node) {
      const std::size_t d = tensor.names.find(node, what + ".in");
      check_loop(tensor, progress, d, "E313", node.place, what + ".in",
                 "take what came out of the transform that took it");
      some.push_back(d);
    };
    if (in.kind == Node::Kind::Scalar) {
      take(in);
    } else {
      if (expect_sequence(in, what + ".in").size() > kMostParted) {
        refuse("E104", in.place,
               what + ".in has more than " + std::to_string(kMostParted) + " loops",
               "merge some of them");
      }
      for (const Node& node : in.items) take(node);
    }
    MadeTensor made{tensor.name, tensor.names.of(name), progress, {}};
    if (progress.is_known) progress.part(made.progress, some, name);
    scope_.made.emplace(name, std::move(made));
    draft_.makers.emplace(name, tensor.name);
    tensor.items.push_back({ScheduleDraft::Rfactor{name, std::move(some)}, entry.place});
  }

  void read_scan_in_parts(const Entry& entry, ListedTensor& tensor, ListProgress& progress) {
    const std::string& what = entry.key;
    expect_map(entry.value, what, Form::ScanInParts);
    const Node& in = require(entry.value, what, "in");
    find_late(&in, tensor, progress);
    const std::size_t item = tensor.names.find(in, what + ".in");
    check_loop(tensor, progress, item, "E313", in.place, what + ".in",
               "take what came out of the split of the scanned axis");
    ScheduleDraft::ScanInParts parts{item, {}};
    const std::pair<const char*, std::string*> made_names[] = {
        {"sums", &parts.names.sums}, {"before", &parts.names.before}, {"own", &parts.names.own}};
    for (const auto& [key, name] : made_names) {
      *name = scope_.read_new_name(entry.value, what, key);
      MadeTensor made{tensor.name, tensor.names.of(*name), progress, {}};
      if (progress.is_known && name == &parts.names.before) made.progress.loops.remove(item);
      scope_.made.emplace(*name, std::move(made));
      draft_.makers.emplace(*name, tensor.name);
    }
    tensor.items.push_back({std::move(parts), entry.place});
  }

  void read_two_pass(const Entry& entry, ListedTensor& tensor, const ListProgress& progress) {
    const std::string& what = entry.key;
    expect_map(entry.value, what, Form::TwoPass);
    const Node *as = entry.value.find("as"), *known = entry.value.find("mean");
    if ((as == nullptr) == (known == nullptr)) {
      refuse("E205", entry.place,
             what + (as == nullptr ? ": which tensor has the mean is not said"
                                   : ": which tensor has the mean is said twice"),
             "name one that is made, {as: NAME}, or one that there is, {mean: NAME}");
    }
    if (known != nullptr) {
      const std::string& name = scope_.read_computed(*known, what + ".mean");
      tensor.items.push_back({ScheduleDraft::TwoPass{name, false}, entry.place});
      return;
    }
    const std::string name = scope_.read_new_name(entry.value, what);
    scope_.made.emplace(name, MadeTensor{tensor.name, tensor.names.of(name), progress, {}});
    draft_.makers.emplace(name, tensor.name);
    tensor.items.push_back({ScheduleDraft::TwoPass{name, true}, entry.place});
  }

  void read_like(const Entry& entry, ListedTensor& tensor, ListProgress& progress) {
    const std::string& other = scope_.read_computed(entry.value, entry.key);
    tensor.items.push_back({ScheduleDraft::Like{other, {}}, entry.place});
    progress.is_known = false;
  }

  void read_site(const Entry& entry, ListedTensor& tensor) {
    const std::string& what = entry.key;
    expect_map(entry.value, what, Form::Site);
    const std::string into =
        scope_.read_computed(require(entry.value, what, "into"), what + ".into");
    if (tensor.site) {
      refuse("E331", entry.place, "where " + tensor.name + " is computed is said twice",
             "leave one of the two out", {"the first is at " + to_text(tensor.site->place)});
    }
    ScheduleDraft::Site site{into, {}, entry.place, entry.place};
    if (const Node* at = entry.value.find("at")) {
      site.at = as_name(*at, what + ".at");
      site.at_place = at->place;
    }
    if (const Node* accumulates = entry.value.find("accumulate")) {
      site.accumulates = as_bool(*accumulates, what + ".accumulate");
      if (site.accumulates && !site.at) {
        refuse("E205", accumulates->place, what + ".accumulate: at which loop is not said",
               "say the loop that both have and " + tensor.name + " folds over, at: LOOP");
      }
    }
    tensor.site = std::move(site);
  }

  ScheduleScope scope_;
  SizeScope& sizes_;
  FileContext& context_;
  Diagnostics& errors_;
  ScheduleDraft draft_;
  std::map<std::string, bool> begun_;
  std::int64_t large_items_ = 0;
  std::size_t copied_names_ = 0;
};

}  // namespace

std::vector<Formula::Index> folded_indices(const Formula& formula) {
  const Formula::Fold* fold = formula.whole();
  return fold == nullptr ? std::vector<Formula::Index>{} : fold->indices;
}

ScheduleDraft::Tensor* ScheduleDraft::find(const std::string& name) {
  const auto it = std::ranges::find(tensors, name, &ListedTensor::name);
  return it == tensors.end() ? nullptr : &*it;
}

ScheduleDraft read_schedule_draft(const Node& schedule, std::span<const Formula> statements,
                                  std::span<const NamedInput> inputs, SizeScope& sizes,
                                  FileContext& context) {
  return ScheduleReader(statements, inputs, sizes, context).read(schedule);
}

void check_amounts(ScheduleDraft& draft, SizeScope& sizes, Diagnostics& errors) {
  for (ScheduleDraft::Tensor& tensor : draft.tensors) {
    for (ScheduleDraft::Item& item : tensor.items) {
      auto* transform = std::get_if<FileTransform>(&item.action);
      if (transform != nullptr) check_amounts({transform, 1}, tensor.names, sizes, errors);
      auto* layout = std::get_if<ScheduleDraft::Layout>(&item.action);
      if (layout != nullptr) check_amounts(layout->transforms, tensor.names, sizes, errors);
    }
  }
}

}  // namespace selvage
