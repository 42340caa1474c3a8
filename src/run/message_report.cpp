// What a run of messages yields: the explanation before it, a table for people, results.json and the CSV files.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/number.h"
#include "config/units.h"
#include "message/protocol.h"
#include "run/messages.h"

namespace t3sim {
namespace {

// Bytes that cross each GPU's port at full speed, a second: NCCL's "bus bandwidth".
double bus_share(const message::Collective& c) {
  const double others = real(c.gpus - 1) / real(c.gpus);
  switch (c.kind) {
    case message::Kind::all_reduce:
      return 2 * others;
    case message::Kind::broadcast:
    case message::Kind::send_receive:
      return 1;
    default:
      return others;
  }
}

double bus_GBps(const MessageRow& row) {
  return ratio(real(row.collective.bytes) * bus_share(row.collective), row.time_us * 1e3);
}

std::string size(std::uint64_t bytes) { return config::format_quantity(config::kSize, bytes); }

nlohmann::ordered_json json_of(const MessageRow& row) {
  const message::Collective& c = row.collective;
  return {{"kind", to_string(c.kind)},
          {"algorithm", to_string(c.algorithm)},
          {"protocol", to_string(row.protocol)},
          {"channels", row.channels},
          {"bytes", c.bytes},
          {"repeat", row.repeat},
          {"time_us", row.time_us},
          {"bus_GBps", bus_GBps(row)},
          {"sent_bytes", row.sent_bytes},
          {"slices", row.slices},
          {"blocks_checked", row.blocks_checked}};
}

}  // namespace

std::string explain_messages(const Config& config) {
  const message::EndpointConfig& e = config.message.endpoint;
  std::string text = fmt::format(
      "{} GPUs, topology {}; endpoints {}\n", config.gpus.count, to_string(config.topology.kind),
      e.sizes.empty()
          ? fmt::format("of {} a slice and {} a channel", config::format_quantity(config::kTime, e.slice_ps),
                        config::format_quantity(config::kBandwidth, e.rate_Bps.value_or(0)))
          : fmt::format("derived at cycle level (machine {})", e.machine.substr(0, 12)));
  for (const message::Entry& entry : config.message.collectives) {
    const message::Collective c = message::collective_of(entry, config.gpus.count, config.topology.node_size);
    const message::Protocol p =
        message::protocol(entry.protocol, config.execution.channel.buffer_bytes, entry.kind);
    const message::Plan plan = message::make_plan(c);
    std::size_t longest = 0;
    for (std::uint32_t s = 0; s < plan.strands(); ++s) longest = std::max(longest, plan.steps(s).size());
    text += fmt::format(
        "{}: {} steps at most one after the other, {} strands on GPU 0; {}: slices of up to {}, {} slots, "
        "{} of {} bytes on the wire are payload\n",
        message::describe(c), longest, plan.gpus() > 1 ? plan.first_strand(1) : plan.strands(),
        to_string(entry.protocol), size(p.slice_bytes), p.slots, p.payload, p.wire);
  }
  return text;
}

std::string messages_table(const MessageReport& report) {
  std::string text = fmt::format("{:<16}{:<20}{:<10}{:>9}{:>12}{:>14}{:>12}\n", "collective", "algorithm",
                                 "protocol", "channels", "bytes", "time us", "bus GB/s");
  for (const MessageRow& row : report.rows)
    text += fmt::format("{:<16}{:<20}{:<10}{:>9}{:>12}{:>14.2f}{:>12.2f}{}\n", to_string(row.collective.kind),
                        to_string(row.collective.algorithm), to_string(row.protocol), row.channels,
                        size(row.collective.bytes), row.time_us, bus_GBps(row),
                        row.repeat > 1 ? fmt::format("  x {}", row.repeat) : "");
  const auto fullest = std::ranges::max_element(report.links, {}, &MessageLink::busy_us);
  if (fullest != report.links.end())
    text += fmt::format("\ntotal {:.2f} us; fullest link {}: busy for {:.1f} %\n", report.time_us,
                        fullest->name, 100 * ratio(fullest->busy_us, report.time_us));
  return text;
}

std::string messages_json(const Config& config, const MessageReport& report) {
  nlohmann::ordered_json json;
  json["schema"] = 1;
  json["workload"] = {{"name", config.workload.name}, {"gpus", config.gpus.count}, {"model", "message"}};
  json["time_us"] = report.time_us;
  json["collectives"] = nlohmann::ordered_json::array();
  std::uint64_t link_bytes = 0, blocks = 0;
  for (const MessageRow& row : report.rows) {
    json["collectives"].push_back(json_of(row));
    blocks += row.blocks_checked;
  }
  for (const MessageLink& link : report.links) link_bytes += link.bytes;
  json["link_bytes"] = link_bytes;
  json["functional"] = {{"elements", blocks}, {"errors", 0}};  // a run with an error ends before this
  return json.dump(2) + "\n";
}

std::string message_links_csv(const MessageReport& report) {
  std::string csv = "link,bytes,busy_us,busy_share\n";
  for (const MessageLink& link : report.links)
    csv += fmt::format("{},{},{:.6f},{:.6f}\n", csv_field(link.name), link.bytes, link.busy_us,
                       ratio(link.busy_us, report.time_us));
  return csv;
}

std::string message_stats_csv(const MessageReport& report) {
  std::string csv = "gpu,component,name,value,unit,scheme,phase\n";
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const MessageRow& row = report.rows[i];
    const std::string where = fmt::format("0,collective[{}]", i), what(to_string(row.collective.kind));
    csv += fmt::format("{},time,{:.6f},us,message,{}\n", where, row.time_us, what);
    csv += fmt::format("{},sent_bytes,{},bytes,message,{}\n", where, row.sent_bytes, what);
    csv += fmt::format("{},slices,{},count,message,{}\n", where, row.slices, what);
  }
  for (const MessageLink& link : report.links) {
    csv += fmt::format("0,link[{}],bytes,{},bytes,message,all\n", link.name, link.bytes);
    csv += fmt::format("0,link[{}],busy,{:.6f},us,message,all\n", link.name, link.busy_us);
  }
  return csv;
}

}  // namespace t3sim
