#include <selvage/expr/text.h>
#include <selvage/kernel/print.h>
#include <selvage/kernel/value_nodes.h>
#include <selvage/lower/ring.h>
#include <selvage/report/array_lines.h>
#include <selvage/report/checks.h>
#include <selvage/report/cost_json.h>
#include <selvage/report/json.h>
#include <selvage/report/load_lines.h>
#include <selvage/report/point.h>
#include <selvage/report/tensor_lines.h>
#include <selvage/report/texts.h>
#include <selvage/report/thread_json.h>
#include <selvage/report/value_checks.h>
#include <selvage/report/workspace_lines.h>

#include <nlohmann/json.hpp>

#include <cmath>

namespace selvage {

namespace {

using Json = nlohmann::ordered_json;

// Adds a key that the object must not have yet; a search for the key would take linear time.
void append(Json& object, std::string key, Json value) {
  object.get_ref<Json::object_t&>().emplace_back(std::move(key), std::move(value));
}

Json json_of(const Point& point) {
  Json json = Json::object();
  for (const auto& [symbol, value] : point) append(json, std::string(symbol.name()), value);
  return json;
}

// One entry for each item of a list.
template <class List, class Of>
Json list_of(const List& list, const Of& of) {
  Json json = Json::array();
  for (const auto& item : list) json.push_back(of(item));
  return json;
}

Json json_of(const Texts& texts) {
  return list_of(texts.lets(), [](const auto& let) {
    return Json::array({let.first, let.second});
  });
}

void append_witness(Json& json, const TensorReport& tensor, const Verdict& verdict) {
  const Point witness = witness_of(tensor, verdict);
  if (!witness.empty()) json["witness"] = json_of(witness);
}

Json coverage_of(const TensorReport& tensor) {
  const Coverage& coverage = tensor.analysis.coverage;
  Json json = {{"complete", is_proved(coverage.verdict)}, {"verdict", to_string(coverage.verdict)}};
  if (!tensor.tensor().duplicates_allowed) json["once"] = to_string(coverage.once);
  if (!coverage.lost.empty()) {
    // The item, one index per logical iterdomain; the witness has the sizes, too.
    const auto items = std::ptrdiff_t(tensor.tensor().logical.size());
    json["lost"] = json_of(Point(coverage.lost.begin(), coverage.lost.begin() + items));
    json["witness"] = json_of(completed(tensor, coverage.lost));
  }
  return json;
}

Json json_of(const std::vector<Confirmation>& confirmations) {
  std::int64_t confirmed = 0;
  Json refuted = Json::array(), unknown = Json::array();
  for (const Confirmation& c : confirmations) {
    if (is_proved(c.verdict)) {
      ++confirmed;
      continue;
    }
    Json json = {{"of", to_string(c.of)}, {"what", c.what}, {"claim", to_text(c)}};
    if (const auto* r = std::get_if<Refuted>(&c.verdict)) {
      json["witness"] = json_of(r->point);
      refuted.push_back(std::move(json));
    } else {
      unknown.push_back(std::move(json));
    }
  }
  return {{"by", "Z3"}, {"confirmed", confirmed}, {"refuted", refuted}, {"unknown", unknown}};
}

// Adds the keys of every finding: legal, verdict, if, reason, witness.
void append(Json& json, const TensorReport& tensor, const Finding& finding, const Texts& texts) {
  json["legal"] = finding.is_legal();
  json["verdict"] = to_string(finding.verdict);
  json["if"] = list_of(finding.conditions, texts);
  json["reason"] = finding.reason;
  json["witness"] = json_of(witness_of(tensor, finding.verdict));
}

Json json_of(const TensorReport& tensor, const VectorAccess& vector, const Texts& texts) {
  Json json = {{"iterdomain", tensor.name_of(vector.domain)}, {"width", vector.width}};
  append(json, tensor, vector.finding, texts);
  json["partial_groups"] = vector.finding.is_legal() && !is_proved(vector.is_whole);
  return json;
}

Json json_of(const Hoisted& hoisted, const std::optional<Share>& share, const Texts& texts) {
  Json json = {{"condition", texts(hoisted.condition)}, {"exact", hoisted.exact}};
  if (share) {
    json["taken"] = share->taken;
    json["of"] = share->of;
  }
  return json;
}

Json json_of(const BankCollision& c) {
  const auto thread = [](const BankCollision::Thread& t) -> Json {
    return {{"thread", t.number}, {"word", t.word}, {"at", json_of(t.point)}};
  };
  return {{"warp", c.warp},
          {"phase", c.phase},
          {"bank", c.bank},
          {"threads", list_of(c.threads, thread)}};
}

Json json_of(const BankConflicts& banks) {
  Json json = Json::object();
  if (banks.store.degree) json["store"] = *banks.store.degree;
  if (banks.load.degree) json["load"] = *banks.load.degree;
  if (banks.ways) json["ways"] = *banks.ways;
  json["verdict"] = to_string(banks.finding.verdict);
  if (!banks.finding.conditions.empty()) {
    json["if"] = list_of(banks.finding.conditions, [](Expr c) { return to_string(c); });
  }
  json["reason"] = banks.finding.reason;
  if (banks.store.collision) json["store_witness"] = json_of(*banks.store.collision);
  if (banks.load.collision) json["load_witness"] = json_of(*banks.load.collision);
  if (!banks.finding.help.empty()) json["help"] = banks.finding.help;
  return json;
}

Json json_of(const TmaCopy& copy, const TensorReport& tensor, const Texts& texts) {
  const Finding& finding = copy.finding;
  Json json = {{"legal", finding.is_legal()}, {"verdict", to_string(finding.verdict)}};
  json["if"] = list_of(finding.conditions, texts);
  if (copy.weak) {
    const auto name = [&](DomainId d) { return tensor.name_of(d); };
    const auto all = [&](auto of) { return list_of(copy.dims, of); };
    json["rank"] = copy.rank();
    json["dims"] = all([&](const TmaDim& d) { return list_of(d.domains, name); });
    json["box"] = all([](const TmaDim& d) { return d.box; });
    json["element_strides"] = all([](const TmaDim& d) { return d.element_stride; });
    json["sizes"] = all([&](const TmaDim& d) { return texts(d.size); });
    json["strides"] = all([&](const TmaDim& d) { return texts(d.stride); });
    json["coordinates"] = all([&](const TmaDim& d) { return texts(d.coordinate); });
    json["type"] = copy.type;
    json["swizzle"] = to_string(copy.swizzle);
    json["tile_bytes"] = copy.tile_bytes;
    json["tile_align"] = tile_alignment(copy.swizzle);
  }
  json["reason"] = finding.reason;
  append_witness(json, tensor, finding.verdict);
  json["weak"] = copy.weak;
  if (!copy.weak) return json;
  json["strong"] = copy.strong ? to_string(*copy.strong) : "unknown";
  json["strong_reason"] = copy.strong_reason;
  if (!copy.hole.empty()) json["hole"] = json_of(completed(tensor, copy.hole));
  if (!copy.guard.empty()) json["guard"] = list_of(copy.guard, texts);
  return json;
}

//   access   "store" or "read"; tensor: whose memory; in: the tensor that reads
//   verdict  with its rules where it is proved, a witness where it is refuted
Json json_of(const TensorReport& tensor, const BoundLine& line) {
  const Fusion& fusion = tensor.fusion();
  Json json = {{"access", line.is_store ? "store" : "read"}, {"tensor", fusion[line.memory].name}};
  if (!line.is_store) json["in"] = fusion[line.reader].name;
  const Verdict& verdict = line.inside.verdict;
  json["verdict"] = to_string(verdict);
  if (const auto* proved = std::get_if<Proved>(&verdict)) json["rules"] = proved->rules;
  if (is_refuted(verdict)) json["witness"] = json_of(completed(tensor, point_of(verdict)));
  return json;
}

// An axis that is read under an access mode:
//   tensor, in   whose memory, and the tensor that reads; axis, at: the subscript as it is written
//   mode, sequence, form   "mirror", "2 1 0 | 0 1 2 3 | 3 2 1"; "none", "near" or "general"
// or a read with a fill: tensor, in, mode: "fill", at: the condition under which it is not that.
Json json_of(const TensorReport& tensor, const ModeLine& line, const Texts& texts) {
  const Fusion& fusion = tensor.fusion();
  Json json = {{"tensor", fusion[line.memory].name}, {"in", fusion[line.reader].name}};
  json["mode"] = line.mode ? std::string(to_string(line.mode->axis.mode)) : "fill";
  if (line.mode) {
    json["axis"] = line.mode->axis.axis;
    json["sequence"] = sequence_of(line.mode->axis.mode);
    json["form"] = to_string(line.mode->form);
  }
  json["at"] = texts(line.at);
  return json;
}

// Blocks at which no read leaves its tensor: the condition, how many `of` how many; body: whether
// they have a body of their own; points: at how many items no read leaves, of how many.
Json json_of(const InsideReads& inside, const Texts& texts) {
  Json json = json_of(inside.hoisted, inside.blocks, texts);
  json["body"] = inside.pays;
  if (inside.points) json["points"] = {{"inside", inside.points->taken}, {"of", inside.points->of}};
  return json;
}

// A number, or "inf", "-inf", "nan".
Json json_of(const Scalar& value) {
  if (value.type == DataType::Float || value.type == DataType::Double) {
    const double real = value.type == DataType::Float ? double(value.single) : value.real;
    if (!std::isfinite(real)) return to_text(value);
    if (!whole(value)) return real;
  }
  return *whole(value);
}

// Whether something happens, given the verdict on the claim that it does not; null: not known.
Json happens(const Verdict& verdict) {
  return is_unknown(verdict) ? Json(nullptr) : Json(is_refuted(verdict));
}

// What a reader without its guard reads:
//   read     whether it reads holes; null: unknown
//   inside   whether it stays inside the buffer; null: unknown
//   once     whether it reads each item once, where that is asked
//   witness, element   a point at which it reads a hole, and the element there
Json json_of(const TensorReport& tensor, const ReadFindings& read) {
  Json json = {{"read", happens(read.only_items.verdict)}};
  const Verdict& inside = read.inside.verdict;
  json["inside"] = is_unknown(inside) ? Json(nullptr) : Json(is_proved(inside));
  if (read.once) json["once"] = read.once->is_legal();
  append_witness(json, tensor, read.only_items.verdict);
  if (read.element) json["element"] = *read.element;
  return json;
}

//   holes       how many, a number or a text over sizes; null: it is not known
//   first       the element of the first one, where known
//   read        whether the reader reads one; null: unknown
//   needs       "weak" or "strong"
//   value       that holes must hold; absent: none is known
//   initialise  whether the value has to be stored before; verdict, witness and reason are those of
//               the claim that it need not be
Json json_of(const TensorReport& tensor, const Fills& fills) {
  const auto number = [](Expr n) {
    return n.is(Op::Const) ? Json(n.value()) : Json(count_text(n));
  };
  Json json = {{"holes", fills.holes ? number(*fills.holes) : Json(nullptr)}};
  json["elements"] = number(fills.elements);
  if (fills.first) json["first"] = *fills.first;
  json["read"] = happens(fills.reader.only_items.verdict);
  json["needs"] = fills.is_strong ? "strong" : "weak";
  json["initialise"] = !fills.initialised.is_legal();
  if (fills.value) json["value"] = json_of(*fills.value);
  json["verdict"] = to_string(fills.initialised.verdict);
  append_witness(json, tensor, fills.initialised.verdict);
  json["reason"] = fills.initialised.reason;
  if (fills.unguarded) json["unguarded"] = json_of(tensor, *fills.unguarded);
  return json;
}

Json json_of(const TensorReport& tensor) {
  const TensorAnalysis& a = tensor.analysis;
  const Texts texts(shown_expressions(tensor));
  Json json = Json::object();
  if (!texts.lets().empty()) json["let"] = json_of(texts);
  Json& iterdomains = json["iterdomains"] = Json::object();
  for (const auto& [name, d] : tensor.iterdomains) {
    append(iterdomains, name,
           {{"extent", texts(tensor.graph()[d].extent)}, {"index", texts((*a.coordinates)[d])}});
  }
  const auto name = [&](DomainId d) { return tensor.name_of(d); };
  json["loop"] = list_of(a.loops, name);
  json["address"] = texts(a.address);
  if (const auto& site = tensor.schedule->site(a.tensor)) {
    Json& at = json["computed"];
    at["in"] = tensor.fusion()[site->tensor].name;
    if (site->loop) at["at"] = tensor.schedule->name(site->tensor, *site->loop);
    if (site->accumulates) at["accumulates"] = true;
  }
  if (const auto& host = tensor.schedule->last_block_of(a.tensor)) {
    json["computed"] = {{"in", tensor.fusion()[*host].name}, {"by_last_block", true}};
  }
  if (a.storage) {
    json["memory"] = to_string(a.storage->memory);
    json["elements"] = texts(a.elements);
    if (tensor.schedule->stage(a.tensor)) json["stages"] = tensor.schedule->stages(a.tensor);
    const CopyBy by = tensor.schedule->copied_by(a.tensor);
    if (const auto& site = tensor.schedule->site(a.tensor); by != CopyBy::LoadStore && site) {
      json["copy"] = {{"by", to_string(by)}, {"ahead", ahead_at(*tensor.schedule, *site)}};
    }
    const std::vector<DomainId>& layout = tensor.schedule->allocation(a.tensor);
    if (!layout.empty()) json["layout"] = list_of(layout, name);
  }
  Json& predicates = json["predicates"] = Json::array();
  for (const KeptPredicate* p : kept_checks(tensor)) {
    Json& predicate = predicates.emplace_back();
    predicate["iterdomain"] = tensor.name_of(p->domain);
    predicate["condition"] = texts(p->condition);
    if (!p->witness.empty()) predicate["witness"] = json_of(completed(tensor, p->witness));
  }
  json["implied"] = list_of(dropped_checks(tensor), [](const Dropped& d) -> Json {
    return {{"iterdomain", d.name}, {"by", d.by}, {"from", d.from}};
  });
  json["minimal"] = to_string(a.predicates.minimal);
  json["coverage"] = coverage_of(tensor);
  json["bounds"] =
      list_of(bounds_of(tensor), [&](const BoundLine& line) { return json_of(tensor, line); });
  const ModeReport modes = modes_of(tensor);
  if (!modes.lines.empty()) {
    json["modes"] =
        list_of(modes.lines, [&](const ModeLine& line) { return json_of(tensor, line, texts); });
  }
  if (modes.inside) json["inside"] = json_of(*modes.inside, texts);
  if (tensor.legality.fills) json["fill"] = json_of(tensor, *tensor.legality.fills);
  if (a.vector) json["vectorize"] = json_of(tensor, *a.vector, texts);
  if (a.unswitched) json["unswitch"] = json_of(a.unswitched->hoisted, a.unswitched->share, texts);
  if (a.interior) json["blocks"] = json_of(a.interior->hoisted, a.interior->share, texts);
  if (tensor.legality.banks) json["bank_conflicts"] = json_of(*tensor.legality.banks);
  if (tensor.legality.tma) json["tma"] = json_of(*tensor.legality.tma, tensor, texts);
  if (tensor.confirmations) json["proofs"] = json_of(*tensor.confirmations);
  return json;
}

Json json_of(const Kernel& kernel, const CudaText& cuda) {
  const Launch& launch = kernel.launch;
  const std::array<Expr, 3> grid = launch.hardware_grid(), block = launch.hardware_block();
  std::vector<Expr> roots(grid.begin(), grid.end());
  roots.insert(roots.end(), block.begin(), block.end());
  roots.insert(roots.end(), {launch.shared_bytes, kernel.condition});
  const Texts texts(roots);
  Json json = {{"name", kernel.name}};
  if (!texts.lets().empty()) json["let"] = json_of(texts);
  json["launch"] = {{"grid", list_of(grid, texts)},
                    {"block", list_of(block, texts)},
                    {"shared_bytes", texts(launch.shared_bytes)}};
  if (const std::int64_t blocks = launch.cluster_blocks(); blocks > 1) {
    json["launch"]["cluster"] = std::to_string(blocks);
  }
  if (!kernel.condition.is_true()) json["if"] = Json::array({texts(kernel.condition)});
  if (const auto fast = fast_functions(kernel.values); !fast.empty()) json["fast"] = fast;
  json["loops"] = loop_nest(kernel);
  if (const std::vector<Workspace> kept = workspaces_of(kernel); !kept.empty()) {
    json["workspaces"] = list_of(kept, [](const Workspace& w) -> Json {
      return {{"name", w.name},      {"in", to_string(w.place)},
              {"bytes", w.bytes},    {"reserved", w.reserved},
              {"of_block", w.block}, {"resident", w.resident},
              {"why", w.why}};
    });
  }
  json["cuda"] = cuda.text;
  return json;
}

Json json_of(const std::string& arch, const KernelResources& k) {
  return {{"arch", arch},
          {"registers", k.registers},
          {"shared_bytes", k.shared_bytes},
          {"stack_bytes", k.stack_bytes},
          {"spill_store_bytes", k.spill_store_bytes},
          {"spill_load_bytes", k.spill_load_bytes}};
}

Json json_of(const RunResult& run) {
  Json json = {{"on", to_string(run.machine)}};
  if (!run.device.empty()) json["device"] = run.device;
  json["sizes"] = run.sizes;
  json["launches"] = run.launches;
  json["passed"] = run.passed();
  Json& outputs = json["outputs"] = Json::array();
  for (const Comparison& c : run.comparisons) {
    Json& output = outputs.emplace_back();
    output = {{"output", c.output},
              {"on", to_string(c.machine)},
              {"points", c.points},
              {"mismatches", c.mismatches}};
    if (c.unvisited > 0) output["unvisited"] = c.unvisited;
    if (c.mismatches > 0) {
      output["failures"] = c.failures;
      output["max_difference"] = c.max_difference;
      output["worst"] = c.first;
    }
  }
  if (!run.faults.empty()) json["faults"] = run.faults;
  if (run.times) {
    json["times"] = {{"compile_ms", run.times->compile * 1e3},
                     {"kernels", list_of(run.times->kernels, [](const KernelTime& k) -> Json {
                        return {{"name", k.name}, {"ms", k.seconds * 1e3}};
                      })}};
  }
  return json;
}

// The array as the page shows it, which may be shortened; --output writes all of it.
Json json_of(const ShownArray& shown) {
  return {{"dtype", type_text(shown)},
          {"shape", shape_of(shown)},
          {"lines", array_lines(shown, Lines::kColumns)}};
}

Json json_of(const Diagnostic& d) {
  return {
      {"file", d.place.file},     {"line", d.place.line},
      {"column", d.place.column}, {"severity", d.severity == Severity::Error ? "error" : "warning"},
      {"code", d.code},           {"message", d.message},
      {"notes", d.notes},         {"help", d.help}};
}

}  // namespace

std::string to_json(const Report& report) {
  Json json = {{"format", "schedule_inspect/1"}};
  Json& tensors = json["tensors"] = Json::object();
  for (const TensorReport& tensor : report.tensors) append(tensors, tensor.name(), json_of(tensor));
  if (report.threads) {
    json["masks"] = Json::parse(masks_json(*report.threads));
    if (!report.threads->lowered.groups.empty())
      json["groups"] = Json::parse(groups_json(*report.threads));
  }
  Json& kernels = json["kernels"] = Json::array();
  if (report.threads && report.threads->cuda) {
    kernels.push_back(json_of(*report.threads->lowered.kernel, *report.threads->cuda));
    if (const auto& compiled = report.threads->compiled) {
      kernels.back()["resources"] = json_of(compiled->arch, compiled->kernels[0]);
    }
  }
  for (const FusionReport& fusion : report.fusions) {
    std::size_t compiled = 0;
    for (std::size_t i = 0; i < fusion.cuda.size(); ++i) {
      const std::vector<Kernel>& variants = fusion.program->steps[i].variants;
      for (std::size_t k = 0; k < variants.size(); ++k) {
        kernels.push_back(json_of(variants[k], fusion.cuda[i][k]));
        if (Json masks = Json::parse(masks_json(variants[k])); !masks.empty()) {
          kernels.back()["masks"] = std::move(masks);
        }
        if (fusion.compiled) {
          kernels.back()["resources"] =
              json_of(fusion.compiled->arch, fusion.compiled->kernels[compiled++]);
        }
      }
    }
  }
  for (const FusionReport& fusion : report.fusions) {
    if (!fusion.program) continue;
    for (const MadeCheck& m : value_checks_of(fusion)) {
      json["checks"].push_back({{"check", subject_text(m.check)},
                                {"line", m.check.place.line},
                                {"verdict", m.is_tested ? "tested" : "proved"}});
    }
  }
  for (const FusionReport& fusion : report.fusions) {
    if (const std::string loads = loads_json(fusion); !loads.empty()) {
      json["loads"] = Json::parse(loads);
    }
  }
  if (!report.as_fusion.empty()) json["as_fusion"] = report.as_fusion;
  if (const std::string spec = spec_json(report); !spec.empty()) json["spec"] = Json::parse(spec);
  if (const std::string cost = cost_json(report.fusions); !cost.empty())
    json["cost"] = Json::parse(cost);
  if (const std::string tuned = tuned_json(report.fusions); !tuned.empty())
    json["tuned"] = Json::parse(tuned);
  if (!report.runs.empty()) {
    json["runs"] = list_of(report.runs, [](const RunResult& run) { return json_of(run); });
  }
  if (report.threads && !report.threads->runs.empty()) {
    json["runs"] = Json::parse(runs_json(*report.threads));
  }
  if (!report.values.empty()) {
    Json& values = json["values"] = Json::object();
    for (const ShownArray& shown : report.values) values[shown.name] = json_of(shown);
  }
  json["diagnostics"] = list_of(report.diagnostics, [](const Diagnostic& d) { return json_of(d); });
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace selvage
