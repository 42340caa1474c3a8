// The channels of a collective library against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "validation/measured/estimate/channel_model.h"

namespace t3sim {
namespace {

// A machine without any cost but those named.
ChannelMachine free_machine() {
  ChannelMachine machine;
  machine.channel.slice_sync_ps = machine.channel.flag_latency_ps = machine.channel.launch_ps = 0;
  machine.store_bytes_per_cycle = machine.load_bytes_per_cycle = 1e6;
  machine.clock_hz = 1e9;
  machine.load_latency_s = 0;
  machine.link_Bps = 1e20;
  return machine;
}

constexpr std::uint64_t kBytes = 256 << 20;

TEST(AChannel, limited_by_the_links_takes_the_bytes_of_a_ring_over_their_bandwidth) {
  ChannelMachine machine = free_machine();
  machine.link_Bps = 100e9;
  for (const CollectiveOp op :
       {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_reduce})
    for (const std::uint32_t world : {2u, 4u, 8u})
      EXPECT_NEAR(collective_seconds(machine, op, world, kBytes, 8),
                  collective_link_bytes(op, world, kBytes) / 100e9, 2e-5);
}

TEST(AChannel, limited_by_its_store_path_pays_for_staging_copies) {
  ChannelMachine machine = free_machine();
  machine.store_bytes_per_cycle = 10;                       // 10 GB/s
  const double part = static_cast<double>(kBytes) / 4 / 2;  // of a GPU, a channel
  // All-gather of 4: two stores in each of three sends, one at the end. Reduce-scatter: one a pass.
  EXPECT_NEAR(collective_seconds(machine, CollectiveOp::all_gather, 4, kBytes, 2), 7 * part / 10e9, 2e-6);
  EXPECT_NEAR(collective_seconds(machine, CollectiveOp::reduce_scatter, 4, kBytes, 2), 4 * part / 10e9, 2e-6);
}

TEST(AChannel, waits_for_each_window_of_its_loads) {
  ChannelMachine machine = free_machine();
  machine.load_latency_s = 1e-6;
  machine.window_bytes = 1 << 20;
  const double windows = static_cast<double>(kBytes) / 2 / (1 << 20);
  EXPECT_NEAR(collective_seconds(machine, CollectiveOp::reduce_scatter, 2, kBytes, 1), 2 * windows * 1e-6,
              1e-6);
}

TEST(AChannel, of_a_tiny_message_pays_a_flag_a_hop) {
  ChannelMachine machine = free_machine();
  machine.channel.flag_latency_ps = 1'000'000;
  for (const std::uint32_t world : {2u, 4u, 8u})
    EXPECT_NEAR(collective_seconds(machine, CollectiveOp::all_reduce, world, 4096, 1), 2e-6 * (world - 1),
                1e-9);
}

TEST(AChannel, is_never_slower_with_company) {
  ChannelMachine machine = free_machine();
  machine.link_Bps = 360e9;
  machine.store_bytes_per_cycle = 60;
  double before = 1;
  for (const std::uint32_t channels : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const double now = collective_seconds(machine, CollectiveOp::all_to_all, 4, kBytes, channels);
    EXPECT_LE(now, before) << channels;
    before = now;
  }
}

// Far from the corner each limit is what counts; at it, where both take as long, some channels wait for the
// link.
TEST(AChannel, waits_for_the_link_before_it_is_full) {
  ChannelMachine machine = free_machine();
  machine.store_bytes_per_cycle = 10;  // 10 GB/s
  const auto seconds = [&](double link_Bps) {
    machine.link_Bps = link_Bps;
    return collective_seconds(machine, CollectiveOp::reduce_scatter, 2, kBytes, 8);
  };
  const double store = static_cast<double>(kBytes) / 2 / 8 / 10e9;
  EXPECT_NEAR(seconds(10 * 80e9), 2 * store, 0.001 * store);
  EXPECT_NEAR(seconds(80e9), (std::cbrt(2) + 1) * store, 0.001 * store);  // the second pass stays on the GPU
  EXPECT_NEAR(seconds(8e9), 11 * store, 0.01 * store);
}

TEST(AllToAll, takes_a_power_of_two_of_channels) {
  const ChannelMachine machine = free_machine();
  EXPECT_EQ(collective_channels(machine, CollectiveOp::all_to_all, 3), 4u);
  EXPECT_EQ(collective_channels(machine, CollectiveOp::all_to_all, 8), 8u);
  EXPECT_EQ(collective_channels(machine, CollectiveOp::all_gather, 3), 3u);
}

}  // namespace
}  // namespace t3sim
