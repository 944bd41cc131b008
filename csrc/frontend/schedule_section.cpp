// `schedule` of section 2: how the tensors of a fusion are iterated.
#include <selvage/frontend/names.h>
#include <selvage/frontend/schedule_draft.h>
#include <selvage/frontend/words.h>
#include <selvage/scheduler/pointwise.h>

#include <algorithm>
#include <list>

namespace selvage {

namespace {

// The loops of one tensor while its list is read, by the numbers of their names. Every change is
// local, so that a long list is read in linear time.
class LoopList {
 public:
  explicit LoopList(std::size_t n) {
    for (std::size_t d = 0; d < n; ++d) put(loops_.end(), d);
  }

  // split: outer and inner stand where the loop stood; merge: where the outer one stood.
  void apply(const FileTransform& t) {
    const bool paired = t.kind == FileTransform::Kind::Swizzle;
    const auto first = at_[t.in[0]];
    put(first, t.out[0]);
    if (!paired && t.out.size() > 1) put(first, t.out[1]);
    loops_.erase(first);
    if (t.in.size() > 1) {
      const auto second = at_[t.in[1]];
      if (paired) put(second, t.out[1]);
      loops_.erase(second);
    }
  }
  void reorder(const std::vector<std::size_t>& order) {
    loops_.clear();
    for (std::size_t d : order) put(loops_.end(), d);
  }
  const std::list<std::size_t>& loops() const { return loops_; }

 private:
  void put(std::list<std::size_t>::iterator before, std::size_t d) {
    if (at_.size() <= d) at_.resize(d + 1);
    at_[d] = loops_.insert(before, d);
  }

  std::list<std::size_t> loops_;
  std::vector<std::list<std::size_t>::iterator> at_;
};

class Reader {
 public:
  Reader(std::span<const Formula> statements, const std::vector<std::string>& inputs,
         SizeScope& sizes, FileContext& context)
      : statements_(statements),
        inputs_(inputs),
        sizes_(sizes),
        context_(context),
        errors_(context.errors) {}

  ScheduleDraft read(const Node& node) {
    ScheduleDraft draft;
    draft.place = node.place;
    if (node.kind == Node::Kind::Scalar) {
      as_one_of(node, "schedule", {"auto"});
      return draft;
    }
    draft.is_automatic = false;
    for (const Entry& entry : expect_map(node, "schedule")) {
      errors_.attempt([&] { draft.tensors.push_back(read_tensor(entry)); });
    }
    return draft;
  }

 private:
  const Formula& statement(const Entry& entry) {
    for (const Formula& f : statements_) {
      if (f.target == entry.key) return f;
    }
    if (std::find(inputs_.begin(), inputs_.end(), entry.key) != inputs_.end()) {
      if (entry.value.kind == Node::Kind::Sequence && !entry.value.items.empty() &&
          entry.value.items[0].find("cache") != nullptr) {
        refuse_unsupported(entry.value.items[0].place, "cache", "leave it out");
      }
      refuse("E205", entry.place, "schedule: " + entry.key + " is an input and has no loops",
             "schedule the tensors that read it");
    }
    std::vector<std::string_view> words;
    for (const Formula& f : statements_) words.push_back(f.target);
    refuse("E205", entry.place, "schedule: no statement computes " + shown(entry.key),
           meant(entry.key, words, "name a tensor that stands on the left of a statement"));
  }

  ScheduleDraft::Tensor read_tensor(const Entry& entry) {
    const Formula& formula = statement(entry);
    ScheduleDraft::Tensor tensor{.name = entry.key,
                                 .names = {entry.key, context_.symbols, errors_},
                                 .place = entry.place,
                                 .transforms = {},
                                 .loops = {},
                                 .bindings = {}};
    for (const Formula::Index& index : formula.indices) {
      tensor.names.define(index.name, entry.place);
    }
    if (entry.value.kind == Node::Kind::Scalar) {
      as_one_of(entry.value, "schedule." + entry.key, {"inline"});
      tensor.is_inlined = true;
      return tensor;
    }
    if (entry.value.kind == Node::Kind::Map && entry.value.find("inline") != nullptr) {
      refuse_unsupported(entry.value.place, "inline: {into, at}", "write inline, or leave it out");
    }
    LoopList loops(formula.indices.size());
    for (const Node& item : expect_sequence(entry.value, "schedule." + entry.key)) {
      const std::size_t before = errors_.list().size();
      errors_.attempt([&] { read_item(item, tensor, loops); });
      // The loops are not known any more; the rest would repeat it.
      if (errors_.list().size() != before) return tensor;
    }
    tensor.loops.assign(loops.loops().begin(), loops.loops().end());
    for (const FileBinding& b : tensor.bindings) {
      if (!is_taken(tensor, b.domain)) continue;
      refuse("E313", b.place,
             "bind: " + tensor.names.all()[b.domain].name + " is no loop of " + tensor.name +
                 " in the end",
             "bind what comes out of the transform that takes it");
    }
    return tensor;
  }

  static bool is_taken(const ScheduleDraft::Tensor& tensor, std::size_t d) {
    return tensor.names.all()[d].feeds[std::size_t(Feeds::Transforms)];
  }

  void read_item(const Node& item, ScheduleDraft::Tensor& tensor, LoopList& loops) {
    constexpr std::string_view kItems[] = {"split", "merge", "resize",  "swizzle", "reorder",
                                           "bind",  "cache", "rfactor", "like"};
    const Entry& entry = expect_one(item, "schedule." + tensor.name);
    switch (one_of(entry.key, entry.place, "schedule." + tensor.name, kItems)) {
      case 4: return read_reorder(entry, tensor, loops);
      case 5: {
        for (FileBinding& b : read_bindings(entry.value, tensor.names, errors_)) {
          if (is_taken(tensor, b.domain)) {
            refuse("E313", b.place,
                   "bind: " + tensor.names.all()[b.domain].name + " is no loop of " + tensor.name +
                       " any more",
                   "bind what came out of the transform that took it");
          }
          tensor.bindings.push_back(std::move(b));
        }
        return;
      }
      case 6:
      case 7:
      case 8: refuse_unsupported(entry.place, entry.key, "leave it out");
      default: break;
    }
    if (++context_.transforms > kMostTransforms) {
      refuse("E104", item.place,
             "the file has more than " + std::to_string(kMostTransforms) + " transforms",
             "split the file");
    }
    const std::size_t before = errors_.list().size();
    tensor.transforms.push_back(
        read_transform(entry, tensor.names, sizes_, Feeds::Transforms, errors_));
    if (errors_.list().size() == before) loops.apply(tensor.transforms.back());
  }

  void read_reorder(const Entry& entry, ScheduleDraft::Tensor& tensor, LoopList& loops) {
    const std::string what = "reorder";
    std::vector<std::size_t> order;
    std::vector<bool> seen(tensor.names.size(), false);
    for (const Node& node : expect_sequence(entry.value, what)) {
      const std::size_t d = tensor.names.find(node, what);
      const std::string& name = tensor.names.all()[d].name;
      if (is_taken(tensor, d)) {
        refuse("E307", node.place,
               "reorder: " + name + " is no loop of " + tensor.name + " any more",
               "name what came out of the transform that took it");
      }
      if (seen[d]) {
        refuse("E307", node.place, "reorder: " + name + " stands there twice", "name it once");
      }
      seen[d] = true;
      order.push_back(d);
    }
    for (std::size_t d : loops.loops()) {
      if (seen[d]) continue;
      refuse(
          "E307", entry.value.place,
          "reorder: the loop " + tensor.names.all()[d].name + " of " + tensor.name + " is missing",
          "name every loop once");
    }
    loops.reorder(order);
  }

  std::span<const Formula> statements_;
  const std::vector<std::string>& inputs_;
  SizeScope& sizes_;
  FileContext& context_;
  Diagnostics& errors_;
};

void build_tensor(const ScheduleDraft::Tensor& tensor, TensorId t, Schedule& schedule) {
  if (tensor.is_inlined) {
    at_place<Illegal>(tensor.place, [&] { schedule.inline_into_readers(t); });
    return;
  }
  schedule.materialize(t);
  std::vector<DomainId> domains = schedule.loop_domains(t);
  iterate(schedule, t,
          {tensor.names, tensor.transforms, tensor.loops, tensor.place, tensor.bindings}, domains);
}

}  // namespace

ScheduleDraft read_schedule_draft(const Node* schedule, std::span<const Formula> statements,
                                  const std::vector<std::string>& inputs, SizeScope& sizes,
                                  FileContext& context) {
  if (schedule == nullptr) return {};
  return Reader(statements, inputs, sizes, context).read(*schedule);
}

Schedule build_schedule(ScheduleDraft& draft, const Fusion& fusion,
                        std::span<const Formula> statements) {
  Schedule schedule(fusion);
  // A tensor's loops go by the names of its own statement.
  for (const Formula& formula : statements) {
    const TensorId t = *fusion.find(formula.target);
    for (std::size_t k = 0; k < formula.indices.size(); ++k) {
      schedule.rename(t, fusion[t].logical[k], formula.indices[k].name);
    }
  }
  for (const ScheduleDraft::Tensor& tensor : draft.tensors) {
    build_tensor(tensor, *fusion.find(tensor.name), schedule);
  }
  if (!draft.is_automatic) return schedule;
  for (const Formula& formula : statements) {
    const TensorId t = *fusion.find(formula.target);
    if (schedule.is_inlined(t)) continue;
    at_place<Illegal>(draft.place, [&] { schedule_pointwise(schedule, t); });
  }
  return schedule;
}

}  // namespace selvage
