#!/bin/sh
# What there is to measure with: GPUs, driver, compilers, PyTorch, profiler. Prints; changes nothing.
have() { command -v "$1" >/dev/null 2>&1; }
uname -sm
if have nvidia-smi; then
  nvidia-smi --query-gpu=index,name,driver_version,memory.total,clocks.max.sm,clocks.max.mem,power.limit --format=csv
  nvidia-smi topo -m
else
  echo "nvidia-smi: not found"
fi
for tool in nvcc ncu nsys; do
  if have $tool; then $tool --version | tail -2; else echo "$tool: not found"; fi
done
python3 - <<'PY'
import importlib
for name in ("torch", "triton"):
    try:
        print(name, importlib.import_module(name).__version__)
    except Exception as e:
        print(name, "not usable:", e)
try:
    import torch
    print("CUDA", torch.version.cuda, "NCCL", ".".join(map(str, torch.cuda.nccl.version())))
    for i in range(torch.cuda.device_count()):
        p = torch.cuda.get_device_properties(i)
        print(i, p.name, p.multi_processor_count, "SMs,", p.total_memory >> 20, "MiB, L2", p.L2_cache_size >> 20, "MiB")
except Exception as e:
    print("no GPU through PyTorch:", e)
PY
