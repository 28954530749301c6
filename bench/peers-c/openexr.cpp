// The peer of `solio-bench exr` with OpenEXR's C++ library: a line on standard input asks for one
// piece of work, a line on standard output answers it. crates/solio-bench/src/exr/peer.rs
// has the words. Pixels are read into memory that is there already; a file "in memory" is written
// into a buffer that is used again.
#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputFile.h>
#include <ImfOutputFile.h>
#include <ImfThreading.h>
#include <ImfTiledInputFile.h>
#include <OpenEXRConfig.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace OPENEXR_IMF_NAMESPACE;

static const char *const METHODS[] = {"none", "rle",  "zips", "zip",      "piz",     "pxr24", "b44",
                                      "b44a", "dwaa", "dwab", "htj2k256", "htj2k32", "lj2k",  "zstd"};

static double seconds(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

struct Watch {
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);

    // What the work since then took, as the answer starts.
    std::string taken() const {
        double cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        double wall_s = seconds(CLOCK_MONOTONIC) - wall;
        char text[64];
        std::snprintf(text, sizeof text, "%.9f %.9f ", wall_s, cpu_s);
        return text;
    }
};

class MemoryIn : public IStream {
public:
    explicit MemoryIn(const std::vector<char> &bytes) : IStream("memory"), bytes(bytes) {}
    bool isMemoryMapped() const override { return true; }
    char *readMemoryMapped(int n) override { return const_cast<char *>(take(n)); }
    bool read(char to[], int n) override {
        std::memcpy(to, take(n), n);
        return at < bytes.size();
    }
    uint64_t tellg() override { return at; }
    void seekg(uint64_t to) override { at = to; }
    int64_t size() override { return bytes.size(); }
    bool isStatelessRead() const override { return true; }
    int64_t read(void *to, uint64_t n, uint64_t from) override {
        if (from >= bytes.size()) return 0;
        n = std::min<uint64_t>(n, bytes.size() - from);
        std::memcpy(to, bytes.data() + from, n);
        return n;
    }

private:
    const char *take(int n) {
        if (at + n > bytes.size()) throw std::runtime_error("the file ends early");
        at += n;
        return bytes.data() + at - n;
    }
    const std::vector<char> &bytes;
    uint64_t at = 0;
};

class MemoryOut : public OStream {
public:
    explicit MemoryOut(std::vector<char> &bytes) : OStream("memory"), bytes(bytes) { bytes.clear(); }
    void write(const char from[], int n) override {
        if (at == bytes.size()) {
            bytes.insert(bytes.end(), from, from + n);
        } else {
            if (at + n > bytes.size()) bytes.resize(at + n);
            std::memcpy(bytes.data() + at, from, n);
        }
        at += n;
    }
    uint64_t tellp() override { return at; }
    void seekp(uint64_t to) override { at = to; }

private:
    std::vector<char> &bytes;
    uint64_t at = 0;
};

// An image in memory: a plane a channel, in the order of their names.
struct Image {
    Header header;
    std::vector<std::vector<char>> planes;
    FrameBuffer buffer;
    size_t bytes = 0;

    explicit Image(const Header &from) : header(from) {
        const auto &window = header.dataWindow();
        for (auto c = header.channels().begin(); c != header.channels().end(); ++c) {
            const Channel &channel = c.channel();
            auto count = [](int from, int to, int step) {
                int n = 0;
                for (int at = from; at <= to; ++at) n += at % step == 0;
                return size_t(n);
            };
            size_t size = count(window.min.x, window.max.x, channel.xSampling) *
                          count(window.min.y, window.max.y, channel.ySampling) *
                          (channel.type == HALF ? 2 : 4);
            planes.emplace_back(size);
            bytes += size;
            buffer.insert(c.name(), Slice::Make(channel.type, planes.back().data(), window, 0, 0,
                                                channel.xSampling, channel.ySampling));
        }
    }

    // The same sum as every peer makes: words, and words times their place.
    std::string sum() const {
        uint64_t all = 0;
        for (const auto &plane : planes) {
            uint64_t a = 0, b = 0, n = plane.size() / 4;
            for (uint64_t i = 0; i < n; ++i) {
                uint32_t word;
                std::memcpy(&word, plane.data() + 4 * i, 4);
                a += word;
                b += word * (i + 1);
            }
            uint32_t rest = 0;
            std::memcpy(&rest, plane.data() + 4 * n, plane.size() % 4);
            all = (all * 1000003 + a + rest) * 1000003 + b + rest * (n + 1);
        }
        return std::to_string(all);
    }
};

static std::vector<char> bytes_of(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

static void read_pixels(InputFile &file, Image &image, bool by_row) {
    const auto &window = file.header().dataWindow();
    file.setFrameBuffer(image.buffer);
    if (!by_row) {
        file.readPixels(window.min.y, window.max.y);
        return;
    }
    for (int y = window.min.y; y <= window.max.y; ++y) file.readPixels(y, y);
}

// Opens and reads: whole rows, or tiles where there are tiles. `in` is a path or a stream.
template <class In> static void read(In &in, bool tiled, int threads, bool by_row, Image &image) {
    if (tiled) {
        TiledInputFile file(in, threads);
        file.setFrameBuffer(image.buffer);
        file.readTiles(0, file.numXTiles() - 1, 0, file.numYTiles() - 1);
    } else {
        InputFile file(in, threads);
        read_pixels(file, image, by_row);
    }
}

class Peer {
public:
    std::string answer(const std::string &line) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "hello") return hello();
        if (word == "forget") {
            images.clear();
            targets.clear();
            return "forgotten";
        }
        if (word == "image") return image(rest(words));
        if (word == "write") return write(words);
        if (word == "read" || word == "rows") return read_again(words, word == "rows");
        throw std::runtime_error("unknown word");
    }

private:
    // What is written, and what is read into.
    std::vector<std::unique_ptr<Image>> images, targets;
    std::vector<char> bytes;
    int workers = -1;

    static std::string rest(std::istringstream &words) {
        std::string path;
        std::getline(words >> std::ws, path);
        return path;
    }

    static std::string hello() {
        std::string text = OPENEXR_VERSION_STRING " memory";
        for (auto *name : METHODS) text += std::string(" ") + name;
        return text;
    }

    std::string image(const std::string &path) {
        InputFile file(path.c_str(), 0);
        images.push_back(std::make_unique<Image>(file.header()));
        targets.push_back(std::make_unique<Image>(file.header()));
        read_pixels(file, *images.back(), false);
        return images.back()->sum();
    }

    // Without worker threads the library works in the thread that calls it.
    int use(int threads) {
        if (int wanted = threads == 1 ? 0 : threads; wanted != workers) {
            setGlobalThreadCount(workers = wanted);
        }
        return workers;
    }

    std::string write(std::istringstream &words) {
        size_t index;
        int threads, number = 0;
        std::string method, where;
        words >> index >> method >> threads >> where;
        std::string path = rest(words);
        Image &image = *images.at(index);
        while (METHODS[number] != method) ++number;
        Header header(image.header);
        header.compression() = Compression(number);
        threads = use(threads);
        const auto &window = header.dataWindow();
        auto put = [&](OutputFile file) {
            file.setFrameBuffer(image.buffer);
            file.writePixels(window.max.y - window.min.y + 1);
        };
        Watch watch;
        if (where == "file") {
            put({path.c_str(), header, threads});
            std::string taken = watch.taken();
            std::ifstream made(path, std::ios::binary | std::ios::ate);
            return taken + std::to_string(made.tellg());
        }
        MemoryOut out(bytes);
        put({out, header, threads});
        std::string taken = watch.taken();
        std::ofstream(path, std::ios::binary).write(bytes.data(), bytes.size());
        return taken + std::to_string(bytes.size());
    }

    std::string read_again(std::istringstream &words, bool by_row) {
        size_t index;
        int threads;
        std::string where;
        words >> index >> threads >> where;
        std::string path = rest(words);
        Image &image = *targets.at(index);
        bool tiled = InputFile(path.c_str(), 0).header().hasTileDescription();
        if (where == "memory") bytes = bytes_of(path);
        threads = use(threads);
        const char *name = path.c_str();
        Watch watch;
        if (where == "memory") {
            MemoryIn in(bytes);
            read(in, tiled, threads, by_row, image);
        } else {
            read(name, tiled, threads, by_row, image);
        }
        return watch.taken() + image.sum();
    }
};

int main() {
    Peer peer;
    for (std::string line; std::getline(std::cin, line);) {
        std::string said;
        try {
            said = peer.answer(line);
        } catch (const std::exception &e) {
            said = std::string("error: ") + e.what();
            for (char &c : said) c = c == '\n' ? ' ' : c;
        }
        std::cout << said << std::endl;
    }
}
