// What the helps about a file's form, names and values say, done to its text at the place named.
#pragma once

#include <selvage/base/diagnostic.h>

#include <vector>

#include "tests/report/random_mistakes.h"

namespace selvage::test {

// Every change that the help names, each by itself.
std::vector<Mistake> changed_as_told(const Mistake& mistake, const Diagnostic& told);

}  // namespace selvage::test
