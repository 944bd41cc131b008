// The one header that users include.
#pragma once

#include <selvage/base/array.h>
#include <selvage/base/diagnostic.h>
