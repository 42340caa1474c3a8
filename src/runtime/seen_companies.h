// Which commands of a program have been run side by side, and GEMMs alone.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/company.h"

namespace t3sim {

// Of GEMMs alone, of all runs of this process, on any of its threads: each is a program by itself, which many have.
class GemmsAlone {
 public:
  static GemmsAlone& of_this_process();

  struct Alone {
    double us =
        0;  // launch included; behind another one like it, which has left B in a cache, if it is short
    double error_us = 0;
    // Before its end: all its workgroups have places, so that CUs which these leave are free for other kernels. 0: not known.
    double tail_us = 0;
    Paces::AllDram dram{};
    std::uint64_t events = 0;
    double host_seconds = 0;
  };
  // Throws InputError if it is not by the kernel that the machine chooses for it.
  Alone of(const Config& config, const program::Program& program, const program::GemmBody& gemm);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_future<Alone>> made_;  // whoever asks first makes it, others wait
};

// A program's own companies: in another one the same kinds have other addresses.
class SeenCompanies {
 public:
  // Both outlive it.
  SeenCompanies(const Config& config, const program::Program& program) : config_(config), program_(program) {}

  // Of members in any order. Commands of one kind have the same pace, the mean of theirs.
  Paces paces(const std::vector<Member>& members);

  std::size_t size() const { return seen_.size(); }
  std::uint64_t events() const { return events_; }
  double host_seconds() const { return host_seconds_; }

 private:
  std::string key_of(const std::vector<Member>& sorted, const std::vector<std::string>& kinds) const;

  const Config& config_;
  const program::Program& program_;
  std::map<std::string, Paces> seen_;
  std::uint64_t events_ = 0;
  double host_seconds_ = 0;
};

}  // namespace t3sim
