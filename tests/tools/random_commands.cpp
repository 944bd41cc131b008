#include "tests/tools/random_commands.h"

#include <selvage/base/words.h>
#include <selvage/runtime/nvrtc.h>

#include <algorithm>

#include "tests/oracle/draws.h"

namespace selvage::test {

namespace {

using oracle::chance;
using oracle::draw;
using oracle::pick;
using Rng = std::mt19937_64;
using Texts = std::vector<std::string>;

const Texts kTypes = {"float", "half",  "double", "int32",  "int64",
                      "int8",  "int16", "uint8",  "uint32", "bfloat16"};

// As many names as asked for, each once.
Texts names(Rng& rng, Texts from, std::size_t count) {
  oracle::shuffle(rng, from);
  from.resize(std::min(count, from.size()));
  return from;
}

// What says how large the sizes are, and the words that every command has.
void finish(Rng& rng, Run& run, bool gives_sizes) {
  Command& c = run.command;
  std::string section;
  for (const auto& [name, value] : run.sizes) {
    if (!gives_sizes) continue;
    if (chance(rng, 3)) {
      section += (section.empty() ? "" : ", ") + name + ": " + std::to_string(value);
    } else {
      c.add("--size", name + "=" + std::to_string(value));
    }
  }
  if (!section.empty()) c.text() += "sizes: {" + section + "}\n";
  c.add("--run");
  c.add("--on", chance(rng, 2) ? "virtual" : "emulate");
  if (chance(rng, 4)) c.add("--loops");
}

// ---- the file ----

Command missing_file(Rng& rng) {
  Run run = random_run_of_any_kind(rng);
  Command& c = run.command;
  const bool simplifies = chance(rng, 4);
  const Texts wrong = {"@/case.yml",
                       "@/" + mistyped(rng, "case") + ".yaml",
                       "@/",
                       "@/folder",
                       "@/none/case",
                       "@/case.yaml/case",
                       "@/" + std::string(std::size_t(draw(rng, 256, 400)), 'x')};
  c.folders = {"@/folder"};
  if (!simplifies) {
    c.file = pick(rng, wrong);
    return c;
  }
  c.options = {{"--simplify", pick(rng, wrong)}};
  c.text() = "a\tI\ti:" + std::to_string(draw(rng, 2, 9)) + "\t\ti / 4\n";
  c.file = "";
  return c;
}

Command unknown_size(Rng& rng) {
  Run run = random_run_of_any_kind(rng);
  Command& c = run.command;
  const std::string value = "=" + std::to_string(draw(rng, 1, 20));
  Texts all;
  for (const auto& [name, size] : run.sizes) all.push_back(name);
  const std::string wrong = all.empty() || chance(rng, 3) ? pick(rng, Texts{"batch", "heads", "P"})
                                                          : mistyped(rng, pick(rng, all));
  std::vector<std::pair<std::string, std::string>> given;
  for (auto& [option, text] : c.options) {
    if (option == "--size") given.emplace_back(option, text);
  }
  if (!given.empty() && chance(rng, 2)) {  // mistyped instead of beside the right one
    std::string& text = *c.value_of("--size", given[0].second.substr(0, given[0].second.find('=')));
    text = mistyped(rng, text.substr(0, text.find('='))) + text.substr(text.find('='));
  } else {
    c.add("--size", wrong + value);
  }
  return c;
}

// Sizes outside of what the file says of them.
Command size_out_of_range(Rng& rng) {
  Command c;
  const std::int64_t min = draw(rng, 3, 30), step = draw(rng, 2, 9), max = draw(rng, 40, 80);
  const std::string n = pick(rng, Texts{"N", "rows", "len"});
  std::int64_t value = 0;
  std::string said;
  switch (draw(rng, 1, 3)) {
    case 1: said = "min: " + std::to_string(min), value = draw(rng, 1, min - 1); break;
    case 2: said = "max: " + std::to_string(max), value = draw(rng, max + 1, 3 * max); break;
    default:
      said = "multiple_of: " + std::to_string(step);
      value = step * draw(rng, 1, 9) + draw(rng, 1, step - 1);
  }
  const bool is_threads = chance(rng, 3);
  c.text() = "symbols: {" + n + ": {" + said + "}}\n" +
             (is_threads ? "arrays: {A: {shape: [" + n +
                               "], dtype: int32}}\nparallel: [{thread: [t: 4]}]\nbody: [inthreads: "
                               "{when: t == 0, do: [\"A[0] = 1\"]}]\n"
                         : "inputs: {x: {shape: [" + n +
                               "], dtype: float}}\ncompute: [\"y[i] = x[i] * 2\"]\n");
  c.add("--size", n + "=" + std::to_string(value));
  if (chance(rng, 2)) c.add("--run"), c.add("--on", "virtual");
  return c;
}

Command unmet(Rng& rng) {
  Command c;
  const std::int64_t factor = draw(rng, 2, 8);
  const std::string n = std::to_string(draw(rng, 9, 40)), f = std::to_string(factor);
  const std::string tensor = pick(rng, Texts{"y", "out", "total"});
  const std::string right = "a * " + f + " + b < " + n;
  std::string expect;
  switch (draw(rng, 1, 6)) {
    case 1: expect = "legal: false"; break;
    case 2: expect = "predicates: {" + tensor + ": [\"b < " + n + "\"]}"; break;
    case 3: expect = "predicates: {" + tensor + ": []}"; break;
    case 4: expect = "legal: true, predicates: {" + mistyped(rng, tensor) + ": []}"; break;
    case 5:
      expect = "legal: true, predicates: {" + tensor + ": [\"" + right + "\", \"a < 2\"]}";
      break;
    default: expect = "legal: true"; break;
  }
  const bool is_illegal = expect == "legal: true";
  c.text() = "inputs: {x: {shape: [" + n + "], dtype: float}}\ncompute: [\"" + tensor +
             "[i] = x[i]" + (is_illegal ? " + x[i + 1]" : " * 2") + "\"]\nschedule: {" + tensor +
             ": [{split: {in: i, factor: " + f +
             ", out: [a, b]}}, {bind: {a: BIDx, b: TIDx}}]}\nexpect: {" + expect + "}\n";
  // Where there is no gcc, no access is checked.
  if (SELVAGE_HAVE_LIBTCC) c.environment["PATH"] = "";
  c.add("--check");
  c.add("--on", "virtual");
  return c;
}

// ---- the command line itself ----

Command senseless(Rng& rng) {
  Run run = random_run_of_any_kind(rng);
  Command& c = run.command;
  const Texts flags = {"--json", "--loops", "--predicates", "--check", "--why", "--cuda"};
  const Texts valued = {"--size", "--input", "--output", "--print", "--save-inputs", "--svg"};
  switch (draw(rng, 1, 18)) {
    case 1: c.add(mistyped(rng, pick(rng, flags))); break;
    case 2: c.add(mistyped(rng, pick(rng, valued)), "@/value"); break;
    case 3: c.add("--" + pick(rng, Texts{"verbose", "threads", "output-folder"})); break;
    case 4: c.add("@/other.yaml"); break;
    case 5: c.add("--size", pick(rng, Texts{"N", "=4", "N=", "rows:4"})); break;
    case 6: c.add("--size", "N=" + pick(rng, Texts{"1e3", "-4", "4.5", "x", "0x10"})); break;
    case 7: c.options = {{"--size", "N=4"}, {"--size", "N=5"}}; break;
    case 8: c.add("--on", "virtual"), c.add("--on", "emulate"); break;
    case 9:
      for (auto& [option, value] : c.options) {
        if (option == "--on") value = pick(rng, Texts{"cpu", "cuda", "virtal", "Emulate"});
      }
      break;
    case 10:
      if (Nvrtc::instance() == nullptr) break;
      c.add("--arch", pick(rng, Texts{"sm90", "90", "hopper", "sm_9", "compute_90"}));
      break;
    case 11:
      std::erase_if(c.options, [](const auto& o) { return o.first == "--run"; });
      if (chance(rng, 2)) c.add(pick(rng, Texts{"--time"}));
      if (chance(rng, 2)) c.add("--save-inputs", "@/saved");
      break;
    case 12:
      if (!run.is_threads) c.add("--json");
      c.add("--dot");
      break;
    case 13: c.add(chance(rng, 2) ? "--rules" : "--schema"); break;
    case 14: c.options = {{"--rules", ""}, {"--schema", ""}}, c.file = ""; break;
    case 15: c.add("--seed", pick(rng, Texts{"abc", "1.5", "one"})); break;
    case 16: c.add(chance(rng, 2) ? "--seed" : pick(rng, valued)); break;
    case 17: c.add(pick(rng, flags) + "=" + pick(rng, Texts{"yes please", "abc", "2x"})); break;
    default: c.file = ""; break;
  }
  return c;
}

Command unwritten_picture(Rng& rng) {
  Run run = random_run_of_any_kind(rng);
  run.command.folders = {"@/folder"};
  run.command.add("--svg", pick(rng, Texts{"@/none/a.svg", "@/folder", "@/case.yaml/a.svg",
                                           "@/" + std::string(300, 'x')}));
  return run.command;
}

// ---- the machine and the environment ----

Command no_gpu(Rng& rng) {
  Run run = random_run_of_any_kind(rng);
  for (auto& [option, value] : run.command.options) {
    if (option == "--on") value = "gpu";
  }
  return run.command;
}

Command unknown_architecture(Rng& rng) {
  Command c;
  c.text() = "inputs: {x: {shape: [" + std::to_string(draw(rng, 100, 101)) +
             "], dtype: float}}\ncompute: [\"y[i] = x[i] * 2\"]\n";
  const std::string number = std::to_string(draw(rng, 10, 999));
  const Texts made = {"sm_" + number,
                      "sm_" + std::to_string(draw(rng, 10, 72)),
                      "sm_" + std::to_string(draw(rng, 131, 999)),
                      "sm_86a",
                      "sm_80a",
                      "sm_90f",
                      "sm_75f"};
  c.add("--arch", pick(rng, made));
  return c;
}

Command unusable_cache(Rng& rng) {
  Run run = random_run_of_any_kind(rng);
  Command& c = run.command;
  c.asks_for_cache = true;
  c.folders = {"@/folder"};
  c.environment["SELVAGE_CACHE_DIR"] = pick(
      rng,
      Texts{"@/file", "@/file/cache", "@/file/a/b", "@/open", "@/folder/" + std::string(300, 'x')});
  c.shared_folders = {"@/open"};
  c.texts["@/file"] = "no folder";
  return c;
}

Command bad_cache_bytes(Rng& rng) {
  Run run = random_run_of_any_kind(rng);
  Command& c = run.command;
  c.asks_for_cache = true;
  c.environment["SELVAGE_CACHE_DIR"] = "@/cache";
  const std::string n = std::to_string(draw(rng, 1, 4096));
  c.environment["SELVAGE_CACHE_BYTES"] =
      pick(rng, Texts{n + "G", n + "M", n + " MiB", "0x" + n, "-" + n, n + ".5", " " + n, "all",
                      "1e9", "99999999999999999999999"});
  return c;
}

Command bad_virtual_threads(Rng& rng) {
  Run run = random_run(rng);
  Command& c = run.command;
  for (auto& [option, value] : c.options) {
    if (option == "--on") value = "virtual";
  }
  c.environment["SELVAGE_VIRTUAL_THREADS"] =
      pick(rng, Texts{"two", "0", "-1", "17", std::to_string(draw(rng, 17, 999)), "1.5", "4x",
                      "0x4", " 4", "99999999999999"});
  return c;
}

const std::map<std::string, RandomCommand>& command_refusals() {
  static const std::map<std::string, RandomCommand> list = {
      {"E101", missing_file},
      {"E205", unknown_size},
      {"E310", size_out_of_range},
      {"E391", unmet},
      {"E623", no_gpu},
      {"E704", unknown_architecture},
      {"E711", unusable_cache},
      {"E712", bad_cache_bytes},
      {"E723", bad_virtual_threads},
      {"E801", senseless},
      {"E802", unwritten_picture},
  };
  return list;
}

}  // namespace

ArrayFile Run::array(const Tensor& tensor) const {
  ArrayFile file{.descr = descr_of(tensor.dtype), .shape = {}};
  for (const std::string& d : tensor.dims) {
    const auto size = sizes.find(d);
    file.shape.push_back(size == sizes.end() ? std::stoll(d) : size->second);
  }
  return file;
}

ArrayFile& Run::give(const Tensor& tensor) {
  const std::string path = "@/" + tensor.name + ".npy";
  if (command.value_of("--input", tensor.name) == nullptr) {
    command.add("--input", tensor.name + "=" + path);
  }
  return command.arrays[path] = array(tensor);
}

Run random_run(Rng& rng, bool gives_sizes) {
  Run run;
  const auto rank = std::size_t(draw(rng, 1, 3));
  const Texts sizes = names(rng, {"N", "M", "K", "rows", "cols", "len"}, rank);
  const Texts indices = names(rng, {"i", "j", "k", "m", "n"}, rank);
  const Texts inputs =
      names(rng, {"x", "z", "weight", "bias", "left", "scores"}, std::size_t(draw(rng, 1, 3)));
  const std::string dtype = pick(rng, kTypes);
  Texts dims;
  for (std::size_t k = 0; k < rank; ++k) {
    const bool is_size = chance(rng, 2) || (!gives_sizes && k == 0);
    dims.push_back(is_size ? sizes[k] : std::to_string(draw(rng, 2, 9)));
    if (is_size) run.sizes[sizes[k]] = draw(rng, 2, 9);
  }
  run.output = pick(rng, Texts{"y", "out", "total"});
  std::string declared, sum;
  for (const std::string& name : inputs) {
    Run::Tensor tensor{.name = name, .dtype = dtype, .dims = dims};
    Texts at = indices;
    if (name != inputs[0] && rank > 1 && chance(rng, 2)) {  // a row
      tensor.dims.erase(tensor.dims.begin());
      at.erase(at.begin());
    }
    declared += (declared.empty() ? "" : ", ") + name + ": {shape: [" + joined(tensor.dims) +
                "], dtype: " + dtype + "}";
    sum += (sum.empty() ? "" : " + ") + name + "[" + joined(at) + "]";
    run.inputs.push_back(std::move(tensor));
  }
  std::string& text = run.command.text();
  for (const auto& [name, value] : run.sizes) {
    text += (text.empty() ? "symbols: {" : ", ") + name + ": {min: 1}";
  }
  if (!text.empty()) text += "}\n";
  text += "inputs: {" + declared + "}\ncompute: [\"" + run.output + "[" + joined(indices) +
          "] = " + sum + "\"]\n";
  finish(rng, run, gives_sizes);
  return run;
}

Run random_thread_run(Rng& rng, bool gives_sizes) {
  Run run;
  run.is_threads = true;
  const Texts arrays = names(rng, {"A", "B", "C", "left", "right"}, std::size_t(draw(rng, 2, 3)));
  const std::string dtype = pick(rng, Texts{"int32", "int64", "float", "double"});
  const std::string n = pick(rng, Texts{"n", "N", "count", "len"});
  const std::string threads = std::to_string(draw(rng, 2, 32));
  const bool is_size = !gives_sizes || chance(rng, 2);
  if (is_size) run.sizes[n] = draw(rng, 2, 9);
  const std::string rows = is_size ? n : std::to_string(draw(rng, 2, 9));
  std::string declared;
  for (const std::string& name : arrays) {
    declared += (declared.empty() ? "" : ", ") + name + ": {shape: [" + rows + ", " + threads +
                "], dtype: " + dtype + "}";
    run.inputs.push_back({.name = name, .dtype = dtype, .dims = {rows, threads}});
  }
  run.output = arrays[0];
  std::string& text = run.command.text();
  if (is_size) text += "symbols: {" + n + ": {min: 1}}\n";
  text += "arrays: {" + declared + "}\nparallel: [{thread: [t: " + threads +
          "]}]\nbody: [{for: {index: r, in: " + rows + ", do: [\"" + arrays[0] +
          "[r, t] = " + arrays[1] + "[r, t] + 1\"]}}]\n";
  finish(rng, run, gives_sizes);
  return run;
}

Run random_run_of_any_kind(Rng& rng) {
  return chance(rng, 3) ? random_thread_run(rng) : random_run(rng);
}

std::string mistyped(Rng& rng, const std::string& word) {
  std::string wrong = word;
  const std::size_t first = word.starts_with("--") ? 2 : 0;
  const auto at = std::size_t(draw(rng, std::int64_t(first), std::int64_t(word.size()) - 1));
  const char other = char('a' + draw(rng, 0, 25));
  switch (draw(rng, 1, 4)) {
    case 1: wrong.insert(at, 1, word[at]); break;
    case 2: wrong.insert(at, 1, other); break;
    case 3: wrong[at] = other; break;
    default:
      if (word.size() > first + 1) {
        wrong.erase(at, 1);
      } else {
        wrong += other;
      }
  }
  return wrong;
}

std::vector<std::string> refused_command_codes() {
  std::vector<std::string> codes;
  for (const auto* list : {&command_refusals(), &run_refusals()}) {
    for (const auto& [code, make] : *list) codes.push_back(code);
  }
  std::sort(codes.begin(), codes.end());
  return codes;
}

Command random_command_refused_with(const std::string& code, Rng& rng) {
  const auto run = run_refusals().find(code);
  return run != run_refusals().end() ? run->second(rng) : command_refusals().at(code)(rng);
}

}  // namespace selvage::test
