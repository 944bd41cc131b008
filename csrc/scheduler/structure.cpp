#include <selvage/expr/text.h>
#include <selvage/ir/reads.h>
#include <selvage/scheduler/structure.h>

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <map>
#include <numeric>

namespace selvage {

namespace {

class StructureText {
 public:
  StructureText(const Fusion& fusion, const TypicalSizes& sizes) : fusion_(fusion), sizes_(sizes) {}

  std::string run() {
    for (std::size_t k = 0; k < fusion_.domains().transforms(); ++k) {
      add_transform(fusion_.domains()[TransformId(k)]);
    }
    for (std::size_t t = 0; t < fusion_.size(); ++t) add_tensor(fusion_[TensorId(t)]);
    return std::move(text_);
  }

 private:
  template <class... Words>
  void add(const Words&... words) {
    ((text_ += fmt::format("{} ", words)), ...);
  }

  // The names of an expression by the order in which they come up.
  std::string text(Expr e) {
    const std::string named = to_string(e);
    std::string out;
    for (std::size_t k = 0; k < named.size();) {
      const auto is_letter = [&](std::size_t at) {
        const auto c = static_cast<unsigned char>(named[at]);
        return std::isalnum(c) != 0 || c == '_' || c == '.';
      };
      if (!is_letter(k) || std::isdigit(static_cast<unsigned char>(named[k])) != 0) {
        out += named[k++];
        continue;
      }
      std::size_t end = k;
      while (end < named.size() && is_letter(end)) ++end;
      const std::string name = named.substr(k, end - k);
      // Functions are followed by what they take.
      if (end < named.size() && named[end] == '(') {
        out += name;
      } else {
        out += "$" + std::to_string(names_.try_emplace(name, names_.size()).first->second);
      }
      k = end;
    }
    return out;
  }

  std::string extent(Expr e) {
    return e.is(Op::Const) ? size_class(e.value()) : text(e) + "~" + size_class(sizes_(e));
  }

  // An iterdomain by its number, and its extent where it comes up first.
  void add_domain(DomainId d) {
    const auto [at, is_new] = domains_.try_emplace(d, domains_.size());
    add(fmt::format("d{}", at->second));
    if (is_new) add(extent(fusion_.domains()[d].extent));
  }
  void add_domains(const char* what, const std::vector<DomainId>& list) {
    if (list.empty()) return;
    add(what);
    for (DomainId d : list) add_domain(d);
  }

  void add_transform(const Transform& t) {
    add("transform", t.index());
    for (DomainId d : inputs(t)) add_domain(d);
    for (DomainId d : outputs(t)) add_domain(d);
    if (const auto* s = std::get_if<Split>(&t)) add(text(s->factor), s->inner_split);
    if (const auto* r = std::get_if<Resize>(&t)) add(text(r->left), text(r->right));
    if (const auto* z = std::get_if<Swizzle>(&t)) add(int(z->kind));
    if (const auto* k = std::get_if<Skew>(&t)) {
      add_domain(k->along);
      add(text(k->by), text(k->modulo));
    }
    text_ += "\n";
  }

  void add_tensor(const TensorInfo& t) {
    add(t.is_input ? "input" : "tensor", t.is_output, int(t.type), int(stored_type(t)), t.align,
        int(t.memory));
    if (t.in_place_of) add("in place of", index_of(*t.in_place_of));
    add_domains("root", t.root);
    add_domains("logical", t.logical);
    add_domains("allocation", t.allocation);
    for (Expr s : t.strides) add("stride", s.is(Op::Const) ? size_class(s.value()) : text(s));
    if (t.fold) {
      add("fold", int(t.fold->how), int(t.fold->type), t.fold->correction, t.fold->is_partial);
      if (t.fold->scanned) add("scanned", *t.fold->scanned);
      add_domains("over", t.fold->domains);
      for (Expr i : t.fold->indices) text(i);
    }
    for (Expr i : t.indices) add(text(i));
    if (t.definition) add_value(*t.definition);
    text_ += "\n";
  }

  // Values that were said before by their number.
  void add_value(ValueId root) {
    for (ValueId v : values_under(fusion_.values(), root)) {
      if (!values_.try_emplace(v, values_.size()).second) continue;
      const ValueNode& n = fusion_.values()[v];
      add("v", int(n.kind), int(n.type), n.integer, n.real, n.source, int(n.function), int(n.math));
      if (n.index.valid()) add(text(n.index));
      for (Expr s : n.subscripts) add(text(s));
      for (const LoadedIndex& l : n.loaded) add(text(l.symbol), int(l.mode));
      for (ValueId o : n.operands) add(fmt::format("v{}", values_.at(o)));
    }
    add(fmt::format("= v{}", values_.at(root)));
  }

  const Fusion& fusion_;
  const TypicalSizes& sizes_;
  std::map<std::string, std::size_t> names_;
  std::map<DomainId, std::size_t> domains_;
  std::map<ValueId, std::size_t> values_;
  std::string text_;
};

}  // namespace

std::string structure_of(const Fusion& fusion, const TypicalSizes& sizes) {
  return StructureText(fusion, sizes).run();
}

std::string size_class(std::int64_t extent) {
  constexpr std::int64_t kExact = 16;
  if (extent <= kExact) return std::to_string(extent);
  return fmt::format("{}*{}", std::bit_floor(std::uint64_t(extent)), std::gcd(extent, kExact));
}

std::string text_of(const Device& d) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", d.name,
                     d.multiprocessors, d.dram_bandwidth, d.l2_bandwidth, d.l2_bytes,
                     d.shared_bytes, d.registers, d.threads, d.blocks, d.clock, d.latency,
                     d.l2_latency, d.launch, d.block_start, d.dram_share, d.read_share,
                     d.flight_knee, d.flight_power);
}

}  // namespace selvage
