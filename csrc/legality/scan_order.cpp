#include <selvage/base/refuse.h>
#include <selvage/legality/scan_order.h>

#include <algorithm>
#include <optional>
#include <string>

namespace selvage {

namespace {

class OrderQuestion {
 public:
  OrderQuestion(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis)
      : schedule_(schedule),
        analysis_(analysis),
        tensor_(fusion[analysis.tensor]),
        axis_(folded_domain(tensor_)[0]) {
    for (std::size_t k = 0; k < analysis.loops.size(); ++k) {
      if (schedule.is_folded(analysis.tensor, analysis.loops[k])) loops_.push_back(k);
    }
  }

  ScanOrder answer() const {
    for (std::size_t k : loops_) {
      if (is_block(parallel(k))) refuse_block(k);
    }
    if (tensor_.duplicates_allowed) {
      refuse<Illegal>("E444",
                      tensor_.name + " may be stored twice, and a scan takes each element in once",
                      "leave duplicates: allowed out");
    }
    check_along_axis();
    ScanOrder order{.first = loops_.front(), .step = loops_.front()};
    std::optional<std::size_t> item;
    for (std::size_t k : loops_) {
      if (extent(k).is_const(1)) continue;
      if (!is_thread(parallel(k))) {
        if (order.threads.empty()) order.has_steps = true;
        if (!order.threads.empty()) item = k;
        continue;
      }
      if (item) refuse_threads(k, *item);
      order.threads.insert(order.threads.begin(), parallel(k));
      order.step = k + 1;
    }
    // Loops without threads are no steps: one thread takes in all elements.
    if (order.threads.empty()) order.has_steps = false;
    return order;
  }

 private:
  DomainId domain(std::size_t loop) const { return analysis_.loops[loop]; }
  ParallelType parallel(std::size_t loop) const {
    return schedule_.parallel(analysis_.tensor, domain(loop));
  }
  bool is_vectorised(std::size_t loop) const { return parallel(loop) == ParallelType::Vectorize; }
  Expr extent(std::size_t loop) const { return schedule_.graph()[domain(loop)].extent; }
  std::string name(DomainId d) const { return schedule_.name(analysis_.tensor, d); }

  // The iterdomains that the axis was cut into, in its order; empty if a transform keeps no order.
  std::vector<DomainId> cut_in_order() const {
    std::vector<DomainId> cut = {axis_};
    for (TransformId id : schedule_.transforms(analysis_.tensor)) {
      const Transform& transform = schedule_.graph()[id];
      const std::vector<DomainId> in = inputs(transform), out = outputs(transform);
      const auto at = std::search(cut.begin(), cut.end(), in.begin(), in.end());
      const bool is_any = std::ranges::any_of(in, [&](DomainId d) { return contains(cut, d); });
      if (!is_any) continue;
      if (at == cut.end() || std::holds_alternative<Swizzle>(transform)) return {};
      const auto next = cut.erase(at, at + std::ptrdiff_t(in.size()));
      cut.insert(next, out.begin(), out.end());
    }
    return cut;
  }

  // The loops of the axis, but for those of extent 1. A vector is innermost, wherever it stands.
  std::vector<DomainId> in_order_of_run() const {
    std::vector<DomainId> list;
    for (const bool is_vector : {false, true}) {
      for (std::size_t k : loops_) {
        if (is_vectorised(k) == is_vector && !extent(k).is_const(1)) list.push_back(domain(k));
      }
    }
    return list;
  }

  void check_along_axis() const {
    const std::vector<DomainId> order = cut_in_order();
    const std::string what = "the loops of " + tensor_.name + " do not go along " + name(axis_) +
                             " in its order, in which it is scanned";
    if (order.empty()) {
      refuse<Illegal>("E444", what,
                      "cut " + name(axis_) + " up by splits; merge only what one split made");
    }
    std::vector<DomainId> want = order;
    std::erase_if(want, [&](DomainId d) { return schedule_.graph()[d].extent.is_const(1); });
    if (want == in_order_of_run()) return;
    for (std::size_t k : loops_) {
      if (!is_vectorised(k) || domain(k) == want.back()) continue;
      refuse<Illegal>("E444", what + ": the vector " + name(domain(k)) + " is run innermost",
                      "leave " + name(domain(k)) + " of " + tensor_.name + " serial");
    }
    std::string text;
    for (DomainId d : analysis_.loops) {
      if (!schedule_.is_folded(analysis_.tensor, d)) text += name(d) + ", ";
    }
    for (DomainId d : order) text += name(d) + (d == order.back() ? "" : ", ");
    refuse<Illegal>("E444", what, "put outer loops before inner ones, reorder: [" + text + "]");
  }

  [[noreturn]] void refuse_threads(std::size_t loop, std::size_t around) const {
    refuse<Illegal>("E444",
                    name(domain(loop)) + ", along which " + tensor_.name +
                        " scans, is bound to a thread index inside of " + name(domain(around)) +
                        ", which is inside of another, and each thread runs through it",
                    "leave " + name(domain(loop)) + " of " + tensor_.name + " serial");
  }

  [[noreturn]] void refuse_block(std::size_t loop) const {
    const std::string loop_name = name(domain(loop));
    refuse<Illegal>("E434",
                    loop_name + ", along which " + tensor_.name + " scans, is bound to " +
                        std::string(to_string(parallel(loop))) +
                        ", and blocks do not wait for one another",
                    "leave " + loop_name + " of " + tensor_.name + " serial; or bind " + loop_name +
                        " of " + tensor_.name + " to " + free_thread());
  }
  std::string free_thread() const {
    return std::string(to_string(schedule_.unused_type(analysis_.tensor, ParallelType::TIDx)));
  }

  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  const TensorInfo& tensor_;
  const DomainId axis_;
  std::vector<std::size_t> loops_;  // of the axis, by their numbers
};

}  // namespace

ScanOrder scan_order(const Fusion& fusion, const Schedule& schedule,
                     const TensorAnalysis& analysis) {
  return OrderQuestion(fusion, schedule, analysis).answer();
}

}  // namespace selvage
