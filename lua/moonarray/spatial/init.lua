--- ma.spatial: distances between points, the neighbours of points, and triangulations.

return function(ma, core)
  require "moonarray.spatial.distance" (ma, core)
  require "moonarray.spatial.tree" (ma, core)
  require "moonarray.spatial.grid" (ma, core)
  require "moonarray.spatial.delaunay" (ma, core)
end
