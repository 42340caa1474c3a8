// The way out of a GPU for stores whose address is mapped to another GPU (section 4.4, remote_map).
#pragma once

#include <string>

#include "sim/credited_input.h"
#include "sim/request.h"

namespace t3sim {

class RemotePort {
 public:
  virtual ~RemotePort() = default;
  // A sender takes a place in the queue of stores to `gpu` before it pushes one.
  virtual CreditedInput& store_input(std::uint16_t gpu) = 0;
  // What the way to `gpu` is called in a report.
  virtual std::string lane_name(std::uint16_t gpu) const = 0;
  // To request.gpu.
  virtual void push_store(const Request& request, Tick ready) = 0;
};

}  // namespace t3sim
