// The methods of each pattern, and the knobs that each may turn.
#include "validation/rivals/cases.h"

namespace t3sim::rivals {
namespace {

using Methods = std::vector<Method>;
using Parameters = std::map<std::string, std::uint64_t>;

const char* const kNoEngine = "no engine with memory and adders of its own at the network (ACE) is modelled";

void add_ideal_and_t3(Methods& methods, std::initializer_list<const char*> schemes) {
  methods.push_back({std::string(kIdealOverlap), {}});
  for (const char* scheme : schemes) methods.push_back({scheme, {{scheme, {}}}, true});
}

// The library's ring; and over all links of a mesh, of which its rings use four of seven on eight GPUs.
std::vector<Candidate> reduce_scatters_of_libraries(const Parameters& parameters) {
  return {{"gemm-then-reduce-scatter", parameters},
          {"validation/rivals/gemm-then-direct-reduce-scatter.yaml", parameters}};
}

// Its repository's reduce-scatter on PCIe, around a ring, in parts of tiles.
Candidate flux_ring_of(const Shape& shape) {
  return {"validation/flux/ring-gemm-reduce-scatter.yaml", {{"columns", shape.n % 128 == 0 ? 128 : 32}}};
}

Methods scatter_methods(const Shape& shape) {
  Methods methods{
      {"sequential", reduce_scatters_of_libraries({})},
      {"two-streams", {{"two-streams-gemm-reduce-scatter", {}}}},
      {"medium-grained", {{"medium-grained-gemm-reduce-scatter", {}}}},
      {"coconet",
       {{"chunked-gemm-reduce-scatter", {{"chunks", 2}}},
        {"chunked-gemm-reduce-scatter", {{"chunks", 4}}},
        {"chunked-gemm-reduce-scatter", {{"chunks", 8}}},
        {"chunked-gemm-reduce-scatter", {{"chunks", 16}}}}},
      {"flux",
       {{"gemm-reduce-scatter", {}},
        {"gemm-reduce-scatter-beside", {{"rows", 64}, {"columns", 64}}},
        {"gemm-reduce-scatter-beside", {{"rows", 128}, {"columns", 64}}},
        flux_ring_of(shape)}},
      {"flux-add", {{"gemm-reduce-scatter-add", {}}, {"gemm-reduce-scatter-add", {{"shift", 0}}}}},
      {"fused-operators",
       {{"gemm-reduce-scatter", {{"shift", 0}}},
        {"validation/rivals/gemm-reduce-scatter-in-turn.yaml", {}}}}};
  add_ideal_and_t3(methods, {"t3", "t3-mca", "ideal-rs-nmc"});
  methods.push_back({"in-switch",
                     {{"validation/rivals/in-switch.yaml", {}}},
                     true,
                     {"topology.switch.reduction=in-switch", "collective.algorithm=direct"}});
  methods.push_back({"ace", {}, false, {}, kNoEngine});
  return methods;
}

// FiCCO's eight pieces; or fewer, where these are too small.
std::vector<Candidate> in_pieces(const char* program) {
  return {{program, {}}, {program, {{"chunks", 4}}}, {program, {{"chunks", 2}}}};
}

Methods gather_methods(std::uint64_t shard) {
  Methods methods{{"sequential", {{"gather-then-gemm", {{"library", 1}}}, {"ficco-serial", {}}}},
                  {"shard-p2p", {{"ficco-shard-p2p", {}}}},
                  {"uniform-fused-1d", in_pieces("ficco-uniform-fused-1d")},
                  {"uniform-fused-2d", in_pieces("ficco-uniform-fused-2d")},
                  {"hetero-fused-1d", in_pieces("ficco-hetero-fused-1d")},
                  {"hetero-unfused-1d", in_pieces("ficco-hetero-unfused-1d")},
                  {"medium-grained", {{"medium-grained-all-gather-gemm", {}}}},
                  {"flux",
                   {{"all-gather-gemm", {{"rows", shard}}},
                    {"all-gather-gemm", {{"rows", shard / 2}}},
                    {"all-gather-gemm-push", {{"rows", shard}}},
                    {"all-gather-gemm-push", {{"rows", shard / 2}}},
                    {"validation/flux/ring-all-gather-gemm.yaml", {{"rows", shard}}}}}};
  add_ideal_and_t3(methods, {"t3"});
  methods.push_back({"ace", {}, false, {}, kNoEngine});
  return methods;
}

// Flux's order by ranks (its section 4.1), and that of the fused operators: others' tiles in turn first, or none.
Methods exchange_methods() {
  Methods methods{
      {"sequential", {{"gemm-then-all-to-all", {}}}},
      {"flux", {{"gemm-all-to-all", {{"shift", 1}}}}},
      {"fused-operators", {{"gemm-all-to-all", {{"shift", 2}}}, {"gemm-all-to-all", {{"shift", 0}}}}}};
  add_ideal_and_t3(methods, {"t3", "t3-mca"});
  methods.push_back({"ace", {}, false, {}, kNoEngine});
  return methods;
}

}  // namespace

std::vector<Method> methods(const Shape& shape, std::uint64_t gpus) {
  switch (shape.pattern) {
    case Pattern::scatter:
      return scatter_methods(shape);
    case Pattern::gather:
      return gather_methods(shape.m / gpus);
    case Pattern::exchange:
      return exchange_methods();
  }
  return {};
}

// Whole or in a piece for each GPU, whichever is faster.
Method gemm_alone(std::uint64_t gpus) {
  return {"GEMM alone", {{"decomposed-gemm", {{"pieces", 1}}}, {"decomposed-gemm", {{"pieces", gpus}}}}};
}

Method communication_alone(const Shape& shape) {
  switch (shape.pattern) {
    case Pattern::scatter:
      return {"communication alone", reduce_scatters_of_libraries({{"gemm", 0}})};
    case Pattern::gather:
      return {"communication alone",
              {{"gather-then-gemm", {{"gemm", 0}, {"library", 1}}},
               {"gather-then-gemm", {{"gemm", 0}}},
               {"ficco-serial", {{"gemm", 0}}}}};
    case Pattern::exchange:
      return {"communication alone", {{"gemm-then-all-to-all", {{"gemm", 0}}}}};
  }
  return {};
}

}  // namespace t3sim::rivals
