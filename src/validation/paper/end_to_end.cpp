// Figure 4: where a Transformer's time goes; Figure 19: what T3 is worth to whole models.
#include <fmt/format.h>

#include <algorithm>

#include "validation/paper/figure.h"
#include "validation/paper/transformer.h"

namespace t3sim::paper {
namespace {

using namespace shipped;

bool is_forward(SubLayer layer) { return layer == SubLayer::op || layer == SubLayer::fc2; }

// Time of a layer, by what it is spent on. All layers of a model are alike.
struct Breakdown {
  double gemm_us = 0, rs_us = 0, ag_us = 0, rest_us = 0;
  double saved_us[2] = {};  // by T3 and T3-MCA
  double total() const { return gemm_us + rs_us + ag_us + rest_us; }
  double communication() const { return (rs_us + ag_us) / total(); }
  double speedup(int scheme) const { return total() / (total() - saved_us[scheme]); }
};

class EndToEnd final : public Figure {
 public:
  EndToEnd(const Config& machine, Points& points) : operators_(machine) {
    for (const Model& model : {mega_gpt_2(), t_nlg()})
      for (std::uint32_t tp : {8U, 16U}) add(machine, points, model, tp, kAllSchemes);
    for (const Model& model : large_models())
      add(machine, points, model, 32, {sequential, t3, t3_mca, ideal_overlap});
  }

  void report(const Points& points, Report& report) const override {
    report.files.emplace_back("figure4.csv", shares_csv(points));
    report.files.emplace_back("figure19.csv", speedups_csv(points));
    report.files.emplace_back("figure19_sublayers.csv", large_csv(points));
    Summary& summary = report.summary;

    double share[2] = {};
    std::vector<double> sub_layers;
    std::vector<double> speedup[2][2], large[2];  // by prompt, scheme
    for (const Deployment& d : deployments_) {
      for (const bool prompt : {false, true}) {
        const Breakdown b = breakdown(points, d, prompt);
        if (d.tp == 32) {
          large[prompt].push_back(b.speedup(1));
          continue;
        }
        for (int s : {0, 1}) speedup[prompt][s].push_back(b.speedup(s));
        double& most = share[d.model.name == t_nlg().name];
        most = std::max(most, 100 * b.communication());
      }
      if (d.tp == 32)
        for (PointId id : d.ids) sub_layers.push_back(points[id].speedup(t3_mca));
    }
    summary.report("t3-comm-share", {share[0], share[1]});
    summary.report("t3-large-geo", {geomean(sub_layers)});
    summary.report("t3-large-max", {largest(sub_layers)});
    for (const bool prompt : {false, true}) {
      const std::string id = prompt ? "t3-e2e-prompt" : "t3-e2e-train";
      summary.report(id + "-geo", {geomean(speedup[prompt][0]), geomean(speedup[prompt][1])});
      summary.report(id + "-max", {largest(speedup[prompt][0]), largest(speedup[prompt][1])});
    }
    summary.report("t3-e2e-large", {largest(large[0]), largest(large[1])});
  }

 private:
  struct Deployment {
    Model model;
    std::uint32_t tp;
    std::vector<PointId> ids;  // by sub-layer
  };

  void add(const Config& machine, Points& points, const Model& model, std::uint32_t tp,
           const std::vector<std::string>& schemes) {
    Deployment d{model, tp, {}};
    for (SubLayer layer : kSubLayers)
      d.ids.push_back(points.add(configure(machine, {model, layer, tp}, schemes)));
    deployments_.push_back(d);
  }

  double rest_us(const Model& model, std::uint32_t tp, bool prompt) const {
    return operators_.forward_rest_us(model, tp) + (prompt ? 0 : operators_.backward_rest_us(model, tp));
  }

  Breakdown breakdown(const Points& points, const Deployment& d, bool prompt) const {
    Breakdown b;
    b.rest_us = rest_us(d.model, d.tp, prompt);
    for (std::size_t i = 0; i < d.ids.size(); ++i) {
      if (prompt && !is_forward(kSubLayers[i])) continue;
      const PointResult& r = points[d.ids[i]];
      b.gemm_us += r.phase_us(sequential, "gemm_us");
      b.rs_us += r.phase_us(sequential, "rs_us");
      b.ag_us += r.phase_us(sequential, "ag_us");
      b.saved_us[0] += r.time_us(sequential) - r.time_us(t3);
      b.saved_us[1] += r.time_us(sequential) - r.time_us(t3_mca);
    }
    return b;
  }

  // A model that nothing is simulated of.
  Breakdown closed_form(const Model& model, std::uint32_t tp, bool prompt) const {
    Breakdown b;
    b.rest_us = rest_us(model, tp, prompt);
    for (SubLayer layer : kSubLayers) {
      if (prompt && !is_forward(layer)) continue;
      const SubLayerTime t = operators_.sub_layer({model, layer, tp});
      b.gemm_us += t.gemm_us;
      b.rs_us += t.rs_us;
      b.ag_us += t.ag_us;
    }
    return b;
  }

  std::string shares_csv(const Points& points) const {
    std::string csv = "model,tp,phase,gemm,rs,ag,rest,layer_us\n";
    const auto line = [&](const Model& model, std::uint32_t tp, bool prompt, const Breakdown& b) {
      csv += fmt::format("{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.0f}\n", model.name, tp,
                         prompt ? "prompt" : "training", b.gemm_us / b.total(), b.rs_us / b.total(),
                         b.ag_us / b.total(), b.rest_us / b.total(), b.total());
    };
    for (const bool prompt : {false, true}) {
      for (const Deployment& d : deployments_) line(d.model, d.tp, prompt, breakdown(points, d, prompt));
      for (const Model& model : futuristic_models()) line(model, 64, prompt, closed_form(model, 64, prompt));
    }
    return csv;
  }

  std::string speedups_csv(const Points& points) const {
    std::string csv = "model,tp,phase,t3,t3-mca\n";
    for (const bool prompt : {false, true})
      for (const Deployment& d : deployments_) {
        const Breakdown b = breakdown(points, d, prompt);
        csv += fmt::format("{},{},{},{:.3f},{:.3f}\n", d.model.name, d.tp, prompt ? "prompt" : "training",
                           b.speedup(0), b.speedup(1));
      }
    return csv;
  }

  std::string large_csv(const Points& points) const {
    std::string csv = "model,tp,layer,gemm_us,rs_us,ag_us,t3,t3-mca,ideal-overlap\n";
    for (const Deployment& d : deployments_) {
      if (d.tp != 32) continue;
      for (std::size_t i = 0; i < d.ids.size(); ++i) {
        const PointResult& r = points[d.ids[i]];
        csv += fmt::format("{},{},{},{:.1f},{:.1f},{:.1f},{:.3f},{:.3f},{:.3f}\n", d.model.name, d.tp,
                           to_string(kSubLayers[i]), r.phase_us(sequential, "gemm_us"),
                           r.phase_us(sequential, "rs_us"), r.phase_us(sequential, "ag_us"), r.speedup(t3),
                           r.speedup(t3_mca), r.speedup(ideal_overlap));
      }
    }
    return csv;
  }

  OperatorModel operators_;
  std::vector<Deployment> deployments_;
};

}  // namespace

FigurePtr end_to_end_figures(const Config& machine, Points& points) {
  return std::make_unique<EndToEnd>(machine, points);
}

}  // namespace t3sim::paper
