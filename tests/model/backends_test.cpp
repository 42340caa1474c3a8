// Communication backends: what a description says, what calls take by it, tables, and `auto`.
#include "message/backend.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "in_folder.h"
#include "model/backend_costs.h"
#include "model/backend_table.h"
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

}  // namespace
}  // namespace t3sim::model
