// The request: what travels between CUs, L2 slices, memory controllers, DMA engine and links.
#pragma once

#include <array>
#include <cstdint>

#include "base/names.h"
#include "sim/line.h"

namespace t3sim {

inline constexpr std::uint8_t kFullLine = 0x0F;  // all four sectors

// update: near-memory op-and-store (section 4.3).
enum class Op : std::uint8_t { read, write, update };

// The two streams between which the memory controller arbitrates (section 4.5).
enum class Stream : std::uint8_t { compute, communication };
inline constexpr int kStreams = 2;

// Whose traffic it is: the causes of Figure 18.
enum class Traffic : std::uint8_t { gemm, rs, ag, other };
inline constexpr int kTraffics = 4;
constexpr auto names_of(Traffic) {
  return std::array{Named{"gemm", Traffic::gemm}, Named{"rs", Traffic::rs}, Named{"ag", Traffic::ag},
                    Named{"other", Traffic::other}};
}

inline constexpr std::uint32_t kNoPayload = 0;

// Tiles from here on are none: a store that carries one is the news of something else (runtime/mark.h).
inline constexpr std::uint32_t kFirstMark = 1U << 28;

struct Request {
  std::uint64_t address = 0;  // byte address of the 128 B line in the memory of the GPU it goes to
  std::uint32_t token = 0;    // the requester's own; comes back with the reply
  std::uint32_t tile = 0;     // that the access belongs to (wg_id of section 4.2.1), position-independent
  std::uint32_t payload = kNoPayload;  // functional mode: handle of the values carried; else kNoPayload
  // Who gets the reply, in the numbering of the client that issued it; of what came over a link: the GPU that
  // it came from.
  std::uint16_t source = 0;
  std::uint16_t gpu = 0;             // GPU whose memory the address is in
  std::uint8_t sectors = kFullLine;  // mask of 32 B sectors
  Op op = Op::read;
  Stream stream = Stream::compute;
  Traffic traffic = Traffic::other;
  std::uint8_t wavefront = 0;  // wf_id of section 4.2.1
  bool tracked : 1 = false;    // the Tracker counts it when it is enqueued
  bool uncached : 1 = false;   // a store that passes by the caches
  bool streaming : 1 = false;  // a load that is not kept in the L1
  bool remote : 1 = false;     // came over a link: never waits for Tracker space
  bool put : 1 = false;        // of a network card's put (interconnect/cards.h): token >> 16 says which
  bool bulk : 1 = false;       // of a copy engine: its packets are longer than a line and share a header
  bool far : 1 = false;        // of a CU, for a line whose home is in the other partition of the L2
  bool adds : 1 = false;       // a store whose values the L2 adds to what is there (gpu/l2_adds.cpp)
  std::uint8_t updates = 1;    // that it stands for: more than one when a switch has added some up (7.4)
  std::uint8_t announces = 0;  // stores: collective step of whose arrival they are the news
};
static_assert(sizeof(Request) <= 32);

// Sectors in a mask of four: a table in a word, as plain x86-64 has no instruction for it.
inline int sector_count(std::uint8_t mask) {
  return static_cast<int>(0x4332322132212110ULL >> (mask * 4) & 0xF);
}
inline std::uint32_t request_bytes(const Request& r) {
  return static_cast<std::uint32_t>(sector_count(r.sectors)) * kSectorBytes;
}

}  // namespace t3sim
