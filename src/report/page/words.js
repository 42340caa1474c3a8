// Keys of the files as people say them.
const WORDS = { gemm: "GEMM", rs: "RS", ag: "AG", a2a: "all-to-all", zero: "zeroing", following: "next op",
                kernel: "kernel", other: "other" };

function part_of(key) { return key.replace(/_(us|bytes|read|write)$/, "").replace(/_(read|write)$/, ""); }

// What a fused phase has beside the GEMM. Points of a sweep may differ in it.
const EXCHANGES = { "all-reduce": "RS", "reduce-scatter": "RS", "all-gather": "AG", "all-to-all": "all-to-all" };
function exchange() {
  const settings = data.kind === "run" ? data.config : common_settings();
  return EXCHANGES[settings["collective.kind"]] ?? "collective";
}

// "gemm_us" -> "GEMM", "rs_read" -> "RS read". Series have an all-to-all's traffic under "rs" as well.
function spoken(key) {
  const bare = key.replace(/_(us|bytes)$/, "");
  const [head, ...rest] = bare.split("_");
  const who = head === "fused" ? "GEMM + " + exchange() : head === "rs" && exchange() === "all-to-all" ? "all-to-all" : WORDS[head] ?? head;
  return [who, ...rest].join(" ");
}

function first_upper(text) { return text.slice(0, 1).toUpperCase() + text.slice(1); }
