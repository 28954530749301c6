/* Walks a tree on one thread, looks at every name, and prints how many there are and their bytes.
 * With a second argument every file is opened, and its first 4096 bytes are read. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned long files, bytes;
static int reads_heads;

static int read_head(int folder, const char *name) {
    static char head[4096];
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    int failed = file < 0 || pread(file, head, sizeof head, 0) < 0;
    if (file >= 0) close(file);
    return failed;
}

static int walk(int folder) {
    DIR *names = fdopendir(folder);
    if (!names) return 1;
    int failed = 0;
    for (struct dirent *name; (name = readdir(names));) {
        if (!strcmp(name->d_name, ".") || !strcmp(name->d_name, "..")) continue;
        struct stat status;
        if (name->d_type == DT_DIR) {
            int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
            int below = openat(dirfd(names), name->d_name, flags);
            failed |= below < 0 || walk(below);
        } else if (fstatat(dirfd(names), name->d_name, &status, AT_SYMLINK_NOFOLLOW)) {
            failed = 1;
        } else {
            if (reads_heads && name->d_type == DT_REG) failed |= read_head(dirfd(names), name->d_name);
            files++;
            bytes += (unsigned long)status.st_size;
        }
    }
    closedir(names);
    return failed;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    reads_heads = argc > 2;
    int root = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = root < 0 || walk(root);
    printf("%lu files, %lu bytes\n", files, bytes);
    return failed;
}
