// Tables of backends, and collectives by a backend, as a user runs them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "app/program.h"
#include "in_folder.h"

namespace t3sim {
namespace {

class BackendCommands : public InFolder {
 protected:
  // Of a table: us by backend, of each operation and size.
  using Table = std::map<std::string, std::map<std::string, double>>;
  static Table table_of(const std::string& file) {
    Table table;
    std::istringstream lines(content_of(file));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      std::istringstream cells(line);
      std::string machine, operation, world, bytes, backend, us;
      for (std::string* cell : {&machine, &operation, &world, &bytes, &backend, &us})
        std::getline(cells, *cell, ',');
      table[operation + " " + bytes][backend] = std::stod(us);
    }
    return table;
  }
  static std::string fastest(const std::map<std::string, double>& times) {
    return std::ranges::min_element(times, {}, [](const auto& t) { return t.second; })->first;
  }
};

// Four H200: the winner that was measured, or one within 5 % of it.
TEST_F(BackendCommands, NameTheMeasuredWinnerIn27Of30Points) {
  const std::string tune =
      "tune backends " T3SIM_SOURCE_DIR
      "/validation/messages/h200-x4.yaml --machine h200-x4 --world 4 --backends "
      "ring_LL,ring_LL128,ring_simple --operations all-gather,all-reduce,reduce-scatter ";
  ASSERT_EQ(
      t3sim_with(tune +
                 "--bytes 512KiB,1MiB,2MiB,4MiB,8MiB,16MiB,32MiB,64MiB,128MiB,256MiB --kept '' -o ours.csv")
          .status,
      0);
  ASSERT_EQ(t3sim_with(tune + "--measured " T3SIM_SOURCE_DIR
                              "/validation/measured/data/h200/collectives.csv -o measured.csv")
                .status,
            0);
  const Table ours = table_of("ours.csv"), measured = table_of("measured.csv");
  int named = 0, points = 0;
  for (const auto& [point, times] : ours) {
    const auto found = measured.find(point);
    if (found == measured.end()) continue;
    ++points;
    named += found->second.at(fastest(times)) <= 1.05 * found->second.at(fastest(found->second));
  }
  EXPECT_EQ(points, 30);
  EXPECT_GE(named, 27);
}

TEST_F(BackendCommands, RunACollectiveByTheBackendOfATable) {
  const std::string call = "run --gpus 8 --collective all-reduce --backend auto --table t.csv --machine ";
  ASSERT_EQ(
      t3sim_with(
          "tune backends --machine lassen --world 8 --operations all-reduce --bytes 64KiB,1MiB --backends "
          "nccl,mpi-gdr --kept '' -o t.csv")
          .status,
      0);
  const Outcome by_table = t3sim_with(call + "lassen --bytes 1MiB -o a");
  ASSERT_EQ(by_table.status, 0) << by_table.err;
  const std::string best = fastest(table_of("t.csv").at("all-reduce 1048576"));
  EXPECT_NE(content_of("a/communication.csv").find("all-reduce," + best + ","), std::string::npos);
  const std::pair<const char*, const char*> wrong[] = {
      {"lassen --bytes 2MiB", "or say --extrapolate"},
      {"thetagpu --bytes 1MiB", "is of another machine"},
      {"lassen --bytes 1MiB --algorithm ring", "say none of them"}};
  for (const auto& [arguments, message] : wrong) {
    const Outcome refused = t3sim_with(call + arguments);
    EXPECT_EQ(refused.status, 2) << arguments;
    EXPECT_NE(refused.err.find(message), std::string::npos) << refused.err;
  }
  EXPECT_EQ(t3sim_with(call + "lassen --bytes 2MiB --extrapolate").status, 0);
}

}  // namespace
}  // namespace t3sim
