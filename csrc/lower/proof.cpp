#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/expr/text.h>
#include <selvage/ir/about.h>
#include <selvage/kernel/same_kernel.h>
#include <selvage/lower/proof.h>

#include <algorithm>

namespace selvage {

ProgramProof prove(std::span<const ProgramStep> steps) {
  ProgramProof proof;
  for (const ProgramStep& step : steps) {
    for (std::size_t k = 0; k < step.variants.size(); ++k) {
      const Kernel& kernel = step.variants[k];
      if (k > 0 && differ_in_width_alone(step.variants[k - 1], kernel)) continue;
      for (KernelFinding& f : verify(kernel).findings) {
        proof.open.push_back({&kernel, step.stores, std::move(f)});
      }
    }
  }
  std::stable_partition(proof.open.begin(), proof.open.end(),
                        [](const OpenFinding& open) { return is_refuted(open.finding.verdict); });
  return proof;
}

namespace {

// The names of the kernel's sizes, about which the proof may need bounds or facts.
std::string sizes_of(const Kernel& kernel) {
  std::vector<std::string> names;
  for (Expr n : kernel.sizes) names.emplace_back(n.name());
  return joined(names);
}

std::string help_of(const OpenFinding& open) {
  const KernelFinding& f = open.finding;
  if (is_refuted(f.verdict)) {
    return "bind the loops of what it stores otherwise, or leave them serial; lowering should not "
           "have made such a kernel";
  }
  std::string help;
  const auto* unknown = std::get_if<Unknown>(&f.verdict);
  const std::string sizes = sizes_of(*open.kernel);
  if (unknown != nullptr && unknown->residue.valid() && !unknown->residue.is_false()) {
    help = "known would have to be: " + to_string(unknown->residue) + "; ";
  }
  if (!sizes.empty()) help += "give " + sizes + " bounds or facts that tell; ";
  return help + "or take it on trust, --trust";
}

}  // namespace

Diagnostic diagnostic_of(const OpenFinding& open) {
  const KernelFinding& f = open.finding;
  Diagnostic d{.code = is_refuted(f.verdict) ? "E445" : "E446", .place = {}, .message = {}};
  d.message = open.kernel->name + ", " + std::string(to_string(f.hazard)) + ": " + f.text;
  d.help = help_of(open);
  d.tensors = as_subjects(open.stores);
  return d;
}

std::vector<std::string> check_proved(const ProgramProof& proof, bool is_trusted) {
  std::vector<std::string> trusted;
  for (const OpenFinding& open : proof.open) {
    if (!is_trusted || is_refuted(open.finding.verdict)) throw Illegal(diagnostic_of(open));
    trusted.push_back(diagnostic_of(open).message);
  }
  return trusted;
}

}  // namespace selvage
