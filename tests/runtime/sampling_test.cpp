// Short runs and a line in place of long runs, and the clock that a program's power allows.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "draws.h"
#include "machine/power.h"
#include "runtime/configured_run.h"
#include "runtime/hand_program.h"
#include "runtime/load_program.h"

namespace t3sim {
namespace {

Config machine_for(const std::string& program, std::map<std::string, std::uint64_t> parameters) {
  Config config = program_machine(2);
  config.workload.tile = {64, 64, 32};
  config.workload.wavefronts = 4;
  config.gpu.cus = 16;
  config.gpu.threads_per_cu = 256;  // two workgroups
  config.l2.size_bytes = 1 << 17;   // short runs fill it, too
  config.program = {program, std::move(parameters)};
  config.run.sampling = SamplingChoice::automatic;
  return config;
}

SampledRun sampled(const Config& config, double short_run) {
  return run_sampled(config, load_program(config), {}, 1, short_run);
}

double whole_us(Config config) {
  config.run.sampling = SamplingChoice::off;
  return run_sampled(config, load_program(config)).result.time_us;
}

// Within the error that it says, and 1 %.
void expect_to_stand_for_the_whole(const SampledRun& run, const Config& config) {
  EXPECT_NEAR(run.result.time_us, whole_us(config), run.sample->error_us + 0.01 * run.result.time_us)
      << run.sample->text();
  EXPECT_LT(run.sample->error_us, 0.05 * run.result.time_us) << run.sample->text();
}

TEST(ASample, of_a_GEMMs_waves_stands_for_the_whole) {
  T3_SKIP_IF_SANITIZED();
  Config config = machine_for("decomposed-gemm", {{"m", 16384}, {"n", 256}, {"k", 512}});
  config.l2.size_bytes = 1 << 20;  // B stays, as in a real L2
  const SampledRun run = sampled(config, 1.2e8);
  ASSERT_TRUE(run.sample);
  ASSERT_EQ(run.sample->lengths.size(), 1U);
  EXPECT_EQ(run.sample->lengths[0].what, kWaves);
  expect_to_stand_for_the_whole(run, config);
  EXPECT_EQ(run.runs, 3U);
}

// Tiles that are chosen by shape would be others where K is short.
TEST(ASample, keeps_the_kernels_of_the_whole) {
  Config whole = machine_for("decomposed-gemm", {{"m", 512}, {"n", 512}, {"k", 65536}});
  whole.gpu.cus = 132;
  whole.gpu.kernels = KernelChoice::cublas;
  Config less = whole;
  less.program.parameters["k"] = 512;
  const auto kernel_of = [](const program::Program& program) {
    const auto& launch = std::get<program::Launch>(program.gpus[0].commands[0].action);
    const GemmSpec& spec = std::get<program::GemmBody>(launch.body).spec;
    return spec.tile;
  };
  ASSERT_NE(kernel_of(load_program(less)), kernel_of(load_program(whole)));
  const program::Program shorter = load_program(less, whole);
  EXPECT_EQ(kernel_of(shorter), kernel_of(load_program(whole)));
  EXPECT_EQ(shorter.arrays[0].columns, 512U);
}

TEST(ASample, along_a_parameter_stands_for_the_whole_with_its_copies) {
  const Config config = machine_for("ficco-shard-p2p", {{"m", 256}, {"n", 128}, {"k", 6464}});
  const SampledRun run = sampled(config, 1.5e7);
  ASSERT_TRUE(run.sample);
  EXPECT_EQ(run.sample->lengths[0].what, "k");
  expect_to_stand_for_the_whole(run, config);
  const program::Program program = load_program(config);
  ASSERT_EQ(run.result.gpus[0].times.size(), program.gpus[0].commands.size());
  EXPECT_NEAR(static_cast<double>(run.result.gpus[0].link_bytes), 128.0 * 6464 * 2, 1);
}

TEST(ASample, of_fewer_commands_leaves_their_times_out_and_says_so) {
  const Config config = machine_for("decomposed-gemm", {{"m", 8192}, {"n", 256}, {"k", 256}, {"pieces", 32}});
  const SampledRun run = sampled(config, 2e7);
  ASSERT_TRUE(run.sample);
  EXPECT_EQ(run.sample->lengths[0].what, "count");
  EXPECT_TRUE(run.result.gpus[0].times.empty());
  EXPECT_NE(run.sample->text().find("not known"), std::string::npos);
  expect_to_stand_for_the_whole(run, config);
}

// A copy of another stream bounds the short runs, whose times are all alike, and the GEMM the whole: no line through them has the
// time that its products take.
Config copy_beside_gemm(std::uint64_t k) {
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string file =
      testing::TempDir() + "copy-beside-gemm-" + test + ".yaml";  // tests run side by side
  std::ofstream(file) << R"(name: a copy beside a GEMM
gpus: 2
parameters: {m: 128, n: 128, k: 16384}
sampled: {k: 64}
arrays:
  a: {rows: m, columns: k}
  b: {rows: k, columns: n}
  c: {rows: m, columns: n}
  from: {rows: 4096, columns: 4096}
  to: {rows: 4096, columns: 4096}
streams:
  main: [{launch: {gemm: {a: a, b: b, c: c}}}]
  other: [{copy: {from: from, to: to@(rank + 1) % gpus}}]
)";
  Config config = machine_for(file, {{"k", k}});
  config.gpu.matrix_issue_efficiency = 0.1;
  return config;
}

TEST(ASample, whose_line_leaves_no_time_for_the_products_says_so) {
  T3_SKIP_IF_SANITIZED();
  const Config config = copy_beside_gemm(16384);
  const SampledRun run = sampled(config, 1e6);
  EXPECT_GT(run.runs, 3U) << "the first three did not do";
  const double error_us = run.sample ? run.sample->error_us : 0;
  EXPECT_NEAR(run.result.time_us, whole_us(config), error_us + 0.01 * run.result.time_us);
}

TEST(ASample, is_longer_and_longer_until_its_line_is_straight) {
  T3_SKIP_IF_SANITIZED();
  Config config = copy_beside_gemm(16384 * 32);
  config.program.parameters["m"] = config.program.parameters["n"] = 64;
  config.gpu.matrix_issue_efficiency = 0.3;
  const SampledRun run = sampled(config, 1e4);
  EXPECT_GT(run.runs, 9U) << "the third try bends, too";
  EXPECT_FALSE(run.sample) << "a fourth would be most of the whole";
}

// Shorter by one unit the program would refuse itself.
TEST(ASample, is_as_the_program_requires) {
  const std::string file = testing::TempDir() + "two-units.yaml";
  const auto with = [&](const char* k, const char* require) {
    std::ofstream(file) << "name: x\nparameters: {m: 128, n: 128, k: " << k
                        << "}\nsampled: {k: 64}\nrequire: " << require
                        << "\narrays: {a: {rows: m, columns: 16384}, b: {rows: 16384, columns: n}, "
                        << "c: {rows: m, columns: n}, d: {rows: 64, columns: 'max(k, 64)'}, e: {rows: 64, "
                           "columns: 'max(k, 64)'}}\n"
                        << "streams: {s: [{launch: {gemm: {a: a, b: b, c: c}}}, {copy: {from: d, to: e@(rank "
                           "+ 1) % gpus}}]}\n";
    return sampled(machine_for(file, {}), 1e6);
  };
  const SampledRun even = with("16384", "k % 128 == 0");
  ASSERT_TRUE(even.sample);
  for (const std::uint64_t k : {even.sample->lengths[0].shorter, even.sample->lengths[0].longer})
    EXPECT_EQ(k % 128, 0U);
  EXPECT_FALSE(with("16384", "k == 16384").sample);
  EXPECT_FALSE(with("0 - 64", "k < 0").sample) << "a parameter below zero is no length";
}

TEST(ASample, is_not_taken_of_what_is_short_or_where_it_is_off) {
  Config config = machine_for("decomposed-gemm", {{"m", 1024}, {"n", 256}, {"k", 256}});
  EXPECT_FALSE(sampled(config, kShortRun).sample);
  config.run.sampling = SamplingChoice::off;
  EXPECT_FALSE(sampled(config, 1e3).sample);
}

TEST(ASample, goes_along_the_parameters_that_the_program_names) {
  const Config config = machine_for("decomposed-gemm", {{"m", 128}, {"n", 128}, {"k", 128}});
  const program::Program program = load_program(config);
  ASSERT_EQ(program.sampled.size(), 2U);
  EXPECT_EQ(program.sampled[1].name, "k");
  EXPECT_EQ(program.sampled[1].unit, 64U);
  EXPECT_EQ(program.sampled[1].fewest, 24U);
  EXPECT_EQ(program.sampled[0].fewest, 4U);
}

TEST(ASample, is_no_shorter_than_the_program_allows) {
  const Config config = machine_for("ficco-shard-p2p", {{"m", 256}, {"n", 128}, {"k", 6464}});
  const SampledRun run = sampled(config, 1e3);
  ASSERT_TRUE(run.sample);
  EXPECT_EQ(run.sample->lengths[0].longer, 24U * 64);
  EXPECT_EQ(run.sample->lengths[0].shorter, 6U * 64);
}

// A copy that begins late bounds the short runs, the GEMM of the own shard the whole.
TEST(ASample, takes_longer_runs_where_the_line_bends_even_if_the_fewest_steps_are_more_than_fit) {
  T3_SKIP_IF_SANITIZED();
  Config config = machine_for("ficco-shard-p2p", {{"m", 256}, {"n", 128}, {"k", 65536}});
  config.commands.copy_ps = 15'000'000;  // as long as the GEMM at k = 2400 or so
  const SampledRun run = sampled(config, 1e3);
  ASSERT_TRUE(run.sample);
  EXPECT_GT(run.runs, 3U);
  EXPECT_EQ(run.sample->lengths[0].longer, 4 * 4096U);
  expect_to_stand_for_the_whole(run, config);
}

void expect_arrays_larger_than_a_cache_of_1_mib(Config config) {
  const SampledRun run = sampled(config, 1e3);
  ASSERT_TRUE(run.sample);
  const SampledLength& k = run.sample->lengths[0];
  EXPECT_EQ(k.longer, 4 * k.shorter);
  const std::uint64_t c = 256 * 128, bytes_a_k = (256 + 128) * 2;
  EXPECT_GT(c * 2 + bytes_a_k * k.shorter, 1.5 * (1 << 20));
  EXPECT_LT(c * 2 + bytes_a_k * k.shorter, 1.5 * 1.5 * (1 << 20));
  config.program.parameters["k"] = 6464;  // no shorter run has
  EXPECT_FALSE(sampled(config, 1e3).sample);
}

TEST(ASample, has_arrays_larger_than_the_l2_where_the_whole_has) {
  Config config = machine_for("ficco-shard-p2p", {{"m", 256}, {"n", 128}, {"k", 25600}});
  config.l2.size_bytes = 1 << 20;
  expect_arrays_larger_than_a_cache_of_1_mib(config);
}
TEST(ASample, has_arrays_larger_than_the_memory_side_cache_where_the_whole_has) {
  Config config = machine_for("ficco-shard-p2p", {{"m", 256}, {"n", 128}, {"k", 25600}});
  config.l2.size_bytes = 1 << 18;
  config.l2.memory_side.size_bytes = 1 << 20;
  config.l2.partition_latency_cycles = 10;
  expect_arrays_larger_than_a_cache_of_1_mib(config);
}

// GEMMs that add to the same C, one after the other: a C that stays in the L2 from one to the next costs less.
TEST(ASample, has_a_sum_larger_than_the_l2_where_the_whole_has) {
  T3_SKIP_IF_SANITIZED();
  Config config =
      machine_for("decomposed-gemm", {{"m", 16384}, {"n", 256}, {"k", 256}, {"pieces", 4}, {"along_k", 1}});
  config.l2.size_bytes = 1 << 19;
  const SampledRun run = sampled(config, 2e7);
  ASSERT_TRUE(run.sample);
  const SampledLength& waves = run.sample->lengths[0];
  ASSERT_EQ(waves.what, kWaves);
  EXPECT_GE(waves.shorter * 32 * 64 * 64 * 2, 3U << 18) << "waves of 32 tiles, one and a half times the L2";
  expect_to_stand_for_the_whole(run, config);
}

// Rows of the whole begin on 2 KiB, so those of the short runs do.
TEST(ASample, keeps_rows_where_banks_and_channels_see_them_alike) {
  const Config config = machine_for("ficco-shard-p2p", {{"m", 256}, {"n", 128}, {"k", 16384}});
  const SampledRun run = sampled(config, 1e3);
  ASSERT_TRUE(run.sample);
  EXPECT_EQ(run.sample->lengths[0].longer, 4096U);
  EXPECT_EQ(run.sample->lengths[0].between, 2048U);
  EXPECT_EQ(run.sample->lengths[0].shorter, 1024U);
}

TEST(ASample, of_a_librarys_collective_is_its_first_loops_and_the_rest) {
  Config config =
      machine_for("gather-then-gemm", {{"m", 2048}, {"n", 64}, {"k", 2112}, {"gemm", 0}, {"library", 1}});
  config.gpu.threads_per_cu = 2048;
  config.execution.channel.buffer_bytes = 64 << 10;
  config.execution.channel.ring_channels = 4;
  const SampledRun run = sampled(config, 2e6);
  ASSERT_TRUE(run.sample);
  ASSERT_EQ(run.sample->lengths.size(), 1U);
  EXPECT_EQ(run.sample->lengths[0].what, kLoops);
  EXPECT_EQ(run.sample->lengths[0].full, 1024ULL * 2112 * 2 / (4 * (32 << 10)));
  const double whole = whole_us(config);
  EXPECT_NEAR(run.result.time_us, whole, run.sample->error_us + 0.01 * whole);
  EXPECT_NEAR(static_cast<double>(run.result.gpus[0].link_bytes), 1024.0 * 2112 * 2, 1024.0 * 2112 * 2 * 0.3);
}

TEST(Waves, are_counted_where_all_launches_are_alike_and_nothing_else_goes_on) {
  const auto waves = [](const Config& config) { return alike_waves(config, load_program(config)); };
  const Config gemm = machine_for("decomposed-gemm", {{"m", 4096}, {"n", 256}, {"k", 64}});
  const Config copies = machine_for("ficco-shard-p2p", {{"m", 4096}, {"n", 256}, {"k", 64}});
  EXPECT_GT(waves(gemm), 1U);
  EXPECT_EQ(waves(copies), 0U);
}

// As many tiles each, but not as many at a time: a wave of the one is none of the other.
TEST(Waves, of_kernels_with_other_tiles_are_not_counted_together) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "two_tiles.yaml";
  const auto waves = [&](const char* second) {
    std::ofstream(file) << "name: x\narrays: {a: {rows: 4096, columns: 64}, b: {rows: 64, columns: 256}, c: "
                           "{rows: 4096, columns: "
                           "256}, d: {rows: 4096, columns: 256}}\nstreams:\n  s:\n    - launch: {gemm: {a: "
                           "a, b: b, c: c}, tile: "
                           "64x64x32}\n    - launch: {gemm: {a: a, b: b, c: d}, tile: 64x64x32"
                        << second << "}\n";
    Config config = machine_for("decomposed-gemm", {});
    config.program.file = file;
    return alike_waves(config, load_program(config));
  };
  EXPECT_GT(waves(""), 1U);
  EXPECT_EQ(waves(", workgroups_per_cu: 1"), 0U);
}

TEST(Waves, that_are_left_out_leave_the_rest_of_the_last_one) {
  const Config config = machine_for("decomposed-gemm", {{"m", 4096 + 64}, {"n", 256}, {"k", 64}});
  const program::Program program = load_program(config);
  const std::uint64_t all = alike_waves(config, program);
  EXPECT_EQ(alike_waves(config, with_waves(config, program, 2)), 2U);
  EXPECT_LT(simulated_bytes(with_waves(config, program, 2)), simulated_bytes(program) * 3 / real(all));
}

TEST(TheClock, is_what_the_power_of_a_program_called_over_and_over_allows) {
  Config config = machine_for("decomposed-gemm", {{"m", 2048}, {"n", 256}, {"k", 1024}});
  config.run.clock = ClockChoice::power;
  config.execution.power = {.idle_share = 0.3, .matrix_share = 2, .transfer_share = 0};
  const ConfiguredRun run = run_configured(config);
  EXPECT_LT(run.config.gpu.clock_hz, config.gpu.clock_hz);
  const double busy =
      matrix_use(config.gpu, config.gpu.clock_hz, 2.0 * 2048 * 256 * 1024, run.result.time_us * 1e-6);
  const double needed = clock_share(config.execution.power, {busy, 0}) * real(config.gpu.clock_hz);
  EXPECT_NEAR(needed, real(run.config.gpu.clock_hz), 1.5 * real(kClockStep));
}

TEST(TheClock, stays_up_for_calls_that_end_before_the_limit_acts) {
  Config config = machine_for("decomposed-gemm", {{"m", 1024}, {"n", 256}, {"k", 512}});
  config.run.clock = ClockChoice::power;
  config.execution.power = {.idle_share = 0.3, .matrix_share = 2, .transfer_share = 0};
  const double call_us = [&] {
    Config boost = config;
    boost.run.clock = ClockChoice::boost;
    return run_configured(boost).result.time_us;
  }();
  config.run.calls = 10;
  config.execution.power.window_ps = static_cast<std::uint64_t>(10.1 * call_us * 1e6);
  EXPECT_EQ(run_configured(config).config.gpu.clock_hz, config.gpu.clock_hz);
  config.run.calls = 11;
  EXPECT_LT(run_configured(config).config.gpu.clock_hz, config.gpu.clock_hz);
}

TEST(TheClock, is_higher_where_the_gpu_idles_between_calls) {
  Config config = machine_for("decomposed-gemm", {{"m", 2048}, {"n", 256}, {"k", 1024}});
  config.run.clock = ClockChoice::power;
  config.execution.power = {.idle_share = 0.3, .matrix_share = 2, .transfer_share = 0};
  const std::uint64_t always = run_configured(config).config.gpu.clock_hz;
  config.run.duty = 1;
  EXPECT_EQ(run_configured(config).config.gpu.clock_hz, always);
  config.run.duty = 0.8;
  const ConfiguredRun run = run_configured(config);
  EXPECT_GT(run.config.gpu.clock_hz, always);
  const double busy =
      matrix_use(config.gpu, config.gpu.clock_hz, 2.0 * 2048 * 256 * 1024, run.result.time_us * 1e-6 / 0.8);
  const double needed = clock_share(config.execution.power, {busy, 0}) * real(config.gpu.clock_hz);
  EXPECT_NEAR(needed, real(run.config.gpu.clock_hz), 1.5 * real(kClockStep));
}

TEST(TheClock, stays_up_where_the_power_suffices_or_nobody_asks) {
  Config config = machine_for("decomposed-gemm", {{"m", 256}, {"n", 256}, {"k", 128}});
  EXPECT_EQ(run_configured(config).config.gpu.clock_hz, config.gpu.clock_hz);
  config.run.clock = ClockChoice::power;
  config.execution.power = {.idle_share = 0.3, .matrix_share = 0.1, .transfer_share = 0};
  EXPECT_EQ(run_configured(config).config.gpu.clock_hz, config.gpu.clock_hz);
}

}  // namespace
}  // namespace t3sim
