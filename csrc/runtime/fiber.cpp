#include <selvage/base/check.h>
#include <selvage/runtime/fiber.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

#if defined(__x86_64__) && !defined(SELVAGE_FIBERS_BY_UCONTEXT)
#define SELVAGE_FIBERS_BY_ASSEMBLY
#else
#include <ucontext.h>

#include <memory>
#endif

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define SELVAGE_NO_ASAN __attribute__((no_sanitize_address))
#else
#define SELVAGE_NO_ASAN
#endif

#ifdef SELVAGE_FIBERS_BY_ASSEMBLY
// Saves what a call must preserve, stores the stack pointer in *from, goes on at `to`. Popping the
// return address and jumping leaves the processor's return predictor alone: three times faster
// than ret.
extern "C" void selvage_switch_stack(void** from, void* to);
asm(R"(
.text
.globl selvage_switch_stack
.hidden selvage_switch_stack
.type selvage_switch_stack, @function
selvage_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
.size selvage_switch_stack, . - selvage_switch_stack
)");
#endif

namespace selvage {

namespace {

thread_local Fiber* running = nullptr;

std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

#ifdef SELVAGE_FIBERS_BY_ASSEMBLY

void prepare(void*& place, char* stack, std::size_t bytes, void (*entry)()) {
  // Six registers and the address to go on at; on entry the stack is 8 past a multiple of 16, as
  // after a call.
  auto* top = reinterpret_cast<std::uintptr_t*>(stack + bytes) - 1;
  *top = 0;
  *--top = reinterpret_cast<std::uintptr_t>(entry);
  for (int i = 0; i < 6; ++i) *--top = 0;
  place = top;
}
void switch_stack(void*& from, void* to) { selvage_switch_stack(&from, to); }
void forget(void*&) {}

#else

void prepare(void*& place, char* stack, std::size_t bytes, void (*entry)()) {
  if (place == nullptr) place = new ucontext_t;
  auto* context = static_cast<ucontext_t*>(place);
  getcontext(context);
  context->uc_stack.ss_sp = stack;
  context->uc_stack.ss_size = bytes;
  context->uc_link = nullptr;
  makecontext(context, entry, 0);
}
void switch_stack(void*& from, void* to) {
  if (from == nullptr) from = new ucontext_t;
  swapcontext(static_cast<ucontext_t*>(from), static_cast<ucontext_t*>(to));
}
void forget(void*& place) { delete static_cast<ucontext_t*>(place); }

#endif

}  // namespace

Fiber::Fiber() {
  void* memory = mmap(nullptr, kStackBytes + page(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, page(), PROT_NONE);
  stack_ = static_cast<char*>(memory) + page();
}

Fiber::~Fiber() {
  forget(here_);
  forget(there_);
  munmap(stack_ - page(), kStackBytes + page());
}

void Fiber::start(void (*entry)()) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(stack_, kStackBytes);
#endif
  entry_ = entry;
  finished_ = false;
  prepare(here_, stack_, kStackBytes, &Fiber::run);
}

SELVAGE_NO_ASAN void Fiber::resume() {
  SELVAGE_CHECK(!finished_ && running == nullptr);
  running = this;
#ifdef __SANITIZE_ADDRESS__
  void* fake_there = nullptr;
  __sanitizer_start_switch_fiber(&fake_there, stack_, kStackBytes);
#endif
  switch_stack(there_, here_);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake_there, nullptr, nullptr);
#endif
  running = nullptr;
}

SELVAGE_NO_ASAN void Fiber::leave([[maybe_unused]] bool for_good) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_here_, bottom_there_, size_there_);
#endif
  switch_stack(here_, there_);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake_here_, &bottom_there_, &size_there_);
#endif
}

SELVAGE_NO_ASAN void Fiber::suspend() { running->leave(false); }

SELVAGE_NO_ASAN void Fiber::run() {
  Fiber* self = running;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, &self->bottom_there_, &self->size_there_);
#endif
  self->entry_();
  self->finished_ = true;
  self->leave(true);
  __builtin_unreachable();
}

}  // namespace selvage
