// Bodies that memory bounds, from text: embedding bags and GEMV.
#pragma once

#include "program/views.h"

namespace t3sim::program {

// {table, to, indices, pooling, tables, skew, seed, unroll, thread_bytes}. Throws InputError.
EmbeddingBody evaluate_embedding(const Context& context, const config::Node& node);
// {w, x, y, wavefronts, rows_per_wavefront, unroll, registers}. Throws InputError.
GemvBody evaluate_gemv(const Context& context, const config::Node& node);

}  // namespace t3sim::program
