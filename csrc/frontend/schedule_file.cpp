#include <selvage/frontend/einsum_section.h>
#include <selvage/frontend/file_form.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/sections.h>
#include <selvage/frontend/thread_section.h>

namespace selvage {

namespace {

constexpr std::string_view kSections[] = {"tensors", "compute", "einsum", "body"};

// The one section that the file has.
const Entry& section_of(const Node& root) {
  const Entry* found = nullptr;
  for (const Entry& entry : root.entries) {
    for (const std::string_view section : kSections) {
      if (entry.key != section) continue;
      if (found != nullptr) {
        refuse("E312", entry.place,
               "the file has both '" + found->key + "' and '" + entry.key + "'",
               "write one file for each");
      }
      found = &entry;
    }
  }
  if (found == nullptr) {
    refuse(
        "E312", root.place, "the file has none of tensors, compute, einsum, body",
        "write 'tensors:' to look at iterdomains, 'compute:' for a fusion, 'einsum:' for a TeAAL "
        "specification, or 'body:' for a thread program");
  }
  return *found;
}

void read_file(const Node& root, FileContext& context, ScheduleFile& file) {
  Diagnostics& errors = context.errors;
  expect_map(root, "the file");
  const Entry& section = section_of(root);
  const bool is_einsum = section.key == "einsum", is_threads = section.key == "body";
  const bool is_fusion = section.key == "compute" || is_einsum;
  file.kind = is_fusion    ? ScheduleFile::Kind::Compute
              : is_threads ? ScheduleFile::Kind::Threads
                           : ScheduleFile::Kind::Tensors;
  expect_map(root, "the file",
             is_threads  ? Form::ThreadsFile
             : is_einsum ? Form::EinsumFile
             : is_fusion ? Form::FusionFile
                         : Form::TensorsFile,
             &errors);
  const auto part = [&](const char* key, auto read) { read_key(root, key, errors, read); };
  part("symbols", [&](const Node& node) { context.symbols.read_symbols(node); });
  part("sizes", [&](const Node& node) { context.symbols.read_sizes(node); });
  part("expect", [&](const Node& node) { file.expect = read_expectations(node, context); });
  if (is_einsum) {
    const Node fusion = fusion_of_einsum(root, context, file);
    if (errors.empty()) read_fusion(fusion, context, file);
  } else if (is_fusion) {
    read_fusion(root, context, file);
  } else {
    part("facts", [&](const Node& node) { context.symbols.read_facts(node); });
    if (is_threads) {
      read_thread_program(root, context, file);
    } else {
      errors.attempt([&] { read_tensors(section.value, context, file); });
    }
  }
  if (errors.empty()) {
    context.symbols.check_all_used();
    for (Diagnostic& d : context.symbols.warn_of_unused()) file.warnings.push_back(std::move(d));
  }
  file.sizes = context.symbols.values();
  file.expect.sizes = file.sizes;
}

}  // namespace

BadFile::BadFile(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(to_text(diagnostics)), diagnostics_(std::move(diagnostics)) {}

namespace {

ScheduleFile read_root(const Node& root, const std::string& path,
                       const std::map<std::string, std::int64_t>& sizes,
                       const ReadOptions& source) {
  FileContext context(sizes, source);
  ScheduleFile file;
  file.path = path;
  context.errors.attempt([&] { read_file(root, context, file); });
  if (!context.errors.empty()) throw BadFile(context.errors.list());
  return file;
}

template <typename Read>
Node document(Read read) {
  try {
    return read();
  } catch (const BadInput& e) {
    throw BadFile({e.diagnostic()});
  }
}

}  // namespace

ScheduleFile read_schedule_file(const std::string& path,
                                const std::map<std::string, std::int64_t>& sizes,
                                const ReadOptions& source) {
  return read_root(document([&] { return read_document_file(path); }), path, sizes, source);
}

ScheduleFile read_schedule_text(std::string_view text, const std::string& path,
                                const std::map<std::string, std::int64_t>& sizes,
                                const ReadOptions& source) {
  return read_root(document([&] { return read_document(text, path); }), path, sizes, source);
}

}  // namespace selvage
