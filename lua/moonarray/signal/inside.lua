--- Sums of products at all places where taps lie inside of an array, along one axis or two, by one of two ways with
--- the same meaning: a thread has a place and walks the taps, or, where few places have many taps each, a reduction
--- runs over the windows of all places.

local FEW, TAPS = 16, 4096               -- many taps: so many, and so many times as many as places

return function(ma, core)
  return function(a, taps)
    local places, axes, n = 1, {}, taps.ndim
    for d = 1, n do
      places, axes[d] = places * (a.shape[d] - taps.shape[d] + 1), n + d
    end
    if taps.size < TAPS or FEW * places > taps.size then
      return core.signal_correlate(core.contiguous(a), core.contiguous(taps))
    end
    return (ma.lib.stride_tricks.sliding_window_view(a, taps.shape) * taps):sum(axes, { dtype = taps.dtype })
  end
end
