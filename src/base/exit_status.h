// Exit statuses of the program (README).
#pragma once

namespace t3sim {

enum ExitStatus : int { kDone = 0, kFailed = 1, kBadInput = 2, kNoProgress = 3 };

}  // namespace t3sim
