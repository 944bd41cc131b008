#include <selvage/frontend/list_writer.h>
#include <selvage/frontend/readers.h>
#include <selvage/ir/reads.h>

#include <algorithm>
#include <set>

namespace selvage {

namespace {

// The transforms among these that lead from loops that there are to those that are wanted, in their
// order.
std::vector<TransformId> needed(const DomainGraph& graph,
                                const std::vector<TransformId>& transforms,
                                const std::vector<DomainId>& have,
                                const std::vector<DomainId>& loops) {
  const std::set<DomainId> there(have.begin(), have.end());
  std::set<DomainId> wanted;
  const auto want = [&](const std::vector<DomainId>& domains) {
    for (DomainId d : domains) {
      if (!there.contains(d)) wanted.insert(d);
    }
  };
  want(loops);
  std::vector<TransformId> list;
  for (std::size_t k = transforms.size(); k-- > 0;) {
    const Transform& t = graph[transforms[k]];
    const std::vector<DomainId> made = outputs(t);
    if (std::none_of(made.begin(), made.end(), [&](DomainId d) { return wanted.contains(d); })) {
      continue;
    }
    want(inputs(t));
    list.push_back(transforms[k]);
  }
  std::reverse(list.begin(), list.end());
  return list;
}

}  // namespace

ListWriter::ListWriter(const Fusion& fusion, const Schedule& schedule, const FileNames& files,
                       const std::vector<FileNames::Domains>& names)
    : fusion_(fusion),
      schedule_(schedule),
      files_(files),
      lists_(schedule.fusion().size()),
      made_(schedule.fusion().size()),
      is_read_(are_read(fusion)) {
  for (std::size_t k = 0; k < lists_.size(); ++k) {
    if (k < fusion.size()) {
      List& list = lists_[k];
      list.names = names[k];
      list.loops = nest_domain(fusion[TensorId(k)]);
      if (fusion[TensorId(k)].fold) list.folded = fusion[TensorId(k)].fold->domains;
    }
    const Schedule::Making* making = schedule.making(TensorId(k));
    if (making != nullptr) made_[index_of(making->of)].push_back(TensorId(k));
  }
}

void ListWriter::refuse(TensorId t, const std::string& what, const std::string& help) const {
  refuse_writing("the schedule of " + schedule_.fusion()[t].name + " cannot be written: " + what,
                 help);
}

std::string ListWriter::text() {
  for (std::size_t k = 0; k < fusion_.size(); ++k) write(TensorId(k));
  for (TensorId t : order_) say_places(t);
  std::string text;
  for (TensorId t : order_) {
    const List& list = lists_[index_of(t)];
    if (list.is_plain) {
      text += "  " + files_[t] + ": inline\n";
      continue;
    }
    if (list.items.empty()) {
      const bool is_said = !default_of(t).empty() && !schedule_.is_inlined(t) &&
                           !schedule_.follows(t) && !is_made(t);
      if (is_said) text += "  " + files_[t] + ": []\n";
      continue;
    }
    text += "  " + files_[t] + ":\n";
    for (const std::string& item : list.items) text += "    - " + item + "\n";
  }
  return text.empty() ? "schedule: {}\n" : "schedule:\n" + text;
}

// Whether a primitive made a tensor that does not follow its readers.
bool ListWriter::is_made(TensorId t) const {
  const Schedule::Making* making = schedule_.making(t);
  return making != nullptr && making->kind != Schedule::Making::Kind::Mean;
}

// What the reader does with a tensor without a list: "inlined", "follows", or "" for a nest of its
// own.
std::string ListWriter::default_of(TensorId t) const {
  if (is_made(t)) return "";
  if (schedule_.making(t) != nullptr) return "follows";
  const TensorInfo& info = fusion_[t];
  if (info.is_input || info.is_output) return "";
  if (!is_read_[index_of(t)]) return "";
  return info.fold ? "follows" : "inlined";
}

void ListWriter::write(TensorId t) {
  order_.push_back(t);
  List& list = lists_[index_of(t)];
  const std::optional<TensorId>& mean = schedule_.mean_of(t);
  if (mean && std::ranges::count(made_[index_of(t)], *mean) == 0) {
    list.items.push_back("two_pass: {mean: " + files_[*mean] + "}");
  }
  for (TensorId made : made_[index_of(t)]) make(t, made);
  const bool is_input = schedule_.fusion()[t].is_input;
  if (!is_input && schedule_.is_inlined(t)) {
    if (default_of(t) != "inlined" && list.items.empty()) list.is_plain = true;
    if (default_of(t) != "inlined" && !list.items.empty()) {
      refuse(t, "it is inlined and has caches", "inline the cache instead");
    }
  } else if (!is_input) {
    cut(t, schedule_.transforms(t), own_loops(t));
    std::string bound;
    for (DomainId d : list.loops) {
      const ParallelType type = schedule_.parallel(t, d);
      if (type == ParallelType::Serial) continue;
      bound += (bound.empty() ? "" : ", ") + list.names.at(d) + ": " + std::string(to_string(type));
    }
    if (!bound.empty()) list.items.push_back("bind: {" + bound + "}");
    lay_out(t);
  }
  for (TensorId made : made_[index_of(t)]) write(made);
}

bool ListWriter::is_tile(TensorId t) const {
  const Schedule::Making* making = schedule_.making(t);
  return making != nullptr && making->kind == Schedule::Making::Kind::Tile;
}

// The loops that the list of a tensor names: of a tile those of its axes.
std::vector<DomainId> ListWriter::own_loops(TensorId t) const {
  std::vector<DomainId> loops = schedule_.loop_domains(t);
  if (!is_tile(t)) return loops;
  const std::vector<DomainId> shared = schedule_.loop_domains(schedule_.site(t)->tensor);
  std::erase_if(loops,
                [&](DomainId d) { return contains(shared, d) || schedule_.is_folded(t, d); });
  return loops;
}

std::string ListWriter::names_of(TensorId t, const std::vector<DomainId>& domains) const {
  const FileNames::Domains& names = lists_[index_of(t)].names;
  return "[" + joined(domains, [&](DomainId d) { return names.at(d); }) + "]";
}

// Adds the item that makes another tensor from t, which begins with t's loops at that point.
void ListWriter::make(TensorId t, TensorId made) {
  using Kind = Schedule::Making::Kind;
  const Schedule::Making& making = *schedule_.making(made);
  List &list = lists_[index_of(t)], &other = lists_[index_of(made)];
  if (making.kind == Kind::Part) {
    cut(t, making.transforms, making.loops);
    list.items.push_back("rfactor: {in: " + names_of(t, making.folded) + ", as: " + files_[made] +
                         "}");
    other.names = list.names;
    other.loops = list.loops;
    other.folded = making.folded;
    std::erase_if(list.loops, [&](DomainId d) { return contains(making.folded, d); });
    std::erase_if(list.folded, [&](DomainId d) { return contains(making.folded, d); });
    return;
  }
  if (making.kind == Kind::ScanPart) return make_part_of_scan(t, made);
  if (making.kind == Kind::Mean) {
    list.items.push_back("two_pass: {as: " + files_[made] + "}");
    other.names = list.names;
    other.loops = list.loops;
    other.folded = list.folded;
    return;
  }
  const Memory memory = schedule_.memory(made).value_or(Memory::Global);
  list.items.push_back("cache: {as: " + files_[made] +
                       ", memory: " + std::string(to_string(memory)) + "}");
  other.loops = schedule_.fusion()[made].logical;
  if (making.kind == Kind::Tile) {
    const std::size_t axes = schedule_.fusion()[t].logical.size();
    other.loops.erase(other.loops.begin(), other.loops.end() - std::ptrdiff_t(axes));
    for (std::size_t k = 0; k < axes; ++k) {
      other.names[other.loops[k]] = list.names.at(schedule_.fusion()[t].logical[k]);
    }
    return;
  }
  if (making.kind == Kind::CacheBefore) {
    for (DomainId d : list.loops) {
      if (contains(list.folded, d)) other.folded.push_back(d);
    }
    other.loops.insert(other.loops.end(), other.folded.begin(), other.folded.end());
    std::erase_if(list.loops, [&](DomainId d) { return contains(list.folded, d); });
    list.folded.clear();
  }
  for (DomainId d : other.loops) other.names[d] = list.names.at(d);
}

// Of the three tensors that scan_in_parts makes the first adds the item.
void ListWriter::make_part_of_scan(TensorId t, TensorId made) {
  const Schedule::Making& making = *schedule_.making(made);
  List &list = lists_[index_of(t)], &other = lists_[index_of(made)];
  const auto kind_of = [&](TensorId m) { return schedule_.making(m)->kind; };
  std::vector<TensorId> parts = made_[index_of(t)];
  std::erase_if(parts, [&](TensorId m) { return kind_of(m) != Schedule::Making::Kind::ScanPart; });
  const DomainId item = making.folded.front();
  if (made == parts.front()) {
    cut(t, making.transforms, making.loops);
    list.items.push_back("scan_in_parts: {in: " + list.names.at(item) +
                         ", sums: " + files_[parts[0]] + ", before: " + files_[parts[1]] +
                         ", own: " + files_[parts[2]] + "}");
  }
  other.names = list.names;
  other.loops = list.loops;
  const bool has_items = contains(nest_domain(schedule_.fusion()[made]), item);
  if (!has_items) std::erase(other.loops, item);
}

// The items by which the loops of t become these.
void ListWriter::cut(TensorId t, const std::vector<TransformId>& transforms,
                     const std::vector<DomainId>& loops) {
  List& list = lists_[index_of(t)];
  for (TransformId id : needed(schedule_.graph(), transforms, list.loops, loops)) {
    cross(t, schedule_.graph()[id]);
  }
  std::vector<DomainId> have = list.loops, want = loops;
  std::sort(have.begin(), have.end());
  std::sort(want.begin(), want.end());
  if (have != want) {
    refuse(t, "its loops do not come of its iterdomains step by step",
           "cut up loops, rather than iterdomains that are none");
  }
  if (list.loops == loops) return;
  list.loops = loops;
  list.items.push_back("reorder: " + names_of(t, loops));
}

void ListWriter::cross(TensorId t, const Transform& transform) {
  List& list = lists_[index_of(t)];
  const std::vector<DomainId> in = inputs(transform), out = outputs(transform);
  for (DomainId d : in) {
    if (contains(list.loops, d)) continue;
    refuse(t, "its loops do not come of its iterdomains step by step",
           "cut up loops, rather than iterdomains that are none");
  }
  list.items.push_back(text_of(t, transform));
  if (contains(list.folded, in[0])) list.folded.insert(list.folded.end(), out.begin(), out.end());
  selvage::cross(list.loops, transform, out);
}

// A transform of iterdomains that have names; what it makes has one from here on.
std::string ListWriter::text_of(TensorId t, const Transform& transform) {
  List& list = lists_[index_of(t)];
  const std::string from = names_of(t, inputs(transform));
  for (DomainId d : outputs(transform)) files_.name(t, d, list.names);
  const std::string to = names_of(t, outputs(transform));
  const auto amount = [&](Expr e) {
    return expression_text(e, "an amount in the schedule of " + schedule_.fusion()[t].name);
  };
  return std::visit(
      overloaded{[&](const Split& s) {
                   return "split: {in: " + list.names.at(s.in) + ", factor: " + amount(s.factor) +
                          ", out: " + to + (s.inner_split ? "}" : ", inner: false}");
                 },
                 [&](const Merge& m) {
                   return "merge: {in: " + from + ", out: " + list.names.at(m.out) + "}";
                 },
                 [&](const Resize& r) {
                   return "resize: {in: " + list.names.at(r.in) + ", left: " + amount(r.left) +
                          ", right: " + amount(r.right) + ", out: " + list.names.at(r.out) + "}";
                 },
                 [&](const Swizzle& s) {
                   return "swizzle: {kind: " + std::string(to_string(s.kind)) + ", in: " + from +
                          ", out: " + to + "}";
                 },
                 [&](const Skew& s) {
                   return "skew: {in: " + list.names.at(s.in) +
                          ", along: " + list.names.at(s.along) + ", by: " + amount(s.by) +
                          ", modulo: " + amount(s.modulo) + ", out: " + list.names.at(s.out) + "}";
                 }},
      transform);
}

// The layout, of loops and of what they were cut out of by the items before.
void ListWriter::lay_out(TensorId t) {
  const std::vector<DomainId>& order = schedule_.allocation(t);
  if (order.empty()) return;
  List& list = lists_[index_of(t)];
  if (is_tile(t) && contains(schedule_.fusion()[t].logical, order.front())) return;
  const auto expect_names = [&](const std::vector<DomainId>& domains) {
    for (DomainId d : domains) {
      if (list.names.contains(d)) continue;
      refuse(t, "its layout is over iterdomains that its loops do not come of",
             "lay it out over loops, or what they were cut out of");
    }
  };
  // Of the transforms of layouts, those of one that was given up lead nowhere.
  const std::vector<TransformId> all = schedule_.all_transforms(t);
  const auto first = all.begin() + std::ptrdiff_t(schedule_.transforms(t).size());
  std::vector<DomainId> have;
  for (const auto& [d, name] : list.names) have.push_back(d);
  std::set<DomainId> fed;
  std::string transforms;
  for (TransformId id : needed(schedule_.graph(), {first, all.end()}, have, order)) {
    const Transform& transform = schedule_.graph()[id];
    const std::vector<DomainId> in = inputs(transform);
    expect_names(in);
    for (DomainId d : in) {
      if (fed.insert(d).second) continue;
      refuse(t, "its layout takes " + list.names.at(d) + " by two transforms",
             "use what comes out of the first");
    }
    transforms += (transforms.empty() ? "{" : ", {") + text_of(t, transform) + "}";
  }
  expect_names(order);
  list.items.push_back("layout: {order: " + names_of(t, order) +
                       (transforms.empty() ? "}" : ", transforms: [" + transforms + "]}"));
}

// Memory and site, when all loops have their names.
void ListWriter::say_places(TensorId t) {
  List& list = lists_[index_of(t)];
  if (schedule_.fusion()[t].is_input || schedule_.is_inlined(t)) return;
  const Schedule::Making* making = schedule_.making(t);
  using Kind = Schedule::Making::Kind;
  const bool is_cache = making != nullptr && (making->kind == Kind::CacheAfter ||
                                              making->kind == Kind::CacheBefore || is_tile(t));
  const std::optional<Memory> memory = schedule_.memory(t);
  if (memory && !is_cache) {
    list.items.push_back("memory: " + std::string(to_string(*memory)));
  }
  if (schedule_.stages(t) > 1) {
    list.items.push_back("stages: " + std::to_string(schedule_.stages(t)));
  }
  if (schedule_.copied_by(t) != CopyBy::LoadStore) {
    const std::int64_t ahead = schedule_.ahead(t);
    const bool is_usual = ahead == schedule_.stages(t) - 1;
    const std::optional<CopyRole>& role = schedule_.role(t);
    const std::string by_role =
        !role ? ""
              : ", role: " + role->name + ", warps: " + std::to_string(role->warps) +
                    (role->registers > 0 ? ", registers: " + std::to_string(role->registers) : "");
    list.items.push_back("copy: {by: " + std::string(to_string(schedule_.copied_by(t))) +
                         (is_usual ? "" : ", ahead: " + std::to_string(ahead)) + by_role + "}");
  }
  if (schedule_.meets_atomically(t)) list.items.push_back("blocks: atomic");
  if (const auto& host = schedule_.last_block_of(t)) {
    list.items.push_back("last_block_of: " + files_[*host]);
  }
  const auto& site = schedule_.site(t);
  if (!site) return say_that_it_is_computed(t);
  // A loop that a tile shares is one of its reader.
  TensorId opener = site->tensor;
  while (site->loop && is_tile(opener) && !contains(own_loops(opener), *site->loop)) {
    opener = schedule_.site(opener)->tensor;
  }
  const std::vector<DomainId>& host = lists_[index_of(opener)].loops;
  std::string text = "inline: {into: " + files_[site->tensor];
  if (site->loop) {
    if (!contains(host, *site->loop)) {
      refuse(t, "it is computed at a loop that there is not any more", "say where once more");
    }
    text += ", at: " + lists_[index_of(opener)].names.at(*site->loop);
    if (site->accumulates) text += ", accumulate: true";
  }
  if (is_tile(t)) {
    // What is read in one iteration of that loop is what the cache is.
    const std::string begin = "cache: {as: " + files_[t] + ",";
    for (std::string& item : lists_[index_of(making->of)].items) {
      if (!item.starts_with(begin)) continue;
      item.back() = ',';
      item += " at: " + lists_[index_of(opener)].names.at(*site->loop) + "}";
    }
    return;
  }
  // Being read it has the loops first that it shares.
  std::size_t shared = 0;
  for (std::size_t k = 0; site->loop && k < host.size(); ++k) {
    const bool is_own =
        contains(list.loops, host[k]) && (site->accumulates || !schedule_.is_folded(t, host[k]));
    if (is_own && list.loops[shared++] != host[k]) {
      refuse(t, "loops that it shares do not come first", "compute it there after it is reordered");
    }
    if (host[k] == *site->loop) break;
  }
  list.items.push_back(text + "}");
}

// If no item of the list says that the tensor has a nest, adds one: else the reader would inline
// it, or let it follow its readers.
void ListWriter::say_that_it_is_computed(TensorId t) {
  List& list = lists_[index_of(t)];
  const std::string otherwise = default_of(t);
  if (otherwise.empty() || schedule_.follows(t) || list.items.empty()) return;
  const bool is_said = std::any_of(list.items.begin(), list.items.end(), [&](const auto& item) {
    const bool is_memory = item.starts_with("memory:") || item.starts_with("layout:") ||
                           item.starts_with("stages:") || item.starts_with("copy:");
    if (is_memory) return otherwise == "inlined";
    return !item.starts_with("cache:") && !item.starts_with("two_pass:");
  });
  if (!is_said) list.items.push_back("reorder: " + names_of(t, list.loops));
}

}  // namespace selvage
