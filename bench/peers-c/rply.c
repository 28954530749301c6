/* Reads a PLY with RPly into arrays of positions and triangles, once; prints "wall_s cpu_s answer". */
#define _POSIX_C_SOURCE 200809L
#include "rply.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static float *position;
static uint32_t *corner;

static int on_vertex(p_ply_argument argument) {
    *position++ = (float)ply_get_argument_value(argument);
    return 1;
}

static int on_face(p_ply_argument argument) {
    long length, index;
    ply_get_argument_property(argument, NULL, &length, &index);
    if (index >= 0) *corner++ = (uint32_t)ply_get_argument_value(argument);
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    p_ply ply = ply_open(argv[1], NULL, 0, NULL);
    if (!ply || !ply_read_header(ply)) return 1;
    long vertices = ply_set_read_cb(ply, "vertex", "x", on_vertex, NULL, 0);
    ply_set_read_cb(ply, "vertex", "y", on_vertex, NULL, 0);
    ply_set_read_cb(ply, "vertex", "z", on_vertex, NULL, 0);
    long faces = ply_set_read_cb(ply, "face", "vertex_indices", on_face, NULL, 0);
    float *positions = malloc(sizeof(float) * 3 * vertices);
    uint32_t *triangles = malloc(sizeof(uint32_t) * 3 * faces);
    position = positions, corner = triangles;
    if (!ply_read(ply)) return 1;
    ply_close(ply);
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = seconds(CLOCK_MONOTONIC) - wall;
    double sum = 0;
    for (long i = 0; i < 3 * faces; i++) sum += positions[3 * triangles[i]];
    printf("%.6f %.6f %ld vertices, %ld triangles, sum of x %.6f\n", wall, cpu, vertices, faces, sum);
    return 0;
}
