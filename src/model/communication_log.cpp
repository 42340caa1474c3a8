#include "model/communication_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/csv.h"
#include "base/number.h"

namespace t3sim::model {
namespace {

constexpr std::string_view kLogHeader =
    "call,operation,collective,backend,way,group,groups,stream,bytes,message_bytes,tensors,closed,ready_us,"
    "begin_us,"
    "end_us,alone_us,framework_us,call_bytes,sent_bytes\n";

double microseconds(Picoseconds time) { return real(time) / 1e6; }

// What a call was made of: itself, or all that were fused.
struct Made {
  std::size_t call = 0, tensors = 1;
  std::uint64_t bytes = 0;
  std::string closed;  // fused: by bytes or by time
  const CollectiveCost* cost = nullptr;
};

std::vector<Made> made_of(const Builder& builder, const Graph& graph, const Timed& timed) {
  std::vector<Made> made(graph.operations.size());
  for (std::size_t i = 0; i < made.size(); ++i)
    if (graph.operations[i].call) made[i] = {i, 1, graph.operations[i].call->bytes, "", builder.calls()[i]};
  for (const FusedCall& f : timed.fused)
    for (const std::uint32_t i : f.operations)
      made[i] = {f.operations.front(), f.operations.size(), f.call.bytes, f.full ? "bytes" : "wait", f.cost};
  return made;
}

Picoseconds ready_at(const Timed& timed, const Operation& o) {
  Picoseconds ready = 0;
  for (const std::uint32_t a : o.after) ready = std::max(ready, timed.spans[a].end);
  return ready;
}

}  // namespace

std::string communication_csv(const Builder& builder, const Timed& timed) {
  const Graph& graph = builder.graph();
  const std::vector<Made> made = made_of(builder, graph, timed);
  std::string csv;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const Operation& o = graph.operations[i];
    if (!o.call) continue;
    const Made& m = made[i];
    const Grouping& groups = graph.groupings[o.call->grouping];
    const auto size = narrow<std::uint32_t>(groups.front().size());
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{},{}\n",
                       m.call, csv_field(o.name), to_string(o.call->kind), csv_field(o.call->backend),
                       csv_field(m.cost->source), size, groups.size(), csv_field(graph.streams[o.stream]),
                       o.call->bytes, message::message_bytes(o.call->kind, o.call->bytes, size), m.tensors,
                       m.closed, microseconds(ready_at(timed, o)), microseconds(timed.spans[i].begin),
                       microseconds(timed.spans[i].end), microseconds(m.cost->time),
                       microseconds(m.cost->overhead), m.bytes, m.cost->sent_bytes);
  }
  return csv.empty() ? csv : std::string(kLogHeader) + csv;
}

}  // namespace t3sim::model
