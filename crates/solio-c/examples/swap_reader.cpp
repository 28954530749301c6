// A program whose reader of PLY is exchanged for Solio's: before and after, the same mesh.
//
//     swap_reader FILE.ply
#include "solio.h"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Mesh {
    std::vector<float> positions;
    std::vector<std::uint32_t> triangles;
};

// Before: what many programs have. Text only, and only these properties.
static Mesh read_by_hand(const std::string &path) {
    std::ifstream file(path);
    std::string line;
    std::size_t vertices = 0, faces = 0;
    while (std::getline(file, line) && line != "end_header") {
        std::istringstream words(line);
        std::string word, element;
        std::size_t number = 0;
        if (words >> word >> element >> number && word == "element") {
            (element == "vertex" ? vertices : faces) = number;
        }
    }
    Mesh mesh;
    mesh.positions.resize(3 * vertices);
    for (float &value : mesh.positions) {
        file >> value;
    }
    for (std::size_t face = 0; face < faces; face++) {
        std::size_t corners = 0;
        std::uint32_t first = 0, last = 0, next = 0;
        file >> corners >> first >> last;
        for (std::size_t corner = 2; corner < corners; corner++, last = next) {
            file >> next;
            mesh.triangles.insert(mesh.triangles.end(), {first, last, next});
        }
    }
    if (!file) {
        throw std::runtime_error(path + ": cannot be read");
    }
    return mesh;
}

// After: all of PLY, packed or not, on all cores, with errors that say where.
static void check(int code, const solio_error &error) {
    if (code != SOLIO_OK) {
        throw std::runtime_error(error.text);
    }
}

static Mesh read_by_solio(const std::string &path) {
    SOLIO_STRUCT(solio_error, error);
    solio_mesh *read = nullptr;
    check(solio_mesh_read(path.data(), path.size(), nullptr, &read, &error), error);
    const std::unique_ptr<solio_mesh, int (*)(solio_mesh *)> owned(read, solio_mesh_free);
    Mesh mesh;
    const auto copy = [&](std::uint32_t array, auto &values, std::size_t width) {
        std::uint64_t count = 0;
        check(solio_mesh_copy(read, array, nullptr, 0, 0, &count, &error), error);
        values.resize(static_cast<std::size_t>(count) * width);
        auto *bytes = reinterpret_cast<std::uint8_t *>(values.data());
        check(solio_mesh_copy(read, array, bytes, values.size() * sizeof(values[0]), 0, nullptr, &error),
              error);
    };
    copy(SOLIO_POSITIONS, mesh.positions, 3);
    copy(SOLIO_ALL_TRIANGLES, mesh.triangles, 3);
    return mesh;
}

int main(int count, char **arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: swap_reader FILE.ply\n");
        return 2;
    }
    try {
        Mesh before, after;
        SOLIO_TIMER_START("by hand")
        before = read_by_hand(arguments[1]);
        SOLIO_TIMER_END(before.positions.size())
        SOLIO_TIMER_START("by Solio")
        after = read_by_solio(arguments[1]);
        SOLIO_TIMER_END(after.positions.size())
        const bool same = before.positions == after.positions && before.triangles == after.triangles;
        std::printf("%zu floats, %zu indices, %s\n", after.positions.size(), after.triangles.size(),
                    same ? "the same" : "different");
        return same ? 0 : 1;
    } catch (const std::exception &failed) {
        std::fprintf(stderr, "%s\n", failed.what());
        return 1;
    }
}
