#pragma once

#include <selvage/base/diagnostic.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace selvage {

// A name that a user gives: [A-Za-z_][A-Za-z0-9_]*, at most 64 long, not beginning with "__", and
// free to stand in emitted code: no keyword or built-in of C++, C or CUDA (E203), and nothing that
// the expression language or the emitter uses itself (E202): min, max, select, ceilDiv, _t followed
// by digits, NAME_stride_NAME.
//
// What is wrong with `name`, found at `place`; nothing if it may be used.
std::optional<Diagnostic> check_name(std::string_view name, const Place& place);

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
// [A-Za-z_][A-Za-z0-9_]*
bool is_identifier(std::string_view text);

// The word that was probably meant: the one with the fewest typing mistakes, if these are few.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> words);

// The first `count` characters of UTF-8 text, each of them whole.
std::string_view first_characters(std::string_view text, std::size_t count);

// Text of a file as a message shows it: in quotes, on one line, cut after 40 characters.
std::string shown(std::string_view text);

}  // namespace selvage
