#pragma once

#include <selvage/base/stored_matrix.h>
#include <selvage/frontend/document.h>
#include <selvage/ir/identity.h>
#include <selvage/ir/schedule.h>
#include <selvage/scheduler/automatic.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace selvage {

struct ThreadProgram;

// Past these limits a file is refused (E104).
inline constexpr std::int64_t kMostTensors = 1'000;
inline constexpr std::int64_t kMostTransforms = 100'000;
inline constexpr std::int64_t kMostSymbols = 1'000;
inline constexpr std::int64_t kMostFacts = 100;
inline constexpr std::int64_t kMostAxes = 64;              // of one tensor
inline constexpr std::int64_t kLongestExpression = 1'000;  // characters
inline constexpr std::int64_t kLongestFormula = 4'000;

// All errors of a file (exit status 2); what() is the text of the first twenty.
class BadFile : public std::runtime_error {
 public:
  explicit BadFile(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

// A name that a tensor of the file gives to an iterdomain. One iterdomain has two names if `view`
// and `transforms` make the same one.
struct NamedDomain {
  std::string name;
  DomainId domain{};
  Place place;
};

// A transform of a tensor, by the numbers of its iterdomains among the tensor's names.
struct FileTransform {
  enum class Kind : std::uint8_t { Split, Merge, Resize, Swizzle, Skew };
  Kind kind = Kind::Split;
  std::vector<std::size_t> in, out;
  std::size_t along = 0;  // of a skew: the rows that it moves
  Expr amount;  // the factor of a split, the left side of a resize, what a skew moves the next row
                // by
  Expr right;   // the right side of a resize, the modulus of a skew
  bool inner = true;
  SwizzleKind swizzle = SwizzleKind::Xor;
  Place place;
};

// Section 1: one tensor, a kernel of its own. The fusion has one computed tensor, whose element is
// the row-major number of its logical indices, converted to its type.
struct FileTensor {
  std::string name;
  Place place;
  std::shared_ptr<Fusion> fusion;
  std::optional<Schedule> schedule;
  TensorId tensor{};
  std::vector<NamedDomain> iterdomains;  // in file order: root, view, logical, transforms
  bool has_kernel = true;                // false: in shared or local memory, only reported
  // The loops by which a shared tensor is read, if they differ from those that write it. Its
  // transforms are made after those of `schedule`, so an iterdomain of both has one number.
  std::optional<Schedule> reading;
  bool reads_under_guard = true;             // false (`guard: false`): at every point of its loops
  std::optional<Reduction> reads_to_reduce;  // the reduction by which the reader folds the elements
};

// The results that the file expects, for --check.
struct Expectations {
  std::optional<bool> legal;
  struct Predicates {
    std::string tensor;
    std::vector<std::string> conditions;
    Place place;
  };
  std::vector<Predicates> predicates;
  std::map<std::string, std::int64_t> sizes;  // sizes that are constants in the results
  Place place;
};

// A loop of a TeAAL specification: its rank, the iterdomain of the schedule that it is, and the
// loops of the schedule, outer to inner: two where it is cut up among blocks.
struct MappedRank {
  std::string rank, domain;
  std::vector<std::string> loops;
  bool is_space = false;
};
struct MappedTensor {
  std::vector<MappedRank> ranks;  // outer to inner
  bool slips = false;             // each point of space has a clock of its own
};

struct ScheduleFile {
  enum class Kind : std::uint8_t { Tensors, Compute, Threads };

  std::string path;
  Kind kind = Kind::Tensors;
  std::vector<FileTensor> tensors;         // section 1: those that are legal
  std::shared_ptr<Fusion> fusion;          // section 2
  std::optional<Schedule> schedule;        // section 2, if it is legal
  std::vector<AutomaticKernel> automatic;  // the kernels that the file left to be scheduled
  std::optional<Schedule> written;         // the schedule before that; absent: nothing was left
  std::shared_ptr<ThreadProgram> threads;  // section 4
  // Section 2: the sparse matrices among the inputs, how they are stored, and their extents.
  struct Sparse {
    StorageFormat format;
    DataType index;  // of all that is no value
    Expr rows, columns;
  };
  std::map<std::string, Sparse> sparse;
  // And the tensors of more axes, stored as csf: each level is a matrix among those above.
  struct Csf {
    DataType index;
    std::vector<Expr> extents;
  };
  std::map<std::string, Csf> csf;
  // Of what is computed at items: the matrix, which may be a level; or the tensor of levels, as far
  // as so many axes go.
  struct ItemsOf {
    std::string stored;
    std::size_t axes = 2;
  };
  std::map<std::string, ItemsOf> items_of;
  // Of a TeAAL specification: the file of a fusion that it stands for, and what its mapping says.
  std::string as_fusion;
  std::map<std::string, MappedTensor> mappings;
  std::map<std::string, Place> places;  // section 2: of each tensor, its statement or declaration
  // Values of sizes, from the file and the command line. A size with a value is a constant of the
  // fusions, unless the value is 0: then it stays a symbol, and is 0 at launch.
  std::map<std::string, std::int64_t> sizes;
  Expectations expect;
  std::vector<Diagnostic> illegal;  // what makes a schedule illegal (exit status 1)
  std::vector<Diagnostic> warnings;
};

// How a file is read: what makes the schedules that it leaves open, and whether its fusion is
// checked (ir/value_check.h).
struct ReadOptions {
  // Gives the device, once there is something to be scheduled: to ask a driver takes time.
  std::function<const Device&()> device = usual_device;
  // Plans that were chosen before for a fusion; null: none are.
  std::function<PlanChoices(const Fusion&, const Device&)> plans = nullptr;
  bool checks = false;
};

// Reads a schedule file, or standard input if `path` is "-". `sizes` are values from the command
// line and override those of the file. What a fusion's schedule leaves open is made by `source`,
// the same on every machine unless another is given. Throws BadFile with all errors of the file.
// What makes a schedule illegal is kept in `illegal`, and hides no other error.
ScheduleFile read_schedule_file(const std::string& path,
                                const std::map<std::string, std::int64_t>& sizes = {},
                                const ReadOptions& source = {});
// The same for the text of a file.
ScheduleFile read_schedule_text(std::string_view text, const std::string& path,
                                const std::map<std::string, std::int64_t>& sizes = {},
                                const ReadOptions& source = {});

// The differences between the results and what the file expects (E391). `predicates`: the
// conditions of each tensor as text. They are compared as expressions, in any order.
std::vector<Diagnostic> unmet(const Expectations& expect, bool legal,
                              const std::map<std::string, std::vector<std::string>>& predicates);

}  // namespace selvage
