#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>

namespace selvage {

// Runs `body` in a child of this process, which ends without destructors. The exit status of the
// child is what `body` returns, or 111 if it throws. Expectations in the child are lost.
inline pid_t fork_child(const auto& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  int status = 111;
  try {
    status = body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "in a child: %s\n", error.what());
  }
  std::fflush(nullptr);
  _exit(status);
}

// Waits for a child. Returns its exit status, or 1000 + the number of the signal that ended it.
inline int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace selvage
