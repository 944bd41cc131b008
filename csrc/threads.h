// The header of thread programs: build one, lower it, look at its masks and its kernel, run it.
#pragma once

#include <selvage/base/array.h>
#include <selvage/base/diagnostic.h>
#include <selvage/codegen/cuda.h>
#include <selvage/driver/run_threads.h>
#include <selvage/kernel/print.h>
#include <selvage/threads/builder.h>
#include <selvage/threads/lower_threads.h>
