#include <gtest/gtest.h>

#include "sweep/plot.h"
#include "sweep/plot_rows.h"
#include "sweep/sweep_fixture.h"

namespace t3sim::sweep {
namespace {

// Bandwidth 50, 100, 200 by K 1, 2, two schemes; the fused scheme beats a doubled link from 100 on.
constexpr const char* kResults =
    "point,k,bandwidth_GBps,scheme,time_us,speedup\n"
    "0,1,50,sequential,100,1\n0,1,50,fused,80,1.25\n"
    "1,1,100,sequential,60,1\n1,1,100,fused,40,1.5\n"
    "2,1,200,sequential,50,1\n2,1,200,fused,45,1.1\n"
    "3,2,50,sequential,110,1\n3,2,50,fused,90,1.2\n"
    "4,2,100,sequential,70,1\n4,2,100,fused,50,1.4\n"
    "5,2,200,sequential,60,1\n5,2,200,fused,55,1.1\n";

class Plots : public Sweeps {
 protected:
  void SetUp() override {
    Sweeps::SetUp();
    write_file("results.csv", kResults);
  }
  static std::string script(const PlotOptions& options) {
    return plot_script(read_csv("results.csv"), options);
  }
  static std::string refusal(const PlotOptions& options) {
    try {
      script(options);
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  }
  static PlotOptions heat_map() {
    PlotOptions options;
    options.x = "k";
    options.y = "bandwidth_GBps";
    options.value = "speedup";
    options.scheme = "fused";
    return options;
  }
};

TEST_F(Plots, curves_are_drawn_by_series_over_the_values_of_x) {
  PlotOptions options;
  options.x = "bandwidth_GBps";
  options.by = "scheme";
  options.panels = {"k"};
  const std::string text = script(options);
  EXPECT_NE(text.find("$d2 << EOD\n0 1.25\n1 1.5\n2 1.1\nEOD\n"), std::string::npos) << text;
  EXPECT_NE(text.find("title 'scheme fused'"), std::string::npos);
  EXPECT_NE(text.find("set title 'k = 2'"), std::string::npos);
}

// gnuplot would run what stands between backquotes in a string of double quotes.
TEST_F(Plots, say_what_a_table_says_and_run_nothing) {
  write_file("results.csv", "k,scheme,time_us\n1,\"`touch ran`it's\",2\n2,\"`touch ran`it's\",3\n");
  PlotOptions options;
  options.x = "k";
  options.y = "time_us";
  options.title = "`touch ran` \"\\";
  const std::string text = script(options);
  EXPECT_NE(text.find("'scheme `touch ran`it''s'"), std::string::npos) << text;
  EXPECT_NE(text.find("title '`touch ran` \"\\' noenhanced"), std::string::npos) << text;
  t3sim_with("sweep plot results.csv --x k --y time_us -o map --title '`touch ran`'");
  EXPECT_FALSE(std::filesystem::exists("ran"));
}

TEST_F(Plots, the_line_of_a_heat_map_runs_between_cells_on_either_side_of_its_value) {
  PlotOptions options = heat_map();
  options.has_line = true;
  options.line = 1.3;
  const std::string text = script(options);
  EXPECT_NE(text.find("1 2 1.1\n"), std::string::npos) << text;
  // Around the two cells of 100 GB/s.
  EXPECT_NE(text.find("$d1l << EOD\n-0.5 0.5\n0.5 0.5\n\n-0.5 1.5\n0.5 1.5\n\n0.5 0.5\n1.5 0.5\n\n0.5 "
                      "1.5\n1.5 1.5\n\nEOD"),
            std::string::npos)
      << text;
}

// fused at 50 takes 80 (90), sequential at 100 takes 60 (70): doubling is better. At 100 fused takes 40 (50),
// sequential at 200 takes 50 (60). At 200 there is nothing to compare with.
TEST_F(Plots, a_scheme_is_compared_with_another_on_a_better_machine) {
  PlotOptions options = heat_map();
  options.has_line = true;
  options.versus = "sequential";
  options.scale_column = "bandwidth_GBps";
  options.scale_factor = 2;
  const std::string text = script(options);
  EXPECT_NE(text.find("$d1l << EOD\n-0.5 0.5\n0.5 0.5\n\n0.5 0.5\n1.5 0.5\n\nEOD"), std::string::npos)
      << text;
}

TEST_F(Plots, what_cannot_be_drawn_is_refused) {
  PlotOptions options = heat_map();
  options.x = "kk";
  EXPECT_EQ(refusal(options), "no column \"kk\"; did you mean k?");
  options = heat_map();
  options.scheme = "";
  EXPECT_NE(refusal(options).find("several rows fall on one place"), std::string::npos);
  options = heat_map();
  options.only = {{"k", "3"}};
  EXPECT_EQ(refusal(options), "sweep plot: column k has no \"3\"; it has: 1, 2");
  options = heat_map();
  options.value = "scheme";
  EXPECT_EQ(refusal(options), "column scheme: \"fused\" is not a number");
}

TEST_F(Plots, both_pictures_are_written_or_the_missing_program_is_named) {
  const Outcome outcome =
      t3sim_with("sweep plot results.csv --x k --y bandwidth_GBps --value speedup --scheme fused -o map");
  if (outcome.status == 2) {
    EXPECT_EQ(outcome.err,
              "t3sim: sweep plot: gnuplot is not installed (Debian: apt-get install gnuplot-nox)\n");
    return;
  }
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(content_of("map.svg").find("</svg>"), std::string::npos);
  EXPECT_EQ(content_of("map.png").substr(1, 3), "PNG");
}

TEST(PlotTitles, ArePeoplesNamesWithUnits) {
  EXPECT_EQ(spoken_column("topology_bandwidth_GBps"), "bandwidth, GB/s");
  EXPECT_EQ(spoken_column("gpus_count"), "GPUs");
  EXPECT_EQ(spoken_column("workload_k"), "K");
  EXPECT_EQ(spoken_column("time_us"), "time, us");
  EXPECT_EQ(spoken_column("link_out_busy_fused"), "link out busy fused");
}

}  // namespace
}  // namespace t3sim::sweep
