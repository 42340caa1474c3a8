// Which commands have been run side by side, and GEMMs alone, in this process, on any of its threads. Companies are a program's own: in
// another one the same kinds have other addresses, and whose paces were found would depend on who asks first. A GEMM alone is a program
// by itself, which many have.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/company.h"

namespace t3sim {

class CompanyLibrary {
 public:
  static CompanyLibrary& of_this_process();

  // Commands of one kind have the same pace, the mean of theirs.
  Paces paces(const Config& config, const program::Program& program,
              const std::vector<std::uint32_t>& commands);

  struct Alone {
    double us = 0;  // launch included
    double error_us = 0;
    std::uint64_t events = 0;  // of the runs that say so
    double host_seconds = 0;
  };
  // What it takes behind another one like it; of a long one, by itself.
  Alone gemm(const Config& config, const program::Program& program, const program::GemmBody& gemm);

 private:
  // The value of a key; whoever asks for it first makes it, others wait.
  template <class Value>
  class Made {
   public:
    Value of(const std::string& key, const std::function<Value()>& make);

   private:
    std::mutex mutex_;
    std::map<std::string, std::shared_future<Value>> values_;
  };
  Made<Paces> paces_;
  Made<Alone> gemms_;
};

}  // namespace t3sim
