#include <selvage/base/check.h>
#include <selvage/runtime/compile_error.h>
#include <selvage/runtime/fork_lock.h>
#include <selvage/runtime/virtual_prelude.h>
#include <selvage/runtime/virtual_unit.h>

#if SELVAGE_HAVE_LIBTCC
#include <libtcc.h>
#include <math.h>

#include <cstring>
#endif

namespace selvage {

#if SELVAGE_HAVE_LIBTCC

namespace {

struct Delete {
  void operator()(TCCState* state) const { tcc_delete(state); }
};
using State = std::unique_ptr<TCCState, Delete>;

struct Symbol {
  const char* name;
  const void* address;
};

template <typename Function>
const void* address_of(Function* function) {
  return reinterpret_cast<const void*>(function);
}

// tcc calls these where other compilers emit instructions; they stand in for its run-time library.
float float_of(unsigned long long x) { return static_cast<float>(x); }
double double_of(unsigned long long x) { return static_cast<double>(x); }
unsigned long long unsigned_of(float x) { return static_cast<unsigned long long>(x); }
unsigned long long unsigned_of(double x) { return static_cast<unsigned long long>(x); }
long long signed_of(float x) { return static_cast<long long>(x); }
long long signed_of(double x) { return static_cast<long long>(x); }

const Symbol kSymbols[] = {
#define SELVAGE_MATH_1(name)                                    \
  {#name, address_of(static_cast<double (*)(double)>(::name))}, \
      {#name "f", address_of(static_cast<float (*)(float)>(::name##f))},
#define SELVAGE_MATH_2(name)                                            \
  {#name, address_of(static_cast<double (*)(double, double)>(::name))}, \
      {#name "f", address_of(static_cast<float (*)(float, float)>(::name##f))},
#define SELVAGE_MATH_3(name)                                                    \
  {#name, address_of(static_cast<double (*)(double, double, double)>(::name))}, \
      {#name "f", address_of(static_cast<float (*)(float, float, float)>(::name##f))},
#include <selvage/runtime/math_functions.def>
    {"memcpy", address_of(::memcpy)},
    {"memmove", address_of(::memmove)},
    {"memset", address_of(::memset)},
    {"__floatundisf", address_of(float_of)},
    {"__floatundidf", address_of(double_of)},
    {"__fixunssfdi", address_of(static_cast<unsigned long long (*)(float)>(unsigned_of))},
    {"__fixunsdfdi", address_of(static_cast<unsigned long long (*)(double)>(unsigned_of))},
    {"__fixsfdi", address_of(static_cast<long long (*)(float)>(signed_of))},
    {"__fixdfdi", address_of(static_cast<long long (*)(double)>(signed_of))},
};

class TccUnit : public VirtualUnit {
 public:
  TccUnit(State state, const KernelSource& source) : state_(std::move(state)), source_(source) {}
  ~TccUnit() override {
    const std::lock_guard guard(fork_lock<TCCState>());
    state_.reset();
  }
  void* symbol(const char* name) const override {
    const std::lock_guard guard(fork_lock<TCCState>());
    void* address = tcc_get_symbol(state_.get(), name);
    SELVAGE_CHECK(address != nullptr);
    return address;
  }
  // Compiled again: libtcc has no other way.
  std::unique_ptr<VirtualUnit> again() const override { return compile_by_tcc(source_); }

 private:
  State state_;
  KernelSource source_;
};

}  // namespace

bool has_tcc() { return true; }

std::unique_ptr<VirtualUnit> compile_by_tcc(const KernelSource& source) {
  const std::string text = virtual_text(source);
  const std::lock_guard guard(fork_lock<TCCState>());
  State state(tcc_new());
  SELVAGE_CHECK(state != nullptr);
  std::string log;
  tcc_set_error_func(state.get(), &log, [](void* to, const char* message) {
    static_cast<std::string*>(to)->append(message).append("\n");
  });
  // Without -Werror an undeclared function would return an int.
  tcc_set_options(state.get(), "-nostdlib -nostdinc -Wimplicit-function-declaration -Werror");
  tcc_set_output_type(state.get(), TCC_OUTPUT_MEMORY);
  for (const Symbol& symbol : kSymbols) tcc_add_symbol(state.get(), symbol.name, symbol.address);
  if (tcc_compile_string(state.get(), text.c_str()) != 0 ||
      tcc_relocate(state.get(), TCC_RELOCATE_AUTO) != 0) {
    throw Error(compile_error("E701", "tcc", {&source, 1}, log));
  }
  tcc_set_error_func(state.get(), nullptr, nullptr);
  return std::make_unique<TccUnit>(std::move(state), source);
}

#else

bool has_tcc() { return false; }

std::unique_ptr<VirtualUnit> compile_by_tcc(const KernelSource& source) {
  throw Error(compile_error("E701", "tcc", {&source, 1}, "error: this build has no libtcc"));
}

#endif

}  // namespace selvage
