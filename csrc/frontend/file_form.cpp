// The file language as tables: every word, and every form of a value.
#include <selvage/base/data_type.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/file_keys.h>
#include <selvage/frontend/readers.h>
#include <selvage/ir/identity.h>
#include <selvage/ir/parallel.h>
#include <selvage/threads/program.h>

#include <algorithm>
#include <array>
#include <vector>

namespace selvage {

namespace {

using enum Form;
using namespace file_keys;

// ---- Words ----

constexpr std::string_view kMemories[] = {"global", "shared", "local"};
constexpr std::string_view kSwizzles[] = {"xor", "cyclic_shift", "hilbert"};
constexpr std::string_view kDuplicates[] = {"allowed"};
constexpr std::string_view kCopies[] = {"ldst", "cp_async", "bulk", "tma"};
constexpr std::string_view kBlocks[] = {"atomic"};
constexpr std::string_view kSyncs[] = {"shared", "warp", "region"};
constexpr std::string_view kFences[] = {"shared"};
constexpr std::string_view kMath[] = {"exact", "fast"};  // as Math
// As storage_format() reads it, with numbers from 1 to 4,096; behind the word for none of them.
constexpr std::string_view kDensePattern = "^ *dense *$|";
constexpr std::string_view kStoragePattern =
    "^ *dense *$|"
    "^ *(csr|csc|coo|ell|dia|csf) *$"
    "|^ *sell *[(] *0*([1-9][0-9]{0,2}|[1-3][0-9]{3}|40[0-8][0-9]|409[0-6]) *[)]$"
    "|^ *bcsr *[(] *0*([1-9][0-9]{0,2}|[1-3][0-9]{3}|40[0-8][0-9]|409[0-6]) *"
    ", *0*([1-9][0-9]{0,2}|[1-3][0-9]{3}|40[0-8][0-9]|409[0-6]) *[)]$";
constexpr std::string_view kFormatPattern = kStoragePattern.substr(kDensePattern.size());
constexpr std::string_view kIndexTypes[] = {"int32", "int64"};
constexpr std::string_view kKept[] = {"U", "C"};
constexpr std::string_view kSlip[] = {"slip"};
constexpr std::string_view kAuto[] = {"auto", "none"};
constexpr std::string_view kInline[] = {"inline"};

// The words for all values of an enumeration up to this one.
template <auto last>
std::span<const std::string_view> words_up_to() {
  static const auto words = [] {
    std::vector<std::string_view> all;
    for (int k = 0; k <= int(last); ++k) all.push_back(to_string(decltype(last)(k)));
    return all;
  }();
  return words;
}

// Those of an element, then the complex ones (sections.h, as_tensor_type).
std::span<const std::string_view> tensor_types() {
  static const auto words = [] {
    const auto types = words_up_to<DataType::Double>();
    std::vector<std::string_view> all(types.begin(), types.end());
    all.insert(all.end(), {"complex64", "complex128"});
    return all;
  }();
  return words;
}

std::span<const FileKey> view_keys() {
  static const auto keys = [] {
    std::vector<FileKey> all(std::begin(kView), std::end(kView));
    for (const FileKey& key : kTensor) {
      const auto has_its_name = [&](const FileKey& other) { return other.name == key.name; };
      if (std::none_of(std::begin(kView), std::end(kView), has_its_name)) all.push_back(key);
    }
    return all;
  }();
  return keys;
}

std::span<const FileKey> level_kinds() {
  static const auto keys = [] {
    std::vector<FileKey> all;
    for (std::string_view kind : kLevelKinds) {
      all.push_back({kind, Indices, "the indices of a level of this kind"});
    }
    return all;
  }();
  return keys;
}

// ---- Forms ----

template <Form... forms>
constexpr std::array<Form, sizeof...(forms)> kOf = {forms...};

class Forms {
 public:
  Forms() {
    using Kind = FormInfo::Kind;
    add(Anything, {.name = "anything", .kind = Kind::Any, .says = "anything"});
    add(Name, {.name = "name", .kind = Kind::Name, .says = "a name"});
    add(Integer, {.name = "integer", .kind = Kind::Integer, .says = "an integer"});
    forms_[std::size_t(Integer)].least = INT64_MIN;
    add(Natural, {.name = "natural", .kind = Kind::Integer, .says = "an integer, at least 0"});
    add(Count, {.name = "count", .kind = Kind::Integer, .says = "an integer, at least 1"});
    forms_[std::size_t(Count)].least = 1;
    add(Truth, {.name = "truth", .kind = Kind::Truth, .says = "true or false"});
    add(Nothing, {.name = "nothing", .kind = Kind::Nothing, .says = "nothing"});
    add(Extent, {.name = "extent", .kind = Kind::Extent, .says = "an extent"});
    add(Size, {.name = "size", .says = "an integer, or an expression of sizes"});
    add(Condition, {.name = "condition", .says = "a condition"});
    add(Expression, {.name = "expression", .says = "a number, or an expression"});
    add(Statement, {.name = "statement", .says = "a statement"});
    add(EventText, {.name = "event_text", .says = "an event, such as `full[k % 2]`"});
    add(TileText, {.name = "tile_text", .says = "a tile, such as `xs[k % 2]`"});
    add(Rank, {.name = "rank", .says = "a rank"});
    add(EinsumText, {.name = "einsum_text", .says = "an einsum"});
    add(Partitioning, {.name = "partitioning", .says = "such as uniform_shape(4)"});
    add(Format, {.name = "format",
                 .says = "`csr`, `csc`, `coo`, `ell`, `dia`, `sell(64)`, `bcsr(4, 4)`, or "
                         "`csf` for three axes or more"});
    forms_[std::size_t(Format)].pattern = kFormatPattern;
    add(FormatOrDense, {.name = "format_or_dense", .says = "`dense`, or a format as of an input"});
    forms_[std::size_t(FormatOrDense)].pattern = kStoragePattern;

    add_word(Type, "type", words_up_to<DataType::Double>());
    add_word(TensorType, "tensor_type", tensor_types());
    add_word(MemoryWord, "memory", kMemories);
    add_word(Parallel, "parallel_type", words_up_to<ParallelType::Multicast>());
    add_word(SwizzleWord, "swizzle_kind", kSwizzles);
    add_word(DuplicatesWord, "duplicates", kDuplicates);
    // No value of a hole leaves a variance as it is.
    add_word(ReduceWord, "reduction", reduction_names().first(std::size_t(Reduction::Variance)));
    add_word(CopyWord, "copy", kCopies);
    add_word(BlocksWord, "blocks", kBlocks);
    add_word(SyncWord, "sync", kSyncs);
    add_word(FenceWord, "fence", kFences);
    add_word(AutoWord, "auto", kAuto);
    add_word(MathWord, "math", kMath);
    add_word(IndexWord, "index_type", kIndexTypes);
    add_word(KeptWord, "kept", kKept);
    add_word(SlipWord, "slip", kSlip);
    add_word(InlineWord, "inline", kInline);

    add_list(Names, "names", "a list of names", kOf<Name>);
    add_list(NameAlone, "name_alone", "a list of one name", kOf<Name>, 1, 1);
    add_list(TwoNames, "two_names", "two names, such as [a, b]", kOf<Name>, 2, 2);
    add_list(Truths, "truths", "a list of true and false", kOf<Truth>);
    add_list(Extents, "extents", "a list of extents", kOf<Extent>);
    add_list(Conditions, "conditions", "a list of conditions", kOf<Condition>);
    add_list(Statements, "statements", "a list of statements", kOf<Statement>, 1);
    add_list(Transforms, "transforms", "a list of transforms", kOf<Transform>);
    add_list(ScheduleItems, "schedule_items", "a list of items", kOf<ScheduleItem>);
    add_list(IndexList, "index_list", "a list of indices", kOf<OneIndex>);
    add_list(Levels, "levels", "a list of levels", kOf<Level>, 1);
    add_list(Body, "body", "statements and constructs", kOf<BodyItem>);

    add_named(NamedExtents, "named_extents", "extents by name", kOf<Extent>, 1);
    add_named(Bindings, "bindings", "parallel types by loop", kOf<Parallel>);
    add_named(Symbols, "symbols", "symbols by name", kOf<SymbolOrNothing>);
    add_named(SizeValues, "size_values", "values by name", kOf<Natural>);
    add_named(Tensors, "tensors", "tensors by name", kOf<TensorOrView>, 1);
    add_named(Inputs, "inputs", "inputs by name", kOf<Input>);
    add_named(Outputs, "outputs", "outputs by name", kOf<Output>);
    add_named(Shapes, "shapes", "shapes by name", kOf<Extents>);
    add_named(Schedules, "schedules", "by tensor", kOf<TensorSchedule>);
    add_named(Predicates, "predicates", "conditions by tensor", kOf<Conditions>);
    add_named(Arrays, "arrays", "arrays by name", kOf<Array>);
    add_named(Events, "events", "events by name", kOf<Event>);
    add_named(IndexExtents, "index_extents", "extents by index", kOf<Extent>);
    add_named(OneIndex, "one_index", "an index and its extent", kOf<Extent>, 1, 1);
    add_named(LevelIndices, "level_indices", "extents by index", kOf<Extent>);
    // What has the name of a kind is a level of that kind.
    forms_[std::size_t(LevelIndices)].words = kLevelKinds;
    add_named(Lets, "lets", "conditions and numbers by name", kOf<Expression>);
    add_named(Aliases, "aliases", "names by name", kOf<Name>);

    add_list(Ranks, "ranks", "a list of ranks", kOf<Rank>);
    add_list(Einsums, "einsums", "a list of einsums", kOf<EinsumText>, 1);
    add_list(Partitionings, "partitionings", "a list of partitionings", kOf<Partitioning>, 1);
    add_named(RanksByTensor, "ranks_by_tensor", "ranks by tensor", kOf<Ranks>);
    add(PartitioningsByRank, {.name = "partitionings_by_rank",
                              .kind = Kind::Keyed,
                              .says = "partitionings by rank, or by several: (I, J)",
                              .of = kOf<Partitionings>});
    add_named(PartitioningsByTensor, "partitionings_by_tensor", "partitionings by tensor",
              kOf<PartitioningsByRank>);
    add_named(SpacetimeByTensor, "spacetime_by_tensor", "space and time by tensor", kOf<Spacetime>);
    add(Variants, {.name = "variants",
                   .kind = Kind::Keyed,
                   .says = "as TeAAL says it, by variant; the first is taken",
                   .of = kOf<RankFormats>,
                   .least = 1});
    add(RankFormats, {.name = "rank_formats",
                      .kind = Kind::Keyed,
                      .says = "formats by rank",
                      .keys = kRankFormats,
                      .of = kOf<RankFormat>});
    add_named(Formats, "formats", "storage by tensor", kOf<StorageOrVariants>);

    add_map(TensorsFile, "tensors_file", "a file of tensors", kTensorsFile);
    add_map(FusionFile, "fusion_file", "a file of a fusion", kFusionFile);
    add_map(ThreadsFile, "threads_file", "a file of a thread program", kThreadsFile);
    add_map(EinsumFile, "einsum_file", "a TeAAL specification", kEinsumFile);
    add_map(Symbol, "symbol", "what is known of it", kSymbol);
    add_map(Tensor, "tensor", "a tensor", kTensor);
    add_map(View, "view", "a view", view_keys());
    add_map(Reading, "reading", "how it is read", kReading);
    add_map(Split, "split", "a split", kSplit);
    add_map(Merge, "merge", "a merge", kMerge);
    add_map(Resize, "resize", "a resize", kResize);
    add_map(Swizzle, "swizzle", "a swizzle", kSwizzle);
    add_map(Skew, "skew", "a skew", kSkew);
    add_map(Input, "input", "an input", kInput);
    add_map(Output, "output", "an output", kOutput);
    add_map(Cache, "cache", "a cache", kCache);
    add_map(CopyMap, "copies", "a way to copy", kCopyMap);
    add_map(Rfactor, "rfactor", "an rfactor", kRfactor);
    add_map(ScanInParts, "scan_in_parts", "a scan in parts", kScanInParts);
    add_map(TwoPass, "two_pass", "two passes", kTwoPass);
    add_map(Layout, "layout", "a layout", kLayout);
    add_map(Site, "site", "a place", kSite);
    add_map(Expect, "expect", "what must come out", kExpect);
    add_map(Array, "array", "an array", kArray);
    add_map(Event, "event", "an event", kEvent);
    add_map(CopyLater, "copy_later", "copies", kCopyLater);
    add_map(MmaMap, "mma", "a matrix multiplication", kMma);
    add_map(ArriveAt, "arrive_at", "an arrival", kArriveAt);
    add_map(WaitFor, "wait_for", "a wait", kWaitFor);
    add_map(InThreads, "inthreads", "who does what", kInThreads);
    add_map(For, "for", "a loop", kFor);
    add_map(With, "with", "indices and a body", kWith);
    add_map(InnerParallel, "inner_parallel", "levels and a body", kInnerParallel);

    add_map(Einsum, "einsum", "what is computed", kEinsum);
    add_map(Mapping, "mapping", "how the loops run", kMapping);
    add_map(Spacetime, "spacetime", "what runs in space and in time", kSpacetime);
    add_map(RankFormat, "rank_format", "how a rank is stored", kRankFormat);
    add_map(Storage, "storage", "how it is stored", kStorage);

    add_one(Transform, "transform", "a transform", kTransform);
    add_one(ScheduleItem, "schedule_item", "an item of a schedule", kScheduleItem);
    add_one(Placed, "placed", "where it is computed", kPlaced);
    add_one(BodyConstruct, "construct", "a construct", kBodyConstruct);
    add_one(KindLevel, "kind_level", "a level of a kind", level_kinds());

    add_either(OneName, "one_name", "a name", kOf<Name, NameAlone>);
    add_either(NameOrNames, "name_or_names", "a name, or a list of names", kOf<Name, Names>);
    add_either(TensorOrView, "tensor_or_view", "a tensor, or a view", kOf<Tensor, View>);
    add_either(SymbolOrNothing, "symbol_or_nothing", "what is known of it, or nothing",
               kOf<Symbol, Nothing>);
    add_either(Schedule, "schedule", "auto, none, or what is done, by tensor",
               kOf<AutoWord, Schedules>);
    add_either(TensorSchedule, "tensor_schedule", "inline, a place, or a list of items",
               kOf<InlineWord, Placed, ScheduleItems>);
    add_either(BodyItem, "body_item", "a statement or a construct", kOf<Statement, BodyConstruct>);
    add_either(Indices, "indices", "indices with their extents", kOf<IndexExtents, IndexList>);
    add_either(Level, "level", "a level", kOf<KindLevel, LevelIndices>);
    add_either(StorageOrVariants, "storage_or_ranks", "how it is stored, or TeAAL's format by rank",
               kOf<Storage, Variants>);
    add_either(File, "file", "a schedule file",
               kOf<TensorsFile, FusionFile, ThreadsFile, EinsumFile>);
  }

  const FormInfo& operator[](Form form) const { return forms_[std::size_t(form)]; }
  std::span<const std::string_view> keys(Form form) const { return keys_[std::size_t(form)]; }

 private:
  using Of = std::span<const Form>;
  using Text = std::string_view;
  using Keys = std::span<const FileKey>;

  void add(Form form, FormInfo info) {
    for (const FileKey& key : info.keys) keys_[std::size_t(form)].push_back(key.name);
    forms_[std::size_t(form)] = info;
  }
  void add_word(Form form, Text name, std::span<const std::string_view> words) {
    add(form, {.name = name, .kind = FormInfo::Kind::Word, .says = "a word", .words = words});
  }
  void add_list(Form form, Text name, Text says, Of of, int least = 0,
                std::int64_t most = INT64_MAX) {
    add(form, {name, FormInfo::Kind::List, says, {}, {}, of, least, most});
  }
  void add_named(Form form, Text name, Text says, Of of, int least = 0,
                 std::int64_t most = INT64_MAX) {
    add(form, {name, FormInfo::Kind::Named, says, {}, {}, of, least, most});
  }
  void add_map(Form form, Text name, Text says, Keys keys) {
    add(form, {.name = name, .kind = FormInfo::Kind::Map, .says = says, .keys = keys});
  }
  void add_one(Form form, Text name, Text says, Keys keys) {
    add(form, {.name = name, .kind = FormInfo::Kind::OneKey, .says = says, .keys = keys});
  }
  void add_either(Form form, Text name, Text says, Of of) {
    add(form, {.name = name, .kind = FormInfo::Kind::Either, .says = says, .of = of});
  }

  std::array<FormInfo, kForms> forms_ = {};
  std::array<std::vector<std::string_view>, kForms> keys_ = {};
};

const Forms& forms() {
  static const Forms all;
  return all;
}

}  // namespace

const FormInfo& info(Form form) { return forms()[form]; }

std::span<const std::string_view> keys_of(Form form) { return forms().keys(form); }

const std::vector<Entry>& expect_map(const Node& node, std::string_view what, Form form,
                                     Diagnostics* errors) {
  return expect_map(node, what, keys_of(form), errors);
}

std::size_t as_one_of(const Node& node, std::string_view what, Form form) {
  return one_of(as_text(node, what), node.place, what, info(form).words);
}

}  // namespace selvage
