#include "base/number.h"
#include "message/plan_makers.h"

namespace t3sim::message {
namespace {

Step on(const Slots& s) {
  Step step;
  step.read = step.write = s;
  return step;
}

}  // namespace

Step send(std::uint32_t to, const Slots& s) {
  Step step = on(s);
  step.to = narrow<std::uint16_t>(to);
  step.loads = true;
  return step;
}

Step copy_send(std::uint32_t to, const Slots& s) {
  Step step = send(to, s);
  step.stores = true;
  return step;
}

Step receive(std::uint32_t from, const Slots& s) {
  Step step = on(s);
  step.from = narrow<std::uint16_t>(from);
  step.stores = true;
  return step;
}

Step receive_add(std::uint32_t from, const Slots& s) {
  Step step = receive(from, s);
  step.loads = true;
  return step;
}

Step copy(const Slots& from, const Slots& to) {
  Step step;
  step.read = from;
  step.write = to;
  step.loads = step.stores = true;
  return step;
}

Step then_send(Step step, std::uint32_t to) {
  step.to = narrow<std::uint16_t>(to);
  return step;
}

}  // namespace t3sim::message
