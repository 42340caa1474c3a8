// The experts of a layer (model/transformer.h): what they take of tokens goes to them and comes back.
#include "model/transformer.h"

namespace t3sim::model {

// Each replica's tokens, as often as they are to be taken, to where their experts are; or back.
void Layer::exchange(const std::string& name) {
  if (spec_.ep == 1) return;
  Call call;
  call.kind = message::Kind::all_to_all;
  call.bytes = static_cast<std::uint64_t>(sizes_.chosen * whole_) / spec_.ep * spec_.ep;
  builder_.collective(name, call, exchange_);
}

// Products of the experts that are here, in one kernel: over their tokens, and over those for the gradient of a weight.
void Layer::of_experts(const std::string& name, double n, double k) {
  const double here = sizes_.experts / spec_.ep;
  product(name, tokens_ * sizes_.chosen / here, n, k, {}, here);
}
void Layer::weights_of_experts(const std::string& name, double n) {
  const double here = sizes_.experts / spec_.ep;
  product(name, sizes_.hidden, n, tokens_ * sizes_.chosen / here, {}, here);
}

void Layer::experts_forward() {
  const double p = spec_.tp, hidden = sizes_.hidden, taken = sizes_.chosen;
  product("router", tokens_, sizes_.experts, hidden);
  builder_.pass("dispatch", 2 * taken * whole_);
  exchange("to experts");
  of_experts("experts, up", sizes_.up / p, hidden);
  builder_.pass("experts, activation", taken * wide_ * (1 + sizes_.up / sizes_.ffn));
  of_experts("experts, down", hidden, sizes_.ffn / p);
  exchange("from experts");
  builder_.pass("combine", (taken + 1) * whole_);
  if (spec_.tp > 1) sum("experts all-reduce");
}

void Layer::experts_backward() {
  const double p = spec_.tp, hidden = sizes_.hidden, taken = sizes_.chosen;
  builder_.pass("combine, backward", (taken + 1) * whole_);
  exchange("to experts, backward");
  of_experts("experts, down, backward", sizes_.ffn / p, hidden);
  weights_of_experts("experts, down, weights", sizes_.ffn / p);
  builder_.pass("experts, activation, backward", taken * wide_ * (1 + 2 * sizes_.up / sizes_.ffn));
  of_experts("experts, up, backward", hidden, sizes_.up / p);
  weights_of_experts("experts, up, weights", sizes_.up / p);
  exchange("from experts, backward");
  builder_.pass("dispatch, backward", (taken + 1) * whole_);
  product("router, backward", tokens_, hidden, sizes_.experts);
  product("router, weights", hidden, sizes_.experts, tokens_);
  if (spec_.tp > 1) sum("experts all-reduce, backward");
}

}  // namespace t3sim::model
