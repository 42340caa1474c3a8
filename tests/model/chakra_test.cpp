// Chakra execution traces: what is read of them, what runs, and what is refused.
#include <gtest/gtest.h>

#include "base/error.h"
#include "in_folder.h"
#include "model/chakra_trace.h"
#include "model/from_chakra.h"
#include "model/schedule.h"

namespace t3sim::model {
namespace {

// A protobuf message in the making.
class Proto {
 public:
  Proto& number(std::uint32_t field, std::uint64_t value) {
    varint(field << 3);
    varint(value);
    return *this;
  }
  Proto& bytes(std::uint32_t field, const std::string& value) {
    varint(field << 3 | 2);
    varint(value.size());
    text_ += value;
    return *this;
  }
  Proto& attribute(const std::string& name, std::uint64_t value) {
    return bytes(10, Proto().bytes(1, name).number(11, value).text_);
  }
  std::string message() const {
    Proto length;
    length.varint(text_.size());
    return length.text_ + text_;
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
    text_ += static_cast<char>(value);
  }
  std::string text_;
};

const std::string kMetadata = Proto().bytes(1, "0.0.4").message();

Proto node(std::uint64_t id, std::uint64_t type, const std::vector<std::uint64_t>& after = {}) {
  Proto p;
  p.number(1, id).bytes(2, "n" + std::to_string(id)).number(3, type);
  Proto packed;
  for (const std::uint64_t a : after) packed.varint(a);
  if (!after.empty()) p.bytes(5, packed.text_);
  return p;
}
Proto compute(std::uint64_t id, std::uint64_t us, const std::vector<std::uint64_t>& after = {}) {
  return node(id, 4, after).number(7, us);
}
Proto all_reduce(std::uint64_t id, std::uint64_t bytes, const std::vector<std::uint64_t>& after = {}) {
  return node(id, 7, after).attribute("comm_type", 0).attribute("comm_size", bytes);
}
Proto transfer(std::uint64_t id, bool sends, std::uint64_t from, std::uint64_t to) {
  return node(id, sends ? 5 : 6)
      .attribute("comm_src", from)
      .attribute("comm_dst", to)
      .attribute("comm_size", 4096);
}

class ChakraTraces : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    config::read(config::load_file(T3SIM_SOURCE_DIR "/configs/paper/machine.yaml").root, machine_);
    machine_.gpus.count = 2;
    machine_.topology.kind = TopologyKind::switched;
    machine_.message.endpoint.rate_Bps = 20'000'000'000;
  }
  Timed run(const std::string& path) {
    Builder builder(machine_, Products::estimate);
    add_chakra(builder, path, machine_.gpus.count);
    builder.find_times({1, "", true});
    return run_graph(builder.graph(), builder.shares());
  }
  std::string refusal(const std::string& trace) {
    write_file("t.et", trace);
    try {
      run("t.et");
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }
  Config machine_;
};

TEST_F(ChakraTraces, RunNodesAfterThoseThatTheyDependOn) {
  write_file("t.et", kMetadata + compute(1, 10).message() + all_reduce(2, 1 << 20, {1}).message() +
                         compute(3, 7, {2}).message() + compute(4, 30, {1}).message());
  const Timed timed = run("t.et");
  EXPECT_GE(timed.spans[1].begin, 10'000'000u);
  EXPECT_GE(timed.spans[2].begin, timed.spans[1].end);
  EXPECT_EQ(timed.spans[3].begin, 10'000'000u);  // computes while the collective runs
}

TEST_F(ChakraTraces, TakeWorkAtTheMachinesRates) {
  write_file(
      "t.et",
      kMetadata + node(1, 4).attribute("num_ops", 1'000'000'000).attribute("tensor_size", 1 << 20).message());
  EXPECT_NEAR(static_cast<double>(run("t.et").end) / 1e6, Rates(machine_).work_us(1e9, 1 << 20), 1e-4);
}

TEST_F(ChakraTraces, GiveTheHostNoTime) {
  write_file("t.et", kMetadata + compute(1, 10).attribute("is_cpu_op", 1).message());
  EXPECT_EQ(run("t.et").end, 0u);
}

TEST_F(ChakraTraces, OfSeveralGpusMatchSendsWithReceives) {
  write_file("p.0.et", kMetadata + compute(1, 10).message() + transfer(2, true, 0, 1).message());
  write_file("p.1.et", kMetadata + transfer(1, false, 0, 1).message() + compute(2, 5, {1}).message());
  EXPECT_GT(run("p").end, 5'000'000u);
  write_file("p.1.et", kMetadata + compute(2, 5).message());
  EXPECT_THROW(run("p"), InputError);
}

TEST_F(ChakraTraces, NameTheNodeThatIsNotKnown) {
  EXPECT_NE(refusal(kMetadata + node(17, 9).message()).find("t.et: node 17 \"n17\": type 9 is not known"),
            std::string::npos);
  EXPECT_NE(refusal(kMetadata + node(3, 7).attribute("comm_type", 9).message())
                .find("node 3 \"n3\": collective BARRIER is not known"),
            std::string::npos);
  EXPECT_NE(refusal(kMetadata + compute(4, 1, {5}).message())
                .find("node 4 \"n4\": comes after node 5, which is not there"),
            std::string::npos);
  EXPECT_NE(refusal(kMetadata + compute(4, 1, {5}).message() + compute(5, 1, {4}).message())
                .find("wait for each other"),
            std::string::npos);
  EXPECT_EQ(refusal(""), "t.et: has no node");
  EXPECT_EQ(refusal(kMetadata), "t.et: has no node");
  EXPECT_NE(refusal(kMetadata + node(3, 7).attribute("comm_type", 0).message()).find("has no comm_size"),
            std::string::npos);
  EXPECT_NE(refusal(kMetadata + all_reduce(3, std::uint64_t{1} << 62).message())
                .find("at most 17592186044416 bytes"),
            std::string::npos);
  EXPECT_NE(refusal(kMetadata + compute(4, std::uint64_t{1} << 62).message()).find("node 4 \"n4\": takes"),
            std::string::npos);
}

TEST_F(ChakraTraces, ThatAreCutOffAreRefusedWithThePlace) {
  const std::string whole = kMetadata + all_reduce(2, 1 << 20).message();
  for (std::size_t size = 1; size < whole.size(); ++size) {
    if (size == kMetadata.size()) continue;
    EXPECT_NE(refusal(whole.substr(0, size)).find("byte "), std::string::npos) << size;
  }
}

}  // namespace
}  // namespace t3sim::model
