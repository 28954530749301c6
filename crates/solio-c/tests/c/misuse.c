/* What is wrong comes back as a code. */
#include "solio.h"

#include <stdlib.h>

static int wrong = 0;

#define EXPECT(call, code) \
    do { \
        const int got = (call); \
        if (got != (code)) { \
            fprintf(stderr, "line %d: %s gives %d, not %d: %s\n", __LINE__, #call, got, code, error.text); \
            wrong++; \
        } \
    } while (0)

int main(int count, char **arguments) {
    SOLIO_STRUCT(solio_error, error);
    solio_mesh *mesh = NULL;
    solio_image *image = NULL;
    solio_job *job = NULL;
    const char *folder = count > 1 ? arguments[1] : ".";
    char path[4096];
    snprintf(path, sizeof(path), "%s/a.obj", folder);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return 2;
    }
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", file);
    fclose(file);

    EXPECT(solio_check_abi(SOLIO_ABI), SOLIO_OK);
    EXPECT(solio_check_abi(SOLIO_ABI + 1), SOLIO_VERSION);
    EXPECT(solio_mesh_read(NULL, 4, NULL, &mesh, &error), SOLIO_HANDLE);
    EXPECT(solio_mesh_read("", 0, NULL, &mesh, &error), SOLIO_ARGUMENT);
    EXPECT(solio_mesh_read("a\0b", 3, NULL, &mesh, &error), SOLIO_ARGUMENT);
    EXPECT(solio_mesh_read(SOLIO_TEXT("/no/such/file.obj"), NULL, &mesh, &error), SOLIO_IO);
    EXPECT(error.code, SOLIO_IO);
    EXPECT(error.os != 0, 1);
    EXPECT(solio_mesh_read(SOLIO_TEXT(path), NULL, NULL, &error), SOLIO_HANDLE);

    /* Sizes: none, too small, a later version with and without something in it. */
    solio_mesh_read_options options;
    memset(&options, 0, sizeof(options));
    EXPECT(solio_mesh_read(SOLIO_TEXT(path), &options, &mesh, &error), SOLIO_VERSION);
    options.size = 8;
    EXPECT(solio_mesh_read(SOLIO_TEXT(path), &options, &mesh, &error), SOLIO_VERSION);
    struct {
        solio_mesh_read_options known;
        uint64_t later;
    } larger;
    memset(&larger, 0, sizeof(larger));
    larger.known.size = sizeof(larger);
    EXPECT(solio_mesh_read(SOLIO_TEXT(path), &larger.known, &mesh, &error), SOLIO_OK);
    solio_mesh_free(mesh);
    larger.later = 1;
    EXPECT(solio_mesh_read(SOLIO_TEXT(path), &larger.known, &mesh, &error), SOLIO_VERSION);
    options.size = sizeof(options);
    options.flags = 1u << 30;
    EXPECT(solio_mesh_read(SOLIO_TEXT(path), &options, &mesh, &error), SOLIO_ARGUMENT);
    options.flags = 0;
    options.format = 99;
    EXPECT(solio_mesh_read(SOLIO_TEXT(path), &options, &mesh, &error), SOLIO_ARGUMENT);

    /* Handles: null, of another kind, freed. */
    SOLIO_STRUCT(solio_mesh_counts, counts);
    EXPECT(solio_mesh_count(NULL, &counts, &error), SOLIO_HANDLE);
    EXPECT(solio_job_new(&job, &error), SOLIO_OK);
    EXPECT(solio_mesh_count((const solio_mesh *)job, &counts, &error), SOLIO_HANDLE);
    EXPECT(solio_image_free((solio_image *)job), SOLIO_HANDLE);
    EXPECT(solio_mesh_free(NULL), SOLIO_OK);
    EXPECT(solio_mesh_read(SOLIO_TEXT(path), NULL, &mesh, &error), SOLIO_OK);
    EXPECT(solio_mesh_count(mesh, NULL, &error), SOLIO_HANDLE);

    /* Arrays that are not there, or do not fit. */
    float positions[9];
    uint64_t number = 0;
    EXPECT(solio_mesh_copy(mesh, SOLIO_VERTEX_UVS, (uint8_t *)positions, 36, 0, NULL, &error),
           SOLIO_UNSUPPORTED);
    EXPECT(solio_mesh_copy(mesh, 1000, (uint8_t *)positions, 36, 0, NULL, &error), SOLIO_ARGUMENT);
    EXPECT(solio_mesh_copy(mesh, SOLIO_POSITIONS, (uint8_t *)positions, 35, 0, NULL, &error),
           SOLIO_ARGUMENT);
    EXPECT(solio_mesh_copy(mesh, SOLIO_POSITIONS, (uint8_t *)positions, 36, 11, NULL, &error),
           SOLIO_ARGUMENT);
    EXPECT(solio_mesh_copy(mesh, SOLIO_POSITIONS, (uint8_t *)positions, 36, UINT64_MAX, NULL, &error),
           SOLIO_ARGUMENT);
    EXPECT(solio_mesh_copy(mesh, SOLIO_POSITIONS, (uint8_t *)positions, 36, 12, &number, &error),
           SOLIO_OK);
    EXPECT(number == 3 && positions[3] == 1.0f, 1);
    SOLIO_STRUCT(solio_attribute, attribute);
    EXPECT(solio_mesh_attribute(mesh, 0, &attribute, &error), SOLIO_ARGUMENT);
    solio_mesh_free(mesh);

    /* A cancelled job, limits, an error whose size is not set. */
    EXPECT(solio_job_cancel(job, &error), SOLIO_OK);
    SOLIO_STRUCT(solio_work, work);
    work.job = job;
    options.format = SOLIO_FORMAT_AUTO;
    options.work = &work;
    EXPECT(solio_mesh_read(SOLIO_TEXT(path), &options, &mesh, &error), SOLIO_CANCELLED);
    work.job = NULL;
    work.limit_elements = 2;
    EXPECT(solio_mesh_read(SOLIO_TEXT(path), &options, &mesh, &error), SOLIO_LIMIT);
    work.job = (const solio_job *)&counts;
    EXPECT(solio_mesh_read(SOLIO_TEXT(path), &options, &mesh, &error), SOLIO_HANDLE);
    solio_error unset;
    memset(&unset, 9, sizeof(unset));
    EXPECT(solio_mesh_read(SOLIO_TEXT("/no"), NULL, &mesh, &unset), SOLIO_IO);
    EXPECT(unset.text[0], 9);
    solio_job_free(job);

    /* Writing: arrays that contradict each other, names that say nothing. */
    SOLIO_STRUCT(solio_mesh_arrays, arrays);
    const uint32_t corners[3] = {0, 1, 7};
    arrays.positions.start = (const uint8_t *)positions;
    arrays.positions.count = 3;
    arrays.corner_vertices = corners;
    arrays.corners = 3;
    arrays.faces = 1;
    arrays.face_corners = 3;
    snprintf(path, sizeof(path), "%s/out.ply", folder);
    EXPECT(solio_mesh_write(&arrays, SOLIO_TEXT(path), NULL, NULL, &error), SOLIO_ARGUMENT);
    EXPECT(fopen(path, "r") == NULL, 1);
    arrays.face_corners = 4;
    EXPECT(solio_mesh_write(&arrays, SOLIO_TEXT(path), NULL, NULL, &error), SOLIO_ARGUMENT);
    EXPECT(solio_mesh_write(NULL, SOLIO_TEXT("x.what"), NULL, NULL, &error), SOLIO_ARGUMENT);

    /* Images. */
    EXPECT(solio_image_open(SOLIO_TEXT("/no/such.exr"), NULL, &image, &error), SOLIO_IO);
    solio_slice slice;
    memset(&slice, 0, sizeof(slice));
    SOLIO_STRUCT(solio_image_write_options, write);
    write.data_window.max_x = -1;
    EXPECT(solio_image_write(SOLIO_TEXT("a.exr"), &write, &slice, 1, NULL, &error), SOLIO_ARGUMENT);
    write.data_window.max_x = 0;
    EXPECT(solio_image_write(SOLIO_TEXT("a.exr"), &write, &slice, 1, NULL, &error), SOLIO_HANDLE);
    EXPECT(solio_image_write(SOLIO_TEXT("a.png"), &write, &slice, 1, NULL, &error), SOLIO_ARGUMENT);

    /* gzip and numbers. */
    uint8_t bytes[64];
    EXPECT(solio_inflate((const uint8_t *)"no gzip", 7, bytes, 64, NULL, &error), SOLIO_UNSUPPORTED);
    EXPECT(solio_deflate(9, 6, bytes, 1, bytes, 64, &number, &error), SOLIO_ARGUMENT);
    EXPECT(solio_deflate(SOLIO_GZIP, 6, bytes, 64, bytes, 3, &number, &error), SOLIO_LIMIT);
    float value = 0;
    EXPECT(solio_f32_value("x", 1, &value, NULL, &error), SOLIO_SYNTAX);
    EXPECT(solio_f32_text(1.0f, 18, (char *)bytes, 64, &number, &error), SOLIO_ARGUMENT);
    EXPECT(solio_f32_text(1.0f, 17, (char *)bytes, 3, &number, &error), SOLIO_ARGUMENT);
    if (wrong == 0) {
        printf("all codes are right\n");
    }
    return wrong == 0 ? 0 : 1;
}
