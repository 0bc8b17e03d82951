--- ma.spatial: distances between points, and the neighbours of points.

return function(ma, core)
  require "moonarray.spatial.distance" (ma, core)
  require "moonarray.spatial.tree" (ma, core)
end
