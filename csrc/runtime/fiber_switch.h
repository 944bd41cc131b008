#pragma once

#include <cstddef>

#if !defined(__x86_64__)
#define SELVAGE_FIBERS_BY_UCONTEXT
#endif

#ifdef SELVAGE_FIBERS_BY_UCONTEXT
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SELVAGE_FIBERS_UNDER_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SELVAGE_FIBERS_UNDER_ASAN
#endif
#endif
#ifdef SELVAGE_FIBERS_UNDER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace selvage::fiber {

// A place to continue at: on x86-64 a stack pointer with the frame and the address at it, else a
// ucontext (a system call for each switch). Null until the first switch away from it.
using Place = void*;

// Makes `place` begin `entry`, which must not return, on the given stack.
void prepare(Place& place, char* stack, std::size_t bytes, void (*entry)());
void forget(Place& place);

// Stores this place in `from` and goes on at `to`.
//
// Inlined, and left by a jump, since a processor predicts each ret by the last call. Without a call
// of ours around the switch, a resumed kernel returns to the address that the kernel before it
// called from, namely the same barrier; each frame in between would cost a misprediction.
#ifdef SELVAGE_FIBERS_BY_UCONTEXT
inline void switch_to(Place& from, Place to) {
  if (from == nullptr) from = new ucontext_t;
  swapcontext(static_cast<ucontext_t*>(from), static_cast<ucontext_t*>(to));
}
#else
__attribute__((always_inline)) inline void switch_to(Place& from, Place to) {
  Place* saved = &from;
  // 128 bytes below the stack pointer may be in use (the red zone). All registers but the two
  // pushed ones are declared lost, so the compiler keeps what it needs on the stack.
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rcx\n\t"
      "pushq %%rcx\n\t"
      "movq %%rsp, (%%rax)\n\t"
      "movq %%rdx, %%rsp\n\t"
      "popq %%rcx\n\t"
      "jmp *%%rcx\n"
      "1:\n\t"
      "popq %%rbp\n\t"
      "leaq 128(%%rsp), %%rsp"
      : "+a"(saved), "+d"(to)
      :
      : "rbx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc",
        "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#ifdef __AVX512F__
        ,
        "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
        "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6",
        "k7"
#endif
  );
}
#endif

// Tell AddressSanitizer of each switch: before it the address of the new stack, after it that of
// the old one. A null `fake` before the switch means that this stack is left for good.
#ifdef SELVAGE_FIBERS_UNDER_ASAN
inline void before_switch(void** fake, const void* bottom, std::size_t bytes) {
  __sanitizer_start_switch_fiber(fake, bottom, bytes);
}
inline void after_switch(void* fake, const void** bottom, std::size_t* bytes) {
  __sanitizer_finish_switch_fiber(fake, bottom, bytes);
}
#else
inline void before_switch(void**, const void*, std::size_t) {}
inline void after_switch(void*, const void**, std::size_t*) {}
#endif

}  // namespace selvage::fiber
