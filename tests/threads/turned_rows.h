// Programs that turn each row of 32 numbers round.
#pragma once

#include <selvage/driver/run_threads.h>

#include <gtest/gtest.h>

namespace selvage::threads {

// Runs a program from x to y, of so many rows, on every machine that needs no GPU.
inline void expect_turned_rows(const ThreadProgram& program, std::int64_t rows) {
  Array numbers(DataType::Int32, {rows, 32});
  for (std::int64_t i = 0; i < numbers.size(); ++i) numbers.set_int(i, i);
  for (Machine machine : {Machine::Emulate, Machine::Virtual}) {
    const ThreadRun run = run_threads(program, {.inputs = {{"x", numbers}}, .on = machine});
    EXPECT_TRUE(run.passed());
    for (std::int64_t i = 0; i < numbers.size(); ++i) {
      EXPECT_EQ(run.outputs.at("y").get_int(i), i / 32 * 32 + 31 - i % 32);
    }
  }
}

}  // namespace selvage::threads
