#include "program/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/number.h"
#include "kernel/library_kernel.h"
#include "program/commands.h"
#include "program/declarations.h"
#include "program/number_collectives.h"
#include "program/promises.h"

namespace t3sim::program {
namespace {

using config::Entry;
using config::Node;

constexpr std::int64_t kMostGpus = 1024;

class Evaluator {
 public:
  Evaluator(const ProgramText& text, const Setting& setting) : text_(text), setting_(setting) {}

  Program run() {
    program_.name = text_.name;
    program_.file = text_.origin;
    program_.gpu_count = gpu_count();
    if (const Node* queue = optional(text_.root, "queue")) program_.queue_filled = queue->scalar == "filled";
    common_.add("gpus", program_.gpu_count);
    evaluate_parameters();
    evaluate_lets();
    check_requirement();
    evaluate_sampled();
    declare_arrays(text_, common_, program_);
    declare_signals(text_, common_, program_);
    place(program_);
    for (std::uint32_t gpu = 0; gpu < program_.gpu_count; ++gpu) evaluate_gpu(gpu);
    infer_contents(text_, program_);
    place_workspaces();
    number_collectives(program_);
    return std::move(program_);
  }

 private:
  std::uint32_t gpu_count() const {
    if (setting_.gpus != 0) return setting_.gpus;
    const Node* gpus = optional(text_.root, "gpus");
    if (!gpus) return 2;
    return narrow<std::uint32_t>(Scope().evaluate(Piece::whole(scalar(*gpus, "gpus")), "gpus", 1, kMostGpus));
  }

  void evaluate_parameters() {
    const Node* parameters = optional(text_.root, "parameters");
    std::vector<std::string> known;
    if (parameters)
      for (const Entry& entry : parameters->entries) {
        const auto chosen = setting_.parameters.find(entry.key);
        const bool is_default = chosen == setting_.parameters.end();
        common_.declare(entry.key, is_default ? common_.evaluate(entry.value, "parameters") : chosen->second,
                        entry.where);
        known.push_back(entry.key);
        program_.parameters.emplace_back(entry.key, common_.last());
      }
    for (const auto& [name, value] : setting_.parameters)
      if (std::ranges::find(known, name) == known.end())
        throw InputError(fmt::format("{}: {}", text_.origin, unknown("parameter", name, known)));
    parameters_ = common_.size();
  }

  // Those that are the same on all GPUs are for arrays, too.
  void evaluate_lets() {
    const Node* lets = optional(text_.root, "let");
    std::vector<std::vector<std::int64_t>> values(program_.gpu_count);
    ranked_ = common_;
    ranked_.add("rank", 0);
    common_.add_missing("rank",
                        "rank has no value here: arrays, signals and require are the same on all GPUs");
    if (!lets) return;
    const std::size_t first = ranked_.size();
    for (std::uint32_t gpu = 0; gpu < program_.gpu_count; ++gpu)
      values[gpu] = evaluate_lets_of(gpu, *lets, first);
    for (std::size_t i = 0; i < lets->entries.size(); ++i) {
      const Entry& entry = lets->entries[i];
      const bool alike = std::ranges::all_of(values, [&](const auto& of) { return of[i] == values[0][i]; });
      if (alike)
        common_.add(entry.key, values[0][i]);
      else
        common_.add_missing(
            entry.key, fmt::format("{} differs between GPUs; arrays, signals and require are the same on all",
                                   entry.key));
    }
  }
  std::vector<std::int64_t> evaluate_lets_of(std::uint32_t gpu, const Node& lets, std::size_t first) {
    ranked_.shrink(first);
    ranked_.set_last(gpu);
    ranked_.set_prefix(fmt::format("GPU {}: ", gpu));
    std::vector<std::int64_t> values;
    for (const Entry& entry : lets.entries) {
      values.push_back(ranked_.evaluate(entry.value, "let"));
      ranked_.declare(entry.key, values.back(), entry.where);
    }
    return values;
  }

  void check_requirement() {
    const Node* require = optional(text_.root, "require");
    if (!require) return;
    const auto check = [&](const Node& node) {
      if (common_.evaluate(node, "require") == 0)
        throw error_at(node.where, fmt::format("require: the program needs {}; here {}", node.scalar,
                                               common_.text(0, parameters_)));
    };
    if (require->type != Node::Type::list) return check(*require);
    for (const Node& node : require->items) check(node);
  }

  void evaluate_sampled() {
    const Node* sampled = optional(text_.root, "sampled");
    if (!sampled) return;
    constexpr std::int64_t kMostUnit = 1 << 30;
    std::vector<std::string> known;
    for (const auto& [name, value] : program_.parameters) known.push_back(name);
    for (const Entry& entry : sampled->entries) {
      if (std::ranges::find(known, entry.key) == known.end())
        throw error_at(entry.where, unknown("parameter", entry.key, known));
      SampledParameter made{entry.key};
      const auto number = [&](const Node& node, std::string_view what) {
        return narrow<std::uint64_t>(common_.evaluate(Piece::whole(scalar(node, what)), what, 1, kMostUnit));
      };
      if (entry.value.type == Node::Type::map) {
        check_keys(entry.value, "sampled", {"unit", "fewest"});
        made.unit = number(needed(entry.value, "unit", "sampled"), "unit");
        if (const Node* fewest = optional(entry.value, "fewest")) made.fewest = number(*fewest, "fewest");
      } else {
        made.unit = number(entry.value, "sampled");
      }
      program_.sampled.push_back(std::move(made));
    }
  }

  void evaluate_gpu(std::uint32_t gpu) {
    const std::size_t first = parameters_ + 1;  // behind rank
    ranked_.shrink(first);
    ranked_.set_last(gpu);
    ranked_.set_prefix(fmt::format("GPU {}: ", gpu));
    if (const Node* lets = optional(text_.root, "let")) evaluate_lets_of(gpu, *lets, first);
    const Context context{program_, ranked_, gpu};
    evaluate_given(text_, context);
    evaluate_initial(text_, context);
    program_.gpus.push_back(CommandReader(context, setting_).read(text_));
    add_promises(text_, context);
  }

  // One for each stream: its launches follow one another.
  void place_workspaces() {
    for (GpuCommands& gpu : program_.gpus) {
      std::uint64_t at = program_.end_address;
      for (std::uint32_t stream = 0; stream < gpu.streams.size(); ++stream) {
        std::uint64_t most = 0;
        for (Command& command : gpu.commands) {
          auto* launch = std::get_if<Launch>(&command.action);
          auto* gemm = launch && command.stream == stream ? std::get_if<GemmBody>(&launch->body) : nullptr;
          if (!gemm || gemm->spec.workspace_bytes() == 0) continue;
          gemm->spec.workspace_address = at;
          most = std::max(most, gemm->spec.workspace_bytes());
        }
        at += align_up(most, 2 * 1024 * 1024);
      }
      end_ = std::max(end_, at);
    }
    program_.end_address = std::max(program_.end_address, end_);
  }

  const ProgramText& text_;
  const Setting& setting_;
  Program program_;
  Scope common_, ranked_;
  std::size_t parameters_ = 0;  // names before rank
  std::uint64_t end_ = 0;
};

}  // namespace

KernelRule plain_kernels(std::uint32_t cus) {
  return [cus](const GemmShape& shape, DataType type, const KernelOptions& options) {
    GemmSpec spec;
    spec.shape = shape;
    spec.type = type;
    if (options.tile) spec.tile = *options.tile;
    if (!options.name.empty())
      apply(library_kernel_name(options.name), options.cus != 0 ? options.cus : cus, spec);
    if (options.wavefronts) spec.wavefronts = *options.wavefronts;
    if (options.buffers) spec.buffers = *options.buffers;
    if (options.split_k) spec.split_k = *options.split_k;
    return spec;
  };
}

Program evaluate(const ProgramText& text, const Setting& setting) { return Evaluator(text, setting).run(); }

}  // namespace t3sim::program
