"""all_reduce of torch.distributed, by keys of bench/programs/distributed.lua.
usage: sh scripts/gpus 2 bench/programs/distributed_torch.py"""
import os
import time

import torch
import torch.distributed as dist

rank = int(os.environ.get("RANK", os.environ.get("OMPI_COMM_WORLD_RANK", 0)))
os.environ.setdefault("RANK", str(rank))
os.environ.setdefault("WORLD_SIZE", os.environ.get("OMPI_COMM_WORLD_SIZE", "1"))
torch.cuda.set_device(rank)
dist.init_process_group("nccl")
for name, n, repeats in (("all_reduce.8b", 2, 200), ("all_reduce.1gb", 2**28, 5)):
    a = torch.zeros(n, device="cuda")
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
        figure = f"{best * 1e6:10.2f} us" if n == 2 else f"{n * 4 / best / 1e9:10.2f} GB/s"
        print(f"{name:<18} {figure:<19} torch.distributed")
dist.destroy_process_group()
