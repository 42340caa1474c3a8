// Replays the fuzzers' kept inputs (tests/fuzz): the readers come back from all of them.
#include <gtest/gtest.h>

#include <vector>

#include "fuzz/targets.h"
#include "trace/temporary.h"

namespace t3sim {
namespace {

void replay(const std::string& target, void (*read)(fuzz::Input)) {
  const auto folder = std::filesystem::path(T3SIM_SOURCE_DIR) / "tests/fuzz/corpus" / target;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    const std::string text = testing_support::read_file(entry.path());
    read({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    ++files;
  }
  EXPECT_GT(files, 0U);
}

TEST(FuzzCorpus, TraceFilesAreReadOrRefused) { replay("trace_file", fuzz::trace_file); }
TEST(FuzzCorpus, GroupsAreReadOrRefusedAndSurviveBeingWrittenAgain) { replay("groups", fuzz::groups); }
TEST(FuzzCorpus, AccelSimKernelsAreReadOrRefused) { replay("accelsim_kernel", fuzz::accelsim_kernel); }
TEST(FuzzCorpus, TimelinesAreReadOrRefused) { replay("timeline", fuzz::timeline); }

}  // namespace
}  // namespace t3sim
