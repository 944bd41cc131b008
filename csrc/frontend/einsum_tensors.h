#pragma once

#include <selvage/frontend/sections.h>

#include <map>
#include <string>
#include <vector>

namespace selvage {

// A tensor that a TeAAL specification declares.
struct DeclaredTensor {
  Place place;
  std::vector<std::string> ranks;  // as declared
  std::string storage = {};        // a format, or dense; empty: the file does not say
  Place storage_at = {};
  std::string index = {}, type = "float";

  bool is_sparse() const { return !storage.empty() && storage != "dense"; }
};

// What a TeAAL specification says of its tensors: which there are, of which ranks, in which order
// these lie, and how they are stored. Throws BadInput at the place in the file: E205 no such
// tensor, E304 no format, E333 ranks that do not fit, E390 what is not supported, E520 a format of
// other tensors.
class EinsumTensors {
 public:
  explicit EinsumTensors(FileContext& context) : context_(context), errors_(context.errors) {}

  void read_declaration(const Node& declaration);
  void read_rank_orders(const Node& mapping);
  void read_format(const Entry& entry);

  const std::map<std::string, DeclaredTensor>& all() const { return declared_; }
  const std::vector<std::string>& names() const { return order_; }  // as declared
  DeclaredTensor& at(const std::string& name) { return declared_.at(name); }
  const DeclaredTensor& at(const std::string& name) const { return declared_.at(name); }
  // The same for a name in the file, which may be that of no tensor.
  const DeclaredTensor& declared(const std::string& name, const Place& place) const;
  // As they lie, outer to inner.
  const std::vector<std::string>& stored_ranks(const std::string& name) const;

 private:
  void read_teaal_format(const Entry& entry, DeclaredTensor& known) const;

  FileContext& context_;
  Diagnostics& errors_;
  std::map<std::string, DeclaredTensor> declared_;
  std::map<std::string, std::vector<std::string>> ordered_;
  std::vector<std::string> order_;
};

}  // namespace selvage
