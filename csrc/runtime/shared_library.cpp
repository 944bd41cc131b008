#include <selvage/runtime/shared_library.h>

#include <dlfcn.h>
#include <link.h>

namespace selvage {

std::optional<SharedLibrary> SharedLibrary::open(const std::string& path, std::string& why) {
  if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return SharedLibrary(handle);
  const char* reason = dlerror();
  why = reason != nullptr ? reason : path;
  return std::nullopt;
}

void* SharedLibrary::symbol(const char* name) const { return dlsym(handle_.get(), name); }

std::string SharedLibrary::path() const {
  const link_map* map = nullptr;
  if (dlinfo(handle_.get(), RTLD_DI_LINKMAP, &map) != 0 || map->l_name == nullptr) return {};
  return map->l_name;
}

void SharedLibrary::Close::operator()(void* handle) const { dlclose(handle); }

}  // namespace selvage
