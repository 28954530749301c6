/* Writes an OpenEXR and reads a window of it into pixels of this program.
 *
 *     image_window FILE.exr
 */
#include "solio.h"

#include <stdlib.h>

enum { WIDTH = 64, HEIGHT = 48 };

typedef struct pixel {
    float r, g, b;
    uint32_t id; /* stands between, and is left alone */
} pixel;

static solio_slice slice(const char *name, void *start, int64_t x, int64_t y) {
    solio_slice slice;
    memset(&slice, 0, sizeof(slice));
    slice.name = name;
    slice.start = (uint8_t *)start;
    slice.x_stride = x;
    slice.y_stride = y;
    slice.kind = SOLIO_F32;
    return slice;
}

static int fail(const solio_error *error) {
    fprintf(stderr, "%s\n", error->text);
    return 1;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: image_window FILE.exr\n");
        return 2;
    }
    static float pixels[HEIGHT][WIDTH][3];
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            pixels[y][x][0] = (float)x;
            pixels[y][x][1] = (float)y;
            pixels[y][x][2] = (float)(x * y);
        }
    }
    SOLIO_STRUCT(solio_error, error);
    const int64_t dot = sizeof(pixels[0][0]), row = sizeof(pixels[0]);
    const solio_slice from[3] = {slice("R", &pixels[0][0][0], dot, row),
                                 slice("G", &pixels[0][0][1], dot, row),
                                 slice("B", &pixels[0][0][2], dot, row)};
    SOLIO_STRUCT(solio_image_write_options, options);
    options.data_window.max_x = WIDTH - 1;
    options.data_window.max_y = HEIGHT - 1;
    options.compression = "zip";
    SOLIO_STRUCT(solio_written, written);
    if (solio_image_write(SOLIO_TEXT(arguments[1]), &options, from, 3, &written, &error) != SOLIO_OK) {
        return fail(&error);
    }

    solio_image *image = NULL;
    if (solio_image_open(SOLIO_TEXT(arguments[1]), NULL, &image, &error) != SOLIO_OK) {
        return fail(&error);
    }
    SOLIO_STRUCT(solio_part, part);
    solio_image_part(image, 0, &part, NULL);
    printf("%d x %d pixels, %u channels, %s\n", part.data_window.max_x + 1, part.data_window.max_y + 1,
           part.channels, part.compression);

    /* Eight by four pixels, the lowest row first. */
    static pixel window[4][8];
    memset(window, 7, sizeof(window));
    SOLIO_STRUCT(solio_image_read_options, read);
    const solio_window wanted = {10, 20, 17, 23};
    read.window = &wanted;
    const int64_t down = -(int64_t)sizeof(window[0]);
    const solio_slice to[3] = {slice("R", &window[3][0].r, sizeof(pixel), down),
                               slice("G", &window[3][0].g, sizeof(pixel), down),
                               slice("B", &window[3][0].b, sizeof(pixel), down)};
    int code = solio_image_read(image, &read, to, 3, NULL, &error);
    solio_image_free(image);
    if (code != SOLIO_OK) {
        return fail(&error);
    }
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 8; x++) {
            const pixel *found = &window[3 - y][x];
            if (found->r != (float)(10 + x) || found->g != (float)(20 + y) ||
                found->b != (float)((10 + x) * (20 + y)) || found->id != 0x07070707u) {
                fprintf(stderr, "pixel %d, %d is wrong\n", x, y);
                return 1;
            }
        }
    }
    printf("window ok\n");
    return 0;
}
