#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>

namespace selvage {

// Runs `body` in a child of this process, which ends without destructors. What it returns is the
// child's exit status, 111 if it throws; its expectations count for nothing.
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

// The exit status of a child; 1000 and its number where a signal has ended it.
inline int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace selvage
