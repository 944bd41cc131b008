#pragma once

#include <selvage/frontend/readers.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace selvage {

// The grammar of schedule files, as data: the forms of values, and the keys of maps. The readers
// take their keys and words from here, `schedule_inspect --schema` prints it for editors, and
// doc/reference.md has a table of each map.
enum class Form : std::uint8_t {
  Anything,
  // Texts and numbers.
  Name,
  Integer,
  Natural,
  Count,
  Truth,
  Nothing,
  Extent,
  Size,
  Condition,
  Expression,
  Statement,
  EventText,
  TileText,
  Rank,
  EinsumText,
  Partitioning,
  Format,
  FormatOrDense,
  // One word of some.
  Type,
  TensorType,
  MemoryWord,
  Parallel,
  SwizzleWord,
  DuplicatesWord,
  ReduceWord,
  CopyWord,
  BlocksWord,
  SyncWord,
  FenceWord,
  AutoWord,
  MathWord,
  IndexWord,
  KeptWord,
  SlipWord,
  InlineWord,
  // Lists, and maps whose keys are names.
  Names,
  NameAlone,
  TwoNames,
  Truths,
  Extents,
  Conditions,
  Statements,
  Transforms,
  ScheduleItems,
  IndexList,
  Levels,
  Body,
  NamedExtents,
  Bindings,
  Symbols,
  SizeValues,
  Tensors,
  Inputs,
  Outputs,
  Shapes,
  Schedules,
  Predicates,
  Arrays,
  Events,
  IndexExtents,
  OneIndex,
  LevelIndices,
  Lets,
  Aliases,
  Ranks,
  Einsums,
  Partitionings,
  RanksByTensor,
  PartitioningsByRank,
  PartitioningsByTensor,
  SpacetimeByTensor,
  Formats,
  Variants,
  RankFormats,
  // Maps of certain keys.
  TensorsFile,
  FusionFile,
  ThreadsFile,
  EinsumFile,
  Symbol,
  Tensor,
  View,
  Reading,
  Split,
  Merge,
  Resize,
  Swizzle,
  Skew,
  Input,
  Output,
  Cache,
  CopyMap,
  Rfactor,
  ScanInParts,
  TwoPass,
  Layout,
  Site,
  Expect,
  Array,
  Event,
  CopyLater,
  MmaMap,
  ArriveAt,
  WaitFor,
  InThreads,
  For,
  With,
  InnerParallel,
  Einsum,
  Mapping,
  Spacetime,
  Storage,
  RankFormat,
  // Maps of one key, which says what stands under it.
  Transform,
  ScheduleItem,
  Placed,
  BodyConstruct,
  KindLevel,
  // One of several forms.
  OneName,
  NameOrNames,
  TensorOrView,
  SymbolOrNothing,
  Schedule,
  TensorSchedule,
  BodyItem,
  Indices,
  Level,
  StorageOrVariants,
  File,
};
inline constexpr int kForms = int(Form::File) + 1;

struct FileKey {
  std::string_view name;
  Form value;
  std::string_view says;  // its meaning, for the author of a file
  bool is_needed = false;
};

struct FormInfo {
  enum class Kind : std::uint8_t {
    Text,  // any scalar
    Any,
    Name,     // a scalar that is a name (names.h)
    Integer,  // of 64 bits, at least `least`
    Extent,   // an integer of at least 1, or an expression
    Truth,
    Word,    // one of `words`
    List,    // `least` to `most` items of the forms `of`
    Named,   // a map with `least` to `most` names, none of `words`, and values of the forms `of`
    Keyed,   // the same with any other keys beside `keys`
    Map,     // a map with `keys`
    OneKey,  // a map with one of `keys`
    Either,  // one of the forms `of`
    Nothing,
  };

  std::string_view name;  // in the schema
  Kind kind = Kind::Text;
  std::string_view says;  // what it is, in a few words
  std::span<const FileKey> keys = {};
  std::span<const std::string_view> words = {};
  std::span<const Form> of = {};
  std::int64_t least = 0;
  std::int64_t most = INT64_MAX;
  std::string_view pattern = {};  // of a Text: a regular expression of the whole; empty: any text
};
const FormInfo& info(Form form);

// The names of the keys of a form, in order.
std::span<const std::string_view> keys_of(Form form);

// Readers, as in readers.h, of a map that may have only the form's keys, and of one of its words,
// by number.
const std::vector<Entry>& expect_map(const Node& node, std::string_view what, Form form,
                                     Diagnostics* errors = nullptr);
std::size_t as_one_of(const Node& node, std::string_view what, Form form);

}  // namespace selvage
