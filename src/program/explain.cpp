#include "program/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/number.h"
#include "program/bodies.h"
#include "program/traffic.h"
#include "program/views.h"

namespace t3sim::program {
namespace {

std::string mib(std::uint64_t bytes) { return fmt::format("{:.2f} MiB", real(bytes) / (1 << 20)); }

// Rows of cells in columns as wide as their content.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format(" {:<{}} ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

class Explainer {
 public:
  Explainer(const Program& program, std::size_t most) : p_(program), most_(most) { find_setters(); }

  std::string text() const {
    return title() + arrays() + signals() + streams() + others() + between() + work() + promises();
  }

 private:
  struct Setter {
    std::uint32_t gpu;
    const Command* command;
  };
  using WordKey = std::array<std::uint32_t, 3>;
  static WordKey key_of(const SignalWord& word) { return {word.signals, word.index, word.gpu}; }

  // By word of GPU 0.
  void find_setters() {
    for (std::uint32_t gpu = 0; gpu < p_.gpu_count; ++gpu)
      for (const Command& command : p_.gpus[gpu].commands) {
        if (const auto* set = std::get_if<SetSignal>(&command.action)) add_setter(set->set, gpu, command);
        const auto* launch = std::get_if<Launch>(&command.action);
        const std::uint32_t tiles = launch && !launch->sets.empty() ? tiles_of(*launch) : 0;
        for (std::uint32_t tile = 0; tile < tiles; ++tile)
          for (const SignalSet& set : launch->sets.of(tile)) add_setter(set, gpu, command);
      }
  }
  void add_setter(const SignalSet& set, std::uint32_t gpu, const Command& command) {
    if (set.word.gpu != 0) return;
    std::vector<Setter>& all = setters_[key_of(set.word)];
    if (all.empty() || all.back().command != &command) all.push_back({gpu, &command});
  }

  std::string title() const {
    std::string text = fmt::format("{} on {} GPU{}", p_.name, p_.gpu_count, p_.gpu_count == 1 ? "" : "s");
    for (const auto& [name, value] : p_.parameters) text += fmt::format(", {} = {}", name, value);
    return text + (p_.queue_filled ? "\nthe clock starts when all commands are issued" : "") + "\n";
  }

  std::string arrays() const {
    std::vector<std::vector<std::string>> rows = {
        {"array", "rows", "columns", "type", "copies", "size", "at", "on", "before"}};
    for (const Array& a : p_.arrays)
      rows.push_back({a.name, std::to_string(a.rows), std::to_string(a.columns),
                      std::string(t3sim::to_string(a.type)), std::to_string(a.copies),
                      mib(a.copies * a.stride_bytes), fmt::format("{:#x}", a.address), where(a), before(a)});
    return "\narrays, in the memory of each GPU\n" + table(rows);
  }
  static std::string where(const Array& a) {
    const auto here = std::ranges::count(a.on, true);
    return here == std::ssize(a.on) ? "all" : fmt::format("{} of {}", here, a.on.size());
  }
  std::string before(const Array& a) const {
    if (a.contents == Contents::nothing) return "nothing";
    const std::string what = a.contents == Contents::zeros ? "zeros" : "values";
    const View& given = a.given[0];
    const bool all = given.rows == a.rows && given.columns == a.columns;
    return all ? what : fmt::format("{} in {}, the rest nothing", what, to_text(p_, given, 0));
  }

  std::string signals() const {
    if (p_.signals.empty()) return "";
    std::vector<std::vector<std::string>> rows = {{"signal", "words", "at", "set before on GPU 0"}};
    for (const Signals& s : p_.signals) {
      const auto set = std::ranges::count_if(s.initial[0], [](std::uint64_t value) { return value != 0; });
      rows.push_back({s.name, std::to_string(s.count), fmt::format("{:#x}", s.address), std::to_string(set)});
    }
    return "\nsignals\n" + table(rows);
  }

  std::string streams() const {
    std::string text;
    const GpuCommands& gpu = p_.gpus[0];
    for (std::uint32_t stream = 0; stream < gpu.streams.size(); ++stream) {
      std::vector<std::size_t> own;
      for (std::size_t i = 0; i < gpu.commands.size(); ++i)
        if (gpu.commands[i].stream == stream) own.push_back(i);
      text += fmt::format(
          "\nGPU 0, stream {}: {} command{} (number in the order of issue from 0, as in commands.csv, line, "
          "what)\n",
          gpu.streams[stream], own.size(), own.size() == 1 ? "" : "s");
      std::vector<std::vector<std::string>> rows;
      for (std::size_t i = 0; i < std::min(own.size(), most_); ++i) {
        const Command& command = gpu.commands[own[i]];
        rows.push_back(
            {std::to_string(own[i]), std::to_string(command.place.line), command.name, detail(command)});
      }
      text += table(rows);
      if (own.size() > most_) text += fmt::format("  ... and {} more\n", own.size() - most_);
    }
    return text;
  }

  std::string detail(const Command& command) const {
    if (const auto* launch = std::get_if<Launch>(&command.action)) return launch_detail(*launch);
    if (const auto* copy = std::get_if<Copy>(&command.action)) return mib(bytes_of(p_, copy->from));
    if (const auto* wait = std::get_if<WaitSignal>(&command.action))
      return "set by " + setters(wait->wait.word);
    if (const auto* sync = std::get_if<SyncSignal>(&command.action))
      return "set by " + setters(sync->wait.word);
    if (const auto* event = std::get_if<WaitEvent>(&command.action))
      return "recorded in " + recorded_in(event->event);
    return "";
  }
  std::string recorded_in(std::uint32_t event) const {
    const GpuCommands& gpu = p_.gpus[0];
    for (const Command& command : gpu.commands)
      if (const auto* record = std::get_if<Record>(&command.action); record && record->event == event)
        return fmt::format("{} (line {})", gpu.streams[command.stream], command.place.line);
    return "";
  }
  std::string setters(const SignalWord& word) const {
    const auto found = setters_.find(key_of(word));
    if (found == setters_.end()) return "nobody: it is set before";
    std::set<std::uint32_t> gpus;
    for (const Setter& setter : found->second) gpus.insert(setter.gpu);
    const Setter& first = found->second.front();
    return fmt::format("GPU {} (line {}){}", fmt::join(gpus, ", "), first.command->place.line,
                       found->second.size() > 1 ? fmt::format(", {} times", found->second.size()) : "");
  }

  std::string launch_detail(const Launch& launch) const {
    std::string text = launch.cus == 0
                           ? ""
                           : fmt::format("CUs {} to {}; ", launch.first_cu, launch.first_cu + launch.cus - 1);
    const auto* gemm = std::get_if<GemmBody>(&launch.body);
    if (!gemm)
      return text + mib(bytes_of(p_, output_of(launch.body))) + tiles_detail(launch, tiles_of(launch));
    const GemmSpec& s = gemm->spec;
    text += fmt::format("{:.1f} GFLOP, {} tiles of {} x {} x {}", 2e-9 * s.shape.m * s.shape.n * s.shape.k,
                        s.c().grid.tiles(), s.tile.m, s.tile.n, s.tile.k);
    if (s.split_k > 1) text += fmt::format(", split-K {}", s.split_k);
    return text + tiles_detail(launch, s.c().grid.tiles());
  }
  std::string tiles_detail(const Launch& launch, std::uint32_t tiles) const {
    std::set<WordKey> waits, sets;
    std::set<std::uint32_t> stores;
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      for (const SignalWait& wait : launch.waits.of(tile)) waits.insert(key_of(wait.word));
      for (const SignalSet& set : launch.sets.of(tile)) sets.insert(key_of(set.word));
      for (const TileTarget& target : launch.stores.of(tile)) stores.insert(target.gpu);
    }
    std::string text;
    if (!launch.order.empty()) text += ", in an order of its own";
    if (!waits.empty()) text += fmt::format("; they wait for {} words", waits.size());
    if (!stores.empty()) text += fmt::format("; stored into GPU {}", fmt::join(stores, ", "));
    if (!sets.empty()) text += fmt::format("; they set {} words", sets.size());
    return text;
  }

  std::string others() const {
    std::string text;
    for (std::uint32_t gpu = 1; gpu < p_.gpu_count; ++gpu)
      if (!same_lines(p_.gpus[0], p_.gpus[gpu]))
        text += fmt::format("GPU {} has other commands than GPU 0: {} in {} streams\n", gpu,
                            p_.gpus[gpu].commands.size(), p_.gpus[gpu].streams.size());
    if (p_.gpu_count == 1) return "";
    return "\n" + (text.empty() ? "the other GPUs have the same commands, each with its own rank\n" : text);
  }
  static bool same_lines(const GpuCommands& a, const GpuCommands& b) {
    return std::ranges::equal(a.commands, b.commands, [](const Command& x, const Command& y) {
      return x.place.line == y.place.line && x.place.column == y.place.column && x.stream == y.stream;
    });
  }

  std::string between() const {
    const auto bytes = bytes_between(p_);
    std::vector<std::vector<std::string>> rows = {{"from \\ to"}};
    std::uint64_t sum = 0;
    for (std::uint32_t to = 0; to < p_.gpu_count; ++to) rows[0].push_back(fmt::format("GPU {}", to));
    for (std::uint32_t from = 0; from < p_.gpu_count; ++from) {
      rows.push_back({fmt::format("GPU {}", from)});
      for (const std::uint64_t b : bytes[from]) {
        rows.back().push_back(b == 0 ? "-" : fmt::format("{:.2f}", real(b) / (1 << 20)));
        sum += b;
      }
    }
    return sum == 0 ? "" : "\nMiB between GPUs, collectives not counted\n" + table(rows);
  }

  std::string work() const {
    const Work w = work_of(p_.gpus[0], p_);
    std::string text = fmt::format("\nGPU 0: {} GEMM{}, {:.1f} GFLOP", w.gemms, w.gemms == 1 ? "" : "s",
                                   real(w.flops) / 1e9);
    if (w.collectives > 0)
      text += fmt::format("; {} collectives of {}", w.collectives, mib(w.collective_bytes));
    return text + "\n";
  }

  std::string promises() const {
    std::string text;
    for (const Promise& promise : p_.promises)
      text += fmt::format("promised: {} is {}\n", promise.name, promise.text);
    return text;
  }

  const Program& p_;
  std::size_t most_;
  std::map<WordKey, std::vector<Setter>> setters_;
};

}  // namespace

std::string explain(const Program& program, std::size_t most) { return Explainer(program, most).text(); }

}  // namespace t3sim::program
