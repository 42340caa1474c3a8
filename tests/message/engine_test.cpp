// Collectives over the wires of a topology: times, bytes, and who waits for whom.
#include <gtest/gtest.h>

#include "base/error.h"
#include "message/engine.h"

namespace t3sim::message {
namespace {

constexpr std::uint64_t kGB = 1'000'000'000, kUs = 1'000'000;

TopologyConfig topology(TopologyKind kind) {
  TopologyConfig t;
  t.kind = kind;
  t.link.bandwidth_Bps = 100 * kGB;
  t.link.latency_ps = kUs;
  return t;
}

Collective collective(Kind kind, Algorithm algorithm, std::uint32_t gpus, std::uint64_t bytes) {
  Collective c;
  c.kind = kind;
  c.algorithm = algorithm;
  c.gpus = gpus;
  c.bytes = bytes;
  return c;
}

// On idle wires.
JobResult run_job(const Collective& c, const TopologyConfig& t, std::uint32_t channels, ProtocolName name,
                  const Endpoint& endpoint) {
  const auto made = make_topology(t, c.gpus);
  Wires wires(*made, 128);
  const Plan plan = make_plan(c);
  const Protocol p = protocol(name, 4 << 20, c.kind);
  const Schedule schedule(c, plan, p, channels);
  Engine engine(wires, endpoint, 16 << 10);
  engine.add(schedule, 0);
  return engine.run()[0];
}
// Microseconds.
double run(const Collective& c, const TopologyConfig& t, std::uint32_t channels, ProtocolName name,
           const Endpoint& endpoint) {
  return static_cast<double>(run_job(c, t, channels, name, endpoint).end) / 1e6;
}
// With endpoints that take no time.
double run(const Collective& c, const TopologyConfig& t, std::uint32_t channels = 1) {
  return run(c, t, channels, ProtocolName::simple, Endpoint::by_rate(0, 0));
}

TEST(Messages, ASendTakesItsBytesAndTheLatency) {
  const Collective c = collective(Kind::send_receive, Algorithm::direct, 2, 1'000'000);
  EXPECT_NEAR(run(c, topology(TopologyKind::fully_connected)), 10 + 1, 0.2);
}

// An all-to-all of two GPUs, a channel each way: both load, both store.
TEST(Messages, LoadsAreHeldUpByWriteBacksOnceTheL2IsFull) {
  const Collective c = collective(Kind::all_to_all, Algorithm::direct, 2, 16 << 20);
  const auto time = [&](std::uint64_t l2_bytes) {
    Endpoint endpoint = Endpoint::by_rate(0, 10 * kGB);
    endpoint.write_backs = {l2_bytes, 1 << 20, 2, {10 * kUs, 20 * kUs}, {}};
    return run(c, topology(TopologyKind::fully_connected), 2, ProtocolName::simple, endpoint);
  };
  const double empty = time(~std::uint64_t{0}), full = time(0), late = time(16 << 20);
  EXPECT_NEAR(full - empty, 8 * 20, 10);  // 8 MiB are sent while 8 are copied
  EXPECT_GT(late, empty + 20);
  EXPECT_LT(late, full - 20);
}

// A reduce-scatter of two GPUs: a pass that sends and one that adds to what has come.
TEST(Messages, WriteBacksHoldUpPassesThatReceiveByTheirOwnTime) {
  const Collective c = collective(Kind::reduce_scatter, Algorithm::ring, 2, 2 << 20);
  Endpoint endpoint = Endpoint::by_rate(0, 10 * kGB);
  const TopologyConfig t = topology(TopologyKind::fully_connected);
  const double before = run(c, t, 1, ProtocolName::simple, endpoint);
  endpoint.write_backs = {0, 1 << 20, 2, {}, {10 * kUs, 20 * kUs}};
  EXPECT_NEAR(run(c, t, 1, ProtocolName::simple, endpoint), before + 10, 0.1);
}

// An all-gather of two GPUs: each copies and sends its own half, while the other's comes; then it takes that. A slice that came
// while the L2 holds less than what has passed since is loaded from memory again, as a copy's is.
TEST(Messages, WhatHasLeftTheL2IsLoadedFromMemory) {
  constexpr std::uint32_t kReceive = 6, kCopy = 5;
  const Collective c = collective(Kind::all_gather, Algorithm::ring, 2, 8 << 20);
  const auto time = [&](std::uint64_t l2_bytes) {
    Endpoint endpoint = Endpoint::by_rate(0, 10 * kGB);
    endpoint.set(kReceive, {{0, 10 * kUs}});
    endpoint.set(kCopy, {{0, 30 * kUs}});
    endpoint.l2_bytes = l2_bytes;
    return run(c, topology(TopologyKind::fully_connected), 1, ProtocolName::simple, endpoint);
  };
  // Two rounds of two slices of 1 MiB. Two slices are copied before the first one is taken: 4 MiB of them and 2 that come.
  // The second one is taken a copied slice, a stored one and one that comes later.
  const double stays = time(~std::uint64_t{0});
  EXPECT_EQ(time(6 << 20), stays);
  EXPECT_NEAR(time(5 << 20) - stays, 2 * 20, 0.1);
  EXPECT_NEAR(time(1 << 20) - stays, 4 * 20, 0.1);
}

TEST(Messages, WhatIsOnlyLoadedNeedsNoWriteBack) {
  const Collective c = collective(Kind::send_receive, Algorithm::direct, 2, 1 << 20);
  Endpoint endpoint = Endpoint::by_rate(0, 10 * kGB);
  const double before = run(c, topology(TopologyKind::fully_connected), 1, ProtocolName::simple, endpoint);
  endpoint.write_backs = {0, 1 << 20, 2, {10 * kUs, 20 * kUs}, {}};
  EXPECT_EQ(run(c, topology(TopologyKind::fully_connected), 1, ProtocolName::simple, endpoint), before);
}

TEST(Messages, ASwitchIsCutThrough) {
  const Collective c = collective(Kind::send_receive, Algorithm::direct, 2, 1'000'000);
  EXPECT_NEAR(run(c, topology(TopologyKind::switched)), 10 + 1, 0.2);
}

// Two slices a step: the second one is under way while the first is on the link's latency.
TEST(Messages, ARingTakesItsStepsTimesBytesAndSomeLatency) {
  for (const std::uint32_t gpus : {2U, 4U, 8U}) {
    const Collective c = collective(Kind::reduce_scatter, Algorithm::ring, gpus, 800'000);
    const double bytes = (gpus - 1) * 8.0 / gpus, latency = gpus - 1;
    const double time = run(c, topology(TopologyKind::ring));
    EXPECT_GE(time, bytes + 1);
    EXPECT_LE(time, bytes + latency + 0.2);
  }
}

TEST(Messages, ChannelsShareALinkFairly) {
  const Collective c = collective(Kind::all_gather, Algorithm::ring, 4, 32 << 20);
  EXPECT_NEAR(run(c, topology(TopologyKind::ring), 8), run(c, topology(TopologyKind::ring), 1), 8);
}

TEST(Messages, AnIncastWaitsForTheLinkIntoTheRoot) {
  const Collective c = collective(Kind::gather, Algorithm::direct, 9, 9'000'000);
  EXPECT_NEAR(run(c, topology(TopologyKind::switched)), 80 + 1, 2);
}

// Two GPUs send 3 MB to the root each, which the slots of their FIFOs hold. The link into the root takes 60 us. With room behind
// their own links they are done after 30; without, when the root has all but the last of it.
TEST(Messages, SendersWaitWhereTheBuffersOnTheWayAreFull) {
  const Collective c = collective(Kind::gather, Algorithm::direct, 3, 9'000'000);
  TopologyConfig t = topology(TopologyKind::switched);
  const auto sender = [&](std::uint64_t buffer) {
    t.link.buffer_bytes = buffer;
    const JobResult job = run_job(c, t, 1, ProtocolName::simple, Endpoint::by_rate(0, 0));
    EXPECT_NEAR(static_cast<double>(job.end) / 1e6, 60 + 1, 1);
    return static_cast<double>(job.gpu_ends[1]) / 1e6;
  };
  EXPECT_NEAR(sender(64 << 20), 30, 1);
  EXPECT_NEAR(sender(512 << 10), 60 - 2 * 0.524 * 10, 3);
}

TEST(Messages, AreRefusedWhereNoRouteLeads) {
  const Collective c = collective(Kind::all_to_all, Algorithm::direct, 4, 1 << 20);
  EXPECT_THROW(run(c, topology(TopologyKind::ring)), InputError);
}

TEST(Messages, BytesOfALinkAreThoseOfThePlan) {
  const Collective c = collective(Kind::all_reduce, Algorithm::ring, 4, 1 << 20);
  const auto made = make_topology(topology(TopologyKind::ring), 4);
  Wires wires(*made, 128);
  const Endpoint endpoint = Endpoint::by_rate(0, 0);
  const Plan plan = make_plan(c);
  const Protocol simple = protocol(ProtocolName::simple, 4 << 20);
  const Schedule schedule(c, plan, simple, 2);
  Engine engine(wires, endpoint, 16 << 10);
  engine.add(schedule, 0);
  engine.run();
  for (std::uint32_t l = 0; l < 4; ++l) EXPECT_EQ(wires.use(l).bytes, 2u * 3 * (1 << 20) / 4);
}

// Down a chain of five GPUs, a slice of 32 KiB, 6.6 us of a channel's time: whole, it is waited for at each of them; by lines,
// at the last GPU it is over little after it is at the first.
TEST(Messages, LinesArePassedOnAsTheyCome) {
  const Collective c = collective(Kind::broadcast, Algorithm::ring, 5, 32 << 10);
  const Endpoint slow = Endpoint::by_rate(0, 5 * kGB);
  const TopologyConfig t = topology(TopologyKind::switched);
  const double pass = 32 * 1024 / 5e3;
  EXPECT_NEAR(run(c, t, 1, ProtocolName::simple, slow), 5 * pass + 4, 2);
  const double lines = run(c, t, 1, ProtocolName::ll, slow);
  EXPECT_GE(lines, pass + 4);
  EXPECT_LE(lines, pass + 4 * (1 + pass / 8) + 1);
}

// A pass that waits for lines is as far behind as the lines are, and no further: here those of the sender, half as fast.
TEST(Messages, ReceiversOfLinesAreAsSlowAsTheSender) {
  const Collective c = collective(Kind::send_receive, Algorithm::direct, 2, 320 << 10);
  Endpoint endpoint = Endpoint::by_rate(0, 20 * kGB);
  endpoint.set(9, {{1, 100}, {320 << 10, 320 * 1024 * 100}});  // loads and sends: 10 GB/s
  const double send = 320 * 1024 / 10e3;
  EXPECT_NEAR(run(c, topology(TopologyKind::fully_connected), 1, ProtocolName::ll, endpoint), send + 1, 1.5);
}

// Three hops; what a GPU sends first has none before it.
TEST(Messages, AStepTakesItsTimeBesideThatOfItsBytes) {
  const Collective c = collective(Kind::all_gather, Algorithm::ring, 4, 4096);
  Endpoint endpoint = Endpoint::by_rate(0, 0);
  const TopologyConfig t = topology(TopologyKind::switched);
  const double without = run(c, t, 1, ProtocolName::ll128, endpoint);
  endpoint.step = 2 * kUs;
  EXPECT_NEAR(run(c, t, 1, ProtocolName::ll128, endpoint), without + 3 * 2, 0.1);
}

// NCCL: two of eight steps of the FIFO are a slice of all-reduce, all-gather and reduce-scatter, one of all others.
TEST(Messages, SlicesOfSendsAreHalfAsLongAsThoseOfRings) {
  const Protocol ring = protocol(ProtocolName::simple, 4 << 20, Kind::all_reduce),
                 send = protocol(ProtocolName::simple, 4 << 20, Kind::all_to_all);
  EXPECT_EQ(ring.slice_bytes, 2 * send.slice_bytes);
  EXPECT_EQ(ring.slots * ring.slice_bytes, send.slots * send.slice_bytes);
}

TEST(Messages, LL128AndLLTakeMoreOfTheWire) {
  const Protocol ll = protocol(ProtocolName::ll, 4 << 20), ll128 = protocol(ProtocolName::ll128, 4 << 20);
  EXPECT_EQ(ll.wire_bytes(1000), 2000u);
  EXPECT_EQ(ll128.wire_bytes(1500), 1600u);
}

}  // namespace
}  // namespace t3sim::message
