#include <selvage/base/refuse.h>
#include <selvage/ir/identity.h>
#include <selvage/lower/combined_copies.h>

#include <algorithm>
#include <string>

namespace selvage {

namespace {

// "leave copy: {by: tma} out, ..": what else there is.
std::string threads_combine(CopyBy by) {
  return "leave copy: {by: " + std::string(to_string(by)) +
         "} out, and bind the loops of the tile to threads";
}

// Whether copies combine elements of a type so. Of halves the hardware's manual does not say which
// of a number and a NaN is the least or the most; tensor maps do not add doubles.
bool has_combination(Reduction how, DataType type, CopyBy by) {
  return is_atomic_in_hardware(combiner(how), type) &&
         (type != DataType::Double || by == CopyBy::Bulk);
}

// The loops that t folds over and that are none of blocks, by name.
std::string folded_within(const Schedule& schedule, TensorId t) {
  std::string names;
  for (DomainId d : schedule.loop_domains(t)) {
    if (!schedule.is_folded(t, d) || is_block(schedule.parallel(t, d))) continue;
    names += (names.empty() ? "" : ", ") + schedule.name(t, d);
  }
  return names;
}

}  // namespace

bool is_combined_by_copies(const Schedule& schedule, TensorId t) {
  const TensorInfo& tensor = schedule.fusion()[t];
  return tensor.fold && !is_scan(tensor) && is_by_proxy(schedule.copied_by(t)) &&
         schedule.memory(t).value_or(tensor.memory) == Memory::Global && !schedule.site(t);
}

void check_combined_by_copies(const Schedule& schedule, TensorId t) {
  if (!is_combined_by_copies(schedule, t)) return;
  const CopyBy by = schedule.copied_by(t);
  const std::string how_copied(to_string(by));
  const TensorInfo& tensor = schedule.fusion()[t];
  const std::string& name = tensor.name;
  if (!schedule.meets_atomically(t) || !schedule.is_folded_by_blocks(t)) {
    refuse<Illegal>("E468",
                    name + " is a fold that is stored by " + how_copied +
                        ", and its blocks do not meet in what they store",
                    "bind a loop that it folds over to BIDx..z, with blocks: atomic; or cache it "
                    "in shared memory, {cache: {as: " +
                        schedule.unused_name(name + "_s") +
                        ", memory: shared}}, where it is folded then");
  }
  const std::string within = folded_within(schedule, t);
  if (!within.empty()) {
    refuse<Illegal>(
        "E468",
        name + " is combined by " + how_copied + ", with one tile of each block, and folds over " +
            within + " within a block",
        "fold that before, in shared memory: {rfactor: {in: [" + within +
            "], as: " + schedule.unused_name(name + "_parts") + "}}, with {memory: shared} there");
  }
  const DataType type = stored_type(tensor);
  const Reduction how = tensor.fold->how;
  if (has_combination(how, type, by)) return;
  const std::string type_name(to_string(type));
  refuse<Illegal>("E468",
                  name + " is combined by " + how_copied + ", which has no " +
                      std::string(to_string(how)) + " of " + type_name +
                      ": it has the sum of float" + (by == CopyBy::Bulk ? " and double" : "") +
                      ", and sum, min and max of integers of 32 and 64 bits",
                  threads_combine(by));
}

void refuse_combined_tile(const Schedule& schedule, TensorId t) {
  const TensorInfo& tensor = schedule.fusion()[t];
  refuse<Illegal>(
      "E468",
      tensor.name + " is combined by " + std::string(to_string(schedule.copied_by(t))) +
          ", and what a block has of it is no tile of " +
          std::string(to_string(stored_type(tensor))) + " in shared memory",
      "rfactor what a block folds, {memory: shared}; or " + threads_combine(schedule.copied_by(t)));
}

}  // namespace selvage
