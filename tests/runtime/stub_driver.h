// A Driver over the stand-in of tests/driver_stub/.
#pragma once

#include <selvage/base/check.h>
#include <selvage/runtime/driver.h>
#include <selvage/runtime/shared_library.h>
#include <tests/driver_stub/driver_stub.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace selvage::test {

inline const std::string kStub = SELVAGE_DRIVER_STUB_PATH;

// The stand-in itself: it stays loaded, so that what is set before a Driver is opened holds.
inline driver_stub::Control& stub_control() {
  static driver_stub::Control& control = []() -> driver_stub::Control& {
    std::string why;
    static const auto library = SharedLibrary::open(kStub, why);
    SELVAGE_CHECK(library.has_value());
    void* entry = library->symbol("driver_stub_control");
    SELVAGE_CHECK(entry != nullptr);
    return *reinterpret_cast<driver_stub::Control* (*)()>(entry)();
  }();
  return control;
}

// What its driver compiles: k reads a pointer and a number, the others nothing.
inline const std::string kPtx =
    ".version 8.0\n"
    ".target sm_90a\n"
    ".address_size 64\n"
    ".visible .entry k(.param .u64 p, .param .u32 n) { ret; }\n"
    ".visible .entry first() { ret; }\n"
    ".visible .entry second() { ret; }\n"
    ".visible .entry third() { ret; }\n";

// A cubin to the stand-in: an ELF header that speaks of nothing, and the text.
inline std::vector<std::byte> cubin(const std::string& text = kPtx) {
  std::string image(
      "\x7F"
      "ELF\2");
  image.resize(64, '\0');
  image += text;
  image += '\0';
  const auto bytes = std::as_bytes(std::span(image));
  return {bytes.begin(), bytes.end()};
}

class StubbedDriver : public testing::Test {
 protected:
  void SetUp() override { stub.reset(); }
  void TearDown() override {
    if (!HasFailure()) {
      EXPECT_EQ(stub.held(), "");
    }
  }
  static std::string refusal(const auto& action) { return refusal_by<Error>(action); }
  // The calls of this name, or all, one a line.
  std::string calls(const std::string& name = "") const {
    std::string text;
    for (const std::string& call : stub.calls()) {
      if (call.rfind(name, 0) == 0) text += call + "\n";
    }
    return text;
  }

  driver_stub::Control& stub = stub_control();
};

}  // namespace selvage::test
