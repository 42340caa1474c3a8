#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/program.h"
#include "base/error.h"
#include "in_folder.h"
#include "report/page.h"
#include "report/program_data.h"
#include "report/result_files.h"
#include "report/run_data.h"
#include "report/write_report.h"
#include "results/build_info.h"
#include "results/output_directory.h"
#include "results/report_file.h"

namespace t3sim::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Files = std::map<std::string, std::string>;

constexpr const char* kResults =
    R"({"schema": 1, "workload": {"name": "small", "m": 512, "n": 256, "k": 64, "gpus": 4},
 "schemes": {"t3": {"time_us": 20.5, "speedup": 1.25, "phases": {"fused_us": 20.5}, "dram_bytes": {"gemm_read": 7},
 "link_bytes": 3, "tracker": {}}}})";

Files small_result() {
  return {{"results.json", kResults},
          {"stats.csv",
           "gpu,component,name,value,unit,scheme,phase\n0,gpu,phase_time,20.5,us,t3,fused\n"
           "0,cu[3],busy,1,cycles,t3,fused\n"},
          {"series.csv",
           "gpu,component,name,start_us,interval_us,value,unit,scheme,phase\n"
           "0,dram,gemm_read_bytes,0,10,4,bytes,t3,fused\n0,dram,gemm_read_bytes,10,10,3,bytes,t3,fused\n"
           "0,tracker,live,0,10,0.5,1,t3,fused\n"},
          {"config.yaml", "gpus: {count: 4}\nschemes: [t3]\ntopology: {bandwidth: 75 GB/s}\n"}};
}

class Reports : public InFolder {
 protected:
  static void put(const Files& files, Json manifest = {{"version", kBuildInfo.version}}) {
    OutputDirectory directory("run");
    for (const auto& [name, content] : files) directory.write(name, content);
    directory.commit(std::move(manifest));
  }
  static Json data() { return run_data(read_result("run")); }
  static std::string refusal(const std::string& directory = "run") {
    try {
      run_data(read_result(directory));
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  }
  // With hashes that are right.
  static std::string refusal_with(const std::string& name, const std::string& content) {
    Files files = small_result();
    files[name] = content;
    put(files);
    return refusal();
  }
  static void edit_manifest(const std::function<void(Json&)>& change) {
    Json manifest = Json::parse(content_of("run/manifest.json"));
    change(manifest);
    write_file("run/manifest.json", manifest.dump());
  }
};

TEST_F(Reports, the_data_are_the_numbers_of_the_files) {
  put(small_result());
  const Json all = data();
  EXPECT_EQ(all["results"], Json::parse(kResults));
  EXPECT_EQ(all["config"]["topology.bandwidth"], "75 GB/s");
  EXPECT_EQ(all["config"]["schemes"], "t3");
  EXPECT_EQ(all["stats"].dump(), R"([[0,"gpu","phase_time",20.5,"us","t3","fused"]])");
  EXPECT_EQ(all["time_line"], nullptr);
}

TEST_F(Reports, a_series_is_one_list_of_values) {
  put(small_result());
  const Json series = data()["series"];
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[0]["values"].dump(), "[4,3]");
  EXPECT_EQ(series[0]["interval_us"], 10.0);
  EXPECT_EQ(series[1]["values"].dump(), "[0.5]");
}

TEST_F(Reports, a_series_with_a_hole_is_two_lists) {
  Files files = small_result();
  files["series.csv"] += "0,tracker,live,20,10,1,1,t3,fused\n";
  put(files);
  EXPECT_EQ(data()["series"][2]["start_us"], 20.0);
}

TEST_F(Reports, the_time_line_keeps_texts_once) {
  Files files = small_result();
  files["timeline.csv"] =
      "scheme,phase,gpu,track,name,start_us,end_us\n"
      "t3,fused,0,stage,\"stage, 0\",0,10\nt3,fused,0,stage,t3,10,20.5\n";
  put(files);
  const Json line = data()["time_line"];
  EXPECT_EQ(line["texts"].dump(), R"(["t3","fused","stage","stage, 0"])");
  EXPECT_EQ(line["name"].dump(), "[3,0]");
  EXPECT_EQ(line["end_us"].dump(), "[10.0,20.5]");
}

TEST_F(Reports, no_text_of_a_file_ends_the_script_that_holds_it) {
  const std::string page = page_with({{"name", "</script><!--"}});
  EXPECT_TRUE(page.starts_with(kReportHead));
  EXPECT_NE(page.find("{\"name\":\"\\u003c/script>\\u003c!--\"}</script>"), page.npos);
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

TEST_F(Reports, the_page_names_no_other_file) {
  const std::string page = page_with({});
  for (const char* reference : {" src=", "<link rel=\"stylesheet", "@import"})
    EXPECT_EQ(page.find(reference), page.npos) << reference;
}

TEST_F(Reports, what_is_no_result_is_refused) {
  EXPECT_EQ(refusal("none"), "none: there is no such directory");
  fs::create_directory("empty");
  EXPECT_EQ(refusal("empty"),
            "empty: holds no manifest.json: not a result of t3sim run or t3sim sweep, or not all of one");
  write_file("other/manifest.json", "{\"program\": \"other\"}");
  EXPECT_EQ(refusal("other"), "other/manifest.json: not a manifest of t3sim");
  Files files = small_result();
  files.erase("stats.csv");
  put(files);
  EXPECT_EQ(refusal(),
            "run/manifest.json: lists no stats.csv: not the result of t3sim run of schemes or of a program");
}

Files small_program() {
  return {
      {"results.json",
       R"({"program": "small", "gpus": 1, "time_us": 3, "by_gpu": [{"gpu": 0, "time_us": 3, "kernels_us": 2,
 "communication_us": 1, "exposed_communication_us": 1, "idle_us": 0, "link_bytes": 5, "dram_bytes": {"gemm_read": 7}}]})"},
      {"commands.csv",
       "gpu,number,stream,kind,command,issued_us,begun_us,done_us\n"
       "0,0,main,launch,gemm c = a * b,0,0,2\n0,1,main,copy,\"copy c, d\",0,2,3\n"},
      {"config.yaml", "program: {file: small.yaml, parameters: {m: 4}}\n"}};
}

TEST_F(Reports, the_run_of_a_program_keeps_its_commands_by_columns_and_texts_once) {
  put(small_program());
  ASSERT_TRUE(is_program_run("run"));
  const Json all = program_data(read_result("run", ResultKind::program));
  EXPECT_EQ(all["results"]["by_gpu"][0]["kernels_us"], 2);
  EXPECT_EQ(all["config"]["program.parameters.m"], "4");
  EXPECT_EQ(all["commands"]["texts"].dump(), R"(["main","launch","gemm c = a * b","copy","copy c, d"])");
  EXPECT_EQ(all["commands"]["command"].dump(), "[2,4]");
  EXPECT_EQ(all["commands"]["done_us"].dump(), "[2.0,3.0]");
}

TEST_F(Reports, the_run_of_a_program_is_no_run_of_schemes) {
  put(small_program());
  EXPECT_EQ(refusal(), "run/manifest.json: the run of a program, where one of schemes is wanted");
  Files files = small_program();
  files["results.json"] = R"({"program": "small", "time_us": 3, "by_gpu": [{"gpu": 0}]})";
  put(files);
  try {
    program_data(read_result("run", ResultKind::program));
    ADD_FAILURE() << "accepted";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "run/results.json: not the results of a program (program, time_us, by_gpu)");
  }
}

TEST_F(Reports, a_result_of_another_version_is_refused) {
  put(small_result(), {{"version", "0.0.1"}});
  EXPECT_EQ(refusal(), std::string("run/manifest.json: written by t3sim 0.0.1, and this is ") +
                           kBuildInfo.version + ": run it again with this one");
  put(small_result());
  edit_manifest([](Json& manifest) { manifest.erase("schema"); });
  EXPECT_NE(refusal().find("(files of schema 1, this one reads 2)"), std::string::npos);
}

TEST_F(Reports, an_incomplete_result_is_refused) {
  put(small_result());
  fs::remove("run/series.csv");
  EXPECT_EQ(refusal(), "run/series.csv: missing, although manifest.json lists it: the result is incomplete");
}

TEST_F(Reports, a_changed_file_is_refused) {
  put(small_result());
  write_file("run/results.json", std::string(kResults) + " ");
  EXPECT_EQ(refusal(),
            "run/results.json: changed since t3sim wrote it (its SHA-256 is not the one in manifest.json)");
}

TEST_F(Reports, a_manifest_that_points_elsewhere_is_refused) {
  put(small_result());
  edit_manifest([](Json& manifest) { manifest["files"].push_back("../run/results.json"); });
  EXPECT_EQ(refusal(), "run/manifest.json: lists what is no name of a file");
  put(small_result());
  edit_manifest([](Json& manifest) { manifest["sha256"] = 7; });
  EXPECT_EQ(refusal(), "run/manifest.json: lists no files with hashes");
}

TEST_F(Reports, files_that_t3sim_would_not_write_are_refused_with_the_place) {
  EXPECT_EQ(refusal_with("results.json", "{}"), "run/results.json: not results of schema 1");
  EXPECT_EQ(refusal_with("results.json", R"({"schema": 1, "workload": {}, "schemes": {}})"),
            "run/results.json: no workload or no schemes in it");
  EXPECT_EQ(
      refusal_with("results.json", R"({"schema": 1, "workload": {}, "schemes": {"t3": {"time_us": "1"}}})"),
      "run/results.json: t3: not a scheme's result (time_us, phases, dram_bytes)");
  EXPECT_EQ(refusal_with("stats.csv", "a,b\n"),
            "run/stats.csv:1: expected the columns gpu,component,name,value,unit,scheme,phase");
  EXPECT_EQ(refusal_with("stats.csv", "gpu,component,name,value,unit,scheme,phase\n0,gpu\n"),
            "run/stats.csv:2: 2 fields where there are 7 columns");
  EXPECT_EQ(
      refusal_with("stats.csv", "gpu,component,name,value,unit,scheme,phase\n0,gpu,x,nan,us,t3,fused\n"),
      "run/stats.csv:2: value: 'nan' is not a number");
}

TEST_F(Reports, the_page_takes_the_place_of_a_report_and_of_nothing_else) {
  const auto check = [](const std::string& path) -> std::string {
    try {
      check_path(path);
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  fs::create_directory("folder");
  write_file("notes.html", "<!DOCTYPE html>\n<p>");
  EXPECT_EQ(check(""), "report: -o: the file's name is empty");
  EXPECT_EQ(check("folder"), "report: folder: is a directory, not a file");
  EXPECT_NE(check("none/page.html").find("report: none/page.html: there is no folder "), std::string::npos);
  EXPECT_EQ(check("notes.html"),
            "report: notes.html: is there already and is no report of t3sim: name another file with -o");
  write_report("page.html", std::string(kReportHead) + "1");
  write_report("page.html", std::string(kReportHead) + "2");
  EXPECT_EQ(content_of("page.html"), std::string(kReportHead) + "2");
}

TEST_F(Reports, a_report_is_no_obstacle_to_the_next_run) {
  put(small_result());
  write_report("run/report.html", kReportHead);
  put(small_result());
  EXPECT_FALSE(fs::exists("run/report.html")) << "it told of the result before";
  write_file("run/report.html", "somebody's own");
  EXPECT_THROW(put(small_result()), InputError);
}

TEST_F(Reports, the_program_writes_the_page_of_a_run) {
  write_file("small.yaml",
             "workload: {name: small, m: 512, n: 256, k: 64}\ngpus: {count: 4}\ngpu: {cus: 8}\n"
             "memory: {channels: 8}\nl2: {slices: 16, size: 1 MiB}\nschemes: [sequential, t3]\n"
             "include: " T3SIM_SOURCE_DIR "/tests/machine.yaml\n");
  ASSERT_EQ(t3sim_with("run small.yaml -o run --quiet").status, 0);
  const Outcome written = t3sim_with("report run");
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(written.out, "run/report.html\n");
  EXPECT_TRUE(is_report("run/report.html"));
  EXPECT_EQ(t3sim_with("report run -o page.html").status, 0);
  EXPECT_EQ(content_of("page.html"), content_of("run/report.html"));
  write_file("run/stats.csv", "");
  const Outcome refused = t3sim_with("report run -o other.html");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("run/stats.csv: changed since"), std::string::npos) << refused.err;
  EXPECT_FALSE(fs::exists("other.html"));
}

TEST_F(Reports, wrong_usage_is_told) {
  EXPECT_EQ(t3sim_with("report").status, 2);
  EXPECT_EQ(t3sim_with("report none").status, 2);
  EXPECT_EQ(t3sim_with("report --help").status, 0);
}

}  // namespace
}  // namespace t3sim::report
