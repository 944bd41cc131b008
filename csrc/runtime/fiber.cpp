#include <selvage/runtime/fiber.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

#ifdef SELVAGE_FIBERS_UNDER_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace selvage {

namespace fiber {

#ifdef SELVAGE_FIBERS_BY_UCONTEXT

void prepare(Place& place, char* stack, std::size_t bytes, void (*entry)()) {
  if (place == nullptr) place = new ucontext_t;
  auto* context = static_cast<ucontext_t*>(place);
  getcontext(context);
  context->uc_stack.ss_sp = stack;
  context->uc_stack.ss_size = bytes;
  context->uc_link = nullptr;
  makecontext(context, entry, 0);
}
void forget(Place& place) { delete static_cast<ucontext_t*>(place); }

#else

// The address to go on at; above it the stack as after a call: 8 past a multiple of 16.
void prepare(Place& place, char* stack, std::size_t bytes, void (*entry)()) {
  auto* top = reinterpret_cast<std::uintptr_t*>(stack + bytes);
  *--top = 0;
  *--top = reinterpret_cast<std::uintptr_t>(entry);
  place = top;
}
void forget(Place&) {}

#endif

}  // namespace fiber

namespace {

std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

constinit thread_local Fiber* Fiber::running_ = nullptr;

Fiber::Fiber() {
  void* memory = mmap(nullptr, kStackBytes + page(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, page(), PROT_NONE);
  stack_ = static_cast<char*>(memory) + page();
}

Fiber::~Fiber() {
  fiber::forget(here_);
  fiber::forget(there_);
  munmap(stack_ - page(), kStackBytes + page());
}

void Fiber::start(void (*entry)()) {
#ifdef SELVAGE_FIBERS_UNDER_ASAN
  __asan_unpoison_memory_region(stack_, kStackBytes);
#endif
  entry_ = entry;
  finished_ = false;
  fiber::prepare(here_, stack_, kStackBytes, &Fiber::run);
}

void Fiber::run() {
  Fiber* self = running_;
  fiber::after_switch(nullptr, &self->bottom_there_, &self->bytes_there_);
  self->entry_();
  self->finished_ = true;
  fiber::before_switch(nullptr, self->bottom_there_, self->bytes_there_);
  fiber::switch_to(self->here_, self->there_);
}

}  // namespace selvage
