/* views.h: maps over shifted views of some arrays, as stencils. */
#ifndef MOONARRAY_VIEWS_H
#define MOONARRAY_VIEWS_H

#include "backend/stencil.h"

#pragma GCC visibility push(hidden)

/* Describes a map whose inputs are views of one array, or of some, that are shifted by a few elements. Position 0 of
** the stencil is the map's first element: it is an open one, whose shape is the map's. false: the map is none, or it
** writes what it reads. */
bool ma_views_find(const ma_map *map, ma_stencil *s);

#pragma GCC visibility pop
#endif
