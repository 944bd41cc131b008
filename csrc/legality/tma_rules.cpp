#include <selvage/expr/text.h>
#include <selvage/legality/tma_rules.h>

#include <algorithm>
#include <string>

namespace selvage {

std::string_view tensor_map_type(DataType type) {
  switch (type) {
    case DataType::Bool:
    case DataType::Int8:
    case DataType::UInt8: return "UINT8";
    case DataType::Int16:
    case DataType::UInt16: return "UINT16";
    case DataType::Int32: return "INT32";
    case DataType::UInt32: return "UINT32";
    case DataType::Int64: return "INT64";
    case DataType::UInt64: return "UINT64";
    case DataType::Half: return "FLOAT16";
    case DataType::BFloat16: return "BFLOAT16";
    case DataType::Float: return "FLOAT32";
    case DataType::Double: return "FLOAT64";
  }
  return {};
}

namespace {

class Rules {
 public:
  Rules(TmaQuestions& q, const TmaRoles& roles, std::vector<TmaDim>& dims)
      : q_(q), roles_(roles), dims_(dims), size_(size_of(q.tensor().type)) {}

  void check() {
    rank();
    contiguous(dims_.back());
    for (std::size_t k = 0; k < dims_.size(); ++k) {
      const bool is_inner = k + 1 == dims_.size();
      items(dims_[k]);
      box(dims_[k]);
      element_stride(dims_[k], is_inner);
      is_inner ? inner_bytes(dims_[k]) : stride(dims_[k]);
    }
    if (q_.tensor().align % TmaLimits::kAlign != 0) {
      q_.require(eq(q_.pool().symbol(q_.tensor().name) % TmaLimits::kAlign, 0));
    }
    tile();
  }

 private:
  [[noreturn]] void broken(const std::string& rule, const Refuted& point, const std::string& what,
                           std::vector<TmaMend> tries) {
    q_.refuse("E461", point, what + " (rule of the tensor map: " + rule + ")", std::move(tries));
  }
  std::string names(const TmaDim& d) const {
    std::string text;
    for (DomainId id : d.domains) text += (text.empty() ? "" : ", ") + q_.name(id);
    return text;
  }
  const std::string& tensor() const { return q_.tensor().name; }
  Expr moved(const TmaDim& d) const { return d.index - d.coordinate; }

  void rank() {
    if (dims_.size() <= TmaLimits::kRank) return;
    broken("rank 1 to 5", q_.point(),
           "the tensor map of " + tensor() + " would have rank " + std::to_string(dims_.size()),
           {TmaMend::Strides, TmaMend::Factor, TmaMend::Inner});
  }

  void items(const TmaDim& d) {
    if (q_.require(d.size <= TmaLimits::kSize)) return;
    broken("1 to 2^32 items of a dimension", q_.point(d.index < TmaLimits::kSize),
           names(d) + " of " + tensor() + " has " + to_string(d.size) + " items", {TmaMend::Items});
  }

  void box(const TmaDim& d) {
    if (d.box <= TmaLimits::kBox) return;
    broken("a box of 1 to 256 items", q_.point(moved(d) < TmaLimits::kBox),
           "the box of " + tensor() + " has " + std::to_string(d.box) + " items of " + names(d),
           {TmaMend::Inner, TmaMend::Factor});
  }

  void element_stride(const TmaDim& d, bool is_inner) {
    const std::string what = "the tile of " + tensor() + " takes one of " +
                             std::to_string(d.element_stride) + " items of " + names(d);
    if (is_inner && d.element_stride > 1) {
      broken("an element stride of 1 in the innermost dimension", q_.point(moved(d) < 1),
             what + ", its innermost dimension", {TmaMend::Factor, TmaMend::LastLoop});
    }
    if (d.element_stride <= TmaLimits::kElementStride) return;
    broken("element strides of 1 to 8", q_.point(moved(d) < 1), what, {TmaMend::Factor});
  }

  void contiguous(const TmaDim& d) {
    if (q_.number(d.size) == std::int64_t{1} || q_.require(eq(d.stride, size_))) return;
    broken("the innermost dimension is contiguous", q_.point(moved(d) < 1),
           "the items of " + names(d) + ", the innermost dimension of the tile of " + tensor() +
               ", lie " + to_string(d.stride) + " bytes apart",
           {TmaMend::LastLoop, TmaMend::Strides, TmaMend::Factor});
  }

  void inner_bytes(const TmaDim& d) {
    const std::int64_t bytes = d.box * size_;
    if (bytes % TmaLimits::kAlign != 0) {
      broken("a multiple of 16 bytes in the innermost dimension of the box",
             q_.point(moved(d) < d.box - 1),
             "the box of " + tensor() + " has " + std::to_string(bytes) + " bytes of " + names(d) +
                 ", its innermost dimension",
             {TmaMend::Factor, TmaMend::Inner, TmaMend::LastLoop, TmaMend::Strides});
    }
    const std::int64_t limit = swizzle_bytes(roles_.swizzle);
    if (limit == 0 || bytes <= limit) return;
    broken("at most the swizzle's bytes in the innermost dimension of the box",
           q_.point(moved(d) < limit / size_),
           "the box of " + tensor() + " has " + std::to_string(bytes) + " bytes of " + names(d) +
               ", its innermost dimension, and a swizzle of " + std::to_string(limit) + " bytes",
           {TmaMend::Factor, TmaMend::Inner, TmaMend::Swizzle});
  }

  void stride(TmaDim& d) {
    const Expr bytes = d.stride;
    const bool is_single = q_.number(d.size) == std::int64_t{1};
    if (is_single &&
        !(q_.proves(eq(bytes % TmaLimits::kAlign, 0)) && q_.proves(bytes < TmaLimits::kStride))) {
      d.stride = q_.c(TmaLimits::kAlign);
      return;
    }
    const std::string what = "the items of " + names(d) + " in " + tensor() + " lie " +
                             to_string(bytes) + " bytes apart";
    if (!q_.require(eq(bytes % TmaLimits::kAlign, 0))) {
      broken("strides are multiples of 16 bytes",
             q_.point(eq(d.index * bytes % TmaLimits::kAlign, 0)), what, {TmaMend::Strides});
    }
    if (!q_.require(bytes < TmaLimits::kStride)) {
      broken("strides below 2^40 bytes", q_.point(d.index < 1), what, {TmaMend::Strides});
    }
  }

  void tile() {
    const std::int64_t bytes = roles_.elements * size_;
    if (bytes <= TmaLimits::kTileBytes) return;
    broken("a tile of at most 227 KiB", q_.point(roles_.place < TmaLimits::kTileBytes / size_),
           "the tile of " + tensor() + " has " + std::to_string(bytes) + " bytes",
           {TmaMend::Factor, TmaMend::Inner});
  }

  TmaQuestions& q_;
  const TmaRoles& roles_;
  std::vector<TmaDim>& dims_;
  const std::int64_t size_;
};

}  // namespace

void check_rules(TmaQuestions& questions, const TmaRoles& roles, std::vector<TmaDim>& dims) {
  Rules(questions, roles, dims).check();
}

}  // namespace selvage
