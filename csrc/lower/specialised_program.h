#pragma once

#include <selvage/lower/program.h>
#include <selvage/lower/specialised.h>

#include <memory>

namespace selvage {

// Kernels for sizes at which an extent is 0, or a size itself.
struct SpecialisedProgram {
  std::unique_ptr<Fusion> fusion;  // specialised() for the sizes
  // A thread for each item of an output or of what folds; of no steps where no output has items.
  Program program;
};

// Throws what specialised() and lower() throw.
SpecialisedProgram lower_specialised(const Fusion& fusion, const SizeValues& sizes);

}  // namespace selvage
