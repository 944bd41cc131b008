#include "tests/values/page_case.h"

#include <selvage/base/diagnostic.h>
#include <selvage/driver/run.h>
#include <selvage/emulate/reference.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/ir/schedule.h>

namespace selvage::values {

namespace {

using Arrays = std::map<std::string, Array>;
using Sizes = std::map<std::string, std::int64_t>;

std::string name_of(std::size_t k) { return std::string(1, char('a' + k)); }

Array array_of(const Given& given) {
  Array a(given.type, {std::int64_t(given.items.size())});
  for (std::size_t k = 0; k < given.items.size(); ++k) {
    set_item(a, std::int64_t(k), given.items[k]);
  }
  return a;
}

bool has_nothing(const PageCase& c) {
  for (const Given& g : c.inputs) {
    if (g.items.empty()) return true;
  }
  return false;
}

std::string file_of(const PageCase& c) {
  std::string text = has_nothing(c) ? "symbols: {N: {min: 0}}\ninputs:\n" : "inputs:\n";
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    const std::size_t n = c.inputs[k].items.size();
    text += "  " + name_of(k) + ": {shape: [" + (n == 0 ? "N" : std::to_string(n)) +
            "], dtype: " + std::string(to_string(c.inputs[k].type)) + "}\n";
  }
  text += std::string("outputs: {") + (c.expected_before ? "t: {}, " : "") + "y: {}}\ncompute:\n";
  if (!c.before.empty()) text += "  - \"" + c.before + "\"\n";
  return text + "  - \"" + c.statement + "\"\n";
}

std::string difference(const std::string& name, const Given& expected, const Array& actual) {
  if (actual.type != expected.type) {
    return name + " is of " + std::string(to_string(actual.type)) + ", not of " +
           std::string(to_string(expected.type));
  }
  if (actual.size() != std::int64_t(expected.items.size())) return name + " has another shape";
  for (std::size_t k = 0; k < expected.items.size(); ++k) {
    const Element e = item_of(actual, std::int64_t(k));
    if (is_as_expected(expected.items[k], e)) continue;
    return name + " item " + std::to_string(k) + " is " + to_text(e) + ", by the page " +
           to_text(expected.items[k]);
  }
  return "";
}

std::string run_everywhere(const PageCase& c, const Fusion& fusion, const Schedule& schedule) {
  Arrays inputs;
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    inputs.emplace(name_of(k), array_of(c.inputs[k]));
  }
  Sizes sizes;
  if (has_nothing(c)) sizes.emplace("N", 0);
  const auto judged = [&](const std::string& where, const Array& y, const Array* t) {
    std::string text = difference("y", c.expected, y);
    if (text.empty() && t != nullptr) text = difference("t", *c.expected_before, *t);
    return text.empty() ? text : where + text;
  };
  const std::vector<Array> reference = run_reference(fusion, sizes, inputs);
  const Array* before = c.expected_before ? &reference.front() : nullptr;
  std::string text = judged("reference: ", reference.back(), before);
  const Program program = lower(fusion, schedule);
  for (const Machine machine : {Machine::Emulate, Machine::Virtual}) {
    if (!text.empty()) break;
    RunRequest request{.sizes = sizes, .inputs = inputs};
    request.on = machine;
    const RunResult result = run(fusion, program, request);
    text = judged(std::string(to_string(machine)) + ": ", result.outputs.at("y"),
                  c.expected_before ? &result.outputs.at("t") : nullptr);
  }
  return text;
}

std::string by_calls(const PageCase& c) {
  Fusion f;
  std::vector<Tensor> tensors;
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    const std::size_t n = c.inputs[k].items.size();
    const Expr extent = n != 0 ? f.constant(std::int64_t(n)) : f.extent("N", 0);
    tensors.push_back(f.input(name_of(k), {extent}, c.inputs[k].type));
  }
  if (c.call_before) {
    Tensor t = c.call_before(tensors);
    if (c.expected_before) t = f.output("t", t);
    tensors.push_back(t);
  }
  f.output("y", c.call(tensors));
  return run_everywhere(c, f, Schedule(f));
}

std::string as_a_file(const PageCase& c) {
  Sizes sizes;
  if (has_nothing(c)) sizes.emplace("N", 0);
  const ScheduleFile file = read_schedule_text(file_of(c), "page.yaml", sizes);
  if (!file.schedule) return "illegal: " + file.illegal.at(0).message;
  return run_everywhere(c, *file.fusion, *file.schedule);
}

}  // namespace

Given wholes(DataType type, std::initializer_list<Wide> items) {
  Given given{.type = type};
  for (const Wide v : items) given.items.push_back(whole(type, v));
  return given;
}

Given reals(DataType type, std::initializer_list<double> items) {
  Given given{.type = type};
  for (const double v : items) {
    given.items.push_back(cast(Element{.type = DataType::Double, .real = v}, type));
  }
  return given;
}

std::string wrong(const PageCase& c) {
  const auto tried = [&](const std::string& how, auto run) -> std::string {
    std::string code, text;
    try {
      text = run(c);
    } catch (const Error& e) {
      code = e.diagnostic().code, text = e.what();
    } catch (const BadFile& e) {
      code = e.diagnostics().at(0).code, text = e.what();
    }
    if (!c.refused.empty() && code == c.refused) return "";
    if (!c.refused.empty() && text.empty()) text = "accepted";
    return text.empty() ? "" : how + ": " + text + "\n" + file_of(c);
  };
  return tried("by calls", by_calls) + tried("as a file", as_a_file);
}

}  // namespace selvage::values
