#include "benchmarks/schedule_files.h"

#include <vector>

namespace selvage::benchmarks {

namespace {

struct Loop {
  std::string name;
  std::int64_t extent;
};

class Writer {
 public:
  explicit Writer(std::vector<Loop> loops) : loops_(std::move(loops)), next_(int(loops_.size())) {}

  // Each writes a transform of loops by position and puts the results where the inputs were.
  void split(std::size_t at, std::int64_t factor, bool inner_split = true) {
    const Loop x = loops_[at];
    const std::int64_t rest = (x.extent + factor - 1) / factor;
    const Loop o{fresh(), inner_split ? rest : factor}, i{fresh(), inner_split ? factor : rest};
    lines_ += "      - split: {in: " + x.name + ", factor: " + std::to_string(factor) + ", out: [" +
              o.name + ", " + i.name + "]" + (inner_split ? "" : ", inner: false") + "}\n";
    loops_[at] = o;
    loops_.insert(loops_.begin() + std::ptrdiff_t(at) + 1, i);
    ++transforms_;
  }
  void merge(std::size_t outer, std::size_t inner) {
    const Loop out{fresh(), loops_[outer].extent * loops_[inner].extent};
    lines_ += "      - merge: {in: [" + loops_[outer].name + ", " + loops_[inner].name +
              "], out: " + out.name + "}\n";
    loops_[outer] = out;
    loops_.erase(loops_.begin() + std::ptrdiff_t(inner));
    ++transforms_;
  }
  void resize(std::size_t at, std::int64_t left, std::int64_t right) {
    const Loop out{fresh(), loops_[at].extent + left + right};
    lines_ += "      - resize: {in: " + loops_[at].name + ", left: " + std::to_string(left) +
              ", right: " + std::to_string(right) + ", out: " + out.name + "}\n";
    loops_[at] = out;
    ++transforms_;
  }
  void shift(std::size_t x, std::size_t y) {
    const Loop u{fresh(), loops_[x].extent}, v{fresh(), loops_[y].extent};
    lines_ += "      - swizzle: {kind: cyclic_shift, in: [" + loops_[x].name + ", " +
              loops_[y].name + "], out: [" + u.name + ", " + v.name + "]}\n";
    loops_[x] = u;
    loops_[y] = v;
    ++transforms_;
  }

  const std::vector<Loop>& loops() const { return loops_; }
  int transforms() const { return transforms_; }
  const std::string& lines() const { return lines_; }

 private:
  std::string fresh() { return "I" + std::to_string(next_++); }

  std::vector<Loop> loops_;
  int next_;
  int transforms_ = 0;
  std::string lines_;
};

std::string file(const std::string& symbols, const std::string& logical, const Writer& w) {
  return symbols + "tensors:\n  T0:\n    dtype: float\n    logical: {" + logical +
         "}\n    transforms:\n" + w.lines();
}

void cross(Writer& w, int transforms) {
  // Loops 0 and 1 throughout: (a, b) become (a / 4 merged with b % 4, b / 4 merged with a % 4).
  while (w.transforms() + 4 <= transforms) {
    w.split(0, 4);  // ao ai b
    w.split(2, 4);  // ao ai bo bi
    w.merge(0, 3);  // ao*bi ai bo
    w.merge(2, 1);  // ao*bi bo*ai
  }
}

void mix(Writer& w, int transforms) {
  std::uint64_t state = 42;
  const auto draw = [&state](std::size_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return std::size_t((state >> 33) % n);
  };
  while (w.transforms() < transforms) {
    const std::size_t n = w.loops().size(), at = draw(n), other = draw(n);
    const std::int64_t extent = w.loops()[at].extent;
    switch (draw(6)) {
      case 0:
      case 1:
        if (n < 6 && extent > 1) w.split(at, 2 + std::int64_t(draw(5)), draw(2) == 0);
        break;
      case 2:
      case 3:
        if (at != other && n > 2 && extent * w.loops()[other].extent < 5'000) w.merge(at, other);
        break;
      case 4:
        // A resize takes away what another one added, so that extents stay in range.
        if (extent < 100) {
          w.resize(at, 1, 0);
        } else if (extent > 1'000) {
          w.resize(at, -1, 0);
        }
        break;
      default:
        if (at != other) w.shift(at, other);
        break;
    }
    // With six loops or more, merges one pair of neighbours of at most moderate extents.
    if (n >= 6) {
      for (std::size_t k = 0; k + 1 < w.loops().size(); ++k) {
        if (w.loops()[k].extent * w.loops()[k + 1].extent < 50'000 && w.transforms() < transforms) {
          w.merge(k, k + 1);
          break;
        }
      }
    }
  }
}

}  // namespace

std::string chain_file(Chain chain, int transforms) {
  switch (chain) {
    case Chain::Straight: {
      Writer w({{"I0", 60}, {"I1", 77}});
      for (int k = 0; w.transforms() + 2 <= transforms; ++k) {
        w.split(0, 4 + k % 3);
        w.merge(0, 1);
      }
      return file("", "I0: 60, I1: 77", w);
    }
    case Chain::Crossed: {
      Writer w({{"I0", 60}, {"I1", 77}});
      cross(w, transforms);
      return file("", "I0: 60, I1: 77", w);
    }
    case Chain::Mixed: {
      Writer w({{"I0", 30}, {"I1", 17}, {"I2", 12}, {"I3", 5}});
      mix(w, transforms);
      return file("", "I0: 30, I1: 17, I2: 12, I3: 5", w);
    }
    case Chain::Symbolic: {
      Writer w({{"I0", 64}, {"I1", 64}});
      cross(w, transforms);
      return file("symbols: {M: {}, N: {multiple_of: 4}}\n", "I0: M, I1: N", w);
    }
  }
  return {};
}

}  // namespace selvage::benchmarks
