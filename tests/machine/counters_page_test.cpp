// docs/counters.md has every counter with its unit and meaning, as the components say them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "machine/gpu_stats.h"
#include "machine/small_cluster.h"

namespace t3sim {
namespace {

// Rows of the page, by kind of component and then in the order in which they are reported.
class Page final : public StatsSink {
 public:
  void add(const Counter& counter, CounterValue) override {
    static const std::regex number(R"(\[.*\]|\d+$)");
    const std::string kind = std::regex_replace(std::string(counter.component), number, "[...]");
    std::vector<std::string>& rows = rows_[kind];
    const std::string row = fmt::format("| `{}` | {} | {} |\n", counter.name, counter.unit, counter.meaning);
    if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
  }
  std::string text() const {
    std::string out =
        "# Counters\n\nEvery counter of `stats.csv`, by component. Units: `1` is a plain number.\n";
    for (const auto& [kind, rows] : rows_) {
      out += fmt::format("\n## `{}`\n\n| counter | unit | meaning |\n|---|---|---|\n", kind);
      for (const std::string& row : rows) out += row;
    }
    return out;
  }

 private:
  std::map<std::string, std::vector<std::string>> rows_;
};

void run(const Config& config, SmallPhase::What what, Page& page) {
  Cluster cluster(config, SmallPhase{what}.of(config), time_base(config));
  const PhaseResult result = cluster.run({});
  for (std::size_t g = 0; g < result.gpus.size(); ++g) {
    visit_stats(*result.gpus[g], page);
    result.fabric->visit(g, page);
  }
}

// Rings, a switch, and two nodes of two GPUs that share a network card.
std::string page_of_runs() {
  Page page;
  using enum SmallPhase::What;
  for (const TopologyKind kind : {TopologyKind::ring, TopologyKind::switched, TopologyKind::pcie_tree}) {
    Config config = small_config(4, 256, 256, 64, GpuModel::explicit_);
    config.topology.kind = kind;
    config.topology.pcie = {1, 2, 1, false, 40'000'000'000, 200'000, 100'000'000'000, 300'000, {}, 800'000};
    if (kind == TopologyKind::pcie_tree) config.topology.card = {128, 100'000, 0, CardPuts::gpu};
    for (const auto what : {fused, scatter, near_memory}) run(config, what, page);
  }
  return page.text();
}

// T3SIM_WRITE_DOCS=1 writes the page.
TEST(CountersPage, HasEveryCounterAsTheComponentsSayIt) {
  const std::string path = T3SIM_SOURCE_DIR "/docs/counters.md", page = page_of_runs();
  if (std::getenv("T3SIM_WRITE_DOCS") != nullptr) std::ofstream(path) << page;
  std::ostringstream kept;
  kept << std::ifstream(path).rdbuf();
  EXPECT_EQ(kept.str(), page) << "T3SIM_WRITE_DOCS=1 writes it anew";
}

}  // namespace
}  // namespace t3sim
