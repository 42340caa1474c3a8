// The GEMM of 320 blocks that Accel-Sim has a time for (validation/accelsim), on the machine it had it from.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "app/program.h"
#include "in_folder.h"

namespace t3sim {
namespace {

class AccelSimGemm : public InFolder {
 protected:
  // Sums over components ("l2" for "l2[0]", ...) of the counters of a run, by component and name.
  static std::map<std::string, double> counters_of_run() {
    const std::string root = T3SIM_SOURCE_DIR;
    const Outcome outcome =
        t3sim_with("run " + root + "/configs/systems/accelsim-table1.yaml --scheme kernel --quiet " +
                   "--set workload.trace=" + root + "/traces/accelsim-gemm-320tb.t3t -o out");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::map<std::string, double> sums;
    std::istringstream lines(content_of("out/stats.csv"));
    std::string line;
    for (std::getline(lines, line); std::getline(lines, line);) {
      std::istringstream cells(line);
      std::string gpu, component, name, value;
      for (std::string* cell : {&gpu, &component, &name, &value}) std::getline(cells, *cell, ',');
      sums[component.substr(0, component.find('[')) + "." + name] += std::stod(value);
    }
    return sums;
  }
};

TEST_F(AccelSimGemm, MovesTheSectorsThatAccelSimCountsInATimeWithinATenthOfIts) {
  constexpr double kSector = 32;
  std::map<std::string, double> sums = counters_of_run();
  EXPECT_EQ((sums["cu.load_bytes"] + sums["l2.store_bytes"]) / kSector, 1'638'400);
  EXPECT_EQ(sums["l2.miss_bytes"] / kSector, 73'728);
  EXPECT_EQ(sums["l2.store_miss_bytes"] / kSector, 327'680);
  EXPECT_EQ(sums["l2.writeback_bytes"], 0);  // Accel-Sim leaves the output in the L2
  EXPECT_NEAR(sums["kernel.cycles"], 69'529, 0.1 * 69'529);
}

}  // namespace
}  // namespace t3sim
