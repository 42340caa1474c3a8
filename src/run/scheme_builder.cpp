#include "run/scheme_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/number.h"
#include "memctrl/arbitration.h"
#include "program/messages.h"

namespace t3sim {

namespace {

using StageLaunch = program::StageText::Launch;
using StageArray = program::StageText::Array;
using StageCollective = program::StageText::Collective;
using StageFollowing = program::StageText::Following;

// What T3 adds to a GPU: a Tracker that triggers its DMA engine, adds near memory, memory controllers that tell computation
// from communication.
bool needs_t3_hardware(const program::StageText& stage) {
  return stage.tracked != StageArray::none || stage.by_dma ||
         stage.following == StageFollowing::near_memory || stage.arbitration.has_value();
}

}  // namespace

program::SchemeFacts scheme_facts(const Config& config) {
  const WorkloadConfig& w = config.workload;
  const GemmRole role = config.collective.gemm;
  const bool reduces_all = config.collective.kind == CollectiveChoice::all_reduce;
  const bool follows = reduces_all && w.following.kind != FollowingKind::none;
  return {config.gpus.count,
          w.m,
          w.n,
          w.k,
          w.split_k,
          role == GemmRole::producer,
          role == GemmRole::consumer,
          role == GemmRole::independent,
          reduces_all,
          config.collective.zero_init == ZeroInit::simulated,
          follows,
          follows && w.following.kind == FollowingKind::near_memory};
}

Scheme SchemeBuilder::build() {
  scheme_.name = scheme_.runs = text_.name;
  scheme_.derived = text_.derived;
  const auto stages = text_.stages_for(scheme_facts(config_));
  if (stages.empty()) throw InputError(text_.origin + ": no stage is for this configuration");
  for (const Stage* stage : stages) add(*stage);
  resolve_zeros();
  if (!text_.is_kernel_alone()) check_end();
  check_keys();
  return std::move(scheme_);
}

void SchemeBuilder::add(const Stage& stage) {
  need(config_.machine.t3_hardware || !needs_t3_hardware(stage), stage,
       "the machine has no hardware of T3 (machine.t3_hardware: false)");
  if (stage.zeros) return push(stage, local_kernel(stage, nullptr, "zeroing"));
  if (stage.following != StageFollowing::nothing) return following(stage);
  if (stage.collective == StageCollective::all_gather) return all_gather(stage);
  if (stage.collective == StageCollective::exchange) return exchange(stage);
  return stage.tracked == StageArray::none ? launch(stage) : launch_tracked(stage);
}

// Names that the text does not say follow from what the stage does.
void SchemeBuilder::push(const Stage& stage, SchemePhase phase) {
  phase.label = stage.label();
  if (!stage.name.empty()) phase.name = stage.name;
  if (!stage.time.empty()) phase.time_key = stage.time;
  scheme_.phases.push_back(std::move(phase));
  stages_.push_back(&stage);
}

void SchemeBuilder::need(bool holds, const Stage& stage, std::string_view why) const {
  if (!holds) throw program::error_at(stage.where, why);
}

ArbitrationKind SchemeBuilder::policy(const Stage& stage) const {
  ArbitrationKind kind = ArbitrationKind::round_robin;
  if (stage.arbitration) {
    std::vector<std::string> names;
    for (const ArbitrationEntry& entry : arbitration_policies()) names.emplace_back(entry.name);
    const auto found =
        std::ranges::find(arbitration_policies(), stage.arbitration->scalar, &ArbitrationEntry::name);
    if (found == arbitration_policies().end())
      throw program::error_at(stage.arbitration->where,
                              program::unknown("arbitration", stage.arbitration->scalar, names));
    kind = found->kind;
  }
  return config_.arbitration.policy.kind.value_or(kind);
}

Phase SchemeBuilder::phase(const Stage& stage) const {
  Phase phase;
  phase.arbitration = policy(stage);
  phase.collective = forms_->traffic;
  phase.on = forms_->on;
  return phase;
}

void SchemeBuilder::choose_forms(const Stage& stage) {
  try {
    forms_ = &parts_.collectives(stage.algorithm ? stage.algorithm->scalar : "",
                                 stage.plan ? stage.plan->scalar : "");
  } catch (const InputError& e) {
    if (!stage.algorithm && !stage.plan) throw;
    throw program::error_at(stage.algorithm ? stage.algorithm->where : stage.plan->where, e.what());
  }
}

// The GEMM alone makes its tiles in the order of the fused one.
void SchemeBuilder::launch(const Stage& stage) {
  SchemePhase alone{phase(stage), "gemm", "gemm_us", {}};
  alone.phase.on = CollectiveOn::output;
  if (stage.launch == StageLaunch::kernel) {
    need(text_.is_kernel_alone(), stage, "launch: kernel has no collective beside it; say launch: gemm");
    alone.phase.kernel.emplace();
    alone.name = "kernel";
    alone.time_key = "kernel_us";
    return push(stage, std::move(alone));
  }
  // Stages that a time is derived from are each alone.
  need(!computed_, stage, "the GEMM is launched already");
  need(!is_of(CollectiveOn::input) || exchanged_ || text_.derived, stage,
       "the GEMM reads rows of a that no stage before gathers");
  alone.phase.collective = Traffic::gemm;
  alone.phase.kernel = WorkloadKernel{.order = parts_.collectives().fused, .as_gemm = true};
  computed_ = true;
  push(stage, std::move(alone));
}

void SchemeBuilder::launch_tracked(const Stage& stage) {
  choose_forms(stage);
  const CollectiveOn on = stage.tracked == StageArray::c   ? CollectiveOn::output
                          : stage.tracked == StageArray::a ? CollectiveOn::input
                                                           : CollectiveOn::apart;
  need(is_of(on), stage,
       fmt::format("track: here the collective is of {} (collective.gemm)", is_of(CollectiveOn::output) ? "c"
                                                                            : is_of(CollectiveOn::input)
                                                                                ? "a"
                                                                                : "other"));
  need(!computed_ && !exchanged_, stage,
       computed_ ? "the GEMM is launched already" : "it is exchanged already");
  SchemePhase fused{phase(stage), {}, "fused_us", {}};
  fused.name = arbitration_policy(fused.phase.arbitration).fused_phase;
  WorkloadKernel& kernel = fused.phase.kernel.emplace(WorkloadKernel{.as_gemm = true});
  if (on == CollectiveOn::output) kernel.stores = WorkloadKernel::Stores::planned;
  kernel.waits_for_rows = on == CollectiveOn::input;
  fused.phase.tracked = on == CollectiveOn::output ? forms_->fused : forms_->by_dma;
  scheme_.exchange = {fused.phase.tracked, nullptr};
  gather_ = forms_->gather_after_fused;
  computed_ = exchanged_ = true;
  push(stage, std::move(fused));
}

void SchemeBuilder::exchange(const Stage& stage) {
  choose_forms(stage);
  need(!exchanged_, stage, "it is exchanged already");
  need(!is_of(CollectiveOn::output) || computed_ || text_.derived, stage,
       "exchanges c, which no stage before computes");
  SchemePhase exchange{phase(stage), forms_->name, forms_->key + "_us", {}};
  if (stage.by_dma) {
    exchange.name += forms_->key == "rs" ? " (nmc)" : " (DMA)";
    exchange.phase.tracked = forms_->by_dma;
    gather_ = forms_->gather_after_dma;
  } else {
    exchange.phase.steps = forms_->kernel;
    gather_ = forms_->gather_after_kernel;
  }
  scheme_.exchange = {exchange.phase.tracked, exchange.phase.steps};
  exchanged_ = true;
  push(stage, std::move(exchange));
}

// Of an algorithm of its own it spreads what is where that algorithm's reduce-scatter leaves it.
void SchemeBuilder::all_gather(const Stage& stage) {
  need(gather_ != nullptr, stage,
       "there are no sums to gather: an exchange of an all-reduce has to come before");
  need(!gathered_, stage, "all is gathered already");
  if (stage.algorithm) {
    const auto chunks = gather_->chunks;
    choose_forms(stage);
    gather_ = forms_->gather_after_kernel;
    need(gather_->chunks == chunks, stage, "this all-gather expects other chunks than the exchange has left");
  }
  SchemePhase tail{phase(stage), "all-gather", "ag_us", {}};
  tail.phase.collective = Traffic::ag;
  tail.phase.steps = gather_;
  gathered_ = true;
  push(stage, std::move(tail));
}

void SchemeBuilder::following(const Stage& stage) {
  need(parts_.following() != nullptr, stage, "nothing follows: workload.following.kind is none");
  need(!followed_, stage, "the operation that follows has run already");
  followed_ = true;
  if (stage.following == StageFollowing::near_memory) {
    need(gather_ && !gathered_, stage,
         "near memory it runs on own parts: after the exchange, before the all-gather");
    return push(stage, local_kernel(stage, parts_.following_near_memory(gather_), "following (nmc)"));
  }
  need(gathered_, stage, "it needs the whole output: the all-gather has to come before");
  push(stage, local_kernel(stage, parts_.following(), "following"));
}

SchemePhase SchemeBuilder::local_kernel(const Stage& stage, std::shared_ptr<const KernelPlan> steps,
                                        const char* name) const {
  SchemePhase local{phase(stage), name, stage.zeros ? "zero_us" : "following_us", {}};
  local.phase.collective = Traffic::other;
  local.phase.steps = std::move(steps);
  return local;
}

// Zeros are those of the stage behind; where it adds to nothing, none are written.
void SchemeBuilder::resolve_zeros() {
  for (std::size_t i = 0; i < scheme_.phases.size(); ++i) {
    const bool zeros = stages_[i]->zeros;
    need(!zeros || i + 1 < scheme_.phases.size(), *stages_[i], "zero: next: there is no stage behind it");
    const Phase& behind = scheme_.phases[zeros ? i + 1 : i].phase;
    const auto steps = parts_.zeros_before(behind);
    need(zeros || !steps || (i > 0 && stages_[i - 1]->zeros), *stages_[i],
         "adds to memory that nobody has zeroed (collective.zero_init: simulated); put {if: write_zeros, "
         "zero: next} "
         "before it");
    if (zeros) scheme_.phases[i].phase.steps = steps;
  }
  for (std::size_t i = scheme_.phases.size(); i-- > 0;)
    if (stages_[i]->zeros && !scheme_.phases[i].phase.steps) {
      scheme_.phases.erase(scheme_.phases.begin() + narrow<std::ptrdiff_t>(i));
      stages_.erase(stages_.begin() + narrow<std::ptrdiff_t>(i));
    }
}

// Schemes are compared: each does all of the work.
void SchemeBuilder::check_end() const {
  const auto lacks = [&](bool lacking, std::string_view what) {
    if (lacking) throw InputError(fmt::format("{}: the stages lack {}", text_.origin, what));
  };
  lacks(!computed_, "the GEMM");
  lacks(!exchanged_, fmt::format("the exchange: collective.kind asks for {}", forms_->name));
  lacks(gather_ && !gathered_, "the all-gather, the second half of an all-reduce");
  lacks(parts_.following() && !followed_, "the operation that follows (workload.following)");
}

void SchemeBuilder::check_keys() const {
  std::set<std::string> keys, names;
  for (std::size_t i = 0; i < scheme_.phases.size(); ++i) {
    const SchemePhase& phase = scheme_.phases[i];
    if (phase.label == "zeros" && stages_[i]->time.empty()) continue;
    need(keys.insert(phase.time_key).second, *stages_[i],
         fmt::format("another stage has the time key {} already; say one of its own: time: ..._us",
                     phase.time_key));
    need(names.insert(phase.name).second, *stages_[i],
         fmt::format("another stage is called \"{}\" already; say a name of its own: name: ...", phase.name));
  }
}

}  // namespace t3sim
