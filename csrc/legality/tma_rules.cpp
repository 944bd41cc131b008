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
                           const std::string& help) {
    q_.refuse("E461", point, what + " (rule of the tensor map: " + rule + ")", help);
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
    // Neighbours of which at most the inner one is boxed can be one dimension.
    std::size_t k = 0;
    while (k + 2 < dims_.size() && dims_[k].count > 1) ++k;
    broken("rank 1 to 5", q_.point(),
           "the tensor map of " + tensor() + " would have rank " + std::to_string(dims_.size()),
           "let " + names(dims_[k]) + " and " + names(dims_[k + 1]) +
               " lie behind one another in memory, so that they are one dimension");
  }

  void items(const TmaDim& d) {
    if (q_.require(d.size <= TmaLimits::kSize)) return;
    broken("1 to 2^32 items of a dimension", q_.point(d.index < TmaLimits::kSize),
           names(d) + " of " + tensor() + " has " + to_string(d.size) + " items",
           help_with_items(d));
  }
  // By the greatest power of two up to 2^20 that divides, if that is enough.
  std::string help_with_items(const TmaDim& d) {
    const auto n = q_.number(d.size);
    std::int64_t power = 1 << 20;
    while (power > 1 && (!n || *n % power != 0)) power /= 2;
    if (!n || *n / power > TmaLimits::kSize) return "make " + names(d) + " smaller";
    return "split " + names(d) + " by a number that divides it, such as " + std::to_string(power) +
           ", and take the boxes of the inner part";
  }

  void box(const TmaDim& d) {
    if (d.box <= TmaLimits::kBox) return;
    broken("a box of 1 to 256 items", q_.point(moved(d) < TmaLimits::kBox),
           "the box of " + tensor() + " has " + std::to_string(d.box) + " items of " + names(d),
           "split " + names(d) + " by 256 or less, and bind the inner part alone");
  }

  void element_stride(const TmaDim& d, bool is_inner) {
    const std::string what = "the tile of " + tensor() + " takes one of " +
                             std::to_string(d.element_stride) + " items of " + names(d);
    if (is_inner && d.element_stride > 1) {
      broken("an element stride of 1 in the innermost dimension", q_.point(moved(d) < 1),
             what + ", its innermost dimension",
             "take every item of " + names(d) + ": split its box by 1, or bind the box whole");
    }
    if (d.element_stride <= TmaLimits::kElementStride) return;
    broken("element strides of 1 to 8", q_.point(moved(d) < 1), what, "split the box by 8 or less");
  }

  void contiguous(const TmaDim& d) {
    if (q_.number(d.size) == std::int64_t{1} || q_.require(eq(d.stride, size_))) return;
    const auto unit = std::find_if(dims_.begin(), dims_.end(), [&](const TmaDim& other) {
      return q_.number(other.stride) == std::int64_t{size_};
    });
    const std::string help =
        unit == dims_.end() ? "let the items of " + names(d) + " lie side by side: a stride of 1"
                            : "bind a part of " + names(*unit) +
                                  ", whose items lie side by side, and let it be the last "
                                  "loop that is bound to Bulk";
    broken("the innermost dimension is contiguous", q_.point(moved(d) < 1),
           "the items of " + names(d) + ", the innermost dimension of the tile of " + tensor() +
               ", lie " + to_string(d.stride) + " bytes apart",
           help);
  }

  void inner_bytes(const TmaDim& d) {
    const std::int64_t bytes = d.box * size_;
    const std::int64_t unit = TmaLimits::kAlign / size_;
    if (bytes % TmaLimits::kAlign != 0) {
      broken(
          "a multiple of 16 bytes in the innermost dimension of the box",
          q_.point(moved(d) < d.box - 1),
          "the box of " + tensor() + " has " + std::to_string(bytes) + " bytes of " + names(d) +
              ", its innermost dimension",
          "take a box of " + std::to_string((d.box / unit + 1) * unit) + " items of " + names(d));
    }
    const std::int64_t limit = swizzle_bytes(roles_.swizzle);
    if (limit == 0 || bytes <= limit) return;
    broken("at most the swizzle's bytes in the innermost dimension of the box",
           q_.point(moved(d) < limit / size_),
           "the box of " + tensor() + " has " + std::to_string(bytes) + " bytes of " + names(d) +
               ", its innermost dimension, and a swizzle of " + std::to_string(limit) + " bytes",
           "take a box of " + std::to_string(limit / size_) + " items of " + names(d));
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
    const auto n = q_.number(bytes);
    if (!q_.require(eq(bytes % TmaLimits::kAlign, 0))) {
      std::string help = "make the stride of " + names(d) + " a multiple of " +
                         std::to_string(TmaLimits::kAlign / size_) + " elements";
      if (n)
        help += ", such as " +
                std::to_string((*n / TmaLimits::kAlign + 1) * (TmaLimits::kAlign / size_));
      broken("strides are multiples of 16 bytes",
             q_.point(eq(d.index * bytes % TmaLimits::kAlign, 0)), what, help);
    }
    if (!q_.require(bytes < TmaLimits::kStride)) {
      broken("strides below 2^40 bytes", q_.point(d.index < 1), what,
             "make the stride of " + names(d) + " at most " +
                 std::to_string((TmaLimits::kStride - TmaLimits::kAlign) / size_) + " elements");
    }
  }

  void tile() {
    const std::int64_t bytes = roles_.elements * size_;
    if (bytes <= TmaLimits::kTileBytes) return;
    const auto widest =
        std::max_element(dims_.begin(), dims_.end(),
                         [](const TmaDim& a, const TmaDim& b) { return a.count < b.count; });
    // The most of the widest dimension that fits, in whole rows of 16 bytes.
    const std::int64_t others = roles_.elements / widest->count;
    const std::int64_t unit = TmaLimits::kAlign / size_;
    const std::int64_t most = TmaLimits::kTileBytes / size_ / others;
    const std::int64_t less = most / unit * unit;
    broken("a tile of at most 227 KiB", q_.point(roles_.place < TmaLimits::kTileBytes / size_),
           "the tile of " + tensor() + " has " + std::to_string(bytes) + " bytes",
           less > 0 && widest->element_stride == 1
               ? "take a box of " + std::to_string(less) + " items of " + names(*widest)
               : "take a smaller box");
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
