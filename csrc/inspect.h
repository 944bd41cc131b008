// The header of tools: schedule files, what was found of them, pages, JSON and pictures, and
// kernels run with every access checked.
#pragma once

#include <selvage/emulate/emulate.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/report/dot.h>
#include <selvage/report/json.h>
#include <selvage/report/page.h>
#include <selvage/report/picture.h>
#include <selvage/report/report.h>
