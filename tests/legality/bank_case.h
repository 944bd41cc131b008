// A tensor in shared memory as a schedule file describes it, and its bank conflicts counted by
// going through every thread.
#pragma once

#include <selvage/expr/tape.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/legality/bank_conflicts.h>

#include <map>
#include <set>
#include <stdexcept>
#include <string>

namespace selvage {

class BankCase {
 public:
  // What stands under the tensor, in YAML, indented by four; `head`: what stands before `tensors`.
  explicit BankCase(const std::string& tensor, const std::string& head = "")
      : file_(read_schedule_text(head + "tensors:\n  tile:\n    memory: shared\n" + tensor,
                                 "test.yaml")) {
    if (file_.tensors.size() != 1) {
      throw std::invalid_argument(file_.illegal.empty() ? "no tensor"
                                                        : to_text(file_.illegal.front()));
    }
    const FileTensor& t = file_.tensors[0];
    write_ = analyze(*t.fusion, *t.schedule, t.tensor);
    if (t.reading) read_ = analyze(*t.fusion, *t.reading, t.tensor);
  }

  BankConflicts banks() const {
    const FileTensor& t = file_.tensors[0];
    return bank_conflicts(*t.fusion, *t.schedule, write_, t.reading ? &*t.reading : nullptr,
                          read_ ? &*read_ : nullptr)
        .value();
  }
  std::int64_t store() const { return banks().store.degree.value(); }
  std::int64_t load() const { return banks().load.degree.value(); }
  const FileTensor& tensor() const { return file_.tensors[0]; }
  const TensorAnalysis& write() const { return write_; }
  const TensorAnalysis& read() const { return read_ ? *read_ : write_; }

  // Word by word, thread by thread, lane by lane; both sides have blocks of one shape.
  std::int64_t counted_store() const { return counted(*tensor().schedule, write_); }
  std::int64_t counted_load() const {
    return counted(tensor().reading ? *tensor().reading : *tensor().schedule, read());
  }

 private:
  std::int64_t counted(const Schedule& schedule, const TensorAnalysis& a) const {
    const int bytes = size_of((*tensor().fusion)[a.tensor].type);
    std::vector<std::int64_t> extents, at(a.loops.size(), 0);
    std::int64_t block[3] = {1, 1, 1}, lanes = 1;
    for (DomainId d : a.loops) {
      const ParallelType p = schedule.parallel(a.tensor, d);
      extents.push_back(a.ranges->simplify(schedule.graph()[d].extent).value());
      if (is_thread(p)) block[axis(p)] = extents.back();
      if (p == ParallelType::Vectorize) lanes = extents.back();
    }
    const std::int64_t threads = lanes * bytes <= 4 ? 32 : 128 / (lanes * bytes);
    // Words by values of the other loops, phase of the block and bank.
    std::map<std::vector<std::int64_t>, std::set<std::int64_t>> words;
    for (;;) {
      std::int64_t number = 0;
      std::vector<std::int64_t> key;
      for (std::size_t i = 0; i < at.size(); ++i) {
        const ParallelType p = schedule.parallel(a.tensor, a.loops[i]);
        if (is_thread(p)) {
          number += at[i] * (axis(p) == 0 ? 1 : axis(p) == 1 ? block[0] : block[0] * block[1]);
        } else if (p != ParallelType::Vectorize) {
          key.push_back(at[i]);
        }
      }
      bool is_hole = false;
      for (const KeptPredicate& p : a.predicates.kept) {
        is_hole = is_hole || evaluate(p.condition, a.variables, at).value() == 0;
      }
      if (!is_hole) {
        const std::int64_t first = evaluate(a.address, a.variables, at).value() * bytes;
        for (std::int64_t byte = first; byte < first + bytes; ++byte) {
          std::vector<std::int64_t> bank = key;
          bank.push_back(number / threads);
          bank.push_back(byte / 4 % 32);
          words[bank].insert(byte / 4);
        }
      }
      std::size_t i = at.size();
      while (i-- > 0 && ++at[i] == extents[i]) at[i] = 0;
      if (i > at.size()) break;
    }
    std::size_t most = 1;
    for (const auto& [bank, asked] : words) most = std::max(most, asked.size());
    return std::int64_t(most);
  }

  ScheduleFile file_;
  TensorAnalysis write_;
  std::optional<TensorAnalysis> read_;
};

}  // namespace selvage
