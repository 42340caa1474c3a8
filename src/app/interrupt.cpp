#include "app/interrupt.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/exit_status.h"

namespace t3sim {
namespace {

constexpr int kStop = SIGUSR1;  // the watcher's own: there is nothing left to watch

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, kStop}) sigaddset(&set, signal);
  return set;
}

}  // namespace

Interrupt::Interrupt(std::function<std::string()> clean) : clean_(std::move(clean)) {
  const sigset_t set = watched();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  watcher_ = std::thread([this] { wait(); });
}

Interrupt::~Interrupt() {
  ::pthread_kill(watcher_.native_handle(), kStop);
  watcher_.join();
  const sigset_t set = watched();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::wait() const {
  const sigset_t set = watched();
  int signal = 0;
  while (::sigwait(&set, &signal) != 0) continue;
  if (signal == kStop) return;
  const std::string kept = clean_();
  fmt::print(stderr, "{}t3sim: interrupted: {}\n", ::isatty(STDERR_FILENO) ? "\r\033[K" : "", kept);
  std::fflush(stderr);
  ::_exit(kFailed);
}

}  // namespace t3sim
