// Execution traces in MLCommons' Chakra format (schema et_def.proto, 0.0.4): a file a GPU, a message a node.
//
// A file is a sequence of protobuf messages, each behind its length: one of metadata, then the nodes. Only what decides times is
// read; all else is stepped over, as protobuf's rules have it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace t3sim::model {

enum class ChakraType : std::uint8_t {
  invalid,
  metadata,
  mem_load,
  mem_store,
  compute,
  send,
  receive,
  collective
};

struct ChakraNode {
  std::uint64_t id = 0;
  std::string name;
  std::uint64_t type = 0;  // a ChakraType, if it is known
  std::vector<std::uint64_t>
      after;  // nodes: data_deps. As Chakra's own feeder, not ctrl_deps: calls on the host
  std::uint64_t duration_us = 0;
  // Attributes; those that are not there are not said.
  bool host = false;  // is_cpu_op
  std::uint64_t flops = 0, tensor_bytes = 0;
  std::optional<std::uint64_t> comm_type;
  std::uint64_t comm_bytes = 0, source = 0, destination = 0, tag = 0;
  bool some_dimensions = false;  // involved_dim: not all of them
};

// Throws InputError: a file that cannot be read, or is cut off, with the place in bytes.
std::vector<ChakraNode> read_chakra(const std::string& path);

}  // namespace t3sim::model
