/* views.h: maps over shifted views of some arrays, as stencils. */
#ifndef MOONARRAY_VIEWS_H
#define MOONARRAY_VIEWS_H

#include "backend/stencil.h"

#pragma GCC visibility push(hidden)

/* Describes a map whose inputs are views of one array or several, shifted by a few elements. Position 0 of the stencil
** is the map's first element. The stencil is an open one, with the map's shape. Returns false if the map is no stencil,
** or if it writes what it reads. */
bool ma_views_find(const ma_map *map, ma_stencil *s);

#pragma GCC visibility pop
#endif
