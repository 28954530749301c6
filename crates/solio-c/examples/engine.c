/* Reads files side by side, the last one first, and cancels one.
 *
 *     engine FILE FILE FILE ...
 */
#include "solio.h"

#include <stdlib.h>

int main(int count, char **arguments) {
    const uint64_t files = count > 1 ? (uint64_t)count - 1 : 0;
    if (files < 3) {
        fprintf(stderr, "usage: engine FILE FILE FILE ...\n");
        return 2;
    }
    SOLIO_STRUCT(solio_error, error);
    solio_engine *engine = NULL;
    solio_batch *batch = NULL;
    static uint8_t head[16];
    solio_request *requests = (solio_request *)calloc((size_t)files, sizeof(solio_request));
    for (uint64_t i = 0; i < files; i++) {
        requests[i].path = arguments[i + 1];
        requests[i].path_length = strlen(arguments[i + 1]);
        requests[i].length = UINT64_MAX;
        requests[i].tag = 100 + i;
    }
    /* The first bytes of the first file, into memory of this program. */
    requests[0].length = sizeof(head);
    requests[0].into = head;
    requests[0].into_bytes = sizeof(head);
    int code = solio_engine_new(NULL, &engine, &error);
    if (code == SOLIO_OK) {
        code = solio_engine_submit(engine, requests, files, &batch, &error);
    }
    free(requests);
    if (code != SOLIO_OK) {
        fprintf(stderr, "%s\n", error.text);
        solio_engine_free(engine);
        return 1;
    }
    solio_batch_set_priority(batch, files - 1, SOLIO_PRIORITY_MAXIMUM, NULL);
    solio_batch_cancel(batch, 1, NULL);
    uint64_t read = 0, cancelled = 0, bytes = 0;
    for (;;) {
        SOLIO_STRUCT(solio_result, result);
        const int next = solio_batch_wait(batch, UINT64_MAX, &result, &error);
        if (next != SOLIO_OK) {
            code = next == SOLIO_END ? SOLIO_OK : next;
            break;
        }
        if (result.code == SOLIO_OK) {
            read++;
            bytes += result.length;
        } else if (result.code == SOLIO_CANCELLED) {
            cancelled++;
        } else {
            fprintf(stderr, "file %d: %s\n", (int)result.tag - 99, error.text);
        }
        solio_bytes_free(result.bytes);
    }
    solio_batch_free(batch);
    solio_engine_free(engine);
    /* The cancelled one may have been read before. */
    printf("%d ended, %s bytes\n", (int)(read + cancelled), bytes > 0 ? "some" : "no");
    return code == SOLIO_OK && read + cancelled == files ? 0 : 1;
}
