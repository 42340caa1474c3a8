#include "sim/waiting.h"

#include <gtest/gtest.h>

namespace t3sim {
namespace {

TEST(Waits, NameARing) {
  Waits waits;
  waits.add("x", "a", "1");
  waits.add("a", "b", "2");
  waits.add("b", "c", "3");
  waits.add("c", "a", "4");
  EXPECT_EQ(waits.explain(), "ring of waiters: a waits for b: 2; b waits for c: 3; c waits for a: 4");
}

TEST(Waits, NameADeadEndBeforeARingAndWhoWaitsForIt) {
  Waits waits;
  waits.add("a", "b", "2");
  waits.add("b", "a", "3");
  waits.add("p", "q", "credits");
  waits.add("o", "p", "room");
  waits.dead_end("q", "has lost them");
  EXPECT_EQ(waits.explain(), "q has lost them; p waits for q: credits; o waits for p: room");
}

TEST(Waits, NameAPartThatHasNothingLeftToDo) {
  Waits waits;
  waits.add("a", "b", "data");
  EXPECT_EQ(waits.explain(), "b has nothing left to do; a waits for b: data");
}

TEST(Waits, SayWhenNobodyReports) { EXPECT_EQ(Waits().explain(), "nobody says what it waits for"); }

TEST(Waits, PutTheGpuBeforeTheNamesOfItsParts) {
  Waits waits;
  GpuWaits gpu(waits, 3);
  gpu.add("cu[1]", "l2[2]", "room");
  gpu.add_outside("l2[2]", "GPU 0 kernel", "data");
  EXPECT_EQ(
      waits.explain(),
      "GPU 0 kernel has nothing left to do; GPU 3 l2[2] waits for GPU 0 kernel: data; GPU 3 cu[1] waits for "
      "GPU 3 l2[2]: room");
}

}  // namespace
}  // namespace t3sim
