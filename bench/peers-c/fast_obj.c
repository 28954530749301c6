/* Loads an OBJ with fast_obj once and prints "wall_s cpu_s answer". */
#define _POSIX_C_SOURCE 200809L
#define FAST_OBJ_IMPLEMENTATION
#include "fast_obj.h"

#include <stdio.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    fastObjMesh *mesh = fast_obj_read(argv[1]);
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = seconds(CLOCK_MONOTONIC) - wall;
    if (!mesh) return 1;
    /* Its arrays start with a value of their own. */
    printf("%.6f %.6f %u vertices, %u faces\n", wall, cpu, mesh->position_count - 1,
           mesh->face_count);
    return 0;
}
