// Graphs of files: operations one by one, or models expanded.
#pragma once

#include "model/builder.h"

namespace t3sim::model {

// What a GPU holds at its fullest, and of what.
struct Footprint {
  double weights = 0, gradients = 0, optimizer = 0, activations = 0;  // bytes
  double bytes() const { return weights + gradients + optimizer + activations; }
};

// Throws InputError with the place in the file: names that are not there, GPUs that the machine has not, a model that does not
// fit in their memory.
void add_graph(Builder& builder, const GraphFile& file, const Config& machine);

// A Transformer: forward and backward passes of all micro-batches through all stages (one forward, one backward
// in turn), gradients reduced layer by layer, and the optimiser. GPUs are numbered stage by stage, in it replica by replica.
void add_transformer(Builder& builder, const TransformerSpec& spec);
// Activations: Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", equation 2.
Footprint transformer_footprint(const TransformerSpec& spec);

}  // namespace t3sim::model
