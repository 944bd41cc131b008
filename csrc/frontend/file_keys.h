#pragma once

#include <selvage/frontend/file_form.h>

// Every map of the file language with its keys. The forms of values are in file_form.cpp.
namespace selvage::file_keys {

using enum Form;

inline constexpr bool kNeeded = true;

// ---- What every file may have ----

inline constexpr FileKey kTensorsFile[] = {
    {"symbols", Symbols, "sizes that are not known yet, and what is known of them"},
    {"facts", Conditions, "relations between sizes; promises, which a run tests"},
    {"sizes", SizeValues, "values of sizes"},
    {"tensors", Tensors, "tensors, each looked at by itself", kNeeded},
    {"expect", Expect, "what must come out, for --check"},
};
inline constexpr FileKey kFusionFile[] = {
    {"symbols", Symbols, "sizes that are not known yet, and what is known of them"},
    {"facts", Conditions, "relations between sizes; promises, which a run tests"},
    {"sizes", SizeValues, "values of sizes"},
    {"inputs", Inputs, "the tensors that are given"},
    {"outputs", Outputs, "the tensors that come out; default: what is computed and not read"},
    {"shapes", Shapes, "extents of tensors that are no outputs, where no read tells them"},
    {"compute", Statements, "what is computed, in order", kNeeded},
    {"math", MathWord, "fast: exp, / and others in fewer instructions, less exactly"},
    {"schedule", Schedule, "how the loops run; what it does not settle is filled in"},
    {"expect", Expect, "what must come out, for --check"},
};
inline constexpr FileKey kThreadsFile[] = {
    {"symbols", Symbols, "values that only the launch brings, and what is known of them"},
    {"facts", Conditions, "relations between symbols; promises, which a run tests"},
    {"sizes", SizeValues, "values of symbols"},
    {"arrays", Arrays, "the memory that threads share"},
    {"events", Events, "what threads arrive at and wait for, in shared memory of each block"},
    {"parallel", Levels, "the levels of threads, outer first"},
    {"body", Body, "what each thread does", kNeeded},
    {"expect", Expect, "what must come out, for --check"},
};
inline constexpr FileKey kSymbol[] = {
    {"multiple_of", Count, "what divides it"},
    {"min", Natural, "its least value; default 1"},
    {"max", Natural, "its greatest value"},
    {"value", Natural, "fixes it"},
};
inline constexpr FileKey kExpect[] = {
    {"legal", Truth, "whether the schedule is legal"},
    {"predicates", Predicates, "of each tensor, the checks that stay"},
};

// ---- Tensors ----

inline constexpr FileKey kTensor[] = {
    {"dtype", Type, "the type of an element; default float"},
    {"logical", NamedExtents, "what it is: extents by name, outer to inner", kNeeded},
    {"allocation", Names, "how it lies in memory, outer to inner; default: as logical"},
    {"contiguity", Truths, "false: the stride of that axis is the symbol TENSOR_stride_AXIS"},
    {"strides", Extents, "the strides of allocation, in elements"},
    {"align", Count, "bytes to which its address is aligned, a power of two; default 16"},
    {"transforms", Transforms, "how the iterdomains are cut up, one after the other"},
    {"loop", Names, "the loops, outer to inner; default: what no transform takes"},
    {"bind", Bindings, "what runs which loop"},
    {"memory", MemoryWord, "where it is kept; default global"},
    {"duplicates", DuplicatesWord, "an item may be stored more than once"},
    {"read", Reading, "of a shared tensor: how it is read, if other than it is written"},
    {"fill", Integer, "what holes must hold"},
};
// A view has these keys too, or instead of those of the same name.
inline constexpr FileKey kView[] = {
    {"root", NamedExtents, "what it is a view of: extents by name, outer to inner", kNeeded},
    {"view", Transforms, "how root leads to logical", kNeeded},
    {"logical", Names, "what it is: what no step of view takes, outer to inner", kNeeded},
    {"loop", Names, "the loops, outer to inner: a set from which all others follow", kNeeded},
};
inline constexpr FileKey kReading[] = {
    {"transforms", Transforms, "as those of the tensor; they may take what those have made"},
    {"loop", Names, "the loops that read it; all of logical must follow from them"},
    {"bind", Bindings, "what runs which of these loops"},
    {"reduce", ReduceWord, "what the reader folds the elements into one with"},
    {"guard", Truth, "false: it is read at holes too; default true"},
};
inline constexpr FileKey kSplit[] = {
    {"in", OneName, "what is cut up", kNeeded},
    {"factor", Extent, "the extent of the inner part, or of the outer one", kNeeded},
    {"out", TwoNames, "outer, inner", kNeeded},
    {"inner", Truth, "false: factor is the outer part's extent; default true"},
};
inline constexpr FileKey kMerge[] = {
    {"in", TwoNames, "outer, inner", kNeeded},
    {"out", OneName, "one index for both", kNeeded},
};
inline constexpr FileKey kResize[] = {
    {"in", OneName, "what gets more room, or less", kNeeded},
    {"left", Size, "points added before the first; negative: taken away", kNeeded},
    {"right", Size, "points added behind the last; negative: taken away", kNeeded},
    {"out", OneName, "what comes out", kNeeded},
};
inline constexpr FileKey kSwizzle[] = {
    {"kind", SwizzleWord,
     "xor: b = c ^ d; cyclic_shift: b = (d + c) % |B|; hilbert: (a, b) is point c*|B| + d of "
     "Hilbert's curve",
     kNeeded},
    {"in", TwoNames, "[A, B]: the row, and what is permuted by its number", kNeeded},
    {"out", TwoNames, "[C, D]", kNeeded},
};
inline constexpr FileKey kSkew[] = {
    {"in", OneName, "what is moved", kNeeded},
    {"along", Name, "the rows; row r is moved by (by*r) % modulo, and stays a loop", kNeeded},
    {"by", Size, "how much further the next row is moved", kNeeded},
    {"modulo", Size, "below which all rows are moved", kNeeded},
    {"out", OneName, "what comes out, of modulo - 1 points more", kNeeded},
};
inline constexpr FileKey kTransform[] = {
    {"split", Split, "one index in two: x = outer * factor + inner"},
    {"merge", Merge, "two indices in one: x = outer * |inner| + inner"},
    {"resize", Resize, "room at the ends: what is added are holes"},
    {"swizzle", Swizzle, "an index permuted by another"},
    {"skew", Skew, "each row moved by an offset of its own; not in views and layouts"},
};

// ---- Fusions ----

inline constexpr FileKey kInput[] = {
    {"shape", Extents, "extents, outer to inner; the second one may be ragged(OFFSETS)", kNeeded},
    {"dtype", TensorType, "the type of an element; complex64 and complex128, too", kNeeded},
    {"list", Count, "as many tensors, INPUT_0, INPUT_1, ..., read as INPUT[0][i]"},
    {"format", Format,
     "how a sparse matrix is stored: INPUT, INPUT_offsets, INPUT_columns, ... are given"},
    {"index", IndexWord, "the type of its offsets and columns; default int32"},
    {"nan", Truth, "false: a run refuses elements that are NaN; default true, false with a format"},
    {"strides", Extents, "in elements; default: dense"},
    {"contiguity", Truths, "false: the stride of that axis is the symbol INPUT_stride_AXIS"},
    {"align", Count, "bytes to which its address is aligned, a power of two; default 16"},
};
inline constexpr FileKey kOutput[] = {
    {"shape", Extents, "extents, where no read tells them"},
    {"dtype", TensorType, "the type of an element; default: what promotion gives"},
    {"format", Format,
     "csr, csc or coo: a sparse matrix of its own, OUTPUT, OUTPUT_offsets, OUTPUT_columns, ..."},
    {"in_place", Name, "the input whose memory it takes, with its layout and type"},
    {"strides", Extents, "in elements; default: dense"},
    {"contiguity", Truths, "false: the stride of that axis is the symbol OUTPUT_stride_AXIS"},
    {"align", Count, "bytes to which its address is aligned, a power of two; default 16"},
};
inline constexpr FileKey kScheduleItem[] = {
    {"split", Split, "one loop in two"},
    {"merge", Merge, "two loops in one"},
    {"resize", Resize, "room at the ends of a loop; what is added are holes"},
    {"swizzle", Swizzle, "a loop permuted by another"},
    {"skew", Skew, "each row moved by an offset of its own, so that vectors are aligned"},
    {"reorder", Names, "all loops, outer to inner"},
    {"bind", Bindings, "what runs which loop"},
    {"cache", Cache, "a copy that all read instead"},
    {"rfactor", Rfactor, "a fold in two steps: another tensor folds over some loops first"},
    {"like", Name, "the transforms, order and bindings of another tensor, as far as they fit"},
    {"inline", Site, "computed inside of another tensor's loops"},
    {"memory", MemoryWord, "where it is kept"},
    {"blocks", BlocksWord, "of a fold: how blocks that fold together come to one result"},
    {"layout", Layout, "how its elements lie in shared or local memory"},
    {"stages", Count,
     "copies of that memory; iterations of the loop that it is computed at take turns"},
    {"copy", CopyMap, "how it is copied into shared memory"},
    {"scan_in_parts", ScanInParts, "a scan in three steps, so that blocks share a row"},
    {"two_pass", TwoPass,
     "a variance in two passes: a mean, then the squares of distances from it"},
    {"last_block_of", Name, "computed by the last block of the kernel that computes that tensor"},
};
inline constexpr FileKey kPlaced[] = {
    {"inline", Site, "computed inside of another tensor's loops"},
};
inline constexpr FileKey kCache[] = {
    {"as", Name, "the name of the copy", kNeeded},
    {"memory", MemoryWord, "where the copy is kept", kNeeded},
    {"at", Name, "the loop of the reader inside of which it is made; a copy of windows is a tile"},
    {"by", CopyWord, "how it is copied"},
    {"stages", Count, "copies of that memory, which iterations of the loop at take in turn"},
    {"ahead", Natural, "by how many iterations copies are begun before they are used"},
    {"role", Name, "the role of warps of their own that copy it"},
    {"warps", Count, "how many these are; 1"},
    {"registers", Count, "of each of their threads; the others have the rest"},
};
inline constexpr FileKey kCopyMap[] = {
    {"by", CopyWord, "the way", kNeeded},
    {"ahead", Natural, "by how many iterations copies are begun before they are used"},
    {"role", Name, "the role of warps of their own that copy it"},
    {"warps", Count, "how many these are; 1"},
    {"registers", Count, "of each of their threads; the others have the rest"},
};
inline constexpr FileKey kRfactor[] = {
    {"in", NameOrNames, "the loops that the first step folds over", kNeeded},
    {"as", Name, "the name of the first step", kNeeded},
};
inline constexpr FileKey kScanInParts[] = {
    {"in", Name, "the inner loop of the split that cuts the scanned axis into parts", kNeeded},
    {"sums", Name, "the name of what each part comes to", kNeeded},
    {"before", Name, "the name of what all parts before one come to", kNeeded},
    {"own", Name, "the name of the scan within a part", kNeeded},
};
inline constexpr FileKey kTwoPass[] = {
    {"as", Name, "the name of a mean that is made"},
    {"mean", Name, "or the tensor that is the mean of what the variance folds"},
};
inline constexpr FileKey kLayout[] = {
    {"order", Names, "the iterdomains that it is laid out over, row-major, outer first", kNeeded},
    {"transforms", Transforms, "those that make them, of any iterdomains of the tensor"},
};
inline constexpr FileKey kSite[] = {
    {"into", Name, "whose loops", kNeeded},
    {"at", Name, "the innermost of them; default: before all, in the same kernel"},
    {"accumulate", Truth, "true: it folds over some of these loops, and takes in what each adds"},
};

// ---- Thread programs ----

inline constexpr FileKey kArray[] = {
    {"shape", Extents, "extents, outer to inner", kNeeded},
    {"dtype", Type, "the type of an element; default float"},
    {"memory", MemoryWord, "global: an argument; shared: of a block; local: of a thread"},
};
inline constexpr FileKey kBodyConstruct[] = {
    {"let", Lets, "names for conditions and numbers, up to the end of the body"},
    {"do", Body, "several items as one"},
    {"inthreads", InThreads, "what some threads do; they wait for one another at its end"},
    {"for", For, "a serial loop"},
    {"foreach", For, "the same as for"},
    {"with", With, "indices that loops inside go over"},
    {"sync", SyncWord, "where threads wait for one another"},
    {"parallel", InnerParallel, "levels inside of levels"},
    {"copy", CopyLater, "copies into shared memory that end later, as one group"},
    {"await", Natural, "where a thread waits until at most so many groups of its copies are open"},
    {"mma", MmaMap, "a matrix multiplication by warpgroups that ends later, as one group"},
    {"await_mma", Natural, "the same as await, of groups of matrix multiplications"},
    {"fence", FenceWord, "what a thread has stored comes before matrix multiplications"},
    {"arrive", ArriveAt, "where a thread arrives at an event, and goes on"},
    {"wait", WaitFor, "where a thread waits until a phase of an event has ended"},
    {"break", Name, "leaves the serial loop of this label"},
    {"continue", Name, "goes on with the next iteration of the loop of this label"},
};
inline constexpr FileKey kCopyLater[] = {
    {"if", Condition, "the threads and iterations that copy; all close a group, or arrive"},
    {"event", EventText, "where a thread arrives when its copies have ended; then none is a group"},
    {"do", Statements, "the copies, such as S[p] = A[k, p]", kNeeded},
};
inline constexpr FileKey kMma[] = {
    {"sums", TileText, "to what the products are added: a local array of float", kNeeded},
    {"a", TileText, "64 rows: a tile in shared memory, or a local array", kNeeded},
    {"b", TileText, "as many rows as there are columns of sums, in shared memory", kNeeded},
};
inline constexpr FileKey kEvent[] = {
    {"slots", Count, "how many there are, used in turn; default 1"},
    {"arrivals", Count, "how many arrivals end a phase", kNeeded},
};
inline constexpr FileKey kArriveAt[] = {
    {"event", EventText, "at which", kNeeded},
};
inline constexpr FileKey kWaitFor[] = {
    {"event", EventText, "for which", kNeeded},
    {"phase", Expression, "0 for an even number of a phase, 1 for an odd one; or the number",
     kNeeded},
};
inline constexpr FileKey kInThreads[] = {
    {"when", Condition, "who runs it", kNeeded},
    {"async", Truth, "true: nobody waits at its end; default false"},
    {"role", Name, "what these warps do beside others; nobody waits at its end"},
    {"registers", Count, "of each thread of a role, while it is there; default: as all have"},
    {"do", Body, "what they do", kNeeded},
};
inline constexpr FileKey kFor[] = {
    {"index", Name, "the loop's index, or one that a with around has", kNeeded},
    {"in", Expression, "how often it runs; left out for an index of a with"},
    {"if", Condition, "the iterations that are run"},
    {"label", Name, "what break and continue call it; default: its index"},
    {"do", Body, "what is repeated", kNeeded},
};
inline constexpr FileKey kWith[] = {
    {"indices", IndexExtents, "indices by name; each is 0 but in a loop over it", kNeeded},
    {"where", Aliases, "n_p: n says that the two are one index; their extents are equal"},
    {"do", Body, "where they hold", kNeeded},
};
inline constexpr FileKey kInnerParallel[] = {
    {"levels", Levels, "the levels, outer first", kNeeded},
    {"do", Body, "what their threads do", kNeeded},
};

// ---- TeAAL specifications ----

inline constexpr FileKey kEinsumFile[] = {
    {"symbols", Symbols, "sizes that are not known yet, and what is known of them"},
    {"facts", Conditions, "relations between sizes; promises, which a run tests"},
    {"sizes", SizeValues, "values of sizes"},
    {"einsum", Einsum, "what is computed", kNeeded},
    {"mapping", Mapping, "how the loops run; without it all is scheduled automatically"},
    {"format", Formats, "how tensors are stored"},
    {"architecture", Anything, "not used"},
    {"bindings", Anything, "not used"},
    {"expect", Expect, "what must come out, for --check"},
};
inline constexpr FileKey kEinsum[] = {
    {"declaration", RanksByTensor, "of each tensor, its ranks", kNeeded},
    {"expressions", Einsums, "sums of products of tensors, in order", kNeeded},
};
inline constexpr FileKey kMapping[] = {
    {"rank-order", RanksByTensor, "how they lie, outer to inner; default: as declared"},
    {"partitioning", PartitioningsByTensor, "how ranks are cut up, or made one of several"},
    {"loop-order", RanksByTensor, "the ranks that result, outer to inner"},
    {"spacetime", SpacetimeByTensor, "which of these run at once, and which one after another"},
};
inline constexpr FileKey kSpacetime[] = {
    {"space", Ranks, "the ranks that run on threads and blocks, at once"},
    {"time", Ranks, "those that each thread runs through"},
    {"opt", SlipWord, "slip: threads do not wait for one another, in what the report counts"},
};
inline constexpr FileKey kStorage[] = {
    {"storage", FormatOrDense,
     "how it is stored; default csr for a first operand of two ranks, else dense"},
    {"index", IndexWord, "the type of offsets and columns; default int32"},
    {"dtype", Type, "the type of an element; default float"},
};
inline constexpr FileKey kRankFormats[] = {
    {"rank-order", Ranks, "those that follow, outer to inner"},
};
inline constexpr FileKey kRankFormat[] = {
    {"format", KeptWord, "U: all coordinates are stored; C: those that are not 0", kNeeded},
    {"rhbits", Anything, "not used"},
    {"fhbits", Anything, "not used"},
    {"cbits", Anything, "not used"},
    {"pbits", Anything, "not used"},
    {"layout", Anything, "not used"},
};

}  // namespace selvage::file_keys
