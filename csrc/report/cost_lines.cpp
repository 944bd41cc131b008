#include <selvage/report/cost_lines.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

std::string_view name_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::Read: return "read";
    case AccessKind::Write: return "store";
    case AccessKind::Atomic: return "atomic store";
    case AccessKind::Signal: return "signal";
  }
  return "";
}

void print_access(const AccessCost& a, Lines& out) {
  std::string line = fmt::format("{} {}, {} bytes a thread: {} requests, {} bytes",
                                 name_of(a.requests.kind), a.buffer, a.requests.bytes,
                                 grouped(double(a.requests.requests)), grouped(double(a.bytes())));
  if (a.memory == Memory::Global) {
    line += fmt::format(" in {} sectors", grouped(double(a.requests.sectors)));
  } else {
    line +=
        fmt::format(" of shared memory in {} wavefronts, {} of them for conflicts",
                    grouped(double(a.requests.wavefronts)), grouped(double(a.requests.conflicts)));
  }
  if (!a.requests.is_exact) line += " (an estimate: data decide)";
  out.line(4, line);
  if (const std::string note = note_of(a); !note.empty()) out.line(6, note);
}

void print_kernel(const KernelCost& k, Lines& out) {
  out.line(2, fmt::format("{}: {}, {:.0f} % of the peak bandwidth, limited by {}", k.name,
                          time_text(k.time), 100 * k.time.peak_share, limit_text(k.time.limiter)));
  out.line(4, fmt::format("{} bytes from and to memory, {} from and to L2; about {} registers a "
                          "thread, {} bytes of shared memory and {:.0f} barriers a block",
                          grouped(k.work.dram_bytes), grouped(k.work.l2_bytes), k.work.registers,
                          k.work.shared_bytes, k.work.barriers));
  out.line(4,
           fmt::format("{} blocks of {} threads, {:.1f} waves; on each multiprocessor {:.0f} KiB "
                       "in flight and {:.0f} % of its threads",
                       grouped(double(k.work.blocks)), k.work.threads, k.time.waves,
                       k.time.bytes_in_flight / 1024, 100 * k.time.occupancy));
  print_some(k.accesses, 4, out, [&](const AccessCost& a) {
    if (a.requests.requests > 0) print_access(a, out);
  });
}

}  // namespace

std::string grouped(double value) {
  const std::string digits = fmt::format("{:.0f}", value);
  std::string text;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && (digits.size() - k) % 3 == 0) text += ',';
    text += digits[k];
  }
  return text;
}

std::string time_text(const LaunchTime& time) {
  if (std::isinf(time.seconds)) return "no time, as no block fits on a multiprocessor";
  return fmt::format("about {:.1f} us", time.seconds * 1e6);
}

std::string_view limit_text(Limiter limiter) {
  switch (limiter) {
    case Limiter::Memory: return "the bandwidth of memory";
    case Limiter::Cache: return "the bandwidth of L2";
    case Limiter::Latency: return "the latency of loads and barriers";
    case Limiter::Issue: return "the rate of instructions";
    case Limiter::Blocks: return "the number of blocks";
    case Limiter::Launch: return "the time of a launch";
  }
  return "";
}

std::string_view name_of(Limiter limiter) {
  switch (limiter) {
    case Limiter::Memory: return "memory";
    case Limiter::Cache: return "cache";
    case Limiter::Latency: return "latency";
    case Limiter::Issue: return "issue";
    case Limiter::Blocks: return "blocks";
    case Limiter::Launch: return "launch";
  }
  return "";
}

std::string note_of(const AccessCost& a) {
  const AccessRequests& r = a.requests;
  const std::string loop = a.thread_loop.empty() ? "thread" : a.thread_loop + " (TIDx)";
  if (a.is_scattered()) {
    const std::string each =
        fmt::format("{:.1f} sectors a request", double(r.sectors) / double(r.requests));
    if (!r.stride || std::abs(*r.stride) <= r.bytes) return "not coalesced: " + each;
    return fmt::format("not coalesced: from one {} to the next the address moves by {} bytes; {}",
                       loop, *r.stride, each);
  }
  if (r.conflicts == 0) return {};
  return fmt::format("bank conflicts: {:.1f} wavefronts a request",
                     double(r.wavefronts) / double(r.requests)) +
         (r.stride && std::abs(*r.stride) > r.bytes
              ? fmt::format("; from one {} to the next the address moves by {} bytes", loop,
                            *r.stride)
              : "");
}

void print_scaled(const Device& device, Lines& out) {
  if (device.scaled_from.empty()) return;
  out.line(2,
           "(bandwidth over bytes in flight, latency and L2 as far as nobody has given them: "
           "scaled from those of " +
               device.scaled_from + ")");
}

void add_costs(const Device& device, Report& report) {
  for (FusionReport& fusion : report.fusions) {
    if (fusion.program) fusion.cost = cost_of(*fusion.program, {}, device);
  }
}

void print_cost(const FusionReport& fusion, Lines& out) {
  if (!fusion.program) return out.heading("Cost of " + fusion.name + ": no kernel runs");
  if (!fusion.cost) {
    out.heading(
        "Cost of " + fusion.name +
        ": not known at these sizes; others may be given by --size, or fewer loops around an "
        "access by a schedule");
    return;
  }
  const ProgramCost& cost = *fusion.cost;
  std::string heading = fmt::format("Cost on {}: ", cost.device.name);
  heading += time_text({.seconds = cost.seconds});
  std::string sizes;
  for (const auto& [name, value] : cost.sizes) {
    sizes += fmt::format("{}{} = {}", sizes.empty() ? ", at " : ", ", name, value);
  }
  out.heading(heading + sizes);
  print_scaled(cost.device, out);
  std::string rows;
  for (const auto& [offsets, items] : cost.rows) {
    rows += fmt::format("{}{:.3g} by {}", rows.empty() ? "" : ", ", items, offsets);
  }
  if (!rows.empty()) {
    out.line(2, "without data, all rows are taken to have equally many items: " + rows);
  }
  out.line(2,
           fmt::format("{} bytes from and to memory, {:.2f} of the {} that each input and output "
                       "takes once",
                       grouped(cost.dram_bytes),
                       cost.dram_bytes / std::max(1.0, double(cost.floor_bytes)),
                       grouped(double(cost.floor_bytes))));
  for (const KernelCost& kernel : cost.kernels) print_kernel(kernel, out);
}

}  // namespace selvage
