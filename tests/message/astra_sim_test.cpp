// Ring reduce-scatters of ASTRA-sim (March 2026, analytical, 150 GB/s of 2^30 bytes, 500 ns), the ten times that it gave,
// in its units: microseconds. One message a step, as ASTRA-sim sends it; 10 ns a step is its own endpoint-delay.
#include <gtest/gtest.h>

#include "message/engine.h"

namespace t3sim::message {
namespace {

struct AstraSim {
  std::uint32_t gpus, mebibytes;
  double microseconds;
};
void PrintTo(const AstraSim& a, std::ostream* os) { *os << a.mebibytes << " MiB on " << a.gpus; }

double ours(const AstraSim& a) {
  Collective c;
  c.kind = Kind::reduce_scatter;
  c.algorithm = Algorithm::ring;
  c.gpus = a.gpus;
  c.bytes = std::uint64_t{a.mebibytes} << 20;
  TopologyConfig t;
  t.kind = TopologyKind::ring;
  t.link.bandwidth_Bps = 150ULL << 30;
  t.link.latency_ps = 500'000;
  const auto topology = make_topology(t, c.gpus);
  Wires wires(*topology, 128);
  const Endpoint endpoint = Endpoint::by_rate(10'000, 0);
  Protocol whole;
  whole.slices = 1;
  whole.slots = 2;
  whole.slice_bytes = 1ULL << 40;
  const Plan plan = make_plan(c);
  const Schedule schedule(c, plan, whole, 1);
  Engine engine(wires, endpoint, 16 << 10);
  engine.add(schedule, 0);
  return static_cast<double>(engine.run().front().end) / 1e6;
}

class RingReduceScatter : public testing::TestWithParam<AstraSim> {};

TEST_P(RingReduceScatter, TakesAsLongAsInAstraSim) {
  EXPECT_NEAR(ours(GetParam()), GetParam().microseconds, 0.01 * GetParam().microseconds);
}

INSTANTIATE_TEST_SUITE_P(Peers, RingReduceScatter,
                         testing::Values(AstraSim{4, 1, 6.4}, AstraSim{4, 6, 30.8}, AstraSim{4, 24, 118.8},
                                         AstraSim{4, 96, 470.5}, AstraSim{4, 192, 939.5}, AstraSim{8, 1, 9.3},
                                         AstraSim{8, 6, 37.8}, AstraSim{8, 24, 140.4}, AstraSim{8, 96, 550.7},
                                         AstraSim{8, 192, 1097.9}));

}  // namespace
}  // namespace t3sim::message
