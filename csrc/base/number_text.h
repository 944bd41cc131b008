#pragma once

#include <charconv>
#include <string>

namespace selvage {

// The shortest decimal that reads back as the same float or double: "2", "0.5", "1e-06"; also
// "inf", "-inf", "nan".
template <class Real>
std::string shortest(Real v) {
  char digits[40];
  return {digits, std::to_chars(digits, digits + sizeof digits, v).ptr};
}

// The same for a finite number, never in the form of an integer: "2.0".
template <class Real>
std::string shortest_real(Real v) {
  std::string text = shortest(v);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace selvage
