#!/bin/sh
# gemm_traffic.csv of some GEMMs under the hardware profiler: kernel, grid, DRAM and L2 bytes. Needs ncu.
# Usage: traffic.sh OUT
set -e
here=$(dirname "$0") out=$1
command -v ncu >/dev/null || { echo "ncu: not found; no gemm_traffic.csv" >&2; exit 0; }
ncu --csv --print-units base --target-processes all --kernel-name-base demangled --nvtx --nvtx-include "measured/" \
  --metrics gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,lts__t_sector_hit_rate.pct,launch__grid_size,launch__block_size \
  python3 "$here/traffic.py" shapes "$out" >"$out/ncu.out" 2>"$out/ncu.log" || { tail -3 "$out/ncu.log" >&2; exit 0; }
python3 "$here/traffic.py" table "$out"
