// The same work for many rows, on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace t3sim {

// Runs `work(i)` for all i below n, `jobs` (or one) at a time. Throws what one of them throws first.
void in_parallel(std::size_t n, unsigned jobs, const std::function<void(std::size_t)>& work);

}  // namespace t3sim
