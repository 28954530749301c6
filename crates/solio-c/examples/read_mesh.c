/* Reads a mesh file into arrays of this program, as a renderer takes them.
 *
 *     read_mesh FILE
 */
#include "solio.h"

#include <stdlib.h>

int main(int count, char **arguments) {
    if (count != 2 || solio_check_abi(SOLIO_ABI) != SOLIO_OK) {
        fprintf(stderr, "usage: read_mesh FILE\n");
        return 2;
    }
    SOLIO_STRUCT(solio_error, error);
    solio_mesh *mesh = NULL;
    if (solio_mesh_read(SOLIO_TEXT(arguments[1]), NULL, &mesh, &error) != SOLIO_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    SOLIO_STRUCT(solio_mesh_counts, counts);
    solio_mesh_count(mesh, &counts, NULL);

    /* A vertex of this program: a position with room beside it. */
    typedef struct vertex {
        float position[3];
        float unused;
    } vertex;
    vertex *vertices = (vertex *)calloc((size_t)counts.vertices + 1, sizeof(vertex));
    uint64_t triangle_count = 0;
    solio_mesh_copy(mesh, SOLIO_ALL_TRIANGLES, NULL, 0, 0, &triangle_count, &error);
    uint32_t *triangles = (uint32_t *)calloc((size_t)triangle_count * 3 + 3, sizeof(uint32_t));
    int code = solio_mesh_copy(mesh, SOLIO_POSITIONS, (uint8_t *)vertices,
                               counts.vertices * sizeof(vertex), sizeof(vertex), NULL, &error);
    if (code == SOLIO_OK) {
        code = solio_mesh_copy(mesh, SOLIO_ALL_TRIANGLES, (uint8_t *)triangles,
                               triangle_count * 3 * sizeof(uint32_t), 0, NULL, &error);
    }
    if (code != SOLIO_OK) {
        fprintf(stderr, "%s\n", error.text);
    } else {
        double sum = 0;
        for (uint64_t i = 0; i < triangle_count * 3; i++) {
            sum += (double)vertices[triangles[i]].position[0];
        }
        printf("%.0f vertices, %.0f faces, %.0f triangles, sum of x %.6f\n",
               (double)counts.vertices, (double)counts.faces, (double)triangle_count, sum);
    }

    /* Where an array lies as it is wanted, it need not be copied at all. */
    SOLIO_STRUCT(solio_array, corners);
    if (solio_mesh_view(mesh, SOLIO_CORNER_VERTICES, &corners, NULL) == SOLIO_OK) {
        printf("%.0f corners\n", (double)corners.count);
    }
    for (uint64_t i = 0; i < counts.attributes; i++) {
        SOLIO_STRUCT(solio_attribute, attribute);
        if (solio_mesh_attribute(mesh, i, &attribute, NULL) == SOLIO_OK) {
            printf("%.*s.%.*s: %.0f values\n", (int)attribute.element_length, attribute.element,
                   (int)attribute.name_length, attribute.name, (double)attribute.count);
        }
    }
    free(triangles);
    free(vertices);
    solio_mesh_free(mesh);
    return code == SOLIO_OK ? 0 : 1;
}
