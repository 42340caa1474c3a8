// What promises and the bodies that memory bounds may say.
#include <gtest/gtest.h>

#include "program_text.h"

namespace t3sim::program {
namespace {

// `key`: of a promise, `formula`: what it says.
std::string promised(const std::string& formula, const std::string& key = "c") {
  return refusal(
      "name: p\narrays: {a: {rows: 64, columns: 32}, b: {rows: 32, columns: 64}, c: {rows: 64, columns: "
      "64}}\n"
      "streams: {s: [{launch: {gemm: {a: a, b: b, c: c}}}]}\npromises: {\"" +
      key + "\": \"" + formula + "\"}\n");
}

TEST(APromise, IsAFormulaOfTheShapeOfItsArray) {
  EXPECT_EQ(promised("a times b"), "(accepted)");
  EXPECT_EQ(promised("sum over p of a@p times b@p plus c"), "(accepted)");
  EXPECT_EQ(promised("(stack over p in 0 .. 1 of a@p[rows 32 * p : 32 * (p + 1)]) times gathered b"),
            "(accepted)");
  EXPECT_EQ(promised("a[rows :8] times b", "c[rows :8]"), "(accepted)");
  EXPECT_EQ(promised("a times a"), "p.yaml:4:18: GPU 0: promises: 64 x 32 times 64 x 32");
  EXPECT_EQ(promised("a plus b"), "p.yaml:4:18: GPU 0: promises: 64 x 32 plus 32 x 64");
  EXPECT_EQ(promised("a"), "p.yaml:4:18: GPU 0: promises: c is 64 x 64, this is 64 x 32");
  EXPECT_EQ(promised("sum over p of a@p times b@p", "c@1"),
            "p.yaml:4:12: promises: the array of every GPU, without @; the formula may say rank");
}

std::string body(const std::string& launch) {
  return refusal(
      "name: p\narrays: {e: {rows: 100, columns: 64}, out: {rows: 40, columns: 64}, x: {rows: 1, columns: "
      "64}}\n"
      "streams: {s: [{launch: {" +
      launch + "}}]}\n");
}

TEST(AnEmbedding, SaysWhatItNeeds) {
  EXPECT_EQ(body("embedding: {table: e, to: out, pooling: 3, tables: 20}"), "(accepted)");
  EXPECT_EQ(body("embedding: {table: e, to: out, poling: 3}"),
            "p.yaml:3:56: embedding: unknown key \"poling\"; did you mean pooling?");
  EXPECT_EQ(body("embedding: {table: e, to: out, pooling: 3}, workgroups: 0"),
            "p.yaml:3:81: GPU 0: workgroups 0; allowed: 1 to 1073741824");
  EXPECT_EQ(body("embedding: {table: e, to: out, pooling: 3, tables: 3}"),
            "p.yaml:3:51: GPU 0: embedding: 100 rows and 40 bags in 3 tables: they must be multiples");
  EXPECT_EQ(body("embedding: {table: e, to: out, pooling: 3, skew: zipf}"),
            "p.yaml:3:74: skew: found \"zipf\"; allowed: 0 (uniform) to 10, Zipf's exponent, "
            "or an expression in %");
  EXPECT_EQ(body("embedding: {table: e, to: out, pooling: 3, skew: nan}"),
            "p.yaml:3:74: skew: found \"nan\"; allowed: 0 (uniform) to 10, Zipf's exponent, "
            "or an expression in %");
  EXPECT_EQ(body("embedding: {table: e, to: out, pooling: 3}, tile: 64x64x32"),
            "p.yaml:3:69: tile: is of a gemm only");
}

TEST(ACommand, HasANameOfOneLine) {
  EXPECT_EQ(
      refusal("name: x\narrays: {a: {rows: 1, columns: 64}}\nstreams: {s: [{name: \"a\\nb\", flush}]}\n"),
      "p.yaml:3:22: name: must be one line, without control characters");
}

TEST(AGemv, TakesAMatrixAndARow) {
  EXPECT_EQ(body("gemv: {w: e, x: x, y: x}"),
            "p.yaml:3:47: GPU 0: gemv: w is 100 x 64, x 1 x 64, y 1 x 64: they must be m x k, 1 x k, 1 x m");
}

}  // namespace
}  // namespace t3sim::program
