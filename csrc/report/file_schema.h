#pragma once

#include <string>

namespace selvage {

// A JSON schema (draft 2020-12) of schedule files, with which editors complete keys and words and
// mark what is wrong in form: made from the tables of frontend/file_form.h. What an expression or
// a name means is not in it.
std::string file_schema();

}  // namespace selvage
