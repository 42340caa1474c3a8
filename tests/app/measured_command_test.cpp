// t3sim validate measured and t3sim calibrate, as a user calls them.
#include <algorithm>

#include "app/program.h"
#include "draws.h"
#include "in_folder.h"

namespace t3sim {
namespace {

using MeasuredCommand = InFolder;

const std::string kMeasuredGpu =
    std::string(" --config ") + T3SIM_SOURCE_DIR + "/configs/systems/h200-x4.yaml";
constexpr const char* kHeader = "tag,world,op,bytes,median_s,min_s\n";

std::string collective(unsigned mib, double seconds) {
  return "ring_simple,4,all_gather," + std::to_string(mib << 20) + "," + std::to_string(seconds) + ",0\n";
}

// Of a line of summary.csv: kind,rows,error_pct,worst_pct,reported_rows,...
std::string judged_rows(const std::string& summary, const std::string& kind) {
  std::istringstream line(summary.substr(summary.find("\n" + kind + ",") + 1));
  std::string field;
  for (int i = 0; i < 5; ++i) std::getline(line, field, ',');
  return field;
}

TEST_F(MeasuredCommand, names_bad_rows_by_line_and_predicts_the_others) {
  write_file("data/any-name.csv", std::string(kHeader) + collective(64, 0.0002) +
                                      "ring_simple,4,all_gather,many,0.1,0\n" + "ring_simple,4\n" +
                                      "ring_simple,4,all_gather,1024,-1,0\n" + collective(32, 0.0001));
  const Outcome outcome =
      t3sim_with("validate measured --estimate --data data --quiet -o out" + kMeasuredGpu);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("any-name.csv:3"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("any-name.csv:4"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("any-name.csv:5"), std::string::npos) << outcome.err;
  EXPECT_NE(content_of("out/summary.csv").find("ring_collectives_large,2,"), std::string::npos);
  EXPECT_NE(content_of("out/cases.csv").find("ring_simple all_gather world 4 bytes 67108864"),
            std::string::npos);
}

// On the half of the rows that nothing is calibrated on.
TEST_F(MeasuredCommand, meets_its_targets) {
  const std::string data = std::string(" --data ") + T3SIM_SOURCE_DIR + "/validation/measured/data";
  ASSERT_EQ(
      t3sim_with("validate measured --estimate --calibrated --quiet -o out" + data + kMeasuredGpu).status, 0);
  const std::string summary = content_of("out/summary.csv");
  EXPECT_NE(summary.find("interference,36,"), std::string::npos) << summary;
  // Interference by a few hundredths of a point (validation/measured/README.md).
  const std::size_t interference = summary.find("\ninterference,");
  EXPECT_EQ(summary.find(",miss"), summary.find(",miss", interference)) << summary;
  EXPECT_EQ(summary.find(",miss", summary.find('\n', interference + 1)), std::string::npos) << summary;
}

// Nothing was calibrated on them: no hash leaves any out.
TEST_F(MeasuredCommand, judges_every_row_of_foreign_data) {
  std::string rows = kHeader;
  for (unsigned mib = 4; mib < 36; ++mib) rows += collective(mib, 0.0002);
  write_file("data/c.csv", rows);
  ASSERT_EQ(t3sim_with("validate measured --estimate --data data --quiet -o out" + kMeasuredGpu).status, 0);
  EXPECT_EQ(judged_rows(content_of("out/summary.csv"), "ring_collectives_large"), "32");
  EXPECT_EQ(content_of("out/cases.csv").find(",calibration,"), std::string::npos);
}

TEST_F(MeasuredCommand, judges_the_other_half_of_data_that_it_was_calibrated_on) {
  std::string rows = kHeader;
  for (unsigned mib = 4; mib < 36; ++mib) rows += collective(mib, 0.0002);
  write_file("data/c.csv", rows);
  ASSERT_EQ(t3sim_with("validate measured --estimate --calibrated --data data --quiet -o out" + kMeasuredGpu)
                .status,
            0);
  const int judged = std::stoi(judged_rows(content_of("out/summary.csv"), "ring_collectives_large"));
  EXPECT_GT(judged, 8);
  EXPECT_LT(judged, 24);
}

// T-NLG's K at TP 16 is 8 * 133: Triton's compiler does not know that its rows begin on 16 bytes.
TEST_F(MeasuredCommand, leaves_out_what_triton_loads_element_by_element) {
  write_file("data/f.csv",
             "world,op,model,M,N,K,tp,tile,median_s\n4,gemm,t-nlg,8192,4256,1064,16,128x128x64,1e-4\n"
             "4,gemm,t-nlg,8192,4256,2128,8,128x128x64,1e-4\n");
  write_file("data/t.csv",
             "gpu,case,M,N,K,BM,BN,BK,group_m,warps,stages,kernel_median_s\n"
             "NVIDIA H200,t-nlg,8192,4256,532,128,128,64,8,4,4,1e-4\n");
  const Outcome outcome =
      t3sim_with("validate measured --estimate --data data --quiet -o out" + kMeasuredGpu);
  EXPECT_NE(outcome.out.find("left out: GEMMs of Triton whose rows are no multiple of 16 elements (2 rows)"),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(judged_rows(content_of("out/summary.csv"), "gemm_time"), "1");
}

// 24 channels against one is no question.
TEST_F(MeasuredCommand, asks_for_the_faster_of_two_where_that_is_neither_a_draw_nor_obvious) {
  write_file("data/c.csv", std::string(kHeader) +
                               "ring_simple,4,all_gather,67108864,0.00016,0\n"        // against 8: obvious
                               "ring_simple_ch16,4,all_gather,67108864,0.000164,0\n"  // a draw with all
                               "ring_simple_ch8,4,all_gather,67108864,0.000325,0\n");
  ASSERT_EQ(t3sim_with("validate measured --estimate --data data --quiet -o out" + kMeasuredGpu).status, 0);
  const std::string pairs = content_of("out/pairs.csv");
  EXPECT_EQ(std::ranges::count(pairs, '\n'), 2) << pairs;
  EXPECT_NE(pairs.find("\nchannels,ring_simple_ch16 all_gather world 4 bytes 67108864,ring_simple_ch8 "),
            std::string::npos)
      << pairs;
}

// As spreadsheets write them: a byte order mark, CRLF, quotes, empty lines.
TEST_F(MeasuredCommand, reads_what_a_spreadsheet_writes) {
  write_file("data/c.csv",
             "\xEF\xBB\xBF\"tag\",world,op,bytes,median_s,min_s\r\n\"ring_simple\",4,\"all_gather\",67108864,"
             "2e-4,0\r\n\r\n");
  const Outcome outcome =
      t3sim_with("validate measured --estimate --data data --quiet -o out" + kMeasuredGpu);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(content_of("out/summary.csv").find("ring_collectives_large,1,"), std::string::npos);
}

// One line on each, and no other: the row is not predicted.
TEST_F(MeasuredCommand, takes_no_number_that_is_none) {
  for (const char* value : {"nan", "inf", "-inf", "1e999", "", " ", "-1", "0", "1e9", "1e-300", "0x10",
                            "2e-4s", "1,5", "\"1e-4"}) {
    write_file("data/c.csv", std::string(kHeader) + "ring_simple,4,all_gather,1048576," + value + ",0\n");
    const Outcome outcome = t3sim_with("validate measured --estimate --data data --quiet" + kMeasuredGpu);
    EXPECT_EQ(outcome.status, 0) << value;
    EXPECT_NE(outcome.err.find("c.csv:2: "), std::string::npos) << value << ": " << outcome.err;
    EXPECT_EQ(outcome.out.find("ring_collectives"), std::string::npos) << value;
  }
  for (const char* bytes : {"18446744073709551616", "-4", "1.5", "0", "2199023255552"}) {
    write_file("data/c.csv", std::string(kHeader) + "ring_simple,4,all_gather," + bytes + ",1e-4,0\n");
    EXPECT_NE(
        t3sim_with("validate measured --estimate --data data --quiet" + kMeasuredGpu).err.find(":2: bytes: "),
        std::string::npos)
        << bytes;
  }
}

TEST_F(MeasuredCommand, says_that_there_are_no_rows) {
  std::filesystem::create_directory("empty");
  write_file("blank/c.csv", "");
  write_file("header/c.csv", kHeader);
  EXPECT_EQ(t3sim_with("validate measured --estimate --data empty" + kMeasuredGpu).status, 2);
  EXPECT_EQ(t3sim_with("validate measured --estimate --data blank" + kMeasuredGpu).status, 2);
  const Outcome header = t3sim_with("validate measured --estimate --data header" + kMeasuredGpu);
  EXPECT_EQ(header.status, 2);
  EXPECT_NE(header.err.find("header: its tables have no rows"), std::string::npos) << header.err;
  EXPECT_EQ(t3sim_with("calibrate --estimate --data header" + kMeasuredGpu).status, 2);
}

TEST_F(MeasuredCommand, refuses_a_folder_without_a_known_table) {
  write_file("data/x.csv", "a,b\n1,2\n");
  const Outcome outcome =
      t3sim_with("validate measured --estimate --data data --quiet -o out" + kMeasuredGpu);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("collectives: tag,world,op,bytes,median_s"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists("out"));
  EXPECT_EQ(t3sim_with("validate measured --estimate --data nothing" + kMeasuredGpu).status, 2);
}

TEST_F(MeasuredCommand, gives_the_same_bytes_again) {
  write_file("data/c.csv", std::string(kHeader) + collective(64, 0.0002) + collective(1, 0.00003));
  ASSERT_EQ(t3sim_with("validate measured --estimate --data data --quiet -o one" + kMeasuredGpu).status, 0);
  ASSERT_EQ(t3sim_with("validate measured --estimate --data data --quiet -o two" + kMeasuredGpu).status, 0);
  EXPECT_EQ(content_of("one/cases.csv"), content_of("two/cases.csv"));
}

std::string small_collectives() {
  return std::string(kHeader) + "ring_simple_ch2,2,all_gather,65536,0.00002,0\n" +
         "ring_simple_ch2,2,reduce_scatter,65536,0.00002,0\n" +
         "ring_simple_ch4,2,all_gather,65536,0.00002,0\n";
}

TEST_F(MeasuredCommand, simulates_each_row_once_and_keeps_what_it_has_simulated) {
  write_file("data/c.csv", small_collectives());
  const std::string command = "validate measured --data data --quiet --runs kept -j 2" + kMeasuredGpu;
  const Outcome first = t3sim_with(command + " -o one");
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.out.find("simulated: by the machine that t3sim run runs\n"), 0U) << first.out;
  EXPECT_NE(first.out.find("\n3 runs of the machine, 0 of them kept from before;"), std::string::npos)
      << first.out;
  const Outcome second = t3sim_with(command + " -o two");
  EXPECT_NE(second.out.find("\n3 runs of the machine, 3 of them kept from before;"), std::string::npos)
      << second.out;
  EXPECT_EQ(content_of("one/cases.csv"), content_of("two/cases.csv"));
}

// Of a program that the row's sizes do not suit, and of one that they do.
TEST_F(MeasuredCommand, goes_on_after_a_row_that_cannot_be_run_and_counts_it) {
  const std::string header =
      "gpu,world,name,M,N_local,K,data,op,kind,chunks,inner,median_s,speedup_over_serial,note\n";
  const auto row = [](int m, int chunks) {
    return "NVIDIA H200,2,x," + std::to_string(m) + ",256,256,normal,hetero_fused_1d,schedule," +
           std::to_string(chunks) + ",8,1e-4,1.1,\n";
  };
  write_file("data/s.csv", header + row(1000, 7) + row(1024, 4));
  const Outcome outcome =
      t3sim_with("validate measured --all --data data --quiet --runs kept -o out --config " +
                 std::string(T3SIM_SOURCE_DIR) + "/configs/systems/h200-x4.yaml");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("\nfailed: s.csv:2: hetero_fused_1d"), std::string::npos) << outcome.out;
  EXPECT_NE(content_of("out/summary.csv").find("ficco_schedules,1,"), std::string::npos);
  EXPECT_NE(content_of("out/summary.csv").find(",miss,1\n"), std::string::npos)
      << content_of("out/summary.csv");
}

TEST_F(MeasuredCommand, simulates_a_part_of_so_many_rows) {
  write_file("data/c.csv", small_collectives());
  const Outcome outcome =
      t3sim_with("validate measured --data data --quiet --runs kept --rows 2" + kMeasuredGpu);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\na part: 2 of 3 cases (--all for all)\n"), std::string::npos) << outcome.out;
}

TEST_F(MeasuredCommand, says_which_of_its_numbers_are_estimates) {
  write_file("data/c.csv", small_collectives());
  const Outcome outcome = t3sim_with("validate measured --estimate --data data --quiet" + kMeasuredGpu);
  EXPECT_EQ(outcome.out.find("estimated: by analytic models, not by the machine\n"), 0U) << outcome.out;
  EXPECT_FALSE(std::filesystem::exists("out"));
}

// Timings made by ourselves with another launch of collectives, by `how`: calibration finds the value again.
class Recalibrated : public MeasuredCommand {
 protected:
  void expect_to_find_the_launch(const std::string& how, unsigned rows) {
    std::string measured = kHeader;
    for (unsigned mib = 1; mib <= rows; ++mib) measured += collective(mib, 1);
    write_file("data/c.csv", measured);
    const std::string made = " --set 'execution.channel.launch=20 us'";
    ASSERT_EQ(t3sim_with("validate measured --data data --quiet -o made" + how + made + kMeasuredGpu).status,
              0);
    std::string answers = kHeader;
    std::istringstream cases(content_of("made/cases.csv"));
    std::string line;
    std::getline(cases, line);
    for (unsigned mib = 1; std::getline(cases, line); ++mib) {  // kind,case,quantity,measured,ours,...
      const std::size_t at = line.find(",1e+06,") + 7;
      answers += collective(mib, std::stod(line.substr(at)) * 1e-6);
    }
    write_file("again/c.csv", answers);
    const Outcome outcome = t3sim_with(
        "calibrate --data again --quiet --free execution.channel.launch -o out" + how + kMeasuredGpu);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const std::string yaml = content_of("out/calibrated.yaml");
    const double launch = std::stod(yaml.substr(yaml.find("launch: ") + 8));
    EXPECT_NEAR(launch, 20, 0.2) << yaml;
  }
};

TEST_F(Recalibrated, estimates_have_the_value_that_made_the_data) {
  expect_to_find_the_launch(" --estimate", 64);
}
TEST_F(Recalibrated, a_machine_has_the_value_that_made_the_data) {
  T3_SKIP_IF_SANITIZED();
  expect_to_find_the_launch(" --runs runs", 3);
}

TEST_F(MeasuredCommand, calibrate_names_the_nearest_key) {
  std::string rows = kHeader;
  for (unsigned mib = 1; mib <= 64; ++mib) rows += collective(mib, 1);
  write_file("data/c.csv", rows);
  const Outcome outcome =
      t3sim_with("calibrate --estimate --data data --quiet --free execution.channel.lunch" + kMeasuredGpu);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("did you mean execution.channel.launch?"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace t3sim
