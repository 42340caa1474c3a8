// Calls of several backends by several ranks: who waits for whom, and what comes out (sections V.C and V.D of MCR-DL). No times.
//
//   naive    calls of stream-ordered backends go into the rank's one stream; of host-ordered ones the host waits for that stream,
//            makes the call, and waits for its end; `wait` waits for the stream
//   mcr-dl   each backend has a stream of its own, which waits for an event of the default stream; of host-ordered ones the host waits
//            until the array is there, posts the call and goes on; `wait` makes the default stream wait for an event, or
//            the host for the call
//
// A backend's calls end in the order in which a rank makes them, and the n-th of a rank is the n-th of all others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/names.h"
#include "message/backend.h"

namespace t3sim::model {

enum class Rules : std::uint8_t { naive, mcr_dl };
constexpr auto names_of(Rules) {
  return std::array{Named{"naive", Rules::naive}, Named{"mcr-dl", Rules::mcr_dl}};
}

struct Statement {
  enum class What : std::uint8_t { call, add, wait };
  What what = What::call;
  std::string backend;  // of a call: an all-reduce of array `a`
  std::string a, b;     // add: a += b, in the default stream
};

struct Mix {
  std::string name;
  std::map<std::string, message::Progress> backends;
  std::vector<std::vector<Statement>> ranks;  // what each does, in order
};

// Of each rank, by array. Before the first statement array `i` (by name) of rank r is a number of both.
using MixValues = std::vector<std::map<std::string, std::uint64_t>>;

// Throws InputError (ranks whose calls do not match, arrays used before they were waited for), NoProgressError with the ring of
// those that wait.
MixValues run_mix(const Mix& mix, Rules rules);
// By what depends on what alone, without any stream.
MixValues expected_values(const Mix& mix);

// A file: {name, backends: {nccl: stream, mpi: host}, ranks: [{do: [all-reduce nccl x, wait x, add x y]}, ...]}.
Mix read_mix(const std::string& path);

}  // namespace t3sim::model
