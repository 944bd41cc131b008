#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace selvage {

// A library opened at run time, closed with its last owner.
class SharedLibrary {
 public:
  // The first of `paths` that opens, or nothing; `why` then holds the loader's reason for each.
  static std::optional<SharedLibrary> open(std::span<const std::string> paths, std::string& why);

  // The address of a symbol, or null.
  void* symbol(const char* name) const;
  // The file that the loader took; empty where it does not say.
  std::string path() const;

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  explicit SharedLibrary(void* handle) : handle_(handle) {}
  std::unique_ptr<void, Close> handle_;
};

// Points functions at the symbols of a library.
class SymbolBinder {
 public:
  explicit SymbolBinder(const SharedLibrary& library) : library_(library) {}

  template <typename Function>
  void operator()(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(library_.symbol(name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }

  // The first symbol that the library lacks; empty when it has all.
  const std::string& missing() const { return missing_; }

 private:
  const SharedLibrary& library_;
  std::string missing_;
};

}  // namespace selvage
