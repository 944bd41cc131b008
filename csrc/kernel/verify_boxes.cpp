#include <selvage/expr/text.h>
#include <selvage/kernel/verify_parts.h>

namespace selvage {

namespace {

// Whatever the corner of a box, the hardware accesses items of the tensor map alone: these are to
// be elements of the buffer, and corners are passed as 32-bit numbers; that of a store is no less
// than 0, as PTX asks.
class Boxes {
 public:
  explicit Boxes(const AccessMap& map) : map_(map) {}

  std::vector<KernelFinding> list() {
    for (const StatementPlace& place : map_.places()) {
      const auto* copy = std::get_if<AsyncCopy>(&place.statement->node);
      if (copy != nullptr && copy->box) look_at(place, *copy);
    }
    return std::move(out_);
  }

 private:
  void look_at(const StatementPlace& place, const AsyncCopy& copy) {
    const BoxMap& map = map_.kernel().maps[copy.box->map];
    const Buffer& buffer = map_.kernel().buffers[map.buffer];
    const auto ask = [&](std::size_t scope, Expr claim, std::string text) {
      if (map_.at(scope).proves(claim)) return;
      const bool is_false = map_.at(scope).simplify(claim).is_false();
      out_.push_back(
          {.hazard = Hazard::Bounds,
           .verdict = is_false ? Verdict(Refuted{}) : Verdict(Unknown{claim}),
           .statement = place.statement,
           .buffer = map.buffer,
           .sizes = {},
           .first = {},
           .second = {},
           .text = (is_false ? "it is not so that " : "it is not proved that ") + std::move(text)});
    };
    Expr last = map_.pool().constant(0);
    for (std::size_t k = 0; k < map.dims.size(); ++k) {
      const BoxMap::Dim& dim = map.dims[k];
      const Expr corner = place.corner[k];
      last = last + (dim.size - 1) * dim.stride;
      ask(0, 0 <= dim.stride, "items of " + buffer.name + " lie behind one another");
      ask(place.scope, INT32_MIN <= corner && corner <= INT32_MAX - dim.box,
          "the corner of a box of " + buffer.name + " has 32 bits, " + to_string(corner));
      if (!copy.is_store) continue;
      ask(place.scope, 0 <= corner,
          "the corner of a box that is stored to " + buffer.name + " is 0 or more");
    }
    ask(0, last < buffer.elements,
        "the tensor map of " + buffer.name + " ends where its memory does");
  }

  const AccessMap& map_;
  std::vector<KernelFinding> out_;
};

}  // namespace

std::vector<KernelFinding> box_findings(const AccessMap& map) { return Boxes(map).list(); }

}  // namespace selvage
