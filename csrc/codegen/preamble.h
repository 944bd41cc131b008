#pragma once

#include <string>

namespace selvage {

// Which macros a kernel's text needs besides KERNEL.
struct Preamble {
  bool has_clusters = false;
  bool is_dynamic = false;     // shared memory that the launch asks for
  bool syncs_threads = false;  // barriers of whole warps
  bool syncs_members = false;  // and of parts of warps
};
// Their definitions, each unless it is defined already.
std::string to_text(const Preamble& preamble);

}  // namespace selvage
