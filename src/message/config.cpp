#include "message/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "message/endpoint.h"

namespace t3sim::message {
namespace {

using config::kMs;
constexpr std::uint64_t kMostTime = 1000 * kMs;

constexpr std::uint32_t kLoads = 1, kReceives = 2, kStores = 4, kSends = 8;

void check_expected(const Entry& entry, const Collective& c) {
  if (entry.expects.empty()) return;
  if (entry.counts.empty()) throw InputError("expects needs counts to be held against");
  if (entry.expects.size() != entry.counts.size())
    throw InputError(fmt::format("expects {} counts of {}", entry.expects.size(), entry.counts.size()));
  for (std::size_t i = 0; i < entry.counts.size(); ++i) {
    if (entry.counts[i] == entry.expects[i]) continue;
    const std::size_t from = c.kind == Kind::all_to_all ? i / c.gpus : i, to = i % c.gpus;
    throw InputError(fmt::format("GPU {} brings {} bytes{}, where {} are expected", from, entry.counts[i],
                                 c.kind == Kind::all_to_all ? fmt::format(" for GPU {}", to) : "",
                                 entry.expects[i]));
  }
}

}  // namespace

using config::Visitor;

static void describe(Visitor& v, PassTimes& c) {
  for (const PassName& pass : pass_names())
    v.counts(pass.name, c.*pass.times, {0, kMostTime},
             "ps a slice, by sizes, as far as the protocol's slices go");
}

static void describe(Visitor& v, ProtocolTimes& c) {
  v.section("Simple", c.simple, "times of slices");
  v.section("LL", c.ll, "times of slices");
  v.section("LL128", c.ll128, "times of slices");
}

static void describe(Visitor& v, FullL2Times& c) {
  v.time("empty", c.empty_ps, {0, kMostTime}, "a slice, before the L2 is full");
  v.time("alone", c.alone_ps, {0, kMostTime}, "the same, when it is");
  v.time("beside", c.beside_ps, {0, kMostTime}, "the same, of so many channels at a time");
}

static void describe(Visitor& v, FullL2& c) {
  v.size("slice", c.bytes, {0, 1ULL << 40}, "of a slice; 0: nothing is known");
  v.count("lanes", c.lanes, {2, 512}, "channels of `beside`");
  v.section("send", c.send, "loaded from memory and sent");
  v.section("reduce", c.reduce, "loaded from memory, added to what comes, and stored");
}

void describe(Visitor& v, EndpointConfig& c) {
  v.text("machine", c.machine, "hash of the machine that it was derived from (t3sim tune endpoint)");
  v.time("launch", c.launch_ps, {0, kMostTime}, "of a collective, until its first slice");
  v.time("deliver", c.deliver_ps, {0, kMostTime},
         "from a slice's last byte at a GPU until its channel sees it");
  v.time("give_back", c.give_back_ps, {0, kMostTime}, "the same, of a slot that is free again");
  v.counts("sizes", c.sizes, {1, 1ULL << 40}, "bytes of the slices whose times follow, ascending");
  v.section("cold", c.cold, "the GPU's own arrays are in memory");
  v.section("warm", c.warm, "they are in the L2");
  v.section("full", c.full, "the L2 is full of lines that memory has not");
  v.time("slice", c.slice_ps, {0, kMostTime}, "without sizes: of a channel, a slice");
  v.bandwidth("rate", c.rate_Bps, {1'000'000, 100'000 * config::kGB}, "without sizes: of a channel");
}

static void describe(Visitor& v, LineConfig& c) {
  v.time("launch", c.launch_ps, {0, kMostTime}, "instead of execution.channel.launch; 0: as that");
  v.time("LL128_launch", c.ll128_launch_ps, {0, kMostTime}, "of LL128; 0: as LL");
  v.time("LL", c.ll_ps, {0, kMostTime},
         "from a GPU to the next, of a few bytes, all in all: what the link and the pass do not take comes "
         "after them");
  v.time("LL128", c.ll128_ps, {0, kMostTime}, "likewise");
}

static void describe(Visitor& v, Entry& c) {
  v.choice("kind", c.kind, "what it does");
  v.choice("algorithm", c.algorithm, "how; not said: the first that the kind has");
  v.choice("protocol", c.protocol, "how payload becomes messages");
  v.count("channels", c.channels, {1, 512},
          "thread blocks; not said: as many as the machine's library takes");
  v.size("bytes", c.bytes, {0, 1ULL << 40}, "the full array on each GPU");
  v.count("root", c.root, {0, 4095}, "of broadcast, gather, scatter; send-receive: who sends");
  v.count("peer", c.peer, {0, 4095}, "send-receive: who receives");
  v.count("node_size", c.node_size, {0, 4096},
          "hierarchical: GPUs a node; all-to-all by rings: of the first dimension; 0: the topology's");
  v.counts("counts", c.counts, {0, 1ULL << 40},
           "v-forms: bytes of each GPU; all-to-all: of each GPU for each");
  v.counts("expects", c.expects, {0, 1ULL << 40}, "what the receivers expect; must be counts");
  v.choice("arrays", c.arrays, "cold: in memory; warm: in the L2 as after a call before, where they fit");
  v.count("repeat", c.repeat, {1, 1'000'000}, "times in a row");
}

void describe(Visitor& v, MessageConfig& c) {
  v.section("endpoint", c.endpoint, "what a GPU's channels can do");
  v.section("lines", c.lines, "LL and LL128: what of them is not Simple's");
  v.time("call", c.call_ps, {0, kMostTime},
         "in which the host issues a call; of those one after the other, none takes less");
  v.size("piece", c.piece_bytes, {128, 1 << 30},
         "bytes that a link serves at a time, of those that share it");
  v.sections("collectives", c.collectives, "one after the other");
}

const std::vector<PassName>& pass_names() {
  static const std::vector<PassName> names{
      {"send", kLoads | kSends, &PassTimes::send},
      {"copy_send", kLoads | kStores | kSends, &PassTimes::copy_send},
      {"receive", kReceives | kStores, &PassTimes::receive},
      {"reduce", kLoads | kReceives | kStores, &PassTimes::reduce},
      {"reduce_send", kLoads | kReceives | kSends, &PassTimes::reduce_send},
      {"reduce_copy_send", kLoads | kReceives | kStores | kSends, &PassTimes::reduce_copy_send},
      {"pass_on", kReceives | kStores | kSends, &PassTimes::pass_on},
      {"copy", kLoads | kStores, &PassTimes::copy}};
  return names;
}

Endpoint endpoint_of(const EndpointConfig& config, ProtocolName protocol, Arrays arrays) {
  Endpoint endpoint = Endpoint::by_rate(config.slice_ps, config.rate_Bps.value_or(0));
  endpoint.launch = config.launch_ps;
  endpoint.deliver = config.deliver_ps;
  endpoint.give_back = config.give_back_ps;
  if (config.sizes.empty()) return endpoint;
  const ProtocolTimes& all = arrays == Arrays::warm ? config.warm : config.cold;
  const PassTimes& times = protocol == ProtocolName::simple ? all.simple
                           : protocol == ProtocolName::ll   ? all.ll
                                                            : all.ll128;
  for (const PassName& pass : pass_names()) {
    const std::vector<std::uint64_t>& of_pass = times.*pass.times;
    if (of_pass.size() != times.send.size() || of_pass.empty() || of_pass.size() > config.sizes.size())
      throw InputError(fmt::format("{}.{}: {} times for {} sizes", to_string(protocol), pass.name,
                                   of_pass.size(), config.sizes.size()));
    Endpoint::Curve curve;
    for (std::size_t i = 0; i < of_pass.size(); ++i) {
      if (i > 0 && config.sizes[i] <= config.sizes[i - 1]) throw InputError("sizes must be ascending");
      curve.push_back({config.sizes[i], of_pass[i]});
    }
    endpoint.set(pass.pass, std::move(curve));
  }
  return endpoint;
}

// Of the full array on each GPU: of an all-to-all, which has counts of every pair, the longest on a GPU. 0 without counts.
static std::uint64_t counted_bytes(const Collective& c) {
  const std::size_t row = c.kind == Kind::all_to_all ? std::max<std::size_t>(c.gpus, 1) : c.counts.size();
  std::uint64_t most = 0;
  for (auto from = c.counts.begin(); from != c.counts.end();) {
    const auto to = from + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(row), c.counts.end() - from);
    most = std::max(most, std::accumulate(from, to, std::uint64_t{0}));
    from = to;
  }
  return most;
}

Collective collective_of(const Entry& entry, std::uint32_t gpus, std::uint32_t node_size) {
  Collective c;
  c.kind = entry.kind;
  c.algorithm = entry.algorithm.value_or(algorithms_of(entry.kind).front());
  c.gpus = gpus;
  c.root = entry.root;
  c.peer = entry.peer;
  c.node_size = entry.node_size != 0 ? entry.node_size : node_size;
  c.bytes = entry.bytes;
  c.counts = entry.counts;
  const std::uint64_t counted = counted_bytes(c);
  if (counted != 0 && c.bytes != 0 && c.bytes != counted)
    throw InputError(fmt::format("by counts the full array has {} bytes, bytes says {}: say one of them",
                                 counted, c.bytes));
  if (counted != 0) c.bytes = counted;
  if (c.bytes == 0)
    throw InputError(
        fmt::format("{} of 0 bytes: it needs bytes, of the full array on each GPU", to_string(c.kind)));
  check(c);
  check_expected(entry, c);
  return c;
}

}  // namespace t3sim::message
