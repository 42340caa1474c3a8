#!/bin/sh
# Takes on this machine's GPUs the measurements that `t3sim validate measured --data OUT` predicts.
# Usage: measure.sh OUT [RUNS]     OUT/run1, OUT/run2 ... hold one CSV set each, with provenance.json
# Needs PyTorch and CUDA; Triton for timeline.py and fused.py; nvcc for membench; ncu for the traffic. What cannot be measured is
# said and left out. The environment chooses less, or something else:
#   T3_PARTS     of: gemm timeline membench traffic copies collectives overlap fused
#   T3_MODELS    GEMMs, "name=MxN:tp,tp ...": M tokens, N hidden, K = 1, 3 and 4 times N / tp
#   T3_SIZES     bytes of the collectives; T3_WORLDS, T3_CHANNELS: GPUs and channels of theirs; T3_TRANSFERS: bytes beside GEMMs
here=$(cd "$(dirname "$0")" && pwd) out=${1:?usage: measure.sh OUT [RUNS]} runs=${2:-1}
export NCCL_NVLS_ENABLE=0 TORCH_SYMM_MEM_DISABLE_MULTICAST=1  # in-switch reduction is not modelled
gpus=$(python3 -c 'import torch; print(torch.cuda.device_count())') || exit 1
parts=${T3_PARTS:-gemm timeline membench traffic copies collectives overlap fused}
wanted() { case " $parts " in *" $1 "*) true ;; *) false ;; esac }
try() { echo "$(date +%T) $*" >&2; "$@" || echo "failed, left out: $*" >&2; }
worlds() { for world in ${T3_WORLDS:-$*}; do [ "$world" -le "$gpus" ] && echo "$world"; done | sort -u; }
collectives() {  # TAG WORLD [VARIABLE=VALUE...]
  tag=$1 world=$2
  shift 2
  try env NCCL_DEBUG=INFO NCCL_DEBUG_FILE="$set/nccl-$tag-$world.log" "$@" python3 "$here/collectives.py" "$set" "$tag" "$world"
  grep -h 'coll channels.*p2p' "$set/nccl-$tag-$world.log" 2>/dev/null | sed 's/.*INFO //; s/vm:.*//' | sort -u >>"$set/channels.txt"
  rm -f "$set/nccl-$tag-$world.log"
}
membench() {
  program=$(mktemp) && nvcc -O3 -arch=native "$here/membench.cu" -o "$program" && "$program" >"$set/membench.csv"
  status=$?
  rm -f "$program"
  [ $status -eq 0 ] || rm -f "$set/membench.csv"
  return $status
}
run=1
while [ "$run" -le "$runs" ]; do
  set=$out/run$run
  mkdir -p "$set"
  python3 -c "import sys; sys.path.insert(0, '$here'); import common; common.provenance('$set', 'measure.sh')"
  wanted gemm && try python3 "$here/gemm.py" "$set"
  wanted timeline && try python3 "$here/timeline.py" "$set"
  wanted membench && try membench
  [ "$run" -eq 1 ] && wanted traffic && try sh "$here/traffic.sh" "$set"
  if [ "$gpus" -gt 1 ]; then
    wanted copies && try python3 "$here/copies.py" "$set"
    wanted collectives && for world in $(worlds 2 4); do
      collectives ring_simple "$world" NCCL_ALGO=Ring NCCL_PROTO=Simple
    done
    wanted collectives && for channels in ${T3_CHANNELS:-1 2 4 8}; do
      collectives "ring_simple_ch$channels" "$gpus" NCCL_ALGO=Ring NCCL_PROTO=Simple NCCL_MIN_NCHANNELS="$channels" \
        NCCL_MAX_NCHANNELS="$channels"
    done
    wanted overlap && for world in $(worlds "$gpus"); do try python3 "$here/overlap.py" "$set" "$world"; done
    wanted fused && for world in $(worlds "$gpus"); do try python3 "$here/fused.py" "$set" "$world"; done
  fi
  run=$((run + 1))
done
[ "$runs" -gt 1 ] && python3 "$here/spread.py" "$out"/run*
exit 0
