#include <selvage/base/names.h>
#include <selvage/frontend/device_file.h>
#include <selvage/frontend/readers.h>
#include <selvage/runtime/gpu_device.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <tools/schedule_inspect/options.h>

#include <algorithm>
#include <charconv>
#include <sstream>

namespace selvage {

namespace {

const Place kPlace = {"schedule_inspect", 0, 0};

[[noreturn]] void wrong(std::string message, std::string help) {
  refuse("E801", kPlace, std::move(message), std::move(help));
}

// NAME=TEXT
std::pair<std::string, std::string> assignment(const std::string& option, const std::string& text,
                                               const std::string& example) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    wrong(option + ": expected NAME=..., found '" + text + "'", "write " + option + " " + example);
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

template <typename Value>
void put(std::map<std::string, Value>& map, const std::string& option, const std::string& name,
         Value value) {
  if (!map.emplace(name, std::move(value)).second) {
    wrong(option + " gives " + name + " twice", "give it once");
  }
}

std::int64_t size_value(const std::string& name, const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) {
    wrong("--size: the value of " + name + " is '" + text + "'",
          "write a whole number of 64 bits, such as --size " + name + "=1024");
  }
  return value;
}

ItemAt item_at(const std::string& text) {
  const std::optional<ItemAt> item = parse_item(text);
  if (!item) wrong("--where: '" + text + "' is no item of a tensor", "write --where 'y[17,3]'");
  return *item;
}

// "a100, h100, ..."
std::string device_names() {
  std::vector<std::string> names;
  for (const Device& device : known_devices()) names.emplace_back(device.name);
  return joined(names);
}

// A known device, the GPU of this machine, or what a file says of one.
Device device_called(const std::string& name) {
  if (const Device* known = find_device(name)) return *known;
  if (name.find_first_of("./") != std::string::npos) return read_device_file(name);
  if (name != "gpu") {
    wrong("--device: there is no device '" + name + "'",
          "write one of " + device_names() + "; or gpu; or a file, such as ./gpu.yaml");
  }
  try {
    return gpu_device();
  } catch (const Error& error) {
    throw BadInput({.code = "E623",
                    .place = kPlace,
                    .message = "--device gpu: there is no GPU: " + error.diagnostic().message,
                    .help = "write one of " + device_names() + "; or a file, such as ./gpu.yaml"});
  }
}

// threads=256,vector=4,keep=shared
PlanChoice plan_choice(const std::string& name, const std::string& text) {
  constexpr std::pair<std::string_view, std::optional<std::int64_t> PlanChoice::*> kNumbers[] = {
      {"threads", &PlanChoice::threads}, {"rows", &PlanChoice::folders},
      {"vector", &PlanChoice::vector},   {"steps", &PlanChoice::batch},
      {"at_once", &PlanChoice::at_once}, {"tile", &PlanChoice::tile},
      {"skew", &PlanChoice::skew},       {"windows", &PlanChoice::windows},
      {"late", &PlanChoice::late},       {"ranks", &PlanChoice::ranks},
      {"across", &PlanChoice::across},   {"parts", &PlanChoice::parts},
      {"turns", &PlanChoice::turns},     {"last_block", &PlanChoice::last_block}};
  PlanChoice choice;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t at = std::min(part.find('='), part.size());
    const std::string key = part.substr(0, at), value = part.substr(std::min(at + 1, part.size()));
    const auto known =
        std::ranges::find_if(kNumbers, [&](const auto& number) { return number.first == key; });
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = error == std::errc{} && end == value.data() + value.size();
    if (known != std::end(kNumbers) && is_number && number >= 0) {
      choice.*(known->second) = number;
    } else if (key == "keep" && (value == "registers" || value == "shared" || value == "nothing")) {
      choice.kept = value == "nothing"
                        ? std::nullopt
                        : std::optional(value == "shared" ? Memory::Shared : Memory::Local);
    } else {
      wrong("--plan: '" + part + "' of " + name + " is no number of a plan",
            "write threads, rows, vector, steps, at_once, tile, across, parts, turns, skew, "
            "windows, ranks or last_block "
            "with a number, or keep with registers, shared or nothing, such as --plan " +
                name + "=threads=256,vector=4");
    }
  }
  return choice;
}

// sm_90a: two or three digits, then perhaps a letter.
bool is_architecture(std::string_view text) {
  if (!text.starts_with("sm_")) return false;
  text.remove_prefix(3);
  if (text.ends_with('a') || text.ends_with('f')) text.remove_suffix(1);
  return (text.size() == 2 || text.size() == 3) &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// `--size B=3 H=4` stands for `--size B=3 --size H=4`: a word that follows one NAME=VALUE of an
// option and looks like another is taken as another. A file with such a name is written ./a=b.yaml.
std::vector<std::string> with_options_repeated(int argc, const char* const* argv) {
  std::vector<std::string> words;
  std::string option;  // whose values may follow; empty: none
  bool has_value = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    if (word.starts_with('-')) {
      option = word.substr(0, equals);
      if (option != "--size" && option != "--input" && option != "--output") option.clear();
      has_value = equals != std::string::npos;
    } else if (!has_value) {
      has_value = true;
    } else if (equals == std::string::npos || word.find_first_of("/.") < equals) {
      option.clear();
    } else if (!option.empty()) {
      words.push_back(option);
    }
    words.push_back(word);
  }
  return words;
}

// The options as given, not yet examined.
struct Raw {
  std::string file, simplify, on, device;
  std::vector<std::string> sizes, inputs, outputs, prints, plans, where;
  bool rules = false, schema = false;
  bool version = false, run = false;
};

// Throws for words that are not an option, the value of an option, or the file.
void refuse_words(const CLI::App& app, const std::vector<std::string>& words,
                  const std::string& file) {
  if (words.empty()) return;
  // All words after -- are files.
  const auto files = std::find(words.begin(), words.end(), "--");
  const auto option =
      std::find_if(words.begin(), files, [](const std::string& w) { return w.starts_with('-'); });
  if (option == files) {
    const std::string& word = files == words.begin() ? words.back() : words.front();
    wrong("'" + word + "' is one file too many beside '" + file + "'", "leave it out");
  }
  const std::string name = option->substr(0, option->find('='));
  std::vector<std::string> known;
  for (const CLI::Option* o : app.get_options()) {
    for (const std::string& n : o->get_lnames()) known.push_back("--" + n);
  }
  wrong("there is no option " + shown(name),
        meant(name, std::vector<std::string_view>(known.begin(), known.end()),
              "leave it out; schedule_inspect --help lists those that there are"));
}

// Refuses an option that is given too often, or with too many or too few values.
[[noreturn]] void refuse_parse(const CLI::ParseError& error) {
  const std::string message = error.what();
  const auto says = [&](const char* words) { return message.find(words) != std::string::npos; };
  if (says("missing")) wrong(message, "write its value behind it");
  if (says("At Most 1")) wrong(message, "give it once");
  if (says("--seed")) wrong(message, "write a whole number, such as --seed 1");
  wrong(message, "leave the value out");
}

void examine(const Raw& raw, Options& options) {
  std::vector<std::pair<const char*, Options::Task>> tasks;
  if (!raw.simplify.empty()) tasks.emplace_back("--simplify FILE", Options::Task::Simplify);
  if (raw.rules) tasks.emplace_back("--rules", Options::Task::Rules);
  if (raw.schema) tasks.emplace_back("--schema", Options::Task::Schema);
  if (!tasks.empty()) {
    const std::string first = tasks[0].first;
    const std::string help = "leave one of the two out";
    if (tasks.size() > 1) wrong(first + " and " + tasks[1].first + " are two tasks", help);
    if (!raw.file.empty()) wrong(first + " and '" + raw.file + "' are two tasks", help);
    options.task = tasks[0].second;
    options.file = raw.simplify;
    return;
  }
  if (raw.file.empty()) wrong("there is no file to read", "name a schedule file, or - for stdin");
  options.file = raw.file;
  const int printed =
      int(options.json) + int(options.dot) + int(options.svg == "-") + int(options.debug);
  if (printed > 1) {
    wrong("--json, --dot, --svg - and --debug each want standard output", "choose one");
  }
  if (options.debug && options.file == "-") {
    wrong("--debug reads commands from standard input, and the file, too", "name a file");
  }
  for (const std::string& text : raw.sizes) {
    const auto [name, value] = assignment("--size", text, "N=1024");
    put(options.sizes, "--size", name, size_value(name, value));
  }
  for (const std::string& text : raw.inputs) {
    const auto [name, path] = assignment("--input", text, "a=a.npy");
    put(options.running.inputs, "--input", name, path);
  }
  for (const std::string& text : raw.outputs) {
    const auto [name, path] = assignment("--output", text, "y=y.npy");
    put(options.running.outputs, "--output", name, path);
  }
  for (const std::string& text : raw.plans) {
    const auto [name, plan] = assignment("--plan", text, "y=threads=256,vector=4");
    put(options.plans, "--plan", name, plan_choice(name, plan));
  }
  if (options.tune && !options.plans.empty()) {
    wrong("--plan decides what --tune would try", "leave one of the two out");
  }
  if (!raw.on.empty()) {
    options.running.on = parse_machine(raw.on);
    if (!options.running.on) {
      wrong("--on: there is no machine '" + raw.on + "'", "write virtual, emulate or gpu");
    }
  }
  if (options.is_watched() && options.running.on.value_or(Machine::Emulate) != Machine::Emulate) {
    wrong("--on " + raw.on + ": the emulator runs what --debug, --trace and --frames look at",
          "leave --on out");
  }
  if (!options.arch.empty() && !is_architecture(options.arch)) {
    wrong("--arch: '" + options.arch + "' is no architecture", "write it as sm_90a or sm_80");
  }
  if (!raw.device.empty()) options.device = device_called(raw.device);
  options.is_gpu = raw.device.empty() || raw.device == "gpu";
  for (const std::string& text : raw.where) options.page.where.push_back(item_at(text));
  for (const std::string& name : raw.prints) {
    std::vector<std::string>& prints = options.running.prints;
    if (std::find(prints.begin(), prints.end(), name) == prints.end()) prints.push_back(name);
  }
  options.run = raw.run || options.running.check || !raw.prints.empty();
  options.running.run = options.run;
  const std::pair<bool, const char*> needing[] = {
      {!raw.outputs.empty(), "--output"},
      {!options.running.save_inputs.empty(), "--save-inputs"},
      {!raw.on.empty(), "--on"},
      {options.running.times, "--time"},
  };
  for (const auto& [given, name] : needing) {
    const bool runs = options.run || options.is_watched();
    if (given && !runs) wrong(std::string(name) + " is of no use without --run", "add --run");
  }
}

}  // namespace

void refuse_for_threads(const Options& options) {
  const std::pair<bool, const char*> for_fusions[] = {
      {options.prove, "--prove"},
      {options.dot, "--dot"},
      {options.page.cost, "--cost"},
      {options.page.load, "--load"},
      {options.tune, "--tune"},
      {!options.plans.empty(), "--plan"},
      {!options.page.where.empty(), "--where"},
  };
  for (const auto& [given, name] : for_fusions) {
    if (!given) continue;
    wrong(std::string(name) + " is for fusions, and " + options.file + " is a thread program",
          "leave it out; --why gives reasons, --svg draws masks");
  }
}

void check_plans(const Options& options, const ScheduleFile& file) {
  for (const auto& [name, choice] : options.plans) {
    std::vector<std::string> names;
    for (const AutomaticKernel& kernel : file.automatic) {
      for (TensorId t : kernel.tensors) names.push_back(file.schedule->fusion()[t].name);
    }
    // What makes the schedule illegal is said by itself.
    if (!file.illegal.empty() || std::ranges::find(names, name) != names.end()) continue;
    wrong("--plan: " + name + " is in no kernel that is scheduled automatically",
          names.empty() ? "leave --plan out; or leave schedule out of the file"
                        : few_names("name one of ", names, "name a tensor that is computed"));
  }
}

void refuse_to_tune(const Options& options) {
  wrong("--tune: " + options.file + " leaves nothing to be scheduled",
        "leave --tune out; or leave schedule out of the file, or write schedule: auto");
}

Options parse_options(int argc, const char* const* argv) {
  CLI::App app("Shows what a schedule means: indices, holes, checks, legality, kernels.");
  app.name("schedule_inspect");
  app.set_help_flag();
  Options options;
  Raw raw;
  bool help = false;
  const auto many = [&](const char* name, std::vector<std::string>& values, const char* what) {
    app.add_option(name, values, what)->allow_extra_args(false);
  };
  app.add_option("FILE", raw.file, "a schedule file or a thread program; -: standard input");
  app.add_flag("--json", options.json, "print the whole report as JSON");
  app.add_flag("--loops", options.page.loops, "only the loop nests");
  app.add_flag("--predicates", options.page.predicates,
               "only the checks that stay, and those not needed; of threads the masks");
  app.add_flag("--why", options.page.why, "the same, each with its reason");
  app.add_flag("--prove", options.prove, "have Z3 confirm every index and every check left out");
  app.add_flag("--trust", options.trust, "take kernels for right that nothing proves or refutes");
  app.add_flag("--cuda", options.page.cuda, "only the emitted kernels, as CUDA");
  app.add_flag("--cost", options.page.cost,
               "only what each kernel and each access costs, and the time that --device takes");
  app.add_flag("--load", options.page.load,
               "only how the items of rows are shared among threads, by the given inputs");
  many("--where", raw.where,
       "TENSOR[I,J,...] ...: only which block, thread and point of the loops makes that item");
  app.add_flag("--dot", options.dot, "print only the iterdomain graphs, for Graphviz");
  app.add_option("--svg", options.svg,
                 "FILE: draw graphs, holes, banks, rings and masks as SVG; -: print it");
  app.add_flag("--run", raw.run,
               "run the kernels, and compare with the unscheduled program or the masks");
  app.add_flag("--check", options.running.check, "run everywhere, and check what the file expects");
  many("--size", raw.sizes, "NAME=VALUE ...: values of sizes");
  many("--input", raw.inputs,
       "NAME=FILE.npy ...: inputs; FILE.mtx, FILE.npz, or KIND:KEY=NUMBER,... for sparse matrices, "
       "FILE.tns for csf; what is left out is made up, arrays of threads are 0");
  many("--output", raw.outputs,
       "NAME=FILE.npy ...: write outputs; FILE.mtx or FILE.npz: with the rows and columns of the "
       "sparse matrix at whose items it is computed, FILE.tns: with the coordinates of csf");
  many("--print", raw.prints,
       "NAME ...: run, and show the values of inputs or outputs; of many, the corners");
  app.add_option("--on", raw.on, "where to run: virtual, emulate or gpu");
  app.add_flag("--time", options.running.times, "say how long compiling and each kernel took");
  app.add_option("--seed", options.running.seed, "of the inputs that are made up; default 1");
  app.add_option("--save-inputs", options.running.save_inputs, "write the inputs to DIR/NAME.npy");
  app.add_option("--arch", options.arch,
                 "sm_90a, sm_80, ...: compile for it, and say what each kernel uses");
  app.add_option("--device", raw.device,
                 device_names() + ", gpu or FILE.yaml: what is scheduled automatically is for it");
  app.add_flag(
      "--tune", options.tune,
      "try the best plans of each kernel, on the GPU where there is one; keep the fastest");
  many("--plan", raw.plans,
       "NAME=KEY=VALUE,... : numbers of the automatic schedule of the kernel of tensor NAME");
  app.add_option("--simplify", raw.simplify, "simplify the expressions of a file, one a line");
  app.add_flag("--rules", raw.rules, "print the table of rewrite rules");
  app.add_flag("--schema", raw.schema, "print a JSON schema of schedule files, for editors");
  app.add_flag("--help", help, "print this and exit");
  app.add_flag("--version", raw.version, "print the version and exit");
  app.add_option("--trace", options.trace,
                 "FILE: run on the emulator, and write each access as a line of JSON");
  app.add_option("--frames", options.frames,
                 "DIR: run on the emulator, and draw its memory at each barrier, as SVG");
  app.add_flag("--debug", options.debug,
               "run on the emulator under a debugger, which reads commands: help lists them");
  try {
    std::vector<std::string> words = with_options_repeated(argc, argv);
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.allow_extras();
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    refuse_parse(e);
  }
  refuse_words(app, app.remaining(), raw.file);
  if (help || raw.version) {
    options.task = help ? Options::Task::Help : Options::Task::Version;
    if (help) options.help = app.help();
    return options;
  }
  examine(raw, options);
  return options;
}

}  // namespace selvage
