/* Solio from C, on one thread: "arrays FILE" copies positions and triangles of a mesh into memory of this
 * program, "mesh FILE" reads it and looks at it where it lies, "window FILE" reads R, G and B of the middle
 * of an OpenEXR into pixels with a stride. Prints "wall_s cpu_s answer". */
#define _POSIX_C_SOURCE 200809L
#include "solio.h"

#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static double wall, cpu;

static void stop(void) {
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = seconds(CLOCK_MONOTONIC) - wall;
}

static solio_error error;

static int fail(void) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
}

static int mesh(const char *path, const solio_work *work, int copies) {
    SOLIO_STRUCT(solio_mesh_read_options, options);
    SOLIO_STRUCT(solio_mesh_counts, counts);
    SOLIO_STRUCT(solio_array, positions);
    SOLIO_STRUCT(solio_array, corners);
    options.work = work;
    /* As the peers, which are asked for nothing else. */
    options.flags = SOLIO_MESH_SKIP_NORMALS | SOLIO_MESH_SKIP_UVS | SOLIO_MESH_SKIP_COLORS | SOLIO_MESH_SKIP_ATTRIBUTES;
    solio_mesh *mesh = NULL;
    if (solio_mesh_read(SOLIO_TEXT(path), &options, &mesh, &error) || solio_mesh_count(mesh, &counts, &error)) return fail();
    float *x = NULL;
    uint32_t *triangles = NULL;
    uint64_t faces = 0;
    if (copies) {
        if (solio_mesh_copy(mesh, SOLIO_ALL_TRIANGLES, NULL, 0, 0, &faces, &error)) return fail();
        const uint64_t x_bytes = counts.vertices * 12, triangle_bytes = faces * 12;
        x = malloc(x_bytes), triangles = malloc(triangle_bytes);
        if (solio_mesh_copy(mesh, SOLIO_POSITIONS, (uint8_t *)x, x_bytes, 0, NULL, &error) ||
            solio_mesh_copy(mesh, SOLIO_ALL_TRIANGLES, (uint8_t *)triangles, triangle_bytes, 0, NULL, &error)) return fail();
        solio_mesh_free(mesh);
    } else if (solio_mesh_view(mesh, SOLIO_POSITIONS, &positions, &error) ||
               solio_mesh_view(mesh, SOLIO_CORNER_VERTICES, &corners, &error)) {
        return fail();
    } else {
        x = (float *)positions.data, triangles = (uint32_t *)corners.data, faces = counts.triangles;
    }
    stop();
    double sum = 0;
    for (uint64_t i = 0; i < 3 * faces; i++) sum += x[3 * (uint64_t)triangles[i]];
    printf("%.6f %.6f %.0f vertices, %.0f triangles, sum of x %.6f\n", wall, cpu, (double)counts.vertices, (double)faces, sum);
    return 0;
}

typedef struct pixel {
    float r, g, b, unused;
} pixel;

static int window(const char *path, const solio_work *work) {
    SOLIO_STRUCT(solio_part, part);
    SOLIO_STRUCT(solio_image_read_options, options);
    solio_image *image = NULL;
    if (solio_image_open(SOLIO_TEXT(path), work, &image, &error) || solio_image_part(image, 0, &part, &error)) return fail();
    const solio_window all = part.data_window;
    const int32_t width = all.max_x - all.min_x + 1, height = all.max_y - all.min_y + 1;
    const solio_window wanted = {all.min_x + width / 4, all.min_y + height / 4, all.max_x - width / 4, all.max_y - height / 4};
    const size_t columns = (size_t)(wanted.max_x - wanted.min_x + 1), rows = (size_t)(wanted.max_y - wanted.min_y + 1);
    pixel *pixels = malloc(columns * rows * sizeof(pixel));
    solio_slice slices[3];
    memset(slices, 0, sizeof(slices));
    for (int i = 0; i < 3; i++) {
        slices[i].name = i == 0 ? "R" : i == 1 ? "G" : "B";
        slices[i].start = (uint8_t *)&pixels->r + 4 * i;
        slices[i].x_stride = sizeof(pixel);
        slices[i].y_stride = (int64_t)(columns * sizeof(pixel));
        slices[i].kind = SOLIO_F32;
    }
    options.window = &wanted;
    options.work = work;
    if (solio_image_read(image, &options, slices, 3, NULL, &error)) return fail();
    solio_image_free(image);
    stop();
    double sum = 0;
    for (size_t i = 0; i < columns * rows; i++) sum += (double)pixels[i].r + (double)pixels[i].g + (double)pixels[i].b;
    printf("%.6f %.6f %zu pixels, sum %.6f\n", wall, cpu, columns * rows, sum);
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    error.size = sizeof(error);
    wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    SOLIO_STRUCT(solio_work, work);
    work.threads = 1;
    if (argv[1][0] == 'w') return window(argv[2], &work);
    return mesh(argv[2], &work, argv[1][0] == 'a');
}
