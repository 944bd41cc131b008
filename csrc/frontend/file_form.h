#pragma once

#include <selvage/frontend/readers.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace selvage {

// What may stand where in a schedule file, as data: the readers take the keys and words that they
// know from here, `schedule_inspect --schema` prints it for editors, and doc/reference.md has a
// table of each map.
enum class Form : std::uint8_t {
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
  // One word of some.
  Type,
  MemoryWord,
  Parallel,
  SwizzleWord,
  DuplicatesWord,
  ReduceWord,
  CopyWord,
  BlocksWord,
  SyncWord,
  AutoWord,
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
  IndexExtents,
  OneIndex,
  LevelIndices,
  Lets,
  Aliases,
  // Maps of certain keys.
  TensorsFile,
  FusionFile,
  ThreadsFile,
  Symbol,
  Tensor,
  View,
  Reading,
  Split,
  Merge,
  Resize,
  Swizzle,
  Input,
  Output,
  Cache,
  Rfactor,
  Layout,
  Site,
  Expect,
  Array,
  InThreads,
  For,
  With,
  InnerParallel,
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
  File,
};
inline constexpr int kForms = int(Form::File) + 1;

struct FileKey {
  std::string_view name;
  Form value;
  std::string_view says;  // for who writes the file
  bool is_needed = false;
};

struct FormInfo {
  enum class Kind : std::uint8_t {
    Text,     // a scalar, as it stands
    Name,     // a scalar that names.h lets pass
    Integer,  // of 64 bits, from `least` on
    Extent,   // an integer from 1 on, or an expression
    Truth,
    Word,    // one of `words`
    List,    // of `of`, `least` to `most` of them
    Named,   // a map from names, none of `words`, to `of`; `least` to `most` of them
    Map,     // of `keys`
    OneKey,  // a map of one of `keys`
    Either,  // any of `of`
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
};
const FormInfo& info(Form form);

// The names of the keys of a form, in order.
std::span<const std::string_view> keys_of(Form form);

// Readers, as in readers.h, of what the form says: a map of its keys alone, and the
// number of the word that stands there.
const std::vector<Entry>& expect_map(const Node& node, std::string_view what, Form form,
                                     Diagnostics* errors = nullptr);
std::size_t as_one_of(const Node& node, std::string_view what, Form form);

}  // namespace selvage
