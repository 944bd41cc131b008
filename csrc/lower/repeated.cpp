#include <selvage/ir/nests.h>
#include <selvage/legality/analysis.h>
#include <selvage/lower/repeated.h>
#include <selvage/scheduler/traffic.h>

#include <algorithm>
#include <numeric>

namespace selvage {

namespace {

class RepeatedTensors {
 public:
  RepeatedTensors(const Program& program, const std::map<std::string, std::int64_t>& sizes)
      : program_(program),
        schedule_(*program.schedule),
        fusion_(schedule_.fusion()),
        sizes_(fusion_, sizes),
        nests_(nests_of(fusion_, schedule_)) {}

  std::vector<RepeatedWork> run() {
    for (const NestTree& root : nests_.roots) look_at(root, {});
    const auto is_little = [&](const RepeatedWork& w) {
      const double more = (w.times() - 1) * w.points;
      return w.times() < 2 || more < needed_ || more < kFewPoints;
    };
    std::erase_if(found_, is_little);
    std::ranges::stable_sort(found_, std::greater<>(),
                             [](const RepeatedWork& w) { return w.times() * w.points; });
    return std::move(found_);
  }

 private:
  using Loops = std::vector<ScheduledLoop>;

  // `around`: the loops around the nest, outer to inner.
  void look_at(const NestTree& tree, const Loops& around) {
    const TensorId t = tree.tensor;
    const std::vector<DomainId>& loops = schedule_.loop_domains(t);
    const double points = points_of(fusion_, t, sizes_);
    needed_ += points;
    if (!is_kept_globally(t)) {
      RepeatedWork work{.tensor = t, .by = {}, .points = points};
      add_iterations(tree, around, work);
      add_threads_and_blocks(tree, around, work);
      if (!work.by.empty()) found_.push_back(std::move(work));
    }
    for (const NestTree& inner : tree.inside) {
      Loops open = around;
      for (std::size_t k = tree.shared; k < inner.level; ++k) open.push_back({t, loops[k]});
      look_at(inner, open);
    }
  }

  bool is_kept_globally(TensorId t) const { return memory_of(t) == Memory::Global; }
  Memory memory_of(TensorId t) const {
    const auto a = std::ranges::find(program_.tensors, t, &TensorAnalysis::tensor);
    return a == program_.tensors.end() || !a->storage ? Memory::Global : a->storage->memory;
  }

  double extent(DomainId d) const { return double(sizes_(schedule_.graph()[d].extent)); }

  // Loops around that run one iteration after the other, and that the tensor does not have.
  void add_iterations(const NestTree& tree, const Loops& around, RepeatedWork& work) const {
    const std::vector<DomainId>& own = schedule_.loop_domains(tree.tensor);
    for (const ScheduledLoop& l : around) {
      const auto end = own.begin() + std::ptrdiff_t(tree.shared);
      const bool is_shared = std::find(own.begin(), end, l.domain) != end;
      const ParallelType type = schedule_.parallel(l.tensor, l.domain);
      if (is_shared || is_index(type) || extent(l.domain) < 2) continue;
      work.by.push_back({l, ParallelType::Serial, extent(l.domain)});
    }
  }

  // Indices of threads and blocks that a reader, or a nest around, has a loop for, and the tensor
  // has not. Shared memory is written by one of the threads.
  void add_threads_and_blocks(const NestTree& tree, const Loops& around, RepeatedWork& work) const {
    std::vector<ParallelType> known;
    for (DomainId d : schedule_.loop_domains(tree.tensor)) {
      known.push_back(schedule_.parallel(tree.tensor, d));
    }
    const auto add = [&](const ScheduledLoop& l) {
      const ParallelType type = schedule_.parallel(l.tensor, l.domain);
      const bool is_repeating =
          is_of_blocks(type) || (is_thread(type) && memory_of(tree.tensor) == Memory::Local);
      if (!is_repeating || contains(known, type) || extent(l.domain) < 2) return;
      known.push_back(type);
      work.by.push_back({l, type, extent(l.domain)});
    };
    for (const ScheduledLoop& l : around) add(l);
    for (TensorId reader : readers(tree.tensor)) {
      for (DomainId d : schedule_.loop_domains(reader)) add({reader, d});
    }
  }

  // The tensors with nests that read t, and those that read what every thread computes of it.
  std::vector<TensorId> readers(TensorId t) const {
    std::vector<TensorId> found = {t};
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (k > 0 && memory_of(found[k]) != Memory::Local) continue;
      for (std::size_t r = 0; r < fusion_.size(); ++r) {
        const bool is_known = std::ranges::find(found, TensorId(r)) != found.end();
        if (nests_.has_nest[r] && nests_.reads[r].contains(found[k]) && !is_known) {
          found.push_back(TensorId(r));
        }
      }
    }
    found.erase(found.begin());
    return found;
  }

  static bool contains(const std::vector<ParallelType>& types, ParallelType type) {
    return std::ranges::find(types, type) != types.end();
  }

  const Program& program_;
  const Schedule& schedule_;
  const Fusion& fusion_;
  const TypicalSizes sizes_;
  const Nests nests_;
  double needed_ = 0;  // points of all nests, each once
  std::vector<RepeatedWork> found_;
};

}  // namespace

double RepeatedWork::times() const {
  return std::accumulate(by.begin(), by.end(), 1.0,
                         [](double product, const By& b) { return product * b.times; });
}

std::vector<RepeatedWork> repeated_work(const Program& program,
                                        const std::map<std::string, std::int64_t>& sizes) {
  if (program.schedule == nullptr) return {};
  return RepeatedTensors(program, sizes).run();
}

}  // namespace selvage
