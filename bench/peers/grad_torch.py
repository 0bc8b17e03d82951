"""PyTorch's figures for the keys of bench/grad.lua: KEY MICROSECONDS, a line each, float32 on the GPU if there is one.
usage: python3 bench/peers/grad_torch.py [KEY ...] > torch.txt"""
import sys
import time

import torch

ON_GPU = torch.cuda.is_available()
DEVICE = "cuda" if ON_GPU else "cpu"
torch.manual_seed(1)
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False


def wait():
    if ON_GPU:
        torch.cuda.synchronize()


def show(key, call):
    """The least of several slices, as bench/beside.lua takes it."""
    for _ in range(3):
        call()
    wait()
    begun, n = time.perf_counter(), 0
    while time.perf_counter() - begun < 0.05:
        call()
        n += 1
    wait()
    best = 1e9
    for _ in range(7):
        begun = time.perf_counter()
        for _ in range(n):
            call()
        wait()
        best = min(best, (time.perf_counter() - begun) / n)
    print(f"{key:<28} {best * 1e6:12.2f}", flush=True)


def normal(*shape):
    return torch.randn(*shape, device=DEVICE)


def chain():
    x = normal(10**7 if ON_GPU else 2 * 10**6).requires_grad_()

    def f(v):
        return (torch.tanh(v * 1.5) * torch.exp(-v * v) + v).sum()

    def forward():
        with torch.no_grad():
            f(x)

    def both():
        x.grad = None
        f(x).backward()

    show("chain.forward", forward)
    show("chain.both", both)


def mlp():
    inputs, hidden, batch = (784, 512, 256) if ON_GPU else (784, 64, 32)
    x, labels = normal(batch, inputs), torch.randint(0, 10, (batch,), device=DEVICE)

    def make():
        net = torch.nn.Sequential(torch.nn.Linear(inputs, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, 10))
        net.to(DEVICE)
        return net, torch.optim.Adam(net.parameters(), fused=ON_GPU, capturable=ON_GPU)

    def stepping(net, adam):
        def once():
            adam.zero_grad(set_to_none=True)
            torch.nn.functional.cross_entropy(net(x), labels).backward()
            adam.step()

        return once

    show("mlp.eager", stepping(*make()))
    for key, mode in (("mlp.compile", "default"), ("mlp.reduce_overhead", "reduce-overhead")):
        try:
            net, adam = make()
            loss = torch.compile(lambda net=net: torch.nn.functional.cross_entropy(net(x), labels), mode=mode)

            def once(adam=adam, loss=loss):
                adam.zero_grad(set_to_none=True)
                loss().backward()
                adam.step()

            show(key, once)
        except Exception as why:  # no compiler
            print(f"# {key}: {str(why).splitlines()[0]}", file=sys.stderr)


def conv():
    n = 2048 if ON_GPU else 128
    image, taps = normal(1, 1, n, n).requires_grad_(), normal(1, 1, 5, 5).requires_grad_()

    def f():
        return (torch.nn.functional.conv2d(image, taps, padding=2) ** 2).sum()

    def forward():
        with torch.no_grad():
            f()

    def both():
        image.grad = taps.grad = None
        f().backward()

    show("conv.forward", forward)
    show("conv.both", both)


def heat():
    n, steps = (512, 1000) if ON_GPU else (64, 100)
    u = normal(n, n).requires_grad_()

    def last(v):
        for _ in range(steps):
            around = v.roll(1, 0) + v.roll(-1, 0) + v.roll(1, 1) + v.roll(-1, 1)
            v = v + 0.2 * (around - 4 * v)
        return v

    def forward():
        with torch.no_grad():
            last(u)

    def both():
        u.grad = None
        (last(u) ** 2).sum().backward()

    show("heat.forward", forward)
    show("heat.both", both)


def bodies():
    n = 4096 if ON_GPU else 1024
    x = normal(n, 3).requires_grad_()

    def energy():
        square = 1e-2
        for d in range(3):
            c = x[:, d : d + 1]
            square = square + (c - c.T) ** 2
        return (1 / torch.sqrt(square)).sum()

    def forward():
        with torch.no_grad():
            energy()

    def both():
        x.grad = None
        energy().backward()

    show("bodies.forward", forward)
    show("bodies.both", both)


KEYS = {"chain": chain, "mlp": mlp, "conv": conv, "heat": heat, "bodies": bodies}
print(f"# PyTorch {torch.__version__} on {torch.cuda.get_device_name() if ON_GPU else 'cpu'}")
for name in sys.argv[1:] or KEYS:
    KEYS[name]()
