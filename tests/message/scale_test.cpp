// 1,024 GPUs: ten collectives of a mixture, and the memory that they take (a hundred, and their time: validation/messages).
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "draws.h"
#include "message/engine.h"
#include "message/values.h"

namespace t3sim::message {
namespace {

// What a run of the program does with each.
Picoseconds run(const Collective& c, const Topology& topology) {
  Wires wires(topology, 128);
  const Endpoint endpoint = Endpoint::by_rate(2'000'000, 20'000'000'000);
  const Plan plan = make_plan(c);
  play(c, plan);
  const Protocol simple = protocol(ProtocolName::simple, 4 << 20);
  const Schedule schedule(c, plan, simple, 1);
  Engine engine(wires, endpoint, 16 << 10);
  engine.add(schedule, 0);
  return engine.run().front().end;
}

TEST(AThousandGpus, RunTenCollectivesInAGigabyte) {
  T3_SKIP_IF_SANITIZED();
  TopologyConfig t;
  t.kind = TopologyKind::torus;
  t.shape = {32, 32, 1};
  t.link.bandwidth_Bps = 25'000'000'000;
  t.link.latency_ps = 700'000;
  t.hop_latency_ps = 600'000;
  const auto topology = make_topology(t, 1024);
  const struct {
    Kind kind;
    Algorithm algorithm;
  } mixed[]{{Kind::all_reduce, Algorithm::ring},         {Kind::all_reduce, Algorithm::recursive_doubling},
            {Kind::all_reduce, Algorithm::hierarchical}, {Kind::all_reduce, Algorithm::tree},
            {Kind::all_gather, Algorithm::ring},         {Kind::all_gather, Algorithm::bruck},
            {Kind::reduce_scatter, Algorithm::ring},     {Kind::broadcast, Algorithm::tree},
            {Kind::all_to_all, Algorithm::pairwise},     {Kind::all_to_all, Algorithm::bruck}};
  for (const auto& [kind, algorithm] : mixed) {
    Collective c;
    c.kind = kind;
    c.algorithm = algorithm;
    c.gpus = 1024;
    c.node_size = 32;
    c.bytes = 16 << 20;
    EXPECT_GT(run(c, *topology), 0u);
  }
  rusage usage{};  // of the whole process
  ::getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 1 << 20);  // KiB
}

}  // namespace
}  // namespace t3sim::message
