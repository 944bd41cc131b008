#pragma once

#include <selvage/legality/tma.h>
#include <selvage/legality/tma_questions.h>

namespace selvage {

// Judges what the holes of the tile hold, by the tensor map's dimensions. Sets strong,
// strong_reason, hole and guard of the copy.
//
//   by hardware   in bounds in every dimension of the map  implies  no hole
//   by fallback   one element valid, another one of the same copy in bounds  implies  that is no
//                 hole: a copy without a valid element is issued past the end
//
// The first is proved, counted over all points, or decided as a claim over the loops. The second is
// a claim in which the tile's loops stand twice: for the valid element and the other one.
void judge_holes(TmaQuestions& questions, TmaCopy& copy);

}  // namespace selvage
