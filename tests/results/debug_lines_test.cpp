// --debug: the events of a time line, a line each.
#include "results/debug_lines.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace t3sim {
namespace {

const std::vector<TimelineRow>& rows() {
  static const std::vector<TimelineRow> all{{"t3", "fused", 0, "dma", "tile 1", 20, 21.5},
                                            {"t3", "fused", 1, "tracker", "chunk 0", 5, 5},
                                            {"t3", "fused", 0, "link to 1", "1 bytes", 10, 30},
                                            {"t3", "all-gather", 0, "link to 1", "2 bytes", 1, 2}};
  return all;
}

std::string lines(const std::vector<std::string>& tracks, const std::string& from = "",
                  const std::string& to = "") {
  return debug_lines(rows(), debug_options(tracks, from, to));
}

std::string refusal(const std::vector<std::string>& tracks, const std::string& from, const std::string& to) {
  try {
    debug_options(tracks, from, to);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(DebugLines, AreInOrderOfTimeWithinAPhase) {
  EXPECT_EQ(lines({"dma", "tracker", "link"}),
            "t3 fused  5.000 us  GPU 1  tracker  chunk 0\n"
            "t3 fused  10.000 us  GPU 0  link to 1  1 bytes (until 30.000 us)\n"
            "t3 fused  20.000 us  GPU 0  dma  tile 1 (until 21.500 us)\n"
            "t3 all-gather  1.000 us  GPU 0  link to 1  2 bytes (until 2.000 us)\n");
}

TEST(DebugLines, AreOfTheTracksAskedForAndOfWhatReachesIntoTheWindow) {
  EXPECT_EQ(lines({"dma"}), "t3 fused  20.000 us  GPU 0  dma  tile 1 (until 21.500 us)\n");
  EXPECT_EQ(lines({"link"}, "25 us", "40 us"),
            "t3 fused  10.000 us  GPU 0  link to 1  1 bytes (until 30.000 us)\n");
  EXPECT_EQ(lines({"link"}, "31 us"), "no event of link in this window; this run has: dma, tracker, link\n");
}

TEST(DebugLines, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(refusal({""}, "", ""), "--debug: expected names of tracks, e.g. --debug tracker,dma");
  EXPECT_EQ(refusal({"dma"}, "120", ""),
            "--from: 120 has no unit; allowed units: ps, ns, us, ms, s (e.g. 500 ns)");
  EXPECT_EQ(refusal({"dma"}, "2 us", "1 us"), "--to: is before --from");
}

}  // namespace
}  // namespace t3sim
