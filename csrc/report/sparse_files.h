#pragma once

#include <selvage/driver/run.h>
#include <selvage/frontend/schedule_file.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace selvage {

// Whether it is a file of a sparse matrix or tensor: .mtx, .npz, .tns.
bool is_sparse_file(const std::string& path);

// The sizes that the extents of an array tell, where nothing has told them before.
void note_sizes(const Fusion& fusion, TensorId input, const std::vector<std::int64_t>& shape,
                std::map<std::string, std::int64_t>& sizes);

// Adds what such a file holds, or a matrix that is made by a rule (driver/made_matrix.h), as the
// inputs of its format, with the sizes that it tells. Throws BadInput as the readers of files do,
// E602 where `name` is not stored so, and E612 for other extents than the schedule file says.
void read_sparse_input(const std::string& name, const std::string& path, const ScheduleFile& file,
                       const Fusion& fusion, std::uint64_t seed, RunRequest& request);

// Writes what is computed at the items of a sparse matrix or tensor, with the coordinates of these.
// Throws BadInput as the writers do, and E603 where `name` is not at such items.
void write_sparse_output(const std::string& name, const std::string& path, const ScheduleFile& file,
                         const std::map<std::string, std::int64_t>& sizes,
                         const std::map<std::string, Array>& inputs,
                         const std::map<std::string, Array>& outputs);

}  // namespace selvage
