// Loads an OBJ with rapidobj once and prints "wall_s cpu_s answer".
#include "rapidobj.hpp"

#include <cstdio>
#include <ctime>

static double seconds(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    auto result = rapidobj::ParseFile(argv[1], rapidobj::MaterialLibrary::Ignore());
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = seconds(CLOCK_MONOTONIC) - wall;
    if (result.error) return 1;
    size_t faces = 0;
    for (const auto &shape : result.shapes) faces += shape.mesh.num_face_vertices.size();
    std::printf("%.6f %.6f %zu vertices, %zu faces\n", wall, cpu,
                result.attributes.positions.size() / 3, faces);
    return 0;
}
