// Workers as processes of this machine: what one of them breaks or eats stays with it.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

#include "base/number.h"
#include "sweep/point_list.h"
#include "sweep/run_sweep.h"
#include "sweep/worker.h"

namespace t3sim::sweep {
namespace {

constexpr int kPollMs = 200;
constexpr unsigned kMostCrashes = 2;           // of one point
constexpr std::size_t kLongestList = 100'000;  // of an argument, in characters

volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int) { interrupted = 1; }

struct Process {
  pid_t pid = -1;
  int from = -1;  // what it tells
  std::string line;
  std::optional<std::size_t> point;  // that it is at
};

class Pool {
 public:
  explicit Pool(SweepRun& run) : run_(run) {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (const Process& process : processes_) {
      ::kill(process.pid, SIGTERM);
      ::close(process.from);
      ::waitpid(process.pid, nullptr, 0);
    }
  }

  bool run() {
    const std::size_t wanted = std::min<std::size_t>(run_.options().jobs, run_.missing().size());
    while (processes_.size() < wanted) start();
    while (!processes_.empty() && !interrupted) {
      listen();
      run_.tick(running());
    }
    return !interrupted && !stopped_;
  }

 private:
  std::size_t running() const {
    return narrow<std::size_t>(
        std::ranges::count_if(processes_, [](const Process& p) { return p.point.has_value(); }));
  }

  void start() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw StorageError(fmt::format("pipe: {}", std::strerror(errno)));
    std::string points = format_point_list(run_.missing());
    if (points.size() > kLongestList) points = fmt::format("0-{}", run_.plan().points.size() - 1);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) throw StorageError(fmt::format("fork: {}", std::strerror(errno)));
    if (pid == 0) become_worker(ends[1], points, parent);
    ::close(ends[1]);
    processes_.push_back({pid, ends[0], "", std::nullopt});
  }

  [[noreturn]] void become_worker(int to, const std::string& points, pid_t parent) const {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // nothing goes on behind the user's back
    ::dup2(to, STDOUT_FILENO);
    if (::getppid() == parent)
      ::execl("/proc/self/exe", "t3sim", "sweep", "work", run_.options().directory.c_str(), "--points",
              points.c_str(), "--events", static_cast<char*>(nullptr));
    ::_exit(127);
  }

  void listen() {
    std::vector<pollfd> ends;
    for (const Process& process : processes_) ends.push_back({process.from, POLLIN, 0});
    if (::poll(ends.data(), ends.size(), kPollMs) <= 0) return;
    for (std::size_t i = ends.size(); i-- > 0;)
      if (ends[i].revents != 0) read_from(i);
  }

  void read_from(std::size_t i) {
    char bytes[4096];
    const ssize_t n = ::read(processes_[i].from, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) {
      ended(i);
      return;
    }
    std::string& line = processes_[i].line;
    line.append(bytes, narrow<std::size_t>(n));
    for (std::size_t end; (end = line.find('\n')) != line.npos; line.erase(0, end + 1))
      heard(processes_[i], line.substr(0, end));
  }

  void heard(Process& process, const std::string& line) {
    WorkerEvent event;
    if (!parse_line(line, event) || event.point >= run_.plan().points.size()) return;
    process.point.reset();
    if (event.kind == WorkerEvent::Kind::start) process.point = event.point;
    if (event.kind == WorkerEvent::Kind::done) run_.note_done(event.point, event.events);
    if (event.kind == WorkerEvent::Kind::failed) run_.note_failed(event.point, event.why);
  }

  // A worker that was killed is replaced; one that gave up by itself said why, and the next would too.
  void ended(std::size_t i) {
    const Process process = processes_[i];
    processes_.erase(processes_.begin() + narrow<std::ptrdiff_t>(i));
    ::close(process.from);
    int status = 0;
    ::waitpid(process.pid, &status, 0);
    if (!WIFSIGNALED(status)) {
      stopped_ |= WEXITSTATUS(status) != 0;
      return;
    }
    if (process.point) crashed(*process.point, WTERMSIG(status));
    run_.look_around();
    if (!interrupted && !stopped_ && !run_.missing().empty()) start();
  }

  void crashed(std::size_t point, int signal) {
    run_.progress().say(fmt::format("a worker was killed at point {}: {}", point, ::strsignal(signal)));
    if (++crashes_[point] < kMostCrashes) return;
    const std::string why =
        fmt::format("its worker was killed {} times: {}", kMostCrashes, ::strsignal(signal));
    run_.store().write_failure(run_.plan().points[point], why);
  }

  SweepRun& run_;
  std::vector<Process> processes_;
  std::map<std::size_t, unsigned> crashes_;
  bool stopped_ = false;
};

}  // namespace

bool run_locally(SweepRun& run) { return Pool(run).run(); }

}  // namespace t3sim::sweep
