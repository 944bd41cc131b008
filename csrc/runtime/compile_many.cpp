// Several requests at once.
#include <selvage/runtime/compile_cache.h>
#include <selvage/runtime/compile_helper.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

namespace selvage {

namespace {

// Works through `count` tasks, each once: this thread calls here(i) for task i; each of `others`
// threads calls elsewhere(work), which may prepare something and then work(task) to call task(i).
void share(std::size_t count, std::size_t others, const auto& here, const auto& elsewhere) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&](const auto& task) {
    for (std::size_t i; (i = next++) < count;) task(i);
  };
  std::vector<std::jthread> threads;
  try {
    for (std::size_t k = 0; k < others; ++k) {
      threads.emplace_back([&] { elsewhere(work); });
    }
  } catch (const std::system_error&) {
    // As many as the system allows.
  }
  work(here);
}

}  // namespace

std::size_t compile_helpers_for(std::size_t requests, std::size_t cores) {
  // To start one costs two thirds of what a kernel costs, so three pay even where cores are busy.
  constexpr std::size_t kRequestsEach = 3;
  constexpr std::size_t kMost = 15;
  return std::min({requests / kRequestsEach, cores > 0 ? cores - 1 : 0, kMost});
}

std::vector<CompileCache::Kernels> CompileCache::compile(std::span<const CompileRequest> requests) {
  std::vector<Kernels> kernels(requests.size());
  std::vector<std::exception_ptr> errors(requests.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    kernels[i] = find(key_of(requests[i].sources, requests[i].options));
    if (!kernels[i]) missing.push_back(i);
  }
  const auto toolkit = missing.empty() ? std::nullopt : compiler_.toolkit();
  const std::size_t helpers =
      toolkit && !compiler_.helper.empty()
          ? compile_helpers_for(missing.size(), std::thread::hardware_concurrency())
          : 0;
  const auto compile_by = [&](CompileHelper* helper, std::size_t i) {
    const CompileRequest& request = requests[i];
    try {
      kernels[i] = find_or(key_of(request.sources, request.options), [&] {
        if (helper != nullptr) {
          if (auto compiled = helper->compile(request, toolkit->version)) return *compiled;
        }
        return compiler_.compile(request.sources, request.options);
      });
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  share(
      missing.size(), helpers, [&](std::size_t k) { compile_by(nullptr, missing[k]); },
      [&](const auto& work) {
        const auto helper = CompileHelper::start(compiler_.helper);
        if (helper) work([&](std::size_t k) { compile_by(helper.get(), missing[k]); });
      });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return kernels;
}

}  // namespace selvage
