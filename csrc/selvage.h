// The one header that users include: build a Fusion, schedule it, lower it, look at it, run it.
#pragma once

#include <selvage/base/array.h>
#include <selvage/base/diagnostic.h>
#include <selvage/codegen/cuda.h>
#include <selvage/driver/run.h>
#include <selvage/driver/run_threads.h>
#include <selvage/emulate/emulate.h>
#include <selvage/emulate/reference.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/npy.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/ir/ops.h>
#include <selvage/ir/schedule.h>
#include <selvage/kernel/print.h>
#include <selvage/lower/program.h>
#include <selvage/report/dot.h>
#include <selvage/report/json.h>
#include <selvage/report/page.h>
#include <selvage/report/picture.h>
#include <selvage/report/report.h>
#include <selvage/runtime/executable.h>
#include <selvage/scheduler/pointwise.h>
#include <selvage/threads/builder.h>
#include <selvage/threads/lower_threads.h>
