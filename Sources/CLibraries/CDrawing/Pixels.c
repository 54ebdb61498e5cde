#include <string.h>

#include "CDrawing.h"

void parley_pixels_over(const uint8_t *from, const long *columns, long count, uint8_t *to) {
  for (long index = 0; index < count; index++, to += 4) {
    const uint8_t *pixel = from + columns[index];
    int rest = 255 - pixel[3];
    if (rest == 0) {
      memcpy(to, pixel, 4);
      continue;
    }
    for (int part = 0; part < 4; part++) {
      int sum = pixel[part] + to[part] * rest / 255;
      to[part] = (uint8_t)(sum < 255 ? sum : 255);
    }
  }
}
