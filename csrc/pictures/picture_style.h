#pragma once

#include <string>

namespace selvage {

// Colours, strokes and fonts of the pictures, by class. They follow the page's scheme, light or
// dark, and nothing else of it. The colours are Okabe and Ito's, which most people can distinguish;
// a pattern, a frame or a word repeats the meaning of each colour.
//
//   title heading note label small tiny micro, middle end,          text (TextStyle, Anchor)
//     muted strong warning halo
//   box + logical allocation loop read                              iterdomains, by their cut
//   joint, wire, checked                                            transforms, edges, bound checks
//   cell + valid repeated hole-0..3 (dense: small), empty shade-0..7  loop points, words of memory
//   store load (outline, solid), conflict                           accesses
//   grid, roof (dashed)                                             the lines of a diagram
//   slot + slot-0..7, wait (release)                                tiles of a ring, arrows
//
// `<style>` and `<defs>`, to stand at the head of an SVG whose root has the class `selvage`.
std::string picture_style();

// The number of patterns for holes of different checks; further checks share the last pattern.
inline constexpr int kHolePatterns = 4;
// Steps of shading.
inline constexpr int kShades = 8;
// Slots of a ring of different colours; further slots have those of the first again.
inline constexpr int kSlotColors = 8;

}  // namespace selvage
