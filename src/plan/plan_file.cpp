#include "plan/plan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/expression.h"
#include "config/schema.h"

namespace t3sim {
namespace {

const config::Options<Op> kOps = {{"store", Op::write}, {"update", Op::update}};

}  // namespace

static void describe(config::Visitor& v, TransferText& t) {
  v.text("to", t.to, "GPU that gets it");
  v.text("array", t.array, "array there");
  v.choice("op", t.op, kOps, "what it does to the memory there");
}
static void describe(config::Visitor& v, DmaText& t) {
  v.text("for", t.loop, "d in FIRST .. LAST: a transfer for each d");
  describe(v, static_cast<TransferText&>(t));
}
static void describe(config::Visitor& v, ExpectText& e) {
  v.text("local", e.local, "of these, by the GPU's own kernel");
  v.text("remote", e.remote, "of these, by stores and DMA of other GPUs");
}
static void describe(config::Visitor& v, RuleText& r) {
  v.text("when", r.when, "the rule is for chunks for which this is true");
  v.choice("local", r.local, kOps, "the kernel produces the chunk into local memory");
  v.section("remote_map", r.remote_map, "the kernel's stores go straight to another GPU");
  v.sections("dma_map", r.dma_map, "DMA that starts when the chunk is complete");
  v.flag("present", r.present, "the data is in memory before");
  v.section("expect", r.expect, "updates an element that complete the chunk");
}
static void describe(config::Visitor& v, OrderText& o) {
  v.text("count", o.count, "how many chunks");
  v.text("chunk", o.chunk, "the chunk at place i");
}
static void describe(config::Visitor& v, ParameterText& p) {
  v.count("default", p.value, {}, "value");
  v.count("min", p.min, {}, "smallest value");
  v.count("max", p.max, {0, 1'000'000'000}, "largest value");
  v.text("doc", p.doc, "what it means");
}
static void describe(config::Visitor& v, PlanFile& p) {
  v.text("name", p.name, "name of the collective");
  v.text("doc", p.doc, "what it does");
  v.choice("kind", p.kind,
           {{"reduce-scatter", CollectiveKind::reduce_scatter},
            {"all-gather", CollectiveKind::all_gather},
            {"all-to-all", CollectiveKind::all_to_all},
            {"custom", CollectiveKind::custom}},
           "what it must leave behind");
  v.text("chunks", p.chunks, "chunks of an array");
  v.text("arrays", p.arrays, "arrays of the output's shape");
  v.text("require", p.require, "what must be true of n, node_size and the parameters");
  v.count("tiles_per_block", p.tiles_per_block, {1, 1024}, "wavefront tiles a DMA block");
  v.map("parameters", p.parameters, "numbers that a run may choose");
  v.section("order", p.order, "chunks of array 0 that the kernel produces");
  v.sections("rules", p.rules, "what becomes of a chunk: the first rule that is for it decides");
}

namespace {

// The keys of a rule that need others.
void check_transfer(const PlanFile& file, const std::string& path, const TransferText& transfer) {
  if (transfer.to.empty()) throw file.sources.error(path, "says no \"to\": the GPU that gets the chunk");
  if (!transfer.op) throw file.sources.error(path, "says no \"op\"; allowed: store, update");
}
void check_rule(const PlanFile& file, const std::string& path, const RuleText& rule) {
  const auto said = [&](std::string_view key) { return file.sources.said(fmt::format("{}.{}", path, key)); };
  if (said("remote_map")) {
    check_transfer(file, path + ".remote_map", rule.remote_map);
    if (rule.local)
      throw file.sources.error(path + ".remote_map",
                               "the rule says \"local\" as well: stores go to one place only");
  }
  for (std::size_t i = 0; i < rule.dma_map.size(); ++i)
    check_transfer(file, fmt::format("{}.dma_map.{}", path, i), rule.dma_map[i]);
  if (said("expect") && (rule.expect.local.empty() || rule.expect.remote.empty()))
    throw file.sources.error(path + ".expect", "needs both \"local\" and \"remote\"");
}

void check_parameters(const PlanFile& file) {
  static constexpr std::array<std::string_view, 9> kTaken = {"n", "node_size", "r", "c", "a",
                                                             "p", "i",         "d", "in"};
  for (const auto& [name, parameter] : file.parameters) {
    const std::string path = "parameters." + name;
    if (std::ranges::find(kTaken, name) != kTaken.end())
      throw file.sources.error(path, "the name has a meaning already; choose another");
    if (!is_expression_name(name))
      throw file.sources.error(path, "is no name: use letters, digits and _, first a letter");
    if (parameter.value < parameter.min || parameter.value > parameter.max)
      throw file.sources.error(path + ".default", fmt::format("{} is not within {} .. {}", parameter.value,
                                                              parameter.min, parameter.max));
  }
}

}  // namespace

PlanFile read_plan_file(const std::string& text, const std::string& origin) {
  PlanFile file;
  file.origin = origin;
  file.root = config::parse_yaml(text, origin);
  if (file.root.type != config::Node::Type::map)
    throw InputError(fmt::format("{}: expected keys and values of a collective, found {}", origin,
                                 config::what_is(file.root)));
  file.sources = config::read(file.root, file);
  for (const char* key : {"name", "rules"})
    if (!file.sources.said(key)) throw InputError(fmt::format("{}: says no \"{}\"", origin, key));
  if (file.order.count.empty() != file.order.chunk.empty())
    throw file.sources.error("order", "needs both \"count\" and \"chunk\"");
  check_parameters(file);
  for (std::size_t i = 0; i < file.rules.size(); ++i)
    check_rule(file, fmt::format("rules.{}", i), file.rules[i]);
  return file;
}

}  // namespace t3sim
