// Communication backends: what a description says, what calls take by it, tables, and `auto`.
#include "message/backend.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "base/error.h"
#include "in_folder.h"
#include "model/backend_costs.h"
#include "model/backend_table.h"
#include "model/communication_log.h"
#include "model/from_file.h"
#include "model/schedule.h"

namespace t3sim::model {
namespace {

using message::Backend;
using message::backend_named;
using message::Kind;

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

class Backends : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    config::Document document = config::load_file(T3SIM_SOURCE_DIR "/configs/clusters/lassen.yaml");
    config::apply_override(document.root, "gpus.count=8");
    config::read(document.root, machine_);
  }
  double us(const Backend& backend, Kind kind, std::uint64_t bytes) {
    GpuSet all(8);
    std::iota(all.begin(), all.end(), 0U);
    Call call;
    call.kind = kind;
    call.bytes = bytes;
    return static_cast<double>(BackendCosts(machine_).of(backend, call, {all}).time) / 1e6;
  }
  // Of a graph of one all-to-all.
  std::string refused_graph(const std::string& keys, const std::string& top = "") {
    write_file("g.yaml", top + "operations: [{name: a, collective: gather, bytes: 64 KiB, " + keys + "}]\n");
    return refusal([&] {
      const GraphFile file = read_graph_file("g.yaml");
      Builder builder(machine_, file.spec.products);
      add_graph(builder, file, machine_);
      builder.find_times({1, "", true});
    });
  }
  void write_table(const std::string& machine) {
    BackendTable table(machine);
    table.add(Kind::gather, 8, 1 << 10, "mpi-gdr", 10);
    write_file("t.csv", table.csv());
  }

  Config machine_;
};

TEST_F(Backends, ThatAreShippedHaveASourceForEveryRange) {
  for (const std::string& name : message::backend_names()) {
    Backend backend = backend_named(name);
    EXPECT_EQ(backend.name, name);
    message::for_each_ranged(backend, [&](const std::string& key, const message::Ranged& r) {
      if (r.low || r.high) {
        EXPECT_FALSE(r.source.empty()) << name << " " << key;
      }
    });
  }
}

TEST_F(Backends, ThatAreUnknownAreRefusedWithTheNearest) {
  EXPECT_NE(refusal([] { backend_named("ncll"); }).find("did you mean nccl?"), std::string::npos);
}

TEST_F(Backends, WithABufferOrARateThatIsNextToNothingAreRefused) {
  const auto refused = [](const std::string& mover) {
    write_file("mine.yaml", "name: mine\nmovers: {all: {slice: {value: 1 us}, " + mover +
                                "}}\nways: [{kind: all-reduce, algorithm: ring, mover: all}]\n");
    return refusal([] { backend_named("mine.yaml"); });
  };
  EXPECT_EQ(refused("buffer: {value: 4 KiB}"), "");
  EXPECT_NE(refused("buffer: {value: 4 B}").find("movers.all.buffer.value: must be 0 or at least 4 KiB"),
            std::string::npos)
      << refused("buffer: {value: 4 B}");
  EXPECT_NE(refused("rate: {value: 1 GB/s, low: 1 B/s, source: a guess}").find("rate.low"),
            std::string::npos);
}

// The number of GPUs decides the routes, so another one's are not taken.
TEST_F(Backends, AreKeptByTheNumberOfGpusAndNotWhereCutOff) {
  Call call;
  call.kind = Kind::all_to_all;
  call.bytes = 64 << 10;
  const auto runs = [&](std::uint32_t gpus) {
    machine_.gpus.count = gpus;
    BackendCosts costs(machine_, "kept");
    costs.of(backend_named("nccl"), call, {{0, 1, 2, 3}});
    return costs.runs();
  };
  const auto made = runs(8);
  EXPECT_GT(made, 0U);
  EXPECT_EQ(runs(8), 0U);
  EXPECT_EQ(runs(16), made);
  for (const auto& entry : std::filesystem::directory_iterator("kept")) {
    std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) / 2);
  }
  EXPECT_EQ(runs(8), made);
}

TEST_F(Backends, SayWhichOperationTheyLack) {
  EXPECT_NE(refusal([&] { us(backend_named("nccl"), Kind::gather, 1024); }).find("backend nccl lacks gather"),
            std::string::npos);
}

TEST_F(Backends, TakeTheFastestOfTheirWays) {
  Backend all = backend_named("mpi-gdr"), one = all;
  double best = 0;
  for (const message::WayConfig* way : all.ways_of(Kind::all_reduce, 64 << 10)) {
    one.ways = {*way};
    const double time = us(one, Kind::all_reduce, 64 << 10);
    best = best == 0 ? time : std::min(best, time);
  }
  EXPECT_EQ(us(all, Kind::all_reduce, 64 << 10), best);
}

TEST_F(Backends, AddWhatTheHostWaitsWhereTheyAreHostOrdered) {
  Backend host = backend_named("mpi-gdr"), stream = host;
  stream.progress = message::Progress::stream;
  EXPECT_NEAR(us(host, Kind::all_reduce, 1 << 20) - us(stream, Kind::all_reduce, 1 << 20), 13.5, 1e-6);
}

// Seven slices, six of them to other nodes or sockets: a host posts them one after the other.
TEST_F(Backends, PostMessagesOneAfterTheOther) {
  Backend quick = backend_named("nccl"), slow = quick;
  quick.movers.at("simple").post.value = 0;
  slow.movers.at("simple").post.value = 100'000'000;
  EXPECT_NEAR(us(slow, Kind::all_to_all, 8 << 10) - us(quick, Kind::all_to_all, 8 << 10), 400, 20);
}

TEST_F(Backends, SendRingsThroughAllCardsOfANode) {
  Backend all = backend_named("nccl");
  std::erase_if(all.ways,
                [](const message::WayConfig& w) { return w.algorithm != message::Algorithm::ring; });
  Backend one = all;
  for (message::WayConfig& way : one.ways) way.rails.value = 1;
  const double ratio = us(one, Kind::all_reduce, 16 << 20) / us(all, Kind::all_reduce, 16 << 20);
  EXPECT_NEAR(ratio, 2, 0.2);
}

TEST_F(Backends, OfTablesAreTheFastestBetweenTunedSizesToo) {
  BackendTable table("m");
  for (const auto& [backend, small, large] : {std::tuple{"a", 1.0, 100.0}, std::tuple{"b", 8.0, 16.0}}) {
    table.add(Kind::all_reduce, 8, 1 << 10, backend, small);
    table.add(Kind::all_reduce, 8, 1 << 20, backend, large);
  }
  EXPECT_EQ(table.best(Kind::all_reduce, 8, 2 << 10, false), "a");
  EXPECT_EQ(table.best(Kind::all_reduce, 8, 512 << 10, false), "b");
  EXPECT_NE(refusal([&] { table.best(Kind::all_reduce, 8, 2 << 20, false); }).find("--extrapolate"),
            std::string::npos);
  EXPECT_EQ(table.best(Kind::all_reduce, 8, 2 << 20, true), "b");
  EXPECT_NE(refusal([&] { table.best(Kind::all_reduce, 4, 1 << 10, true); }).find("on 4 GPUs"),
            std::string::npos);
}

TEST_F(Backends, OfTablesAreWrittenAndReadBack) {
  write_table("abc");
  const BackendTable table = BackendTable::read("t.csv");
  EXPECT_EQ(table.machine(), "abc");
  EXPECT_EQ(table.best(Kind::gather, 8, 1 << 10, false), "mpi-gdr");
}

TEST_F(Backends, OfGraphsAreRefusedWhereTheyAreWrong) {
  EXPECT_NE(refused_graph("backend: mpi-gdrr").find("did you mean mpi-gdr?"), std::string::npos);
  EXPECT_NE(refused_graph("backend: nccl").find("lacks gather"), std::string::npos);
  EXPECT_NE(refused_graph("backend: auto").find("needs a table"), std::string::npos);
  write_table("another");
  EXPECT_NE(refused_graph("backend: auto", "table: t.csv\n").find("of another machine"), std::string::npos);
  write_table(network_hash(machine_));
  EXPECT_NE(refused_graph("backend: auto", "table: t.csv\n").find("say --extrapolate"), std::string::npos);
  EXPECT_EQ(refused_graph("backend: auto", "table: t.csv\nextrapolate: true\n"), "");
}

class Optimizations : public Backends {
 protected:
  // Of the file, and of its operations.
  std::string graph_of(const std::string& top, const std::string& operations) {
    return top + "operations:\n- {name: a, time: 10 us}\n" + operations;
  }
  std::string log_of(const std::string& text) {
    write_file("g.yaml", text);
    const GraphFile file = read_graph_file("g.yaml");
    Builder builder(machine_, file.spec.products);
    add_graph(builder, file, machine_);
    builder.find_times({1, "", true});
    timed_ = run_graph(builder.graph(), builder.shares(), &builder);
    return communication_csv(builder, timed_);
  }
  Timed timed_;
};

constexpr const char* kFusion = "fusion: {bytes: 4 MiB, wait: 100 us, copy: 900 GB/s}\n";
constexpr const char* kTwo =
    "- {name: x, collective: all-reduce, bytes: 1 MiB, backend: nccl, fuse: true, stream: c, after: [a]}\n"
    "- {name: y, collective: all-reduce, bytes: 1 MiB, backend: nccl, fuse: true, stream: c, after: [a]}\n";

// As long as one of both's bytes, and four passes of the memory.
TEST_F(Optimizations, FuseTensorsToOneCall) {
  log_of(graph_of(kFusion, kTwo));
  ASSERT_EQ(timed_.fused.size(), 1u);
  const double took = static_cast<double>(timed_.fused[0].end - timed_.fused[0].begin) / 1e6;
  EXPECT_NEAR(took, us(backend_named("nccl"), Kind::all_reduce, 2 << 20) + 4 * 2.097152 / 0.9, 1e-5);
  EXPECT_EQ(timed_.fused[0].begin, 110'000'000u);
}

TEST_F(Optimizations, CompressWhatIsNotAddedUp) {
  log_of(graph_of(
      "",
      "- {name: x, collective: all-to-all, bytes: 4 MiB, backend: nccl, compress: {ratio: 4, encode: "
      "100 GB/s, decode: 200 GB/s}, after: [a]}\n- {name: b, time: 1 us, after: [x]}\n"));
  const double sent = us(backend_named("nccl"), Kind::all_to_all, 1 << 20);
  EXPECT_NEAR(static_cast<double>(timed_.end) / 1e6, 10 + 41.94304 + sent + 20.97152 + 1, 1e-5);
}

TEST_F(Optimizations, AreLoggedTensorByTensor) {
  const std::string log = log_of(graph_of(kFusion + std::string("framework: {small: 18, large: 4}\n"), kTwo));
  EXPECT_NE(log.find("1,x,all-reduce,nccl,"), std::string::npos) << log;
  EXPECT_NE(log.find("1,y,all-reduce,nccl,"), std::string::npos) << log;
  EXPECT_NE(log.find(",1048576,1048576,2,wait,10.000000,110.000000,"), std::string::npos) << log;
  EXPECT_EQ(log_of("operations: [{name: a, time: 1 us}]\n"), "");
}

TEST_F(Optimizations, OfFrameworksAddToEveryCall) {
  const std::string call = "- {name: x, collective: all-to-all, bytes: 16 KiB, backend: nccl}\n";
  log_of(graph_of("", call));
  const Picoseconds bare = timed_.end - 10'000'000;
  log_of(graph_of("framework: {small: 18, large: 4}\n", call));
  EXPECT_NEAR(static_cast<double>(timed_.end - 10'000'000), 1.18 * static_cast<double>(bare), 1);
}

TEST_F(Optimizations, ThatAreWrongAreRefusedWhereTheyAreSaid) {
  const auto refused = [&](const std::string& top, const std::string& keys) {
    return refusal([&] { log_of(top + "operations: [{name: x, " + keys + "}]\n"); });
  };
  const std::string sum = "collective: all-reduce, bytes: 1 MiB, ",
                    exchange = "collective: all-to-all, bytes: 1 MiB, ";
  const std::string coder = "encode: 1 GB/s, decode: 1 GB/s}";
  const std::pair<std::string, const char*> wrong[] = {
      {refused("", sum + "fuse: true"),
       "g.yaml:1:68: operations.0.fuse: needs bytes, wait and copy of fusion"},
      {refused(kFusion, "time: 1 us, fuse: true"), "operations.0.fuse: is of collectives"},
      {refused("", sum + "compress: {ratio: 4, " + coder), "what is encoded cannot be added"},
      {refused("", exchange + "compress: {ratio: 4}"), "needs encode and decode"},
      {refused(kFusion, exchange + "fuse: true, compress: {ratio: 4, " + coder),
       "fuse or compress, not both"},
      {refused("framework: {small: 1001}\n", "time: 1 us"), "framework.small: 1001 is too large"}};
  for (const auto& [message, expected] : wrong)
    EXPECT_NE(message.find(expected), std::string::npos) << message;
}

}  // namespace
}  // namespace t3sim::model
