// The runs that the figures are made of.
#pragma once

#include "model/points.h"

namespace t3sim::paper {

using model::estimated_cost;
using model::PointId;
using model::PointOptions;
using model::PointResult;
using model::Points;

}  // namespace t3sim::paper
