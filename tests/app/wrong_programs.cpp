// Programs and collectives that are wrong, each in another way.
#include "app/wrong_inputs.h"

namespace t3sim {
namespace {

constexpr const char* kArrays =
    "name: x\n"
    "arrays: {a: {rows: 256, columns: 128}, b: {rows: 128, columns: 256}, c: {rows: 256, columns: 256}}\n";

constexpr WrongInput kProgramFiles[] = {
    {"name: x\narrays: {a: {rows: 8, columns: 8}}\n", "in.yaml:1:1: program: says no \"streams\""},
    {"name: x\nstreams: {s: []}\n", "in.yaml:1:1: program: says no \"arrays\""},
    {"name: x\narrays: {a: {rows: 0, columns: 128}}\nstreams: {s: [{barrier: }]}\n",
     "in.yaml:2:20: rows 0; allowed: 1 to 2147483648"},
    {"name: x\narrays: {a: {rows: 128}}\nstreams: {s: [{barrier: }]}\n",
     "in.yaml:2:13: array: says no \"columns\""},
    {"name: x\narrays: {a: {rows: 128, columns: 8, type: FP5}}\nstreams: {s: [{barrier: }]}\n",
     "in.yaml:2:43: unknown type \"FP5\"; did you mean FP8?"},
    {"name: x\narrays: {a: {rows: 128, columns: 8, on: 12}}\nstreams: {s: [{barrier: }]}\n",
     "in.yaml:2:41: there is no GPU 12; allowed: 0 to 1"},
    {"name: x\narrays: {a: {rows: 128, columns: 8, contents: ones}}\nstreams: {s: [{barrier: }]}\n",
     "in.yaml:2:47: unknown contents \"ones\"; allowed: values, zeros, nothing"},
    {"[]\n", "in.yaml:1:1: program: expected keys and values (name, doc, gpus, require,"},
};

constexpr WrongInput kOverArrays[] = {
    {"streamz: {s: [{copy: {from: a, to: b}}]}\n",
     "in.yaml:3:1: program: unknown key \"streamz\"; did you mean streams?"},
    {"streams: {s: [{copy: {from: q, to: a}}]}\n", "in.yaml:3:29: unknown array \"q\"; allowed: a, b, c"},
    {"streams: {s: [{copy: {from: a, to: \"a@(rank + 1) % gpus[rows 0:999]\"}}]}\n",
     "in.yaml:3:62: GPU 0: rows 0:999 of a, which has 0:256"},
    {"streams: {s: [{copy: {from: a, to: \"b@(rank + 1) % gpus\"}}]}\n",
     "in.yaml:3:22: GPU 0: copy: from is 256 x 128, to is 128 x 256: they must be"},
    {"streams: {s: [{copy: {from: a, to: a@9}}]}\n",
     "in.yaml:3:38: GPU 0: there is no GPU 9; allowed: 0 to 1"},
    {"streams: {s: [{copy: {from: a}}]}\n", "in.yaml:3:22: copy: says no \"to\""},
    {"streams: {s: [{copy: {from: a, to: a}}]}\n", "in.yaml:3:22: GPU 0: copy: from and to overlap"},
    {"streams: {s: [{coppy: {from: a, to: a}}]}\n",
     "in.yaml:3:16: unknown command \"coppy\"; did you mean copy?"},
    {"streams: {s: [{wait: here}]}\n", "in.yaml:3:22: unknown signal \"here\"; allowed: none"},
    {"signals: {here: 2}\nstreams: {s: [{signal: here}]}\n",
     "in.yaml:4:24: here has 2 words: which one? here[NUMBER]"},
    {"signals: {here: 2}\nstreams: {s: [{signal: \"here[2]\"}]}\n",
     "in.yaml:4:30: GPU 0: word of here 2; allowed: 0 to 1"},
    {"signals: {here: 0}\nstreams: {s: [{signal: here}]}\n", "in.yaml:3:17: count 0; allowed: 1 to 1048576"},
    {"signals: {here: 1}\nstreams: {s: [{wait: here@1}]}\n",
     "in.yaml:4:22: GPU 0: waits for a word of GPU 1; a GPU waits for its own"},
    {"streams: {s: [{wait-event: e}]}\n",
     "in.yaml:3:28: GPU 0: wait-event: the host has recorded no event \"e\" before;"},
    {"streams: {s: [{launch: {gemm: {a: a, b: a, c: c}}}]}\n",
     "in.yaml:3:31: GPU 0: gemm: c is 256 x 256, a 256 x 128, b 256 x 128: they"},
    {"streams: {s: [{launch: {gemm: {a: a, b: b}}}]}\n", "in.yaml:3:31: gemm: says no \"c\""},
    {"streams: {s: [{launch: {mul: {a: a, b: b, c: c}}}]}\n",
     "in.yaml:3:25: launch: unknown key \"mul\"; allowed: gemm, sum, embedding,"},
    {"streams: {s: [{launch: {gemm: {a: a, b: b, c: c}, tile: 128}}]}\n",
     "in.yaml:3:57: tile '128' is not written MxNxK, like 128x128x32"},
    {"streams: {s: [{launch: {gemm: {a: a, b: b, c: c}, cus: 5 .. 2}}]}\n",
     "in.yaml:3:56: GPU 0: cus: the launch has no CUs"},
    {"streams: {s: [{launch: {gemm: {a: a, b: b, c: c}, cus: 999}}]}\n",
     "in.yaml:3:56: GPU 0: cus 0 .. 998; allowed: 0 to 131"},
    {"streams: {s: [{launch: {gemm: {a: a, b: b, c: c}, prioriti: 1}}]}\n",
     "in.yaml:3:51: launch: unknown key \"prioriti\"; did you mean priority?"},
    {"streams: {s: [{launch: {gemm: {a: a, b: b, c: c}}}], t: [{launch: {sum: {from: [c], to: c}}}]}\n",
     "in.yaml:3:16: GPU 0: gemm c = a * b writes c, which GPU 0: copy by CUs c to"},
    {"streams: {s: [{collective: {kind: all-gatherr, in: a, out: c}}]}\n",
     "in.yaml:3:35: unknown kind \"all-gatherr\"; did you mean all-gather?"},
    {"streams: {s: [{if: rank == 0, barrier: }]}\n",
     "in.yaml:3:31: barriers: GPU 0 has 1, GPU 1 has 0; all GPUs must come to each"},
    {"streams: {s: [{sync: q}]}\n",
     "in.yaml:3:22: GPU 0: unknown stream, event recorded before, or signal \"q\";"},
    {"streams: {s: [{host: soon}]}\n",
     "in.yaml:3:22: host: \"soon\" is not a time; allowed: a number and a unit,"},
    {"streams: [s]\ncommands: [{on: q, copy: {from: a, to: a}}]\n",
     "in.yaml:4:17: GPU 0: unknown stream \"q\"; allowed: s"},
    {"streams: {s: [{for: {d: 1 .. x}, barrier: }]}\n",
     "in.yaml:3:30: unknown name \"x\"; allowed here: gpus, rank"},
    {"streams: {s: [{for: {d: 1}, barrier: }]}\n", "in.yaml:3:25: expected FIRST .. LAST, found \"1\""},
    {"let: {x: 1 +}\nstreams: {s: [{barrier: }]}\n",
     "in.yaml:3:13: expected a number, a name, -, not, min, max or (, found the"},
    {"let: {x: 1 / (gpus - gpus)}\nstreams: {s: [{barrier: }]}\n", "in.yaml:3:12: GPU 0: division by zero"},
    {"require: gpus == 3\nstreams: {s: [{barrier: }]}\n",
     "in.yaml:3:10: require: the program needs gpus == 3; here gpus = 2"},
    {"queue: full\nstreams: {s: [{barrier: }]}\n",
     "in.yaml:3:8: queue: found \"full\"; allowed: live, filled"},
    {"streams: {s: [{barrier: , flush: }]}\n",
     "in.yaml:3:27: \"flush\": there is \"barrier\" already; one command an item"},
    {"streams: {s: [{else: [{barrier: }], barrier: }]}\n", "in.yaml:3:16: else: there is no if beside it"},
    {"streams: {s: [{repeat: -1, barrier: }]}\n", "in.yaml:3:24: GPU 0: repeat -1; allowed: 0 to 1000000"},
};

constexpr const char* kReduceScatter =
    "name: x\nkind: reduce-scatter\norder: {count: n, chunk: (r + 1 + i) % n}\n";

constexpr WrongInput kCollectives[] = {
    {"kind: reduce-scatter\n", "in.yaml: says no \"name\""},
    {"name: x\nkind: reduce-scatter\norder: {count: n, chunk: i % 2}\nrules: [{local: update}]\n",
     "in.yaml:4:8: GPU 0, chunk 0: is twice in the order"},
    {"name: x\nkind: reduce-scater\n",
     "--set collective.plan: in.yaml:2:7: kind: \"reduce-scater\" is not allowed;"},
    {"name: x\nkind: reduce-scatter\nrequire: n == 3\norder: {count: n, chunk: i}\nrules: [{local: "
     "update}]\n",
     "--set collective.plan: in.yaml:3:10: require: this collective needs n == 3;"},
    {"name: x\nkind: reduce-scatter\nparameters: {p: {default: 5, min: 6, max: 7}}\norder: {count: n, chunk: "
     "i}\nrules: [{local: update}]\n",
     "--set collective.plan: in.yaml:3:14: parameters.p: the name has a meaning"},
};

constexpr WrongInput kRules[] = {
    {"rules: []\n", "in.yaml:4:8: GPU 0, chunk 1: is in the order, but no rule says where its stores go"},
    {"rules: [{local: update}]\n", "in.yaml:4:8: GPU 0, chunk 0: no GPU ends with the sum of all 4 GPUs"},
    {"rules: [{remote_map: {to: r, op: update}}]\n",
     "in.yaml:4:8: GPU 0, chunk 0: remote_map to the GPU itself"},
    {"rules: [{when: c == r, local: updat}]\n",
     "--set collective.plan: in.yaml:4:31: rules.0.local: \"updat\" is not allowed;"},
    {"rules: [{when: c == r, local: update, expect: {local: 1, remote: n}}, {remote_map: {to: c, op: "
     "update}}]\n",
     "--set collective.plan: in.yaml:4:55: rules.0.expect.local: GPU 0, chunk 0:"},
    {"rules: [{when: c == r, local: update, expect: {local: 1, remote: n - 1}}, {remote_map: {to: c - 1, op: "
     "update}}]\n",
     "--set collective.plan: in.yaml:4:93: rules.1.remote_map.to: GPU 1, chunk 0:"},
    {"rules: [{when: c = r, local: update}]\n",
     "--set collective.plan: in.yaml:4:18: rules.0.when: expected an operator or"},
    {"rules: [{when: q == r, local: update}]\n",
     "--set collective.plan: in.yaml:4:16: rules.0.when: unknown name \"q\";"},
    {"rulez: []\n", "--set collective.plan: in.yaml:4:1: unknown key \"rulez\"; did you mean rules?"},
};

constexpr const char* kRunProgram = "run --machine h200 --program in.yaml -o r";
constexpr const char* kRunPlan =
    "run ok.yaml --set collective.plan=in.yaml --set topology.kind=fully-connected -o r";

}  // namespace

std::vector<WrongGroup> wrong_programs() {
  return {
      {kRunProgram, "", kProgramFiles},
      {kRunProgram, kArrays, kOverArrays},
      {kRunPlan, "", kCollectives},
      {kRunPlan, kReduceScatter, kRules},
  };
}

}  // namespace t3sim
