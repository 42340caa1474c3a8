// What a store is the news of, beside its data: carried where other stores have their tile (sim/request.h).
#pragma once

#include <cstdint>

#include "sim/request.h"

namespace t3sim {

enum class MarkKind : std::uint8_t {
  none,        // data
  signal,      // number: of a setting of a signal's word
  copy,        // number: of the copy that it is a part of
  collective,  // number: of a thread block's slice or slot, behind that of the collective (CollectiveMark)
};

struct Mark {
  MarkKind kind = MarkKind::none;
  std::uint32_t number = 0;

  static constexpr std::uint32_t kKindShift = 28;
  std::uint32_t tile() const { return static_cast<std::uint32_t>(kind) << kKindShift | number; }
  static Mark of(std::uint32_t tile) {
    return {static_cast<MarkKind>(tile >> kKindShift), tile & ((1U << kKindShift) - 1U)};
  }
};

}  // namespace t3sim
