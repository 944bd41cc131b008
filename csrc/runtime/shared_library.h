#pragma once

#include <memory>
#include <optional>
#include <string>

namespace selvage {

// A library opened at run time, closed with its last owner.
class SharedLibrary {
 public:
  // Nothing where it does not open; `why` then holds the loader's reason.
  static std::optional<SharedLibrary> open(const std::string& path, std::string& why);

  // The address of a symbol, or null.
  void* symbol(const char* name) const;
  // Points a function at a symbol. False, and null: there is none.
  template <typename Function>
  bool bind(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(symbol(name));
    return function != nullptr;
  }
  // The file that the loader took; empty where it does not say.
  std::string path() const;

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  explicit SharedLibrary(void* handle) : handle_(handle) {}
  std::unique_ptr<void, Close> handle_;
};

}  // namespace selvage
