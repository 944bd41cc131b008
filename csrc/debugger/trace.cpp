#include <selvage/debugger/trace.h>
#include <selvage/debugger/views.h>
#include <selvage/emulate/memory.h>
#include <selvage/ir/identity.h>

#include <nlohmann/json.hpp>

#include <cmath>

namespace selvage {

namespace {

// Keys stay in the order in which they are put.
using Json = nlohmann::ordered_json;

Json number(Scalar value) {
  if (!is_floating(value.type)) return value.integer;
  const double real = as_real(value);
  if (!std::isfinite(real)) return value_text(value);
  return value.type == DataType::Float ? Json::parse(to_text(value)) : Json(real);
}

Json place(const RunView& view, const char* what) {
  return {{"do", what}, {"block", LaunchGeometry::at(view.block(), view.geometry().grid)}};
}

}  // namespace

void Trace::begin_kernel(const RunView& view) {
  names_.emplace(view, shapes_);
  const LaunchGeometry& geometry = view.geometry();
  const Json line = {
      {"kernel", view.kernel().name}, {"grid", geometry.grid}, {"block", geometry.block}};
  out_ << line << '\n';
}

void Trace::access(const char* what, const RunView& view, BufferId b, std::int64_t address,
                   Scalar value) {
  Json line = place(view, what);
  line["thread"] = LaunchGeometry::at(view.thread(), view.geometry().block);
  line["line"] = names_->line_of(view.at());
  line["memory"] = view.kernel().buffers[b].name;
  line["address"] = address;
  if (const auto item = names_->item(b, address)) line["item"] = *item;
  line["value"] = number(value);
  Json& at = line["at"] = Json::object();
  for (PlaceId id : view.scope()) {
    const Expr variable = view.tree()[id].variable;
    if (const auto now = view.variable(variable)) at[std::string(variable.name())] = *now;
  }
  out_ << line << '\n';
}

void Trace::loaded(const RunView& view, BufferId b, std::int64_t address, Scalar value) {
  access("load", view, b, address, value);
}

void Trace::stored(const RunView& view, BufferId b, std::int64_t address, Scalar value) {
  access("store", view, b, address, value);
}

void Trace::met(const RunView& view, PlaceId at, std::span<const RunView::Thread> threads) {
  Json line = place(view, "meet");
  line["line"] = names_->line_of(at);
  line["threads"] = threads.size();
  out_ << line << '\n';
}

void Trace::found(const RunView& view, const Fault& fault) {
  Json line = place(view, "fault");
  line["thread"] = fault.thread;
  line["text"] = fault.text;
  out_ << line << '\n';
}

}  // namespace selvage
