// Every collective of a graph that was run: by which backend, when it could begin, when it did, and what its time was.
#pragma once

#include <string>

#include "model/builder.h"
#include "model/schedule.h"

namespace t3sim::model {

// communication.csv: a row a tensor. Of fused ones `call` is the same, and times are those of the whole call. Empty where the
// graph has no collective.
std::string communication_csv(const Builder& builder, const Timed& timed);

}  // namespace t3sim::model
