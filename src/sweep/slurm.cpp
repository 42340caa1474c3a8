#include "sweep/slurm.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "base/number.h"
#include "sweep/point_command.h"
#include "sweep/point_list.h"

namespace t3sim::sweep {
namespace fs = std::filesystem;
namespace {

struct Answer {
  int status = -1;
  std::string text;
};

Answer ask(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "re");
  if (!pipe) throw std::runtime_error("cannot start " + command);
  Answer answer;
  std::array<char, 4096> bytes{};
  for (std::size_t n; (n = std::fread(bytes.data(), 1, bytes.size(), pipe)) > 0;)
    answer.text.append(bytes.data(), n);
  const int status = ::pclose(pipe);
  answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return answer;
}

std::string stripped(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// slurm/1, slurm/2, …: the first that is free.
std::string free_name(const Store& store) {
  make_directories(store.file("slurm"));
  for (unsigned number = 1;; ++number) {
    std::string name = fs::absolute(store.file(fmt::format("slurm/{}", number))).lexically_normal().string();
    if (!fs::exists(name + ".tasks")) return name;
  }
}

// Task number i runs the points of line i.
std::string script(const Store& store, const std::string& name) {
  const std::string directory = fs::absolute(store.path()).lexically_normal().string();
  return fmt::format(
      "#!/bin/sh\n"
      "points=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" {})\n"
      "exec {} sweep work {} --points \"$points\"\n",
      shell_word(name + ".tasks"), shell_word(fs::read_symlink("/proc/self/exe").string()),
      shell_word(directory));
}

// "1_14 PENDING launch failed requeued held": some versions write the reason with underscores.
void count_task(const std::string& line, QueueState& state) {
  std::istringstream words(line);
  std::string task, status, reason;
  words >> task >> status;
  std::getline(words >> std::ws, reason);
  if (status.empty()) return;
  std::ranges::replace(reason, '_', ' ');
  if (status == "RUNNING" || status == "COMPLETING") {
    ++state.running;
  } else if (reason == "launch failed requeued held") {
    state.held.push_back(task);
  } else {
    ++state.waiting;
    state.why = reason;
  }
}

}  // namespace

std::vector<TaskPoints> cut_into_tasks(const Plan& plan, const std::vector<std::size_t>& missing,
                                       double task_seconds, double seconds_per_work) {
  double all = 0;
  for (const std::size_t i : missing) all += plan.points[i].work * seconds_per_work;
  const double enough = std::max(task_seconds, all / real(kMostTasks) * 2);
  std::vector<TaskPoints> tasks;
  double last = enough;
  for (const std::size_t i : missing) {
    const double seconds = plan.points[i].work * seconds_per_work;
    if (last + seconds / 2 >= enough) {
      tasks.emplace_back();
      last = 0;
    }
    tasks.back().push_back(i);
    last += seconds;
  }
  return tasks;
}

std::string submit_array(const Store& store, const std::string& sweep, const std::vector<TaskPoints>& tasks,
                         const std::vector<std::string>& more) {
  const std::string name = free_name(store);
  std::string lines;
  for (const TaskPoints& task : tasks) lines += format_point_list(task) + "\n";
  write_whole(name + ".tasks", lines);
  write_whole(name + ".sh", script(store, name));
  std::string command =
      fmt::format("sbatch --parsable --requeue --open-mode=append --array=0-{} --job-name={} --output={}",
                  tasks.size() - 1, shell_word("t3sim-" + sweep), shell_word(name + "-%a.log"));
  for (const std::string& argument : more) command += " " + shell_word(argument);
  const Answer answer = ask(command + " " + shell_word(name + ".sh"));
  const std::string job = stripped(answer.text.substr(0, answer.text.find(';')));
  const bool number = !job.empty() && std::ranges::all_of(job, [](char c) { return c >= '0' && c <= '9'; });
  if (answer.status != 0 || !number)
    throw std::runtime_error(fmt::format("--slurm: sbatch: {}", stripped(answer.text)));
  return job;
}

QueueState queue_state(const std::string& job) {
  const Answer answer = ask("squeue --noheader --array --format='%i %T %r' --jobs=" + job);
  QueueState state;
  if (answer.status != 0) {
    // A job that ended a while ago is forgotten.
    state.known = answer.text.find("Invalid job id") != answer.text.npos;
    return state;
  }
  state.known = true;
  std::istringstream lines(answer.text);
  for (std::string line; std::getline(lines, line);) count_task(line, state);
  return state;
}

std::string release(const std::vector<std::string>& tasks) {
  const Answer answer = ask(fmt::format("scontrol release {}", fmt::join(tasks, ",")));
  return answer.status == 0 ? "" : stripped(answer.text);
}

}  // namespace t3sim::sweep
