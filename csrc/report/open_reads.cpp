#include <selvage/expr/substitute.h>
#include <selvage/index/coordinates.h>
#include <selvage/report/open_questions.h>

#include <set>

namespace selvage {

namespace {

// Walks the definition of a tensor, and those of the tensors that are inlined into it, as lowering
// does.
class Reads {
 public:
  explicit Reads(const TensorReport& tensor) : tensor_(tensor), fusion_(tensor.fusion()) {}

  std::vector<OpenQuestion> list() {
    const TensorInfo& info = tensor_.tensor();
    if (!info.definition) return {};
    Environment environment;
    for (std::size_t i = 0; i < info.indices.size(); ++i) {
      environment.emplace_back(info.indices[i], (*tensor_.analysis.coordinates)[info.logical[i]]);
    }
    visit(*info.definition, environment, info);
    return std::move(list_);
  }

 private:
  void visit(ValueId v, const Environment& environment, const TensorInfo& reader) {
    std::vector<std::uint64_t> key = {std::uint64_t(v)};
    for (const auto& [symbol, value] : environment) {
      key.push_back((std::uint64_t(symbol.id()) << 32) | value.id());
    }
    if (!visited_.insert(std::move(key)).second) return;
    const ValueNode& node = fusion_.values()[v];
    if (node.kind == ValueNode::Kind::Read) visit_read(node, environment, reader);
    for (ValueId operand : node.operands) visit(operand, environment, reader);
  }

  void visit_read(const ValueNode& read, const Environment& environment, const TensorInfo& reader) {
    const TensorId source = TensorId(read.source);
    const TensorInfo& info = fusion_[source];
    Environment inner;
    for (std::size_t i = 0; i < read.subscripts.size(); ++i) {
      const Expr extent = extent_of(info, i), s = substitute(read.subscripts[i], environment);
      if (!is_within(read.subscripts[i], extent, reader)) {
        list_.push_back({"the read of " + info.name + " in " + reader.name,
                         tensor_.analysis.guarded->facts(), ok(s, extent)});
      }
      if (!info.is_input) inner.emplace_back(info.indices[i], s);
    }
    if (info.is_input || !tensor_.schedule->is_inlined(source)) return;
    visit(*info.definition, inner, info);
  }

  // Wherever the reader's own indices are within its extents?
  bool is_within(Expr subscript, Expr extent, const TensorInfo& reader) const {
    Facts facts = *fusion_.facts();
    for (std::size_t i = 0; i < reader.indices.size(); ++i) {
      facts.loop(reader.indices[i], extent_of(reader, i));
    }
    return Simplifier(std::move(facts)).proves(ok(subscript, extent));
  }

  Expr extent_of(const TensorInfo& info, std::size_t axis) const {
    return fusion_.domains()[info.logical[axis]].extent;
  }

  const TensorReport& tensor_;
  const Fusion& fusion_;
  std::vector<OpenQuestion> list_;
  std::set<std::vector<std::uint64_t>> visited_;
};

}  // namespace

std::vector<OpenQuestion> open_reads(const TensorReport& tensor) { return Reads(tensor).list(); }

}  // namespace selvage
