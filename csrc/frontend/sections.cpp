#include <selvage/base/names.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/sections.h>

#include <algorithm>

namespace selvage {

DataType as_data_type(const Node& node, std::string_view what) {
  return DataType(as_one_of(node, what, Form::Type));
}

TensorType as_tensor_type(const Node& node, std::string_view what) {
  const std::size_t number = as_one_of(node, what, Form::TensorType);
  constexpr auto kRealTypes = std::size_t(DataType::Double) + 1;
  if (number < kRealTypes) return {DataType(number), false};
  return {number == kRealTypes ? DataType::Float : DataType::Double, true};
}

const std::string& tensor_name(const Entry& entry, const FileSymbols& symbols) {
  symbols.check_no_symbol(key_as_name(entry), entry.place, "the tensor " + entry.key);
  return entry.key;
}

std::vector<FileBinding> read_bindings(const Node& node, const DomainNames& names,
                                       Diagnostics& errors) {
  std::vector<FileBinding> bindings;
  for (const Entry& entry : expect_map(node, "bind")) {
    errors.attempt([&] {
      const std::size_t d = names.find(entry.key, entry.place, "bind");
      const std::string what = "bind." + entry.key;
      const auto type = ParallelType(as_one_of(entry.value, what, Form::Parallel));
      bindings.push_back({d, type, entry.value.place});
    });
  }
  return bindings;
}

void iterate(Schedule& schedule, TensorId t, const FileIteration& iteration,
             std::vector<DomainId>& domains) {
  for (const FileTransform& transform : iteration.transforms) {
    const std::vector<std::string> names = names_made(transform, iteration.names);
    at_place<Illegal>(transform.place, [&] {
      const auto made = schedule.derive(t, request(transform, domains), names);
      // What a view has made already goes by its later name here.
      for (std::size_t k = 0; k < made.size(); ++k) schedule.rename(t, made[k], names[k]);
      domains.insert(domains.end(), made.begin(), made.end());
    });
  }
  std::vector<DomainId> loops;
  for (std::size_t d : iteration.loops) loops.push_back(domains[d]);
  at_place<Illegal>(iteration.place, [&] { schedule.set_loops(t, std::move(loops)); });
  for (const FileBinding& b : iteration.bindings) {
    at_place<Illegal>(b.place, [&] { schedule.bind({t, domains[b.domain]}, b.type); });
  }
}

Consequences consequences(std::span<const FileTransform> transforms, std::size_t names,
                          std::span<const std::size_t> from) {
  Consequences result{std::vector<bool>(names, false), {}};
  std::vector<std::vector<std::size_t>> around(names);
  for (std::size_t t = 0; t < transforms.size(); ++t) {
    for (const auto* side : {&transforms[t].in, &transforms[t].out}) {
      for (std::size_t d : *side) around[d].push_back(t);
    }
  }
  std::vector<bool> crossed(transforms.size(), false);
  std::vector<std::size_t> open;
  const auto learn = [&](std::size_t d) {
    if (result.known[d]) {
      if (!result.twice) result.twice = d;
      return;
    }
    result.known[d] = true;
    open.push_back(d);
  };
  for (std::size_t d : from) learn(d);
  const auto all_known = [&](const std::vector<std::size_t>& side) {
    return std::all_of(side.begin(), side.end(), [&](std::size_t d) { return result.known[d]; });
  };
  for (std::size_t next = 0; next < open.size(); ++next) {
    for (std::size_t t : around[open[next]]) {
      if (crossed[t]) continue;
      const bool forward = all_known(transforms[t].in);
      if (!forward && !all_known(transforms[t].out)) continue;
      crossed[t] = true;
      for (std::size_t d : forward ? transforms[t].out : transforms[t].in) learn(d);
    }
  }
  return result;
}

}  // namespace selvage
