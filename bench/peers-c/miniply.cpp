// Reads a PLY with miniply into arrays of positions and triangles, once; prints "wall_s cpu_s answer".
#include "miniply.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

static double seconds(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    miniply::PLYReader reader(argv[1]);
    if (!reader.valid()) return 1;
    // Told that all faces have three corners, miniply reads binary ones whole.
    miniply::PLYElement *face = reader.get_element(reader.find_element(miniply::kPLYFaceElement));
    uint32_t corners[3];
    bool is_fixed = face && face->convert_list_to_fixed_size(face->find_property("vertex_indices"), 3, corners);
    float *positions = nullptr;
    uint32_t *triangles = nullptr, vertices = 0, faces = 0;
    for (; reader.has_element(); reader.next_element()) {
        uint32_t found[3];
        if (reader.element_is(miniply::kPLYVertexElement) && reader.load_element() && reader.find_pos(found)) {
            vertices = reader.num_rows();
            positions = (float *)malloc(sizeof(float) * 3 * vertices);
            reader.extract_properties(found, 3, miniply::PLYPropertyType::Float, positions);
        } else if (reader.element_is(miniply::kPLYFaceElement) && reader.load_element()) {
            faces = reader.num_rows();
            triangles = (uint32_t *)malloc(sizeof(uint32_t) * 3 * faces);
            if (is_fixed) {
                reader.extract_properties(corners, 3, miniply::PLYPropertyType::Int, triangles);
            } else if (reader.find_indices(found)) {
                reader.extract_list_property(found[0], miniply::PLYPropertyType::Int, triangles);
            }
        }
    }
    if (!positions || !triangles) return 1;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = seconds(CLOCK_MONOTONIC) - wall;
    double sum = 0;
    for (size_t i = 0; i < size_t(3) * faces; i++) sum += positions[3 * size_t(triangles[i])];
    printf("%.6f %.6f %u vertices, %u triangles, sum of x %.6f\n", wall, cpu, vertices, faces, sum);
    return 0;
}
