#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <string>
#include <string_view>

namespace selvage {

// Says from which known device some numbers of a device are scaled.
void print_scaled(const Device& device, Lines& out);
// Counts what every program of the report costs on a device.
void add_costs(const Device& device, Report& report);

// The cost of a fusion's program, kernel by kernel and access by access.
void print_cost(const FusionReport& fusion, Lines& out);

// What makes an access dearer than its bytes, and the loop to blame; empty if nothing does.
std::string note_of(const AccessCost& access);

std::string grouped(double value);  // 1234567 as "1,234,567"
// "about 12.3 us"
std::string time_text(const LaunchTime& time);
std::string_view limit_text(Limiter limiter);  // "the bandwidth of memory"
std::string_view name_of(Limiter limiter);     // "memory", for JSON

}  // namespace selvage
