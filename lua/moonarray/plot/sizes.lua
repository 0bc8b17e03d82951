--- Lengths in pixels of a figure that is drawn on paper, at scale 1.
return { font = 13.5, title = 16, small = 13, tick = 4, minor = 2.5, pad = 4, gap = 6, line = 1, border = 10,
  between = 14, bar = 14, legend_line = 24, legend_pad = 6, row = 18,
  text = 13, rise = 11, apart = 18, label_space = 12 }
