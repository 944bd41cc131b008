#pragma once

#include <selvage/kernel/request_boxes.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace selvage {

// The halves of 128-byte lines of a buffer that are accessed, each counted once.
class TouchedBytes {
 public:
  explicit TouchedBytes(std::int64_t bytes);  // of the buffer

  void add(const std::vector<ByteRun>& runs);
  // The runs of a request, at every point of its box.
  void add(const std::vector<ByteRun>& runs, const BoxedRequest& request);
  std::int64_t half_lines() const { return touched_; }
  std::int64_t all_half_lines() const { return all_; }

 private:
  // Times that a run is moved, each by so many bytes.
  using Moves = std::vector<std::pair<std::int64_t, std::int64_t>>;
  void mark(ByteRun run);
  void mark(ByteRun run, const Moves& moves, std::size_t k);

  std::int64_t all_ = 0, touched_ = 0;  // halves of lines
  std::vector<std::uint64_t> bits_;
};

}  // namespace selvage
