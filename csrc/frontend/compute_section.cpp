#include <selvage/frontend/sections.h>
namespace selvage {
void read_fusion(const Node&, FileContext&, ScheduleFile&) {}
}
