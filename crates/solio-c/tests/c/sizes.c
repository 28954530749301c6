/* Prints the size of each structure, for the test that compares them with the library's. */
#include "solio.h"

#define SIZE(type) printf(#type " %d\n", (int)sizeof(type))

int main(void) {
    SIZE(solio_error);
    SIZE(solio_work);
    SIZE(solio_progress);
    SIZE(solio_mesh_read_options);
    SIZE(solio_mesh_counts);
    SIZE(solio_array);
    SIZE(solio_attribute);
    SIZE(solio_rows);
    SIZE(solio_mesh_arrays);
    SIZE(solio_mesh_write_options);
    SIZE(solio_written);
    SIZE(solio_window);
    SIZE(solio_part);
    SIZE(solio_channel);
    SIZE(solio_slice);
    SIZE(solio_image_read_options);
    SIZE(solio_image_write_options);
    SIZE(solio_engine_options);
    SIZE(solio_request);
    SIZE(solio_result);
    SIZE(solio_pbrt_values);
    SIZE(solio_pbrt_event);
    SIZE(solio_pbrt_parameter);
    return 0;
}
