#include "validation/paper/transformer.h"

#include "base/number.h"

namespace t3sim::paper {
namespace {

using model::kElement;
constexpr double kOptimizerBytes = 28;  // a parameter
constexpr double kDropout = 2.5;  // passes over its data: a read, a write, and a mask of one byte an element

}  // namespace

OperatorModel::OperatorModel(const Config& machine)
    : Rates(machine),
      link_bytes_per_us_(real(machine.topology.link.bandwidth_Bps) / 1e6),
      link_latency_us_(real(machine.topology.link.latency_ps) / 1e6) {}

SubLayerTime OperatorModel::sub_layer(const Case& c) const {
  const double output = kElement * c.model.tokens() * c.model.hidden;
  const double ring = (c.tp - 1) * (output / c.tp / link_bytes_per_us_ + link_latency_us_) + launch_us();
  return {gemm_us(c.model.tokens(), c.model.hidden, c.k()), ring + 3 * output / c.tp / bytes_per_us(), ring};
}

double OperatorModel::attention_forward_us(const Model& m, std::uint32_t tp) const {
  const double heads = real(m.heads) / tp * m.batch;
  const double head = real(m.hidden) / m.heads;
  const double scores = kElement * heads * m.sequence * m.sequence;
  const double slice = kElement * m.tokens() * m.hidden / tp;
  return pass_us(6 * slice) +                            // bias, split into heads
         gemm_us(m.sequence, m.sequence, head, heads) +  // QK^T
         pass_us(2 * scores) + pass_us(2 * scores) +     // scale and mask, softmax
         pass_us(kDropout * scores) +                    // dropout
         gemm_us(m.sequence, head, m.sequence, heads) +  // PV
         pass_us(2 * slice);                             // merge heads
}

double OperatorModel::attention_backward_us(const Model& m, std::uint32_t tp) const {
  const double heads = real(m.heads) / tp * m.batch;
  const double head = real(m.hidden) / m.heads;
  const double scores = kElement * heads * m.sequence * m.sequence;
  const double slice = kElement * m.tokens() * m.hidden / tp;
  return pass_us(2 * slice) + 2 * gemm_us(m.sequence, head, m.sequence, heads) +   // dV and one of dQ, dK
         2 * gemm_us(m.sequence, m.sequence, head, heads) +                        // dP and the other
         pass_us(kDropout * scores) + pass_us(3 * scores) + pass_us(2 * scores) +  // dropout, softmax, scale
         pass_us(6 * slice);
}

double OperatorModel::forward_rest_us(const Model& m, std::uint32_t tp) const {
  const double tokens = m.tokens(), hidden = m.hidden;
  const double whole = kElement * tokens * hidden, wide = 4 * whole / tp;
  const double norm = pass_us(2 * whole);
  const double residual = pass_us(whole + kDropout * whole);  // bias, dropout, add
  return norm + gemm_us(tokens, 3 * hidden / tp, hidden) + attention_forward_us(m, tp) + residual +  //
         norm + gemm_us(tokens, 4 * hidden / tp, hidden) + pass_us(2 * wide) + residual;             // GELU
}

double OperatorModel::backward_rest_us(const Model& m, std::uint32_t tp) const {
  const double tokens = m.tokens(), hidden = m.hidden;
  const double whole = kElement * tokens * hidden, wide = 4 * whole / tp;
  const double norm = pass_us(3 * whole), add = pass_us(3 * whole), dropout = pass_us(kDropout * whole);
  const double fc =
      gemm_us(tokens, 4 * hidden / tp, hidden) +                      // FC-2: data, weights
      gemm_us(hidden, 4 * hidden / tp, tokens) + pass_us(3 * wide) +  // GELU
      gemm_us(hidden, 4 * hidden / tp, tokens);  // FC-1: weights; its data product is a sub-layer
  const double attention = gemm_us(tokens, hidden / tp, hidden) +
                           gemm_us(hidden, hidden / tp, tokens) +                                    // OP
                           attention_backward_us(m, tp) + gemm_us(hidden, 3 * hidden / tp, tokens);  // IP
  const double optimizer = pass_us(kOptimizerBytes * 12 * hidden * hidden / tp);
  return 2 * (norm + add + dropout) + fc + attention + optimizer;
}

}  // namespace t3sim::paper
