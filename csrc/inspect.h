// The header of tools: schedule files, the analysis of their tensors as pages and JSON, and kernels
// run with every access checked. Pictures are in selvage::pictures, <selvage/pictures/picture.h>.
#pragma once

#include <selvage/emulate/emulate.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/report/json.h>
#include <selvage/report/page.h>
#include <selvage/report/report.h>
