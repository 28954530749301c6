/* gzip in memory, numbers as text, and the directives of a pbrt scene.
 *
 *     text FILE.pbrt
 */
#include "solio.h"

#include <stdlib.h>

static int fail(const solio_error *error) {
    fprintf(stderr, "%s (code %d, line %d)\n", error->text, error->code, (int)error->line);
    return 1;
}

int main(int count, char **arguments) {
    SOLIO_STRUCT(solio_error, error);
    char text[SOLIO_NUMBER_BYTES], all[4096] = "";
    uint64_t length = 0, used = 0, packed_bytes = 0, unpacked_bytes = 0;
    SOLIO_TIMER_START("shortest text of 100 floats")
    for (int i = 0; i < 100; i++) {
        float back = 0;
        if (solio_f32_text((float)i / 7.0f, SOLIO_SHORTEST, text, sizeof(text) - 1, &length, &error) ||
            solio_f32_value(text, length, &back, &used, &error)) {
            return fail(&error);
        }
        if (back != (float)i / 7.0f || used != length) {
            return 1;
        }
        text[length] = 0;
        strncat(all, text, sizeof(all) - strlen(all) - 2);
        strcat(all, " ");
    }
    SOLIO_TIMER_END(100)

    uint8_t packed[8192], unpacked[4096];
    if (solio_deflate(SOLIO_GZIP, 6, (const uint8_t *)all, strlen(all), packed, sizeof(packed),
                      &packed_bytes, &error) ||
        solio_inflate(packed, packed_bytes, unpacked, sizeof(unpacked), &unpacked_bytes, &error)) {
        return fail(&error);
    }
    printf("gzip %s\n", unpacked_bytes == strlen(all) && memcmp(unpacked, all, strlen(all)) == 0
                            ? "ok"
                            : "wrong");
    if (count < 2) {
        return 0;
    }
    solio_pbrt *pbrt = NULL;
    if (solio_pbrt_open(SOLIO_TEXT(arguments[1]), NULL, &pbrt, &error) != SOLIO_OK) {
        return fail(&error);
    }
    int code;
    for (;;) {
        SOLIO_STRUCT(solio_pbrt_event, event);
        code = solio_pbrt_next(pbrt, &event, &error);
        if (code == SOLIO_SYNTAX) {
            fail(&error);
            continue;
        }
        if (code != SOLIO_OK) {
            break;
        }
        printf("%d:%d %.*s", (int)event.line, (int)event.column, (int)event.name_length, event.name);
        if (event.values.kind == SOLIO_PBRT_STRINGS && event.values.count > 0) {
            const char *string = NULL;
            solio_pbrt_string(pbrt, UINT64_MAX, 0, &string, &length, NULL);
            printf(" \"%.*s\"", (int)length, string);
        }
        for (uint64_t i = 0; i < event.parameters; i++) {
            SOLIO_STRUCT(solio_pbrt_parameter, parameter);
            solio_pbrt_parameter_at(pbrt, i, &parameter, NULL);
            printf(" %.*s %.*s[%d]", (int)parameter.kind_length, parameter.kind,
                   (int)parameter.name_length, parameter.name, (int)parameter.values.count);
        }
        printf("\n");
    }
    solio_pbrt_free(pbrt);
    return code == SOLIO_END ? 0 : fail(&error);
}
