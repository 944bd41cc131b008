#pragma once

#include <selvage/codegen/buffer_text.h>
#include <selvage/codegen/index_text.h>
#include <selvage/codegen/names.h>
#include <selvage/codegen/shared_quotients.h>
#include <selvage/kernel/kernel.h>

#include <string>
#include <vector>

namespace selvage {

// Writes element values in C, with the bits that selvage::apply and selvage::convert give.
// A node that is used more than once, or is long, gets a line of its own. An operand of a select
// that reads memory is computed only if the select chooses it, since its address may be out of
// bounds otherwise.
class ValueText {
 public:
  ValueText(const Kernel& kernel, const BufferText& buffers, IndexText& index, Helpers& helpers,
            Names& names);

  // A value: the lines that must stand before it, and its text.
  struct Written {
    std::vector<std::string> lines;
    CText value;
    DataType type = DataType::Bool;  // the type of `value`
  };
  // The value as it is stored in an array of `type`.
  Written write(ValueId v, DataType type);

  // The lines in front of a loop with such divisions: their divisors, one reciprocal of each, and
  // the flag is_exact. Until rerun(), a division by one of these divisors is written with the
  // reciprocal, and clears the flag where that may give other bits; then, until forget(), by a
  // helper that divides.
  std::vector<std::string> share(const SharedQuotients& quotients);
  bool is_sharing() const { return !shared_.empty(); }
  const std::string& is_exact() const { return is_exact_; }
  // Whether a value so far is in the memory of another rank of a cluster.
  bool reads_ranks() const { return reads_ranks_; }
  void rerun() { is_exact_.clear(); }
  void forget();

 private:
  struct Divisor {
    ValueId value{};
    std::string name, reciprocal;
  };
  struct Region;
  static constexpr int kAllBits = 64;

  bool is_known(ValueId v) const { return !text_of(v).text.empty(); }
  const CText& text_of(ValueId v) const { return texts_[std::size_t(v)]; }
  Written block(ValueId root, int bits = kAllBits);
  Region region(ValueId root) const;
  void narrow(const Region& region, ValueId root, int bits);
  std::string element_text(const ValueNode& read);
  CText node_text(ValueId v, std::vector<std::string>& lines);
  CText checked(const ValueNode& node);
  CText search(const ValueNode& node);
  CText select(const ValueNode& node, std::vector<std::string>& lines);
  CText shared_quotient(ValueId v, std::vector<std::string>& lines);
  std::optional<CText> contracted(const ValueNode& node) const;
  CText apply(ValueId v);
  CText convert(CText from, DataType from_compute, DataType to);
  CText convert_to_round(CText from, DataType from_compute, DataType compute, DataType to);
  CText store(CText from, DataType to);
  CText load(CText from, DataType type);
  CText round(CText from, DataType to);
  // The type of its text.
  DataType compute(ValueId v) const {
    return is_in(narrow_, v) ? DataType::Int32 : compute_type(kernel_.values[v].type);
  }
  static void set(std::vector<ValueId>& all, ValueId v);
  static bool is_in(const std::vector<ValueId>& all, ValueId v);
  bool is_small(ValueId v) const;
  bool picks_small(const ValueNode& node) const;
  std::optional<CText> real_number(ValueId v, DataType to) const;
  bool is_copy(const ValueNode& node, DataType type) const;
  bool is_lazy(const ValueNode& select) const;
  std::string declare(ValueId v, CText& text, const std::string& value);

  const Kernel& kernel_;
  const BufferText& buffers_;
  IndexText& index_;
  Helpers& helpers_;
  Names& names_;
  int named_ = 0;
  // 64-bit values that are computed in int: all uses need only the low 32 bits (sums and products),
  // or 32 bits hold the value (comparisons and conversions). Both lists ascend.
  std::vector<ValueId> narrow_;
  std::vector<ValueId>
      unwrapped_;                // casts to narrow integers whose uses need no bit that they change
  std::vector<CText> texts_;     // of values that are written already at the current position
  std::vector<bool> reads_;      // whether the node reads memory, itself or in an operand
  std::vector<ValueId> shared_;  // divisions by divisors_
  std::vector<Divisor> divisors_;
  bool reads_ranks_ = false;
  std::string is_exact_;  // the name of the flag; empty: the loop is run again
};

// A literal of a compute type, to the last bit.
CText literal(const Scalar& v);

}  // namespace selvage
