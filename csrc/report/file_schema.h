#pragma once

#include <string>

namespace selvage {

// A JSON schema (draft 2020-12) of schedule files, made from the tables of frontend/file_form.h.
// With it editors complete keys and words and mark errors of form. It does not check what
// expressions and names mean.
std::string file_schema();

}  // namespace selvage
