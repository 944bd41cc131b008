#include <selvage/base/names.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/transforms.h>

namespace selvage {

namespace {

// One name, or a list of `wanted` names.
std::vector<const Node*> name_nodes(const Node& node, std::string_view what, std::size_t wanted) {
  std::vector<const Node*> nodes;
  if (wanted == 1 && node.kind == Node::Kind::Scalar) return {&node};
  for (const Node& item : expect_sequence(node, what)) nodes.push_back(&item);
  if (nodes.size() != wanted) {
    refuse("E309", node.place,
           std::string(what) + " has " + std::to_string(nodes.size()) +
               (nodes.size() == 1 ? " name" : " names"),
           wanted == 1 ? "name one iterdomain" : "name two iterdomains, such as [I1, I2]");
  }
  return nodes;
}

}  // namespace

std::size_t DomainNames::define(const std::string& name, const Place& place) {
  if (const auto wrong = check_name(name, place)) throw BadInput(*wrong);
  symbols_.check_no_symbol(name, place, "the iterdomain " + name + " of " + tensor_);
  const auto [it, is_new] = positions_.emplace(name, domains_.size());
  if (!is_new) {
    refuse("E204", place, tensor_ + " has two iterdomains " + name, "rename one of the two",
           {"the first is at " + to_text(domains_[it->second].place)});
  }
  domains_.push_back({.name = name, .place = place});
  return it->second;
}

std::size_t DomainNames::find(const std::string& name, const Place& place,
                              std::string_view what) const {
  const auto it = positions_.find(name);
  if (it != positions_.end()) return it->second;
  std::string help = "name an iterdomain that is made before this line";
  if (errors_.list().size() < kMostErrors) {
    const std::span<const Domain> first(domains_.data(),
                                        std::min<std::size_t>(domains_.size(), 1000));
    help = meant(name, words_of(first, &Domain::name), help);
  }
  refuse("E205", place, std::string(what) + ": " + tensor_ + " has no iterdomain " + shown(name),
         help);
}

std::size_t DomainNames::find(const Node& node, std::string_view what) const {
  return find(as_text(node, what), node.place, what);
}

std::size_t DomainNames::feed(const Node& node, std::string_view what, Feeds feeds) {
  const std::size_t d = find(node, what);
  if (domains_[d].feeds[std::size_t(feeds)]) {
    refuse("E306", node.place,
           "the iterdomain " + domains_[d].name + " of " + tensor_ + " feeds two transforms",
           "use what comes out of the first",
           {"the first is at " + to_text(fed_[std::size_t(feeds)].at(d))});
  }
  domains_[d].feeds[std::size_t(feeds)] = true;
  fed_[std::size_t(feeds)][d] = node.place;
  return d;
}

FileTransform read_transform(const Entry& entry, DomainNames& names, SizeScope& sizes, Feeds feeds,
                             Diagnostics& errors) {
  using Kind = FileTransform::Kind;
  const std::string& what = entry.key;
  FileTransform t;
  t.place = entry.place;
  t.kind = Kind(one_of(what, entry.place, "transform", keys_of(Form::Transform)));
  const Node& body = entry.value;
  expect_map(body, what, info(Form::Transform).keys[std::size_t(t.kind)].value, &errors);
  const bool two_in = t.kind == Kind::Merge || t.kind == Kind::Swizzle;
  const bool two_out = t.kind == Kind::Split || t.kind == Kind::Swizzle;
  errors.attempt([&] {
    const std::string key = what + ".in";
    for (const Node* n : name_nodes(require(body, what, "in"), key, two_in ? 2 : 1)) {
      errors.attempt([&] { t.in.push_back(names.feed(*n, key, feeds)); });
    }
  });
  if (t.kind == Kind::Skew) {
    if (feeds == Feeds::View || feeds == Feeds::Layout) {
      errors.attempt([&] {
        refuse("E304", entry.place,
               std::string(feeds == Feeds::View ? "a view" : "a layout") + " has no skew",
               "take split, merge, resize or swizzle; a skew moves the rows of loops");
      });
    }
    errors.attempt([&] { t.along = names.find(require(body, what, "along"), what + ".along"); });
  }
  const auto amount = [&](const char* key) {
    Expr e;
    errors.attempt([&] { e = sizes.read(require(body, what, key), what + "." + key); });
    return e;
  };
  if (t.kind == Kind::Split) {
    t.amount = amount("factor");
    read_key(body, "inner", errors, [&](const Node& n) { t.inner = as_bool(n, what + ".inner"); });
  } else if (t.kind == Kind::Resize) {
    t.amount = amount("left");
    t.right = amount("right");
  } else if (t.kind == Kind::Skew) {
    t.amount = amount("by");
    t.right = amount("modulo");
  } else if (t.kind == Kind::Swizzle) {
    errors.attempt([&] {
      t.swizzle =
          SwizzleKind(as_one_of(require(body, what, "kind"), what + ".kind", Form::SwizzleWord));
    });
  }
  errors.attempt([&] {
    const std::string key = what + ".out";
    for (const Node* n : name_nodes(require(body, what, "out"), key, two_out ? 2 : 1)) {
      errors.attempt([&] { t.out.push_back(names.define(as_text(*n, key), n->place)); });
    }
  });
  return t;
}

std::vector<FileTransform> read_transforms(const Node& list, std::string_view what,
                                           DomainNames& names, SizeScope& sizes, Feeds feeds,
                                           std::int64_t& count, Diagnostics& errors) {
  std::vector<FileTransform> transforms;
  for (const Node& item : expect_sequence(list, what)) {
    check_count(++count, kMostTransforms, item.place, "transforms");
    errors.attempt([&] {
      transforms.push_back(read_transform(expect_one(item, what), names, sizes, feeds, errors));
    });
  }
  return transforms;
}

void check_amounts(std::span<FileTransform> transforms, const DomainNames& names, SizeScope& sizes,
                   Diagnostics& errors) {
  for (FileTransform& t : transforms) {
    for (Expr* amount : {&t.amount, &t.right}) {
      if (!amount->valid() || amount->is(Op::Const)) continue;
      errors.attempt([&] {
        const std::string what = t.kind == FileTransform::Kind::Split  ? "the factor of the split"
                                 : t.kind == FileTransform::Kind::Skew ? "the skew"
                                                                       : "the resize";
        *amount = sizes.defined(*amount, t.place, what + " of " + names.all()[t.in[0]].name);
      });
    }
  }
}

Transform request(const FileTransform& t, std::span<const DomainId> domains) {
  using Kind = FileTransform::Kind;
  const DomainId a = domains[t.in[0]];
  const DomainId b = t.in.size() > 1 ? domains[t.in[1]] : a;
  switch (t.kind) {
    case Kind::Split: return Split{a, {}, {}, t.amount, t.inner};
    case Kind::Merge: return Merge{a, b, {}};
    case Kind::Resize: return Resize{a, {}, t.amount, t.right};
    case Kind::Skew: return Skew{a, domains[t.along], {}, t.amount, t.right};
    case Kind::Swizzle: break;
  }
  return Swizzle{t.swizzle, a, b, {}, {}};
}

std::vector<std::string> names_made(const FileTransform& t, const DomainNames& names) {
  std::vector<std::string> list;
  for (std::size_t d : t.out) list.push_back(names.all()[d].name);
  return list;
}

}  // namespace selvage
