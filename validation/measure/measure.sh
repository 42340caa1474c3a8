#!/bin/sh
# Takes on this machine's GPUs the measurements that `t3sim validate measured --data OUT` predicts.
# Usage: measure.sh OUT [RUNS]     OUT/run1, OUT/run2 ... hold one CSV set each, with provenance.json
# Needs PyTorch and CUDA; Triton for fused.py; ncu for the traffic. What cannot be measured is said and left out.
here=$(cd "$(dirname "$0")" && pwd) out=${1:?usage: measure.sh OUT [RUNS]} runs=${2:-1}
export NCCL_NVLS_ENABLE=0 TORCH_SYMM_MEM_DISABLE_MULTICAST=1  # in-switch reduction is not modelled
gpus=$(python3 -c 'import torch; print(torch.cuda.device_count())') || exit 1
try() { echo "$(date +%T) $*" >&2; "$@" || echo "failed, left out: $*" >&2; }
collectives() {  # TAG WORLD [VARIABLE=VALUE...]
  tag=$1 world=$2
  shift 2
  try env NCCL_DEBUG=INFO NCCL_DEBUG_FILE="$set/nccl-$tag-$world.log" "$@" python3 "$here/collectives.py" "$set" "$tag" "$world"
  grep -h 'coll channels.*p2p' "$set/nccl-$tag-$world.log" 2>/dev/null | sed 's/.*INFO //; s/vm:.*//' | sort -u >>"$set/channels.txt"
  rm -f "$set/nccl-$tag-$world.log"
}
run=1
while [ "$run" -le "$runs" ]; do
  set=$out/run$run
  mkdir -p "$set"
  python3 -c "import sys; sys.path.insert(0, '$here'); import common; common.provenance('$set', 'measure.sh')"
  try python3 "$here/gemm.py" "$set"
  if [ "$gpus" -gt 1 ]; then
    for world in 2 4; do
      [ "$world" -le "$gpus" ] && collectives ring_simple $world NCCL_ALGO=Ring NCCL_PROTO=Simple
    done
    for channels in 1 2 4 8; do
      collectives ring_simple_ch$channels "$gpus" NCCL_ALGO=Ring NCCL_PROTO=Simple NCCL_MIN_NCHANNELS=$channels \
        NCCL_MAX_NCHANNELS=$channels
    done
    try python3 "$here/overlap.py" "$set" "$gpus"
    try python3 "$here/fused.py" "$set" "$gpus"
  fi
  run=$((run + 1))
done
[ -n "$T3_NO_TRAFFIC" ] || try sh "$here/traffic.sh" "$out/run1"
[ "$runs" -gt 1 ] && python3 "$here/spread.py" "$out"/run*
exit 0
