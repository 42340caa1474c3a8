#include "runtime/phases_known.h"

#include <fmt/format.h>

#include "base/error.h"
#include "program/messages.h"
#include "runtime/mirrored.h"

namespace t3sim {

void check_known_to_phases(const Config& config, const program::Program& program) {
  if (const std::string why = why_no_mirror(config, program);
      config.gpus.choice != GpuModel::mirror || !why.empty())
    throw InputError("run.sampling: phases needs one GPU that stands for all (gpus.model: mirror or auto)" +
                     (why.empty() ? "" : ": " + why));
  if (config.commands.change_ps || config.commands.next_kernel_ps)
    throw InputError("run.sampling: phases knows no commands.change and no commands.next_kernel");
}

void check_known_to_phases(const program::Command& command) {
  using namespace program;
  const auto refuse = [&](const std::string& what) {
    throw error_at(command.place, fmt::format("run.sampling: phases knows no {}", what));
  };
  if (const auto* launch = std::get_if<Launch>(&command.action)) {
    if (!launch->waits.empty() || !launch->stores.empty() || !launch->sets.empty() || !launch->then.empty())
      refuse("kernel whose tiles wait, signal or store elsewhere");
    const auto* sum = std::get_if<SumBody>(&launch->body);
    if (sum && sum->from.empty()) refuse("kernel that reads nothing");
    if (launch->workgroups != 0 || launch->workgroups_per_cu != 0 || !launch->order.empty() ||
        (!sum && launch->cus != 0))
      refuse("kernel with workgroups, workgroups_per_cu or order, and no GEMM on some of the CUs");
    if (!std::holds_alternative<GemmBody>(launch->body) && !std::holds_alternative<SumBody>(launch->body))
      refuse("kernel but GEMMs and sums");
  } else if (const auto* copy = std::get_if<Copy>(&command.action)) {
    if (copy->put || copy->to.gpu != 0) refuse("copy but pulls");
  } else if (const auto* wait = std::get_if<WaitSignal>(&command.action)) {
    if (wait->reset) refuse("wait that resets its word");
  } else if (!std::holds_alternative<Record>(command.action) &&
             !std::holds_alternative<WaitEvent>(command.action) &&
             !std::holds_alternative<SetSignal>(command.action)) {
    refuse("command like this: copies, kernels, events and signals");
  }
}

}  // namespace t3sim
