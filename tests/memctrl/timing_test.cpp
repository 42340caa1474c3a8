// Every timing parameter: the controller's state and the independent checker both refuse a command at t-1 and
// accept it at t. Distances are written out here a third time, by hand.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "memctrl/checker.h"
#include "memctrl/timing.h"

namespace t3sim {
namespace {

// Banks of a channel with 4 groups of 4: 0 and 1 share a group, 4 is in the next one.
constexpr unsigned kBank = 0, kSameGroup = 1, kOtherGroup = 4;

// Distinct and large enough to show which rule is at work; each case may change them further.
MemoryConfig distinct_timings() {
  MemoryConfig c;
  c.timing.rcd_write = 11;
  c.timing.faw = 0;
  c.timing.wtr_l = 7;
  c.timing.rrd_l = 6;
  return c;
}

struct Step {
  Tick at;
  Command command;
  unsigned bank;
  std::uint32_t row = 5;
};

// `before` is issued as given; `last` is legal from `legal_at` on and not before.
struct TimingCase {
  const char* name;
  std::function<void(MemoryConfig&)> change;
  std::vector<Step> before;
  Step last;  // its time is the first legal one
};

std::ostream& operator<<(std::ostream& out, const TimingCase& c) { return out << c.name; }

using enum Command;

std::vector<TimingCase> cases() {
  const auto none = [](MemoryConfig&) {};
  const auto all_bank = [](MemoryConfig& c) { c.refresh.mode = RefreshMode::all_bank; };
  const auto per_bank = [](MemoryConfig& c) { c.refresh.mode = RefreshMode::per_bank; };
  return {
      {"rcd_read", none, {{100, activate, kBank}}, {114, read, kBank}},
      {"rcd_write", none, {{100, activate, kBank}}, {111, write, kBank}},
      {"rcd_update", none, {{100, activate, kBank}}, {111, update, kBank}},
      {"ras", none, {{100, activate, kBank}}, {133, precharge, kBank}},
      {"rp", none, {{100, activate, kBank}, {140, precharge, kBank}}, {154, activate, kBank}},
      {"rc",
       [](MemoryConfig& c) { c.timing.rp = 4; },
       {{100, activate, kBank}, {133, precharge, kBank}},
       {147, activate, kBank}},
      {"rrd_s", none, {{100, activate, kBank}}, {104, activate, kOtherGroup}},
      {"rrd_l", none, {{100, activate, kBank}}, {106, activate, kSameGroup}},
      {"faw",
       [](MemoryConfig& c) { c.timing.faw = 30; },
       {{100, activate, 0}, {104, activate, 4}, {108, activate, 8}, {112, activate, 12}},
       {130, activate, 1}},
      {"faw_of_the_second_window",
       [](MemoryConfig& c) { c.timing.faw = 30; },
       {{100, activate, 0}, {110, activate, 4}, {120, activate, 8}, {130, activate, 12}, {134, activate, 1}},
       {140, activate, 5}},
      {"ccd_s",
       [](MemoryConfig& c) { c.timing.ccd_s = 2, c.timing.ccd_l = 3; },
       {{80, activate, kBank}, {90, activate, kOtherGroup}, {200, read, kBank}},
       {202, read, kOtherGroup}},
      {"ccd_l",
       none,
       {{80, activate, kBank}, {90, activate, kSameGroup}, {200, read, kBank}},
       {202, read, kSameGroup}},
      {"ccd_l_of_writes",
       none,
       {{80, activate, kBank}, {90, activate, kSameGroup}, {200, write, kBank}},
       {202, write, kSameGroup}},
      {"ccd_update", none, {{80, activate, kBank}, {200, update, kBank}}, {204, update, kBank}},
      {"ccd_update_before_a_write",
       none,
       {{80, activate, kBank}, {90, activate, kSameGroup}, {200, update, kBank}},
       {204, write, kSameGroup}},
      {"ccd_update_before_a_read",
       [](MemoryConfig& c) { c.timing.ccd_update = 20; },
       {{80, activate, kBank}, {200, update, kBank}},
       {220, read, kBank}},
      {"ccd_s_after_an_update",
       none,
       {{80, activate, kBank}, {90, activate, kOtherGroup}, {200, update, kBank}},
       {201, update, kOtherGroup}},
      {"burst",
       [](MemoryConfig& c) { c.timing.burst = 4; },
       {{80, activate, kBank}, {90, activate, kOtherGroup}, {200, read, kBank}},
       {204, read, kOtherGroup}},
      {"cl_in_the_turnaround",
       [](MemoryConfig& c) { c.timing.bus_turnaround = 0; },
       {{80, activate, kBank}, {90, activate, kOtherGroup}, {200, read, kBank}},
       {213, write, kOtherGroup}},
      {"bus_turnaround",
       none,
       {{80, activate, kBank}, {90, activate, kOtherGroup}, {200, read, kBank}},
       {215, write, kOtherGroup}},
      {"wl_in_the_turnaround",
       [](MemoryConfig& c) { c.timing.wl = 4; },
       {{80, activate, kBank}, {90, activate, kOtherGroup}, {200, read, kBank}},
       {213, update, kOtherGroup}},
      {"wtr_s",
       none,
       {{80, activate, kBank}, {90, activate, kOtherGroup}, {200, write, kBank}},
       {206, read, kOtherGroup}},
      {"wtr_l",
       none,
       {{80, activate, kBank}, {90, activate, kSameGroup}, {200, write, kBank}},
       {210, read, kSameGroup}},
      {"wtr_s_after_an_update",
       none,
       {{80, activate, kBank}, {90, activate, kOtherGroup}, {200, update, kBank}},
       {206, read, kOtherGroup}},
      {"wtr_l_after_an_update", none, {{80, activate, kBank}, {200, update, kBank}}, {210, read, kBank}},
      {"wl_before_a_read",
       [](MemoryConfig& c) { c.timing.wl = 5; },
       {{80, activate, kBank}, {90, activate, kOtherGroup}, {200, write, kBank}},
       {209, read, kOtherGroup}},
      {"rtp", none, {{100, activate, kBank}, {200, read, kBank}}, {204, precharge, kBank}},
      {"wr", none, {{100, activate, kBank}, {200, write, kBank}}, {215, precharge, kBank}},
      {"wr_after_an_update", none, {{100, activate, kBank}, {200, update, kBank}}, {215, precharge, kBank}},
      {"rfc", all_bank, {{100, refresh, 0}}, {360, activate, kOtherGroup}},
      {"rp_before_a_refresh", all_bank, {{100, activate, kBank}, {140, precharge, kBank}}, {154, refresh, 0}},
      {"rc_before_a_refresh",
       [](MemoryConfig& c) { c.refresh.mode = RefreshMode::all_bank, c.timing.rp = 4; },
       {{100, activate, kBank}, {133, precharge, kBank}},
       {147, refresh, 0}},
      {"rfc_before_a_refresh", all_bank, {{100, refresh, 0}}, {360, refresh, 0}},
      {"per_bank_cycles", per_bank, {{100, refresh_bank, 0}}, {260, activate, 0}},
      {"rrd_s_after_a_banks_refresh", per_bank, {{100, refresh_bank, 0}}, {104, activate, kOtherGroup}},
      {"rrd_s_before_a_banks_refresh", per_bank, {{100, activate, kOtherGroup}}, {104, refresh_bank, 0}},
      {"rp_before_a_banks_refresh",
       per_bank,
       {{100, activate, 0}, {140, precharge, 0}},
       {154, refresh_bank, 0}},
  };
}

class TimingParameter : public ::testing::TestWithParam<TimingCase> {
 protected:
  void SetUp() override { GetParam().change(config_); }
  static void issue(TimingState& state, const Step& s, Tick at) {
    if (is_column(s.command))
      state.issue_column(s.command, s.bank, at);
    else
      state.issue_row(s.command, s.bank, s.row, at);
  }
  MemoryConfig config_ = distinct_timings();
};

TEST_P(TimingParameter, IsTheEarliestTimeInTheController) {
  const TimingTable table(config_);
  TimingState state(config_, table, 1);
  for (const Step& s : GetParam().before) {
    ASSERT_LE(state.earliest(s.command, s.bank), s.at) << "set-up at " << s.at;
    issue(state, s, s.at);
  }
  EXPECT_EQ(state.earliest(GetParam().last.command, GetParam().last.bank), GetParam().last.at);
}

TEST_P(TimingParameter, ScalesWithThePeriodOfTheClock) {
  const TimingTable table(config_);
  TimingState state(config_, table, 7);
  for (const Step& s : GetParam().before) issue(state, s, 7 * s.at);
  EXPECT_EQ(state.earliest(GetParam().last.command, GetParam().last.bank), 7 * GetParam().last.at);
}

// Violations that the checker finds when the last command comes `early` cycles early.
std::vector<std::string> violations(const MemoryConfig& config, const TimingCase& c, Tick early) {
  ProtocolChecker checker(config, 1);
  for (const Step& s : c.before)
    checker.command({s.at, s.command, static_cast<std::uint8_t>(s.bank), 0, s.row});
  EXPECT_EQ(checker.violation_count(), 0U) << checker.violations().front();
  checker.command({c.last.at - early, c.last.command, static_cast<std::uint8_t>(c.last.bank), 0, c.last.row});
  return checker.violations();
}

TEST_P(TimingParameter, IsRefusedByTheCheckerOneCycleBefore) {
  EXPECT_FALSE(violations(config_, GetParam(), 1).empty());
}

TEST_P(TimingParameter, IsAcceptedByTheCheckerInItsCycle) {
  EXPECT_TRUE(violations(config_, GetParam(), 0).empty());
}

std::string case_name(const ::testing::TestParamInfo<TimingCase>& which) { return which.param.name; }

INSTANTIATE_TEST_SUITE_P(Each, TimingParameter, ::testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace t3sim
