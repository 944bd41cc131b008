#pragma once

#include <selvage/legality/tma.h>
#include <selvage/legality/tma_questions.h>

namespace selvage {

// What the holes of the tile hold, by the tensor map's dimensions. Sets strong, strong_reason, hole
// and guard of the copy.
//
//   by hardware   in bounds in every dimension of the map  implies  no hole
//   by fallback   one element valid, another one of the same copy in bounds  implies  that is no
//                 hole: a copy without a valid element is issued past the end
//
// The first is proved, or all points are looked at, or it is decided as a claim with the tile's
// loops; the second as one with the tile's loops twice.
void judge_holes(TmaQuestions& questions, TmaCopy& copy);

}  // namespace selvage
