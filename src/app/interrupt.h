// Ctrl-C and SIGTERM while a run is at work: one line that says what is kept, and nothing half-written left.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace t3sim {

// While one lives, the signals end the process with status 1, after `clean` on a thread of its own has returned what the
// message is to say. Threads that start later inherit that they do not get the signals themselves.
class Interrupt {
 public:
  explicit Interrupt(std::function<std::string()> clean);
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

 private:
  void wait() const;

  std::function<std::string()> clean_;
  std::thread watcher_;
};

}  // namespace t3sim
