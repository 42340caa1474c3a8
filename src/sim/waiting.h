// Who waits for whom, when a run cannot go on, and the one thing that is wrong with it.
//
// Parts report what they wait for as edges of a graph whose nodes are names ("GPU 3 tracker tile 5"). Every
// edge must be satisfied before its waiter goes on, so there are two ways to be stuck for ever: somebody who
// waits for what nobody will do (a dead end), or a ring of waiters.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace t3sim {

class Waits {
 public:
  // `who` waits for `whom`; `what` completes the sentence "A waits for B: ...".
  void add(const std::string& who, const std::string& whom, std::string what);
  // `who` cannot go on whatever others do; `why` completes the sentence "A ...".
  void dead_end(const std::string& who, std::string why);

  bool empty() const { return nodes_.empty(); }
  // One line. In this order: a dead end that was reported, and who waits for it; a ring; somebody who waits
  // for a part that has nothing left to do. The same edges in the same order give the same text.
  std::string explain() const;
  // Everybody's waits, a line each. Waits that differ in numbers only are one line, with how many they are.
  std::string list() const;

 private:
  struct Edge {
    std::size_t whom;
    std::string what;
  };
  struct Node {
    std::string name;
    std::string dead;  // why
    std::vector<Edge> waits_for;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t node(const std::string& name);
  std::string sentence(std::size_t who, const Edge& edge) const;
  std::string chain_to(std::size_t end) const;
  std::vector<std::size_t> ring() const;
  std::string describe(const std::vector<std::size_t>& ring) const;

  std::vector<Node> nodes_;
  std::map<std::string, std::size_t> index_;
};

// What one GPU reports: its names begin with "GPU n ".
class GpuWaits {
 public:
  GpuWaits(Waits& waits, std::uint32_t gpu);

  void add(const std::string& who, const std::string& whom, std::string what);
  // `whom` is a whole name, of another GPU or the switch.
  void add_outside(const std::string& who, const std::string& whom, std::string what);
  void dead_end(const std::string& who, std::string why);
  void dead_end_outside(const std::string& who, std::string why) { waits_.dead_end(who, std::move(why)); }
  Waits& all() { return waits_; }
  // As others call a part of this GPU.
  std::string name(const std::string& part) const { return prefix_ + part; }

 private:
  Waits& waits_;
  std::string prefix_;
};

}  // namespace t3sim
