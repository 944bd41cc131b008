// Random commands whose arrays, or whose sizes in a run, are refused.
#include <algorithm>

#include "tests/oracle/draws.h"
#include "tests/tools/random_commands.h"

namespace selvage::test {

namespace {

using oracle::chance;
using oracle::draw;
using oracle::number;
using oracle::pick;
using Rng = std::mt19937_64;
using Texts = std::vector<std::string>;

const Run::Tensor& some_input(Rng& rng, const Run& run) { return pick(rng, run.inputs); }

// E601: more than any machine holds.
Command too_large(Rng& rng) {
  Command c;
  const std::string n = std::to_string((std::int64_t(1) << draw(rng, 42, 46)) + draw(rng, 0, 999));
  const std::string m = number(rng, 2, 9), type = pick(rng, Texts{"float", "int32", "double"});
  switch (draw(rng, 1, 4)) {
    case 1:
      c.text() = "inputs: {x: {shape: [" + m + ", " + n + "], dtype: " + type +
                 "}}\ncompute: [\"y[i, j] = x[i, j] + 1\"]\nschedule: {y: [{bind: {i: BIDx}}]}\n";
      break;
    case 2:
      c.text() = "inputs: {x: {shape: [N], dtype: " + type + "}, z: {shape: [M], dtype: " + type +
                 "}}\ncompute: [\"y[i, j] = x[i] + z[j]\"]\nschedule: {y: [{bind: {i: BIDx}}]}\n";
      c.add("--size", "N=" + m);
      c.add("--size", "M=" + n);
      break;
    case 3:
      c.text() = "tensors: {T0: {dtype: " + type + ", logical: {a: " + m + ", b: " + n + "}}}\n";
      break;
    default:
      c.text() = "arrays: {A: {shape: [" + n + "], dtype: " + type +
                 "}}\nparallel: [{thread: [t: 8]}]\nbody: [\"A[t] = 1\"]\n";
      break;
  }
  c.add("--run");
  c.add("--on", chance(rng, 2) ? "virtual" : "emulate");
  return c;
}

// What is no array that can be read, of what would be one.
std::string spoilt(Rng& rng, const ArrayFile& array) {
  const auto with = [](const std::string& header, int version = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += char(version);
    bytes += '\0';
    bytes += char(header.size() & 255);
    bytes += char(header.size() >> 8);
    if (version > 1) bytes += std::string(2, '\0');
    return bytes + header;
  };
  const std::string descr = "'descr': '" + array.descr + "', ", order = "'fortran_order': False, ";
  switch (draw(rng, 1, 13)) {
    case 1: return "";
    case 2: return "1.0,2.0,3.0\n";
    case 3: return "PK\x03\x04 an archive";
    case 4: return std::string("\x93NUMPY", 6).substr(0, std::size_t(draw(rng, 1, 6)));
    case 5: return with("{" + descr + order + "'shape': (3,)}", int(draw(rng, 4, 9)));
    case 6: return with("{" + descr + order + "'shape': (3,)}") + "xyz";  // stops short
    case 7: return with("{" + descr + order + "'shape': (" + number(rng, -9, -1) + ",)}");
    case 8: return with("{" + descr + order + "}");
    case 9: return with("{" + descr + order + "'shape': (3,), 'more': 1}");
    case 10: return with("{" + descr + "'fortran_order': no, 'shape': (3,)}");
    case 11: return with("{'descr': [('a', '<f4')], " + order + "'shape': (3,)}");
    case 12: return with("{" + descr + order + "'shape': (99999999999999999999,)}");
    default: return with("{" + descr + order + "'shape': (3,)").substr(0, 30);
  }
}

Command unreadable_array(Rng& rng) {
  Run run = random_run_of_any_kind(rng);
  Command& c = run.command;
  const Run::Tensor& tensor = some_input(rng, run);
  ArrayFile& array = run.give(tensor);
  array.fortran_order = chance(rng, 3);
  const Texts types = {">f4",  ">i8", ">u2", ">f8", ">f2", ">c8", ">b1", "<c8",
                       "<f16", "<U4", "|O",  "<M8", "|S1", "|V8", "=f4"};
  switch (draw(rng, 1, 4)) {
    case 1: array.descr = pick(rng, types); break;
    case 2: {
      c.folders = {"@/folder"};
      std::string& value = *c.value_of("--input", tensor.name);
      value = tensor.name + "=" +
              pick(rng, Texts{"@/none.npy", "@/folder", "@/none/x.npy", "@/case.yaml/x.npy",
                              "@/" + mistyped(rng, tensor.name) + "_.npy"});
      break;
    }
    default: array.instead = spoilt(rng, array); break;
  }
  return c;
}

Command unwritable_array(Rng& rng) {
  Run run = random_run_of_any_kind(rng);
  Command& c = run.command;
  c.folders = {"@/folder", "@/saved/" + run.inputs[0].name + ".npy"};
  if (chance(rng, 3)) {
    c.add("--save-inputs", pick(rng, Texts{"@/case.yaml", "@/case.yaml/inputs", "@/saved",
                                           "@/" + std::string(300, 'x')}));
  } else {
    c.add("--output", run.output + "=" +
                          pick(rng, Texts{"@/none/y.npy", "@/folder", "@/case.yaml/y.npy",
                                          "@/" + std::string(300, 'x') + ".npy"}));
  }
  return c;
}

Command unknown_input(Rng& rng) {
  Run run = random_run_of_any_kind(rng);
  Command& c = run.command;
  for (const Run::Tensor& tensor : run.inputs) {
    if (chance(rng, 2)) run.give(tensor);
  }
  const Run::Tensor& meant = some_input(rng, run);
  const std::string wrong =
      chance(rng, 2) ? mistyped(rng, meant.name) : pick(rng, Texts{"input", "a", run.output});
  if (c.value_of("--input", wrong) != nullptr) return c;
  c.arrays["@/given.npy"] = run.array(meant);
  c.add("--input", wrong + "=@/given.npy");
  return c;
}

Command unknown_output(Rng& rng) {
  Run run = random_run(rng);
  Command& c = run.command;
  const std::string wrong = chance(rng, 2) ? mistyped(rng, run.output)
                                           : pick(rng, Texts{"result", run.inputs[0].name, "b"});
  if (chance(rng, 2)) {
    if (chance(rng, 3)) c.add("--output", run.output + "=@/right.npy");
    c.add("--output", wrong + "=@/out.npy");
  } else {
    c.add("--print", wrong);
  }
  return c;
}

Command other_shape(Rng& rng) {
  Run run = random_run_of_any_kind(rng);
  ArrayFile& array = run.give(some_input(rng, run));
  switch (draw(rng, 1, 4)) {
    case 1: array.shape.push_back(draw(rng, 1, 4)); break;
    case 2: array.shape.insert(array.shape.begin(), draw(rng, 1, 4)); break;
    case 3: array.shape.pop_back(); break;
    default:
      array.shape[std::size_t(draw(rng, 0, std::int64_t(array.shape.size()) - 1))] +=
          draw(rng, 1, 5);
  }
  return run.command;
}

Command other_type(Rng& rng) {
  Run run = random_run_of_any_kind(rng);
  ArrayFile& array = run.give(some_input(rng, run));
  array.descr = pick(rng, Texts{"<f4", "<f8", "<f2", "<i4", "<i8", "|i1", "<i2", "|u1", "<u2",
                                "<u4", "<u8", "|b1"});
  return run.command;
}

Command open_size(Rng& rng) {
  Run run = chance(rng, 3) ? random_thread_run(rng, false) : random_run(rng, false);
  const std::size_t given = std::size_t(draw(rng, 0, std::int64_t(run.sizes.size()) - 1));
  std::size_t k = 0;
  for (const auto& [name, value] : run.sizes) {
    if (k++ < given) run.command.add("--size", name + "=" + std::to_string(value));
  }
  return run.command;
}

// E615: the shape of an array tells a size that what is said of it rules out.
Command ruled_out(Rng& rng) {
  Command c;
  const std::int64_t step = draw(rng, 2, 9), min = draw(rng, 5, 20), max = min + draw(rng, 10, 30);
  std::int64_t n = draw(rng, min, max), k = draw(rng, 2, n);
  std::string known, fact = "K <= N";
  switch (draw(rng, 1, 5)) {
    case 1: known = "min: " + std::to_string(min), n = draw(rng, 0, min - 1); break;
    case 2: known = "max: " + std::to_string(max), n = draw(rng, max + 1, 3 * max); break;
    case 3:
      known = "multiple_of: " + std::to_string(step);
      n = step * draw(rng, 0, 9) + draw(rng, 1, step - 1);
      break;
    case 4: k = n + draw(rng, 1, 9); break;
    default:
      fact = "N == K * " + std::to_string(step);
      known = "multiple_of: " + std::to_string(step);
      n = step * (k + draw(rng, 1, 4));
      break;
  }
  c.text() = "symbols: {N: {" + known + "}, K: {min: 1}}\nfacts: [\"" + fact +
             "\"]\ninputs: {x: {shape: [N], dtype: float}, z: {shape: [K], dtype: float}}\n"
             "compute: [\"y[i] = x[i] * 2\", \"w[i] = z[i] + 1\"]\n";
  c.add("--input", "x=@/x.npy");
  c.arrays["@/x.npy"] = {.shape = {n}};
  if (chance(rng, 2)) {
    c.add("--input", "z=@/z.npy");
    c.arrays["@/z.npy"] = {.shape = {k}};
  } else {
    c.add("--size", "K=" + std::to_string(k));
  }
  c.add("--run");
  c.add("--on", chance(rng, 2) ? "virtual" : "emulate");
  return c;
}

// E616: one element of what has none.
Command read_of_nothing(Rng& rng) {
  Command c;
  const std::string by = number(rng, 0, 3), other = number(rng, 1, 5);
  const auto [shape, subscripts] = pick(
      rng,
      std::vector<std::pair<std::string, std::string>>{
          {"K", "0"}, {"K", "K - 1"}, {"K, 3", "0, 1"}, {"K + M", "K + M - 1"}, {"2, K", "1, 0"}});
  const bool is_folded = chance(rng, 3), is_behind = chance(rng, 3) && shape == "K";
  const std::string read = (is_behind ? "t[" : "z[") + subscripts + "]";
  c.text() =
      "symbols: {N: {}, K: {min: 0}" + std::string(shape == "K + M" ? ", M: {min: 0}" : "") +
      "}\ninputs: {x: {shape: [N], dtype: float}, z: {shape: [" + shape +
      "], dtype: float}}\ncompute:\n" + (is_behind ? "  - t[i] = z[i] + 1\n" : "") +
      (is_folded ? "  - y = sum(x[i] + " + read + ")\n" : "  - y[i] = x[i] + " + read + "\n");
  if (shape == "K" && chance(rng, 2)) {
    c.add("--input", "z=@/z.npy");
    c.arrays["@/z.npy"] = {.shape = {0}};
  } else {
    c.add("--size", "K=0");
    if (shape == "K + M") c.add("--size", "M=0");
  }
  c.add("--size", "N=" + number(rng, 1, 9));
  c.add("--run");
  c.add("--on", chance(rng, 2) ? "virtual" : "emulate");
  return c;
}

// E617: what would take days.
Command endless(Rng& rng) {
  Command c;
  const std::string n = std::to_string(draw(rng, 2, 9) * 1'000'000'000'000);
  const std::string large = number(rng, 300'000'000, 900'000'000), m = number(rng, 2, 9);
  const auto threads = [&](const std::string& symbols, const std::string& extent) {
    return symbols + "arrays: {A: {shape: [32], dtype: int64}}\nparallel: [{thread: [t: 32]}]\n" +
           "body: [{for: {index: i, in: " + extent + ", do: [\"A[t] += i\"]}}]\n";
  };
  const auto copy = [&](const std::string& symbols, const std::string& shape) {
    return symbols + "inputs: {x: {shape: [" + shape +
           "], dtype: float}}\ncompute: [\"y[i, j] = x[i, j] * 2\"]\nschedule: {y: [{bind: {i: "
           "BIDx}}]}\n";
  };
  if (SELVAGE_HAVE_LIBTCC) c.environment["PATH"] = "";
  c.add("--on", "virtual");
  switch (draw(rng, 1, 7)) {
    case 1: c.text() = threads("", n), c.add("--run"); break;
    case 2:
      c.text() = threads("symbols: {n: {min: 1}}\n", "n");
      c.add("--run"), c.add("--size", "n=" + n);
      break;
    case 3: c.text() = threads("symbols: {n: {min: " + large + "}}\n", "n"); break;
    case 4: c.text() = copy("symbols: {N: {min: " + large + "}, M: {}}\n", "M, N"); break;
    case 5:
      c.text() = copy("symbols: {N: {multiple_of: " + large + "}, M: {min: 2}}\n", "M, N");
      break;
    case 6: c.text() = copy("symbols: {M: {}}\n", "M, " + large); break;
    default:
      c.text() = copy("symbols: {N: {}, M: {}}\nfacts: [\"N >= " + large + " * M\"]\n", "M, N");
      if (chance(rng, 2)) c.add("--size", "M=" + m);
      break;
  }
  if (c.options.size() < 2 || c.options[1].first != "--run") c.add("--check");
  return c;
}

// E621: the shape of an array makes the launch impossible.
Command impossible_launch(Rng& rng) {
  Command c;
  const std::string type = pick(rng, Texts{"BIDy", "BIDz", "TIDx", "TIDy", "TIDz"});
  const std::int64_t most = type[0] == 'B' ? 65535 : type == "TIDz" ? 64 : 1024;
  const std::int64_t n = most + draw(rng, 1, 40), m = draw(rng, 1, 3);
  c.text() = "symbols: {N: {}, M: {}}\ninputs: {x: {shape: [N, M], dtype: " +
             pick(rng, Texts{"float", "int32", "half"}) +
             "}}\ncompute: [\"y[i, j] = x[i, j] + x[i, j]\"]\nschedule: {y: [{bind: {i: " + type +
             "}}]}\n";
  const bool is_half = c.text().find("half") != std::string::npos;
  const bool is_int = c.text().find("int32") != std::string::npos;
  c.add("--input", "x=@/x.npy");
  c.arrays["@/x.npy"] = {.descr = is_half ? "<f2" : is_int ? "<i4" : "<f4", .shape = {n, m}};
  c.add("--run");
  c.add("--on", "virtual");
  return c;
}

// E626: rows that reach into one another.
Command overlapping(Rng& rng) {
  Command c;
  const std::int64_t rows = draw(rng, 2, 6), columns = draw(rng, 2, 9);
  const std::int64_t stride = draw(rng, 1, columns - 1);
  const std::string shape = std::to_string(rows) + ", " + std::to_string(columns);
  const std::string s = std::to_string(stride);
  c.add("--run");
  c.add("--on", chance(rng, 2) ? "virtual" : "emulate");
  switch (draw(rng, 1, 4)) {
    case 1:
      c.text() = "tensors: {T0: {dtype: int32, logical: {a: " + std::to_string(rows) +
                 ", b: " + std::to_string(columns) + "}, strides: [" +
                 (chance(rng, 2) ? s + ", 1" : "1, " + number(rng, 1, rows - 1)) + "]}}\n";
      break;
    case 2:
      c.text() = "symbols: {s: {min: 1}}\ninputs: {x: {shape: [" + shape +
                 "], dtype: float}}\noutputs: {y: {strides: [s, 1]}}\n"
                 "compute: [\"y[i, j] = x[i, j] * 2\"]\n";
      c.add("--size", "s=" + s);
      break;
    case 3:
      c.text() = "inputs: {x: {shape: [" + shape +
                 "], dtype: float}}\noutputs: {y: {contiguity: [false, true]}}\n"
                 "compute: [\"y[i, j] = x[i, j] * 2\"]\n";
      c.add("--size", "y_stride_i=" + s);
      break;
    default:
      c.text() = "symbols: {N: {}}\ninputs: {x: {shape: [" + std::to_string(rows) +
                 ", N], dtype: float}}\noutputs: {y: {strides: [" + s +
                 ", 1]}}\ncompute: [\"y[i, j] = x[i, j] * 2\"]\n";
      c.add("--size", "N=" + std::to_string(columns));
      break;
  }
  return c;
}

}  // namespace

const std::map<std::string, RandomCommand>& run_refusals() {
  static const std::map<std::string, RandomCommand> list = {
      {"E601", too_large},     {"E602", unreadable_array},  {"E603", unwritable_array},
      {"E611", unknown_input}, {"E612", other_shape},       {"E613", other_type},
      {"E614", open_size},     {"E615", ruled_out},         {"E616", read_of_nothing},
      {"E617", endless},       {"E621", impossible_launch}, {"E625", unknown_output},
      {"E626", overlapping},
  };
  return list;
}

}  // namespace selvage::test
