#include "sweep/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "base/number.h"
#include "base/sha256.h"
#include "run/check_config.h"
#include "run/run_schemes.h"
#include "sweep/files.h"

namespace t3sim::sweep {
namespace {

constexpr auto kPollEvery = std::chrono::milliseconds(250);

// The point is kept by what its files held when it was planned.
void check_files(const Point& point) {
  for (const config::InputFile& file : point.files)
    if (sha256_hex(read_file(file.path).value_or("")) != file.sha256)
      throw InputError(fmt::format("{}: changed since the sweep was planned", file.path));
}

PointResult result_of(const Plan& plan, const Point& point) {
  config::Document document;
  document.root = config::parse_yaml(point.config, fmt::format("point {}", point.index));
  Config config;
  const config::Sources sources = config::read(document.root, config);
  settle_config(config, sources);
  check_config(config, sources);
  PointResult result = point_result(run_point(config), plan.further.counters());
  check_files(point);
  return result;
}

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return narrow<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

class Worker {
 public:
  Worker(const Store& store, const Plan& plan, const std::function<void(const WorkerEvent&)>& tell)
      : store_(store), plan_(plan), tell_(tell) {}

  // False if another process is at it.
  bool settle(const Point& point) {
    if (settled(point)) return true;
    std::optional<FileLock> claim = store_.claim(point);
    if (!claim) return false;
    if (!settled(point)) run(point);  // another may have finished it just before
    claim->remove();
    return true;
  }

 private:
  bool settled(const Point& point) const {
    return store_.result(point).has_value() || store_.failure(point).has_value();
  }

  void run(const Point& point) {
    tell_({WorkerEvent::Kind::start, point.index, 0, 0, ""});
    try {
      const PointResult result = result_of(plan_, point);
      store_.write_result(point, result);
      tell_({WorkerEvent::Kind::done, point.index, result.host_seconds, result.events, ""});
    } catch (const StorageError&) {
      throw;
    } catch (const std::bad_alloc&) {
      fail(point, "out of memory");
    } catch (const std::exception& e) {
      fail(point, e.what());
    }
  }

  void fail(const Point& point, const std::string& why) {
    store_.write_failure(point, why);
    tell_({WorkerEvent::Kind::failed, point.index, 0, 0, one_line(why)});
  }

  const Store& store_;
  const Plan& plan_;
  const std::function<void(const WorkerEvent&)>& tell_;
};

}  // namespace

std::string to_line(const WorkerEvent& event) {
  switch (event.kind) {
    case WorkerEvent::Kind::start:
      return fmt::format("start {}\n", event.point);
    case WorkerEvent::Kind::done:
      return fmt::format("done {} {:.3f} {}\n", event.point, event.host_seconds, event.events);
    case WorkerEvent::Kind::failed:
      return fmt::format("failed {} {}\n", event.point, event.why);
  }
  return "";
}

bool parse_line(const std::string& line, WorkerEvent& event) {
  std::istringstream in(line);
  std::string kind;
  if (!(in >> kind >> event.point)) return false;
  if (kind == "start") event.kind = WorkerEvent::Kind::start;
  if (kind == "done") {
    event.kind = WorkerEvent::Kind::done;
    in >> event.host_seconds >> event.events;
  }
  if (kind == "failed") {
    event.kind = WorkerEvent::Kind::failed;
    std::getline(in >> std::ws, event.why);
  }
  return kind == "start" || kind == "done" || kind == "failed";
}

void work(const Store& store, const Plan& plan, const std::vector<std::size_t>& points,
          const std::function<void(const WorkerEvent&)>& tell) {
  if (plan.program != program_id())
    throw InputError(fmt::format("{}: planned by t3sim {}, this is {}; sweep run --resume plans it anew",
                                 store.path(), plan.program, program_id()));
  Worker worker(store, plan, tell);
  std::vector<std::size_t> pending = points;
  for (;;) {
    std::erase_if(pending, [&](std::size_t i) { return worker.settle(plan.points[i]); });
    if (pending.empty()) return;
    std::this_thread::sleep_for(kPollEvery);
  }
}

}  // namespace t3sim::sweep
