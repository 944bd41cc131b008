// A stand-in for CUDA's driver library: device memory is host memory, a launch only keeps its
// numbers, and a cubin that begins with '!' is refused. What was called is kept in stub_log.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char stub_log[4096];

static int note(const char* what) {
  strncat(stub_log, what, sizeof stub_log - strlen(stub_log) - 1);
  strncat(stub_log, "\n", sizeof stub_log - strlen(stub_log) - 1);
  return 0;
}

int cuInit(unsigned flags) {
  (void)flags;
  return getenv("STUB_NO_DEVICE") ? 100 : 0;
}
int cuGetErrorString(int error, const char** text) {
  if (error == 100) *text = "no CUDA-capable device is detected";
  if (error == 200) *text = "device kernel image is invalid";
  if (error == 500) *text = "named symbol not found";
  return error == 100 || error == 200 || error == 500 ? 0 : 1;
}
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char* name, int size, int device) {
  (void)device;
  snprintf(name, (size_t)size, "Stub");
  return 0;
}
int cuDeviceGetAttribute(int* value, int which, int device) {
  (void)device;
  *value = which == 75 ? 9 : which == 76 ? 0 : 132;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  (void)device;
  *context = stub_log;
  return note("retain");
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  return note("release");
}
int cuCtxSetCurrent(void* context) { return context == stub_log ? 0 : 201; }
int cuCtxSynchronize(void) { return note("synchronize"); }
int cuModuleLoadData(void** module, const void* image) {
  if (*(const char*)image == '!') return 200;
  *module = stub_log;
  return note("load");
}
int cuModuleUnload(void* module) {
  (void)module;
  return note("unload");
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  *function = module;
  return strcmp(name, "absent") == 0 ? 500 : 0;
}
int cuFuncSetAttribute(void* function, int which, int value) {
  char line[64];
  (void)function;
  snprintf(line, sizeof line, "attribute %d = %d", which, value);
  return note(line);
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** arguments, void** extra) {
  char line[128];
  (void)function, (void)stream, (void)extra;
  snprintf(line, sizeof line, "launch %u %u %u, %u %u %u, %u, argument %d", gx, gy, gz, bx, by, bz,
           shared, *(int*)arguments[0]);
  return note(line);
}
int cuMemAlloc_v2(unsigned long long* address, size_t bytes) {
  if (bytes > (size_t)1 << 40) return 2;
  *address = (unsigned long long)malloc(bytes);
  return 0;
}
int cuMemFree_v2(unsigned long long address) {
  free((void*)address);
  return note("free");
}
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes) {
  return memcpy((void*)to, from, bytes), 0;
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes) {
  return memcpy(to, (const void*)from, bytes), 0;
}
