#include "validation/mcr_dl/study.h"

#include "config/config.h"

namespace t3sim::mcr_dl {
namespace {

struct StudyCount : Ranged {};

void describe(config::Visitor& v, StudyCount& r) {
  v.count("value", r.value, {1, 1 << 24}, "what it is taken to be");
  v.count("low", r.low, {1, 1 << 24}, "the least that it may be; not said: it is known");
  v.count("high", r.high, {1, 1 << 24}, "the most that it may be");
  v.text("source", r.source, "where it comes from");
}

void study_count(config::Visitor& v, std::string_view name, Ranged& field, std::string_view doc) {
  StudyCount count{field};
  v.section(name, count, doc);
  field = count;
}

template <class Spec>
void describe_gpu(config::Visitor& v, Spec& s) {
  v.count("flops", s.flops, {1, 100'000}, "TFLOP/s of the GPU's data sheet");
  v.bandwidth("memory", s.memory_Bps, {config::kGB, 100'000 * config::kGB}, "of its data sheet");
  study_count(v, "efficiency", s.efficiency, "percent of its FLOP/s that products reach");
}

}  // namespace

static void describe(config::Visitor& v, MoeSpec& s) {
  describe_gpu(v, s);
  study_count(v, "sequences", s.sequences, "of 2048 tokens, a GPU");
  study_count(v, "capacity", s.capacity, "percent: room of the experts, of the tokens");
}
static void describe(config::Visitor& v, DlrmSpec& s) {
  describe_gpu(v, s);
  study_count(v, "batch", s.batch, "samples, a GPU");
  study_count(v, "lookups", s.lookups, "of a table, a sample");
}
static void describe(config::Visitor& v, DenseSpec& s) {
  describe_gpu(v, s);
  study_count(v, "sequences", s.sequences, "of 2048 tokens, a replica");
  study_count(v, "steps", s.steps, "micro-batches a step");
}
static void describe(config::Visitor& v, Study& s) {
  v.section("moe", s.moe, "DS-MoE on Lassen");
  v.section("dlrm", s.dlrm, "DLRM on ThetaGPU");
  v.section("dense", s.dense, "6.7B on ThetaGPU");
}

Study read_study(const std::string& path) {
  Study study;
  config::read(config::load_file(path).root, study);
  return study;
}

void for_each_ranged(Study& s, const std::function<void(const std::string&, Ranged&)>& f) {
  f("moe.efficiency", s.moe.efficiency);
  f("moe.sequences", s.moe.sequences);
  f("moe.capacity", s.moe.capacity);
  f("dlrm.efficiency", s.dlrm.efficiency);
  f("dlrm.batch", s.dlrm.batch);
  f("dlrm.lookups", s.dlrm.lookups);
  f("dense.efficiency", s.dense.efficiency);
  f("dense.sequences", s.dense.sequences);
  f("dense.steps", s.dense.steps);
}

}  // namespace t3sim::mcr_dl
