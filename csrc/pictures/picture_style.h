#pragma once

#include <string>

namespace selvage {

// Colours, strokes and faces of the pictures, by class; all that they have in common with a page is
// the scheme, light or dark. The colours follow Okabe and Ito's, which most eyes tell apart;
// whatever a colour says is said by a pattern, a frame or a word as well.
//
//   title heading note label small tiny micro, middle end,          text (TextStyle, Anchor)
//     muted strong warning halo
//   box + logical allocation loop read                              iterdomains, by their cut
//   joint, wire, checked                                            transforms, edges, bound checks
//   cell + valid repeated hole-0..3 (dense: small), empty shade-0..7  loop points, words of memory
//   store load (outline), conflict                                  accesses
//
// `<style>` and `<defs>`, to stand at the head of an SVG whose root has the class `selvage`.
std::string picture_style();

// Patterns that holes are told apart by; what has none of its own shares the last.
inline constexpr int kHolePatterns = 4;
// Steps of shading.
inline constexpr int kShades = 8;

}  // namespace selvage
