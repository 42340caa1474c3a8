// The same slices at cycle level and as messages, on small cases; more of them in validation/messages.
#include <gtest/gtest.h>

#include "config/config.h"
#include "run/messages.h"
#include "tune/agreement.h"
#include "tune/endpoint.h"

namespace t3sim::tune {
namespace {

Config machine(const char* file) {
  Config config;
  config::read(config::load_file(std::string(T3SIM_SOURCE_DIR "/configs/") + file).root, config);
  return config;
}

// Endpoints of slices as short as those of the tests.
const message::EndpointConfig& endpoint_of_h200() {
  static const message::EndpointConfig derived =
      endpoint(machine("systems/h200-x4.yaml"), {{512, 4096}, {message::ProtocolName::simple}, false, false});
  return derived;
}

Agreement agreement(message::Kind kind, const std::string& shape, std::uint32_t gpus) {
  message::Entry entry;
  entry.kind = kind;
  entry.bytes = 64 << 10;
  return compare_levels(with_topology(machine("systems/h200-x4.yaml"), shape, gpus), endpoint_of_h200(),
                        {message::collective_of(entry, gpus, 0), message::ProtocolName::simple, 8});
}

struct Where {
  const char* shape;
  std::uint32_t gpus;
};
void PrintTo(const Where& w, std::ostream* os) { *os << w.gpus << " GPUs, " << w.shape; }

class Levels : public testing::TestWithParam<Where> {};

TEST_P(Levels, MoveTheSameBytesOverEachLinkInTimesThatDifferByAFewPercent) {
  for (const auto& kind : names_of(message::Kind{})) {
    SCOPED_TRACE(std::string(kind.name));
    const Agreement a = agreement(kind.value, GetParam().shape, GetParam().gpus);
    EXPECT_EQ(a.links_that_differ, 0u);
    EXPECT_EQ(a.cycle_bytes, a.message_bytes);
    EXPECT_NEAR(a.message_us, a.cycle_us, 0.05 * a.cycle_us);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Levels,
                         testing::Values(Where{"switch", 2}, Where{"switch", 4}, Where{"switch", 8},
                                         Where{"ring", 4}, Where{"mesh", 4}));

// An endpoint is tied to what decides its times, and to nothing else.
TEST(EndpointsOfAMachine, AreStaleWhenItsChannelsChange) {
  Config h200 = machine("systems/h200-x4.yaml");
  const std::string hash = machine_hash(h200);
  h200.gpus.count = 8;
  h200.topology.link.bandwidth_Bps *= 2;
  EXPECT_EQ(machine_hash(h200), hash);
  h200.execution.channel.slice_sync_ps += 1;
  EXPECT_NE(machine_hash(h200), hash);
}

// Its second load is from the L2: some 150 ns.
TEST(EndpointsOfAMachine, LoadTwiceWhatTheyReceiveUnderLL128) {
  using enum message::ProtocolName;
  const message::ProtocolTimes times =
      endpoint(machine("systems/h200-x4.yaml"), {{512}, {ll, ll128}, false, false}).cold;
  EXPECT_GT(times.ll128.receive.front(), times.ll.receive.front() + 100'000);
  EXPECT_NEAR(static_cast<double>(times.ll128.send.front()), static_cast<double>(times.ll.send.front()),
              10'000);
}

// NCCL's latency of a step has the link (1 us) and the pass in it.
TEST(EndpointsOfAMachine, TakeOfAStepsLatencyWhatLinkAndPassLeave) {
  const Config h200 = machine("systems/h200-x4.yaml");
  message::EndpointConfig e;
  e.sizes = {512};
  e.deliver_ps = 10'000;
  e.launch_ps = h200.execution.channel.launch_ps + 5;
  for (const message::PassName& pass : message::pass_names())
    e.cold.ll.*pass.times = e.cold.ll128.*pass.times = {300'000};
  const message::Endpoint ll128 = endpoint_for(h200, e, message::ProtocolName::ll128);
  EXPECT_EQ(ll128.step, 1'900'000u - 1'000'000 - 300'000 - 10'000);
  EXPECT_EQ(ll128.launch, 14'000'005u);
  const message::Endpoint ll = endpoint_for(h200, e, message::ProtocolName::ll);
  EXPECT_EQ(ll.step, 0u);
  EXPECT_EQ(ll.launch, 6'600'005u);
}

}  // namespace
}  // namespace t3sim::tune
