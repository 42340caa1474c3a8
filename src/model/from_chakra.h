// Chakra execution traces (model/chakra_trace.h) as graphs.
//
//   COMP       its duration if it has one; else num_ops and tensor_size at the machine's rates; host's nodes take no time
//   COMM_COLL  of all GPUs, as messages; comm_size is what each GPU brings; the n-th of a GPU is the n-th of all others
//   COMM_SEND, COMM_RECV  one message, matched by source, destination and tag, in order
// A GPU takes what can begin, that which comes first in the trace first: one computes, one is a collective at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/builder.h"

namespace t3sim::model {

// `path`: PREFIX of PREFIX.0.et, PREFIX.1.et, ...; or one file that is all GPUs'.
std::vector<std::string> chakra_files(const std::string& path, std::uint32_t gpus);
// Throws InputError that names the node.
void add_chakra(Builder& builder, const std::string& path, std::uint32_t gpus);

}  // namespace t3sim::model
