// Random terms, conditions and elements of a case that is being made.
#pragma once

#include "tests/threads/draws.h"
#include "tests/threads/thread_case.h"

namespace selvage::thread_oracle {

// A place of a case and what may be named there.
struct Site {
  std::vector<int> indices = {};         // parallel, outer first; added ones are none
  std::vector<int> block_indices = {};   // those in the block
  std::vector<int> loops = {};           // serial, of known extents
  std::vector<int> loose_loops = {};     // of others
  std::vector<TermRef> divergent = {};   // named numbers that depend on threads
  std::vector<TermRef> uniform = {};     // that do not
  std::vector<TermRef> truths = {};      // named conditions
  std::vector<std::string> labels = {};  // of loops that may be left
  bool has_all_indices = true;           // its indices tell all threads apart
  bool is_implicit = false;
  bool is_in_inthreads = false;
  bool is_calm = false;  // no barrier may stand here
  int depth = 0;
};

class Terms {
 public:
  Terms(ThreadCase& program, Draws& draws) : case_(program), draws_(draws) {}

  TermRef at(int v) const { return variable(v, case_.variables[std::size_t(v)].name); }
  std::int64_t extent(int v) const { return case_.variables[std::size_t(v)].extent; }
  std::string fresh(const std::string& letter) { return letter + std::to_string(++names_); }
  int new_variable(const std::string& letter, Variable::Kind kind, std::int64_t extent);

  TermRef divergent(const Site& site);  // depends on a parallel index
  TermRef uniform(const Site& site);    // on none
  TermRef comparison(const Site& site);
  TermRef condition(const Site& site, int depth = 2);
  // An integer that statements store: small, whatever is read.
  TermRef value(const Site& site);

  // An element of an array that no other thread has.
  TermRef own_element(const Site& site);
  // One of an array that the threads at an outer place of these indices have: what code beside
  // inner levels writes.
  TermRef outer_element(const std::vector<int>& indices);
  // The number of a thread in its block.
  TermRef number_in_block(const Site& site) const;
  std::int64_t block_threads(const Site& site) const;
  int new_array(ArrayOf::Memory memory, std::vector<std::int64_t> shape);
  TermRef in_array(int array, std::vector<TermRef> subscripts) const;

  std::vector<std::vector<int>> outer_places;  // whose elements inner code may read
  bool reads_outer_often = false;

 private:
  struct Owned {
    std::vector<int> indices;
    int array;
    bool is_flat;
  };
  TermRef owned(const std::vector<int>& indices, bool may_be_new);
  TermRef flat(const std::vector<int>& indices) const;

  ThreadCase& case_;
  Draws& draws_;
  std::vector<Owned> owned_;
  int names_ = 0;
};

}  // namespace selvage::thread_oracle
