#include "examples.h"

namespace selvage {

std::vector<Example> examples() {
  return {bias_gelu(),
          softmax(Row::Kept),
          softmax(Row::Again),
          layer_norm(Row::Kept),
          layer_norm(Row::Again),
          rms_norm(Row::Kept),
          rms_norm(Row::Again),
          transpose(),
          rotary(),
          concatenate()};
}

}  // namespace selvage
