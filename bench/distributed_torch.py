"""all_reduce of torch.distributed, beside spec/distributed/gpu_rank.lua: torchrun --nproc-per-node 2 this."""
import os
import time

import torch
import torch.distributed as dist

rank = int(os.environ.get("RANK", os.environ.get("OMPI_COMM_WORLD_RANK", 0)))
os.environ.setdefault("RANK", str(rank))
os.environ.setdefault("WORLD_SIZE", os.environ.get("OMPI_COMM_WORLD_SIZE", "1"))
torch.cuda.set_device(rank)
dist.init_process_group("nccl")
for n in (2, 1024, 2**20, 2**28):
    a = torch.zeros(n, device="cuda")
    repeats = 5 if n > 2**24 else 200
    best = 1e9
    for _ in range(7):
        dist.all_reduce(a)
        torch.cuda.synchronize()
        dist.barrier()
        torch.cuda.synchronize()
        begun = time.perf_counter()
        for _ in range(repeats):
            dist.all_reduce(a)
        torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - begun) / repeats)
    if rank == 0:
        print(f"torch: all_reduce of {n} float32: {best * 1e6:.1f} us, {n * 4 / best / 1e9:.1f} GB/s")
dist.destroy_process_group()
