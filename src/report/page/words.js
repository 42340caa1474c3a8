// Keys of the files as people say them.
const WORDS = { gemm: "GEMM", rs: "RS", ag: "AG", fused: "GEMM + RS", a2a: "all-to-all", zero: "zeroing", following: "next op",
                kernel: "kernel", other: "other" };

function part_of(key) { return key.replace(/_(us|bytes|read|write)$/, "").replace(/_(read|write)$/, ""); }

// "gemm_us" -> "GEMM", "rs_read" -> "RS read"
function spoken(key) {
  const bare = key.replace(/_(us|bytes)$/, "");
  const [head, ...rest] = bare.split("_");
  return [WORDS[head] ?? head, ...rest].join(" ");
}

function first_upper(text) { return text.slice(0, 1).toUpperCase() + text.slice(1); }
