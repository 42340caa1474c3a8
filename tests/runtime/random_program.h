// Correct programs, drawn at random, with a plain interpreter beside them that says what they compute.
//
// Operations are drawn one after the other, and carried out in that order on arrays of the host. In the program they are
// on streams of several GPUs; what an operation must come after is ordered by a means drawn at random: events, words,
// counters, barriers, hosts that wait. What is ordered already is not ordered again.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "program/program.h"

namespace t3sim {

// A rectangle of a copy of an array in a GPU's memory: rows [row, row + rows), columns likewise.
struct Part {
  std::uint32_t gpu = 0, array = 0, copy = 0;
  std::uint32_t row = 0, rows = 0, column = 0, columns = 0;
};

class RandomProgram {
 public:
  static constexpr std::uint32_t kStreams = 3, kTile = 32, kLine = 64;

  RandomProgram(std::uint64_t seed, std::uint32_t gpus);

  // The YAML. `left_out`: the how-manieth wait is missing, from 1 on; 0: none.
  std::string text(std::uint32_t left_out = 0) const;
  std::uint32_t waits() const { return waits_; }

  // What an element is before, from the run; what it is at the end.
  using Before = std::function<std::int32_t(const program::View& element)>;
  void carry_out(const Before& before);
  std::int32_t value(const Part& element) const;
  struct Array {
    std::uint32_t rows, columns, copies;
    bool column_major;
  };
  const std::vector<Array>& arrays() const { return arrays_; }

 private:
  using Clock = std::vector<std::uint32_t>;  // by stream of all GPUs: operations that are over
  struct Access {
    Part part;
    bool writes = false, adds = false;
  };
  struct Operation {
    std::vector<Access> accesses;
    std::uint32_t gpu = 0, stream = 0;
    std::uint32_t index = 0;  // in its stream, from 1 on
    Clock clock;              // over before it is
    // A counter that it makes so large, on some GPU; 0: none.
    std::uint32_t word = 0, word_gpu = 0, count = 0;
  };
  struct Line {
    std::string text;
    bool waits = false;
  };

  std::uint32_t draw(std::uint32_t first, std::uint32_t last);
  bool chance(double p);

  void draw_arrays();
  void draw_operation();
  void copy();
  void copy(const Part& from, const Part& to, std::uint32_t issuer, std::uint32_t stream);
  void sum();
  void gemm();
  void gathered_gemm();
  void scattering_gemm();
  void collective();
  void nuisance();

  // Some rectangle of `rows` x `columns`; columns begin at a multiple of `unit`.
  Part place(std::uint32_t gpu, std::uint32_t array, std::uint32_t rows, std::uint32_t columns,
             std::uint32_t unit);
  std::uint32_t some_array(bool column_major);
  std::string text(const Part& part, std::uint32_t own) const;

  // Everything that `accesses` must come after is before what comes next in the stream.
  void order(const std::vector<Access>& accesses, std::uint32_t gpu, std::uint32_t stream);
  void order_behind(const Operation& before, std::uint32_t gpu, std::uint32_t stream);
  void order_by_event(std::uint32_t gpu, std::uint32_t from, std::uint32_t to);
  void order_by_word(const Operation& before, std::uint32_t gpu, std::uint32_t stream);
  void order_by_barrier(const Operation& before, std::uint32_t gpu, std::uint32_t stream);
  Operation& done(std::vector<Access> accesses, std::uint32_t gpu, std::uint32_t stream);
  std::uint32_t lane(std::uint32_t gpu, std::uint32_t stream) const { return gpu * kStreams + stream; }
  static void join(Clock& clock, const Clock& other);
  bool is_over(const Operation& operation, const Clock& clock) const;
  static bool conflict(const Access& a, const Access& b);

  void emit(std::uint32_t gpu, std::uint32_t stream, const std::string& command, bool waits = false);
  void emit_for_all(std::uint32_t stream, const std::string& command);

  // The interpreter.
  struct Step {
    enum class Kind : std::uint8_t {
      copy,
      sum,
      gemm,
      all_gather,
      reduce_scatter,
      all_reduce,
      all_to_all
    } kind;
    std::vector<Part> from;  // gemm: a, b; collectives: of each GPU
    std::vector<Part> to;    // gemm: one, or a place for each row of tiles; collectives: of each GPU
    bool adds = false;
  };
  void carry_out(const Step& step);
  std::int32_t& at(const Part& part, std::uint32_t row, std::uint32_t column);
  void multiply(const Step& step);
  void collect(const Step& step);

  std::mt19937_64 random_;
  std::uint32_t gpus_;
  std::vector<Array> arrays_;
  std::vector<Line> lines_;
  std::vector<Operation> operations_;
  std::vector<Step> steps_;
  std::vector<Clock> streams_, hosts_;  // what has come before what comes next there
  std::vector<std::uint32_t> indices_;  // of the last operation, by stream
  std::uint32_t words_ = 1, events_ = 0, waits_ = 0;
  std::vector<std::vector<std::vector<std::int32_t>>> memory_;  // by GPU, array: copy, row, column
};

}  // namespace t3sim
