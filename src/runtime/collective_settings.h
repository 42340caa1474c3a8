// How a library runs a program's collective on a machine.
#pragma once

#include "plan/channel_plan.h"
#include "program/program.h"

namespace t3sim {

struct Config;

ChannelOp channel_op(program::CollectiveKind kind);

// Blocks of the kernel, each on a CU of its own.
std::uint32_t channels_of(const Config& config, const program::Collective& collective);
ChannelSettings channel_settings(const Config& config, const program::Collective& collective);

// The larger one of its arrays: the whole of which each GPU has, or gets, a part.
std::uint64_t array_bytes(const program::Program& program, const program::Collective& collective);

// Whole loops of a channel (plan/channel_plan.h).
std::uint64_t loops_of(const Config& config, const program::Program& program,
                       const program::Collective& collective);

}  // namespace t3sim
