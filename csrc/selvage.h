// The header of a program that computes: build a Fusion, schedule it, lower it, look at the
// kernels, run it. For thread programs include threads.h, for files and reports inspect.h.
#pragma once

#include <selvage/base/array.h>
#include <selvage/base/diagnostic.h>
#include <selvage/codegen/cuda.h>
#include <selvage/driver/run.h>
#include <selvage/emulate/reference.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/npy.h>
#include <selvage/ir/buffer_layout.h>
#include <selvage/ir/compaction.h>
#include <selvage/ir/complex.h>
#include <selvage/ir/composites.h>
#include <selvage/ir/element.h>
#include <selvage/ir/moved_store.h>
#include <selvage/ir/ops.h>
#include <selvage/ir/ragged.h>
#include <selvage/ir/ragged_ops.h>
#include <selvage/ir/random_ops.h>
#include <selvage/ir/schedule.h>
#include <selvage/ir/sparse_input.h>
#include <selvage/ir/sparse_product.h>
#include <selvage/kernel/print.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/executable.h>
#include <selvage/scheduler/automatic.h>
#include <selvage/scheduler/defaults.h>
#include <selvage/scheduler/pointwise.h>
