#pragma once

#include <selvage/frontend/file_names.h>

#include <string>
#include <vector>

namespace selvage {

// Writes `schedule` of a file: for each tensor that is not scheduled by default, the items that
// make its loops, then those of the caches and partial tensors that are made from it.
class ListWriter {
 public:
  // `names`: for each tensor of the fusion, the names of its logical domain and of the iterdomains
  // that it folds over (for an input: of its axes, as the file's statements call them).
  ListWriter(const Fusion& fusion, const Schedule& schedule, const FileNames& files,
             const std::vector<FileNames::Domains>& names);

  // E590 if transforms do not lead step by step from the iterdomains to the loops.
  std::string text();

 private:
  // A tensor while its list is written.
  struct List {
    FileNames::Domains names = {};
    std::vector<DomainId> loops = {};
    std::vector<DomainId> folded = {};
    std::vector<std::string> items = {};
    bool is_plain = false;  // only says that it is recomputed in every reader
  };

  void write(TensorId t);
  void make(TensorId t, TensorId made);
  void make_part_of_scan(TensorId t, TensorId made);
  void cut(TensorId t, const std::vector<TransformId>& transforms,
           const std::vector<DomainId>& loops);
  void cross(TensorId t, const Transform& transform);
  void lay_out(TensorId t);
  std::string text_of(TensorId t, const Transform& transform);
  void say_places(TensorId t);
  void say_that_it_is_computed(TensorId t);
  bool is_made(TensorId t) const;
  bool is_tile(TensorId t) const;
  std::vector<DomainId> own_loops(TensorId t) const;
  std::string default_of(TensorId t) const;
  std::string names_of(TensorId t, const std::vector<DomainId>& domains) const;
  [[noreturn]] void refuse(TensorId t, const std::string& what, const std::string& help) const;

  const Fusion& fusion_;
  const Schedule& schedule_;
  const FileNames& files_;
  std::vector<List> lists_;
  std::vector<std::vector<TensorId>> made_;  // of each tensor, in the order of making
  std::vector<bool> is_read_;                // by tensors of the fusion
  std::vector<TensorId> order_;
};

}  // namespace selvage
