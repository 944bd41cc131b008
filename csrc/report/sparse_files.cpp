#include <selvage/base/diagnostic.h>
#include <selvage/base/stored_arrays.h>
#include <selvage/driver/made_matrix.h>
#include <selvage/expr/symbols.h>
#include <selvage/frontend/matrix_market.h>
#include <selvage/frontend/npz.h>
#include <selvage/report/sparse_files.h>

#include <algorithm>

namespace selvage {

namespace {

[[noreturn]] void refuse_file(const char* code, const std::string& path, std::string what,
                              std::string help) {
  throw BadInput(
      {.code = code, .place = {path, 0, 0}, .message = std::move(what), .help = std::move(help)});
}

// Where an extent is of one size, its value, if nothing has told it before.
void note_size(const Fusion& fusion, Expr extent, std::int64_t value,
               std::map<std::string, std::int64_t>& sizes) {
  const std::vector<Expr> used = symbols_of(extent);
  if (used.size() != 1) return;
  const auto told = solved_for(used[0], extent, value, {}, *fusion.facts());
  if (told) sizes.emplace(std::string(used[0].name()), *told);
}

SizeValues known_sizes(const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes) {
  SizeValues known;
  for (Expr n : fusion.sizes()) {
    const auto value = sizes.find(std::string(n.name()));
    if (value != sizes.end()) known.add(n, value->second);
  }
  return known;
}

// That a matrix has the rows and columns that the file says, as far as they are known.
void check_extents(const std::string& name, const std::string& path, const StoredMatrix& made,
                   const ScheduleFile::Sparse& said, const Fusion& fusion,
                   const std::map<std::string, std::int64_t>& sizes) {
  const SizeValues known = known_sizes(fusion, sizes);
  const auto check = [&](Expr extent, std::int64_t own, const std::string& what) {
    const auto value = known(extent);
    if (!value || *value == own) return;
    refuse_file("E612", path,
                "the matrix " + name + " has " + std::to_string(own) + " " + what +
                    ", and the file says " + std::to_string(*value),
                "give one that has as many, or correct the file's sizes or --size");
  };
  check(said.rows, made.rows, "rows");
  check(said.columns, made.columns, "columns");
}

void add_arrays(std::map<std::string, Array> arrays, const Fusion& fusion, RunRequest& request) {
  for (auto& [input, array] : arrays) {
    note_sizes(fusion, fusion.find(input).value(), array.shape, request.sizes);
    request.inputs[input] = std::move(array);
  }
}

void read_tensor(const std::string& name, const std::string& path, const ScheduleFile::Csf& said,
                 const Fusion& fusion, RunRequest& request) {
  if (!path.ends_with(".tns")) {
    refuse_file("E602", path,
                name + " is a sparse tensor of " + std::to_string(said.extents.size()) +
                    " axes, and this is a matrix",
                "give it as a .tns file: a line for each item, with its coordinates and its value");
  }
  const SizeValues known = known_sizes(fusion, request.sizes);
  std::vector<std::optional<std::int64_t>> extents;
  for (Expr extent : said.extents) extents.push_back(known(extent));
  const StoredTensor made = stored(read_tns(path, extents));
  const DataType type = fusion[fusion.find(name).value()].type;
  add_arrays(arrays_of(made, name, type, said.index), fusion, request);
  for (std::size_t k = 0; k < extents.size(); ++k) {
    note_size(fusion, said.extents[k], made.extents[k], request.sizes);
  }
}

}  // namespace

bool is_sparse_file(const std::string& path) {
  return path.ends_with(".mtx") || path.ends_with(".npz") || path.ends_with(".tns");
}

void note_sizes(const Fusion& fusion, TensorId input, const std::vector<std::int64_t>& shape,
                std::map<std::string, std::int64_t>& sizes) {
  const std::vector<Expr> extents = fusion.shape(input);
  for (std::size_t k = 0; k < std::min(extents.size(), shape.size()); ++k) {
    note_size(fusion, extents[k], shape[k], sizes);
  }
}

void read_sparse_input(const std::string& name, const std::string& path, const ScheduleFile& file,
                       const Fusion& fusion, std::uint64_t seed, RunRequest& request) {
  const auto tensor = file.csf.find(name);
  if (tensor != file.csf.end()) return read_tensor(name, path, tensor->second, fusion, request);
  const auto matrix = file.sparse.find(name);
  if (matrix == file.sparse.end()) {
    refuse_file("E602", path, name + " is no sparse matrix, and this is a file of one",
                "give it as an .npy file, or say format: csr");
  }
  if (path.ends_with(".tns")) {
    refuse_file("E602", path, name + " is a sparse matrix, and this is a tensor of more axes",
                "give it as an .mtx or .npz file");
  }
  const StorageFormat& format = matrix->second.format;
  const auto generated = made_matrix(path, seed);
  StoredMatrix made = path.ends_with(".npz")
                          ? converted(read_npz(path), format)
                          : stored(generated ? *generated : read_matrix_market(path), format);
  check_extents(name, path, made, matrix->second, fusion, request.sizes);
  const DataType type = fusion[fusion.find(name).value()].type;
  // Those that are made are below 1.
  if (generated && is_integer(type)) {
    for (double& value : made.value) value *= 16;
  }
  add_arrays(arrays_of(made, name, type, matrix->second.index), fusion, request);
  note_size(fusion, matrix->second.rows, made.rows, request.sizes);
  note_size(fusion, matrix->second.columns, made.columns, request.sizes);
}

void write_sparse_output(const std::string& name, const std::string& path, const ScheduleFile& file,
                         const std::map<std::string, std::int64_t>& sizes,
                         const std::map<std::string, Array>& inputs,
                         const std::map<std::string, Array>& outputs) {
  const auto of = file.items_of.find(name);
  if (of == file.items_of.end()) {
    refuse_file("E603", path, name + " is not computed at the items of a sparse matrix or tensor",
                "name an .npy file for it");
  }
  const auto& [at, axes] = of->second;
  if (path.ends_with(".tns") != (axes > 2)) {
    refuse_file("E603", path, name + " has " + std::to_string(axes) + " axes",
                axes > 2 ? "name a .tns file for it" : "name an .mtx or .npz file for it");
  }
  const SizeValues known = known_sizes(*file.fusion, sizes);
  const Array& values = outputs.at(name);
  // A matrix of its own is computed with all of its arrays.
  const std::map<std::string, Array>& arrays = outputs.contains(at) ? outputs : inputs;
  if (axes > 2) {
    std::vector<std::int64_t> extents;
    for (std::size_t k = 0; k < axes; ++k) {
      extents.push_back(known(file.csf.at(at).extents[k]).value());
    }
    return write_tns(path, items_of(tensor_of(arrays, at, std::move(extents), values)));
  }
  const ScheduleFile::Sparse& matrix = file.sparse.at(at);
  const StoredMatrix made = matrix_of(arrays, at, matrix.format, known(matrix.rows).value(),
                                      known(matrix.columns).value(), values);
  if (path.ends_with(".npz")) {
    write_npz(path, made);
  } else {
    write_matrix_market(path, items_of(made));
  }
}

}  // namespace selvage
