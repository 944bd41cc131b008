#include <selvage/frontend/sparse_loops.h>

namespace selvage {

std::string free_name(const std::string& name,
                      const std::function<bool(const std::string&)>& is_taken) {
  std::string tried = name;
  for (int k = 2; is_taken(tried); ++k) tried = name + "_" + std::to_string(k);
  return tried;
}

SparseLoops sparse_loops(const StorageFormat& format, const std::string& row,
                         const std::string& column,
                         const std::function<bool(const std::string&)>& is_taken) {
  const auto part = [&](const std::string& of, const char* suffix) {
    return free_name(of + suffix, is_taken);
  };
  const std::string row_o = part(row, "_o"), row_i = part(row, "_i"), column_o = part(column, "_o"),
                    column_i = part(column, "_i");
  switch (format.storage) {
    case StorageKind::Csr:
    case StorageKind::Coo:
    case StorageKind::Ell: return {{row, column}, {row}, {column}};
    case StorageKind::Csc: return {{column, row}, {row}, {column}, true};
    case StorageKind::Dia: return {{column, row}, {row}, {column}};
    case StorageKind::Sell: return {{row_o, column, row_i}, {row_o, row_i}, {column}};
    case StorageKind::Bcsr:
      return {{row_o, column_o, row_i, column_i}, {row_o, row_i}, {column_o, column_i}};
  }
  return {};
}

const char* parts_suffix(const StorageFormat& format) {
  return format.storage == StorageKind::Sell ? "_slices" : "_blocks";
}

bool fills_up(const StorageFormat& format) {
  switch (format.storage) {
    case StorageKind::Csr:
    case StorageKind::Csc:
    case StorageKind::Coo: return false;
    case StorageKind::Ell:
    case StorageKind::Sell:
    case StorageKind::Dia:
    case StorageKind::Bcsr: return true;
  }
  return false;
}

}  // namespace selvage
