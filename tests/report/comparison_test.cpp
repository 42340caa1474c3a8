// t3sim compare: what differs between results, from their files.
#include "report/comparison.h"

#include <gtest/gtest.h>

#include "app/program.h"
#include "in_folder.h"

namespace t3sim::report {
namespace {

using Json = nlohmann::ordered_json;

class Comparisons : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write_file("tiny.yaml",
               "workload: {name: tiny, m: 512, n: 256, k: 64}\ngpus: {count: 4}\nschemes: [sequential, t3]\n"
               "include: " T3SIM_SOURCE_DIR "/tests/machine.yaml\n");
  }
  static void run(const std::string& arguments, const std::string& directory) {
    const Outcome outcome = t3sim_with("run tiny.yaml -q " + arguments + " -o " + directory);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  static void sweep(const std::string& name, const std::string& bandwidth, const std::string& values) {
    write_file(name + ".yaml", "base: tiny.yaml\nset: {topology.bandwidth: " + bandwidth +
                                   "}\naxes: {workload.k: " + values + "}\n");
    const Outcome outcome = t3sim_with("sweep run " + name + ".yaml --quiet -o " + name);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  static Json row(const Json& data, const std::string& scheme, const std::string& group,
                  const std::string& name) {
    for (const Json& row : data["rows"])
      if (row["scheme"] == scheme && row["group"] == group && row["name"] == name) return row;
    return {};
  }
  static std::string refusal(const std::string& arguments) {
    const Outcome outcome = t3sim_with("compare " + arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  }
};

TEST_F(Comparisons, name_the_keys_that_differ_and_no_others) {
  run("", "a");
  run("--set topology.bandwidth=150GB/s", "b");
  const Json data = comparison_data({"a", "b"});
  EXPECT_EQ(data["config"],
            Json::parse(R"([{"key": "topology.bandwidth", "values": ["75 GB/s", "150 GB/s"]}])"));
}

TEST_F(Comparisons, have_the_numbers_of_results_json_and_their_change) {
  run("", "a");
  run("--set topology.bandwidth=150GB/s", "b");
  const Json data = comparison_data({"a", "b"});
  const auto time = [](const char* path) {
    return Json::parse(content_of(path))["schemes"]["t3"]["time_us"].get<double>();
  };
  const Json total = row(data, "t3", "time", "total");
  EXPECT_EQ(total["values"], Json({time("a/results.json"), time("b/results.json")}));
  EXPECT_DOUBLE_EQ(total["change"][1].get<double>(), time("b/results.json") / time("a/results.json") - 1);
  EXPECT_EQ(row(data, "t3", "bytes", "sent")["change"][1], 0.0);
  EXPECT_FALSE(row(data, "t3", "gap", "in all").is_null());
  EXPECT_FALSE(row(data, "t3", "utilisation", "fused matrix").is_null());
}

TEST_F(Comparisons, leave_empty_what_a_run_does_not_have) {
  run("", "a");
  run("--scheme t3-mca", "b");
  const Json data = comparison_data({"a", "b"});
  EXPECT_TRUE(row(data, "t3", "time", "total")["values"][1].is_null());
  EXPECT_TRUE(row(data, "t3-mca", "time", "total")["values"][0].is_null());
  EXPECT_TRUE(row(data, "t3-mca", "time", "total")["change"][1].is_null());
}

TEST_F(Comparisons, of_a_run_with_itself_say_that_nothing_differs) {
  run("", "a");
  const Outcome outcome = t3sim_with("compare a a");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("The configurations are the same."), std::string::npos);
  EXPECT_EQ(outcome.out.find("\nbytes"), std::string::npos) << "bytes are the same";
  EXPECT_NE(t3sim_with("compare a a --all").out.find("\nbytes"), std::string::npos);
}

TEST_F(Comparisons, of_sweeps_are_over_the_points_that_they_share) {
  sweep("one", "75 GB/s", "[32, 64, 96]");
  sweep("two", "150 GB/s", "[64, 96, 128]");
  const Json data = comparison_data({"one", "two"});
  EXPECT_EQ(data["points"], Json::parse(R"({"common": 2, "only": [1, 1]})"));
  EXPECT_EQ(data["schemes"][0]["scheme"], "sequential");
  EXPECT_EQ(data["schemes"][0]["points"], 2);
  EXPECT_LT(data["schemes"][0]["mean"][1].get<double>(), 1) << "faster links";
  EXPECT_EQ(data["config"][0]["key"], "topology.bandwidth");
  EXPECT_NE(t3sim_with("compare one two").out.find("2 points in all of them"), std::string::npos);
}

TEST_F(Comparisons, are_refused_where_there_is_nothing_to_compare) {
  run("", "a");
  sweep("one", "75 GB/s", "[32]");
  write_file("other.yaml", "base: tiny.yaml\naxes: {gpus.count: [4]}\n");
  ASSERT_EQ(t3sim_with("sweep run other.yaml --quiet -o other").status, 0);
  EXPECT_EQ(refusal("a"), "t3sim: compare: needs two directories or more (see t3sim compare --help)\n");
  EXPECT_EQ(refusal("a one"),
            "t3sim: compare: a is no sweep, and others are: runs with runs, sweeps with sweeps\n");
  EXPECT_EQ(refusal("one other"),
            "t3sim: compare: other has the axes gpus_count, and one has workload_k: nothing to compare\n");
  EXPECT_EQ(refusal("a nowhere"), "t3sim: nowhere: there is no such directory\n");
}

class ProgramComparisons : public Comparisons {
 protected:
  static void run_program(const std::string& arguments, const std::string& directory) {
    const Outcome outcome = t3sim_with("run --machine h200 --program gemm-copy-gemm -p n=512 -p k=256 " +
                                       arguments + " -o " + directory);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  static Json command(const Json& data, const std::string& name) {
    for (const Json& row : data["commands"])
      if (row["command"] == name) return row;
    return {};
  }
};

TEST_F(ProgramComparisons, have_times_bytes_and_the_mean_time_of_every_command) {
  run_program("-p m=256", "a");
  run_program("-p m=512", "b");
  const Json data = comparison_data({"a", "b"}), results = Json::parse(content_of("b/results.json"));
  EXPECT_EQ(row(data, "", "time", "total")["values"][1], results["time_us"]);
  constexpr double kSignal = 32;
  EXPECT_EQ(row(data, "", "bytes", "sent")["values"],
            Json({256.0 * 512 * 2 + kSignal, 512.0 * 512 * 2 + kSignal}));
  const Json copy = command(data, "copy c to received@#");
  EXPECT_EQ(copy["stream"], "compute");
  EXPECT_EQ(copy["kind"], "copy");
  EXPECT_EQ(copy["counts"], Json({2, 2})) << "one on each GPU";
  EXPECT_DOUBLE_EQ(copy["change"][1].get<double>(),
                   copy["values"][1].get<double>() / copy["values"][0].get<double>() - 1);
  EXPECT_FALSE(command(data, "gemm d = received * b2").is_null()) << "a name's number stays";
}

TEST_F(ProgramComparisons, of_a_program_and_a_run_have_a_column_for_each_scheme) {
  run_program("-p m=256", "a");
  run("", "b");
  const Json data = comparison_data({"a", "b"});
  EXPECT_EQ(data["names"], Json({"a", "b (sequential)", "b (t3)"}));
  const Json schemes = Json::parse(content_of("b/results.json"))["schemes"],
             total = row(data, "", "time", "total");
  EXPECT_EQ(total["values"][1], schemes["sequential"]["time_us"]);
  EXPECT_EQ(total["values"][2], schemes["t3"]["time_us"]);
  EXPECT_TRUE(row(data, "", "time", "fused")["values"][0].is_null());
  EXPECT_EQ(data["commands"][0]["counts"], Json({2, 0, 0}));
  const Outcome outcome = t3sim_with("compare a b");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"\nC: b (t3)  tiny: M 512 x N 256 x K 64 on 4 GPUs\n", "\ncommands, mean time",
                           "\ncompute: gemm c = a * b", " (2 times)"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
}

TEST_F(ProgramComparisons, are_not_of_sweeps) {
  run_program("-p m=256", "a");
  sweep("one", "75 GB/s", "[32]");
  EXPECT_EQ(refusal("one a"),
            "t3sim: compare: a is no sweep, and others are: runs with runs, sweeps with sweeps\n");
}

}  // namespace
}  // namespace t3sim::report
