/* The puzzle's screen, instead of the chart. */
#ifndef VIEW_BUILD_H
#define VIEW_BUILD_H

#include "view/canvas.h"
#include "view/screen.h"

void screen_build(const struct canvas *canvas, const struct snapshot *outside,
                  struct frame *frame);

#endif
