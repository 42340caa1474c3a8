// What collectives take on idle links by a backend (message/backend.h, docs/backends.md): run as messages, each once.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "interconnect/topology.h"
#include "machine/config.h"
#include "message/backend.h"
#include "model/collective_costs.h"

namespace t3sim::model {

class BackendCosts {
 public:
  // `kept`: a folder where finished runs are kept, by program, machine and call; empty: nowhere.
  explicit BackendCosts(const Config& machine, std::string kept = {});

  // All groups begin at the same time. Of several ways of the backend the fastest; with what the host takes, if it waits.
  // Bytes are rounded up to what all GPUs of a group can share. Throws InputError if the backend lacks the operation.
  const CollectiveCost& of(const message::Backend& backend, const Call& call, const Grouping& groups,
                           message::Arrays arrays = message::Arrays::cold);
  // The time of one of many calls in a row, on the first `world` GPUs: none is shorter than the host takes to issue it.
  double in_a_row_us(const message::Backend& backend, message::Kind kind, std::uint64_t bytes,
                     std::uint32_t world);
  std::uint64_t events() const { return events_; }
  std::size_t runs() const { return runs_; }

 private:
  struct Way {
    const message::MoverConfig& mover;
    const message::WayConfig& way;
    message::Entry entry;
    std::string text;  // decides the result, beside machine, bytes and groups
  };
  const CollectiveCost* way(const Way& way, const Grouping& groups);
  CollectiveCost longer(const Way& of, const Grouping& groups);
  CollectiveCost run(const Way& way, std::uint64_t bytes, const Grouping& groups);
  message::Endpoint endpoint(const Way& way, const message::Collective& c) const;
  std::uint32_t rails(const Way& way, const Grouping& groups) const;
  const CollectiveCost& keep(const std::string& key, CollectiveCost cost);

  const Config& machine_;
  std::string kept_, machine_text_;
  std::shared_ptr<const Topology> topology_;
  std::map<std::string, std::unique_ptr<CollectiveCost>> known_;
  std::uint64_t events_ = 0;
  std::size_t runs_ = 0;
};

// What decides what backends take on a machine, but for the number of its GPUs: a table of backends is tied to it.
std::string network_hash(const Config& machine);

}  // namespace t3sim::model
