// One model of the evaluation on its cluster, under one set of values.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "validation/mcr_dl/mcr_dl_validation.h"

namespace t3sim::mcr_dl {

// Machines with what has been run on them, by cluster and number of GPUs.
class Machines {
 public:
  explicit Machines(std::string kept) : kept_(std::move(kept)) {}
  Runs& of(const std::string& cluster, std::uint32_t gpus);
  std::size_t runs() const;

 private:
  std::string kept_;
  std::map<std::pair<std::string, std::uint32_t>, std::unique_ptr<Runs>> made_;
};

struct Values {
  Study study;
  std::vector<message::Backend> backends;
};

// All policies at these scales; `all_sizes`: tables of all sizes, else around the model's.
std::vector<Row> evaluate(Machines& machines, const Values& values, Model model,
                          const std::vector<std::uint32_t>& scales, bool all_sizes);
const Row& row_of(const std::vector<Row>& rows, Model model, std::uint32_t gpus, const std::string& policy,
                  bool baseline);
// Gains, efficiency and fall of the share at the last scale, by the ids of published.csv.
std::map<std::string, double> numbers_of(const std::vector<Row>& rows, Model model);

}  // namespace t3sim::mcr_dl
