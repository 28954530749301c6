// Solio: meshes, OpenEXR, asynchronous reading, gzip and number text, for C and C++.
//
// Generated from crates/solio-c. The guide is docs/c.md. Rules that hold everywhere:
//
// * Every function may be called from any thread. A handle serves one call at a time: a second one
//   beside it fails with SOLIO_BUSY, unless its functions say that they may be called at any time.
// * Functions return a code, SOLIO_OK (0) where all is well. An error's text and place go into
//   error, which may be null.
// * Structures begin with size, which is to be set to sizeof: SOLIO_STRUCT does so. Later versions
//   add fields at the end. Zero is the usual value of every other field.
// * Pointers must be valid for as many bytes or elements as stand beside them. Texts with a length
//   need no zero at their end.
// * What a function hands out as a handle is the caller's, until it goes to the function that frees
//   it. A null handle there is nothing to do.
// * No exception and no panic crosses the border. Nothing calls back. Nothing is shared by all of a
//   process.
// * A single small allocation that fails ends the process; what a file makes large is refused with
//   SOLIO_MEMORY or SOLIO_LIMIT.


#ifndef SOLIO_H
#define SOLIO_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

// A zeroed structure with its size set.
#define SOLIO_STRUCT(type, name) \
    type name; \
    memset(&(name), 0, sizeof(name)); \
    (name).size = sizeof(name)

// A text with a zero at its end, as the two arguments that functions take: pointer and length.
#define SOLIO_TEXT(text) (text), (uint64_t)strlen(text)

typedef struct solio_job solio_job;
typedef struct solio_mesh solio_mesh;
typedef struct solio_image solio_image;
typedef struct solio_engine solio_engine;
typedef struct solio_batch solio_batch;
typedef struct solio_bytes solio_bytes;
typedef struct solio_pbrt solio_pbrt;


// The number of the binary interface that this header describes.
#define SOLIO_ABI 1

// All is well.
#define SOLIO_OK 0

// The system refused: a missing file, no room, no permission.
#define SOLIO_IO 1

// Text that is not as its format wants it.
#define SOLIO_SYNTAX 2

// Binary data that contradict themselves, or end early.
#define SOLIO_CORRUPT 3

// Sound, but not something that Solio can do.
#define SOLIO_UNSUPPORTED 4

// More than a limit allows.
#define SOLIO_LIMIT 5

// The caller asks for something impossible.
#define SOLIO_ARGUMENT 6

// Cancelled.
#define SOLIO_CANCELLED 7

// There is not enough memory.
#define SOLIO_MEMORY 8

// A null pointer, or a handle that is none, of another kind, or freed.
#define SOLIO_HANDLE 9

// A structure's size, or the number of the interface, is one that this library does not know.
#define SOLIO_VERSION 10

// Another thread is using the handle.
#define SOLIO_BUSY 11

// A fault in Solio; what it was doing has failed, and the process may go on.
#define SOLIO_PANIC 12

// The end was reached: nothing is left.
#define SOLIO_END 13

// Nothing has come within the time given.
#define SOLIO_TIMEOUT 14

// Bytes of an error's text, with the zero at its end.
#define SOLIO_ERROR_TEXT 1000

// Whenever nothing else is to be done.
#define SOLIO_PRIORITY_MINIMUM -3

// Behind ordinary work.
#define SOLIO_PRIORITY_LOW -2

// A little behind ordinary work.
#define SOLIO_PRIORITY_BELOW_NORMAL -1

// Ordinary work.
#define SOLIO_PRIORITY_NORMAL 0

// Somebody waits for it.
#define SOLIO_PRIORITY_HIGH 1

// Somebody waits for it now.
#define SOLIO_PRIORITY_MAXIMUM 2

// The bytes come as they are on the disk.
#define SOLIO_PACKING_NONE 0

// gzip and zstd are recognized by their first bytes and unpacked.
#define SOLIO_PACKING_DETECT 1

// gzip, unpacked.
#define SOLIO_PACKING_GZIP 2

// zlib, unpacked.
#define SOLIO_PACKING_ZLIB 3

// zstd, unpacked.
#define SOLIO_PACKING_ZSTD 4

// The format is found by content.
#define SOLIO_FORMAT_AUTO 0

// Wavefront OBJ.
#define SOLIO_FORMAT_OBJ 1

// PLY.
#define SOLIO_FORMAT_PLY 2

// STL.
#define SOLIO_FORMAT_STL 3

// OFF.
#define SOLIO_FORMAT_OFF 4

// glTF 2.0, a document and its buffer.
#define SOLIO_FORMAT_GLTF 5

// glTF 2.0, binary.
#define SOLIO_FORMAT_GLB 6

// Gaussian splats, .splat.
#define SOLIO_FORMAT_SPLAT 7

// Gaussian splats, SPZ.
#define SOLIO_FORMAT_SPZ 8

// Gaussian splats, SOG.
#define SOLIO_FORMAT_SOG 9

// Refuse what a lenient reader passes over with a warning.
#define SOLIO_MESH_STRICT 1

// Leave the MTL files of an OBJ unread.
#define SOLIO_MESH_SKIP_MATERIALS 2

// Read positions of text as doubles, also where single precision holds them.
#define SOLIO_MESH_DOUBLES 4

// Read no normals: the mesh has none then, as if the file had none. So it is with those that follow.
#define SOLIO_MESH_SKIP_NORMALS 8

// Read no texture coordinates.
#define SOLIO_MESH_SKIP_UVS 16

// Read no colours of vertices.
#define SOLIO_MESH_SKIP_COLORS 32

// Read no further attributes.
#define SOLIO_MESH_SKIP_ATTRIBUTES 64

// There are none.
#define SOLIO_OF_NONE 0

// A value for each vertex.
#define SOLIO_OF_VERTEX 1

// A value for each face.
#define SOLIO_OF_FACE 2

// A value for each corner.
#define SOLIO_OF_CORNER 3

// Each corner has the number of its value.
#define SOLIO_OF_INDEX 4

// Names of materials.
#define SOLIO_NAME_MATERIAL 1

// Names of objects.
#define SOLIO_NAME_OBJECT 2

// Names of groups.
#define SOLIO_NAME_GROUP 3

// What a lenient reader passed over, a text each.
#define SOLIO_NAME_WARNING 4

// What the textures of materials call pictures that the file brought along: names of files.
#define SOLIO_NAME_PICTURE 5

// Positions: 3 × float a vertex.
#define SOLIO_POSITIONS 1

// Positions: 3 × double a vertex.
#define SOLIO_POSITIONS_F64 2

// Normals, as the file has them: 3 × float each.
#define SOLIO_NORMALS 3

// Normals: 3 × float a vertex. Only where the file has them so, which most PLY do.
#define SOLIO_VERTEX_NORMALS 4

// Normals: 3 × float a corner; zeros where a corner has none.
#define SOLIO_CORNER_NORMALS 5

// The number of a corner's normal: uint32_t, UINT32_MAX where it has none.
#define SOLIO_CORNER_NORMAL_INDICES 6

// Texture coordinates, as the file has them: 2 × float each; v goes up.
#define SOLIO_UVS 7

// Texture coordinates: 2 × float a vertex. Only where the file has them so.
#define SOLIO_VERTEX_UVS 8

// Texture coordinates: 2 × float a corner; zeros where a corner has none.
#define SOLIO_CORNER_UVS 9

// The number of a corner's texture coordinates: uint32_t, UINT32_MAX where it has none.
#define SOLIO_CORNER_UV_INDICES 10

// Colours: 4 × float a vertex, 0 to 1, as the file encodes them.
#define SOLIO_VERTEX_COLORS 11

// Where the corners of each face begin: uint32_t, one more than faces.
#define SOLIO_FACE_OFFSETS 12

// The vertex of each corner: uint32_t.
#define SOLIO_CORNER_VERTICES 13

// The vertices of the faces of three corners: 3 × uint32_t each.
#define SOLIO_TRIANGLES 14

// The vertices of the faces of four corners: 4 × uint32_t each.
#define SOLIO_QUADS 15

// All faces, cut into triangles: the vertices, 3 × uint32_t each.
#define SOLIO_ALL_TRIANGLES 16

// The material of each face: uint32_t, UINT32_MAX where it has none.
#define SOLIO_FACE_MATERIALS 17

// The group of each face: uint32_t, UINT32_MAX where it has none.
#define SOLIO_FACE_GROUPS 18

// The face after the last one of each object: uint32_t.
#define SOLIO_OBJECT_FACE_ENDS 19

// int8_t.
#define SOLIO_I8 1

// uint8_t.
#define SOLIO_U8 2

// int16_t.
#define SOLIO_I16 3

// uint16_t.
#define SOLIO_U16 4

// int32_t.
#define SOLIO_I32 5

// uint32_t.
#define SOLIO_U32 6

// float.
#define SOLIO_F32 7

// double.
#define SOLIO_F64 8

// 16 bits of floating point.
#define SOLIO_F16 9

// Bytes of the text about what was lost, with the zero at its end.
#define SOLIO_LOSS_TEXT 1000

// Text instead of binary, for PLY and STL.
#define SOLIO_WRITE_ASCII 1

// Refuse, before anything is written, where the format cannot hold something of the mesh.
#define SOLIO_WRITE_STRICT_LOSS 2

// The file is on the disk, not only in the system's memory, when writing returns.
#define SOLIO_WRITE_DURABLE 4

// The fewest digits that read back to the same number.
#define SOLIO_WRITE_SHORTEST 8

// The fewest digits that read back to the same number.
#define SOLIO_SHORTEST -1

// Bytes that are enough for the text of any number.
#define SOLIO_NUMBER_BYTES 400

// gzip.
#define SOLIO_GZIP 1

// zstd.
#define SOLIO_ZSTD 2

// The usual level of solio_deflate.
#define SOLIO_USUAL_LEVEL -100

// The values are float.
#define SOLIO_PBRT_FLOATS SOLIO_F32

// The values are int32_t.
#define SOLIO_PBRT_INTEGERS SOLIO_I32

// The values are int32_t, 0 or 1.
#define SOLIO_PBRT_BOOLS 20

// The values are strings; solio_pbrt_string gives each.
#define SOLIO_PBRT_STRINGS 21

// How an engine may use the machine. Zeros are the usual values.
typedef struct solio_engine_options {
  // sizeof(solio_engine_options).
  uint64_t size;
  // Most threads that wait for the medium at once.
  uint32_t threads;
  // Zero.
  uint32_t reserved;
  // Bytes of results under way or not taken yet; 0 is 512 MiB.
  uint64_t memory_bytes;
  // Most bytes a second; 0 is no limit.
  uint64_t bytes_per_second;
  // Most reads a second; 0 is no limit.
  uint64_t operations_per_second;
} solio_engine_options;

// What went wrong. Set size, the rest is filled where a function fails.
typedef struct solio_error {
  // sizeof(solio_error); with any other number nothing is filled.
  uint64_t size;
  // One of the codes, as the function returns it.
  int32_t code;
  // The system's own number (errno), or 0.
  int32_t os;
  // The byte in the file, or UINT64_MAX.
  uint64_t offset;
  // The line in the file, from 1 on, or 0.
  uint64_t line;
  // The column in the line, from 1 on, or 0.
  uint64_t column;
  // File, place, what was found, what was expected, what to do: UTF-8, cut where it is long.
  char text[SOLIO_ERROR_TEXT];
} solio_error;

// One read.
typedef struct solio_request {
  // The file: UTF-8, or bytes as the system has them.
  const char *path;
  // Bytes of the path.
  uint64_t path_length;
  // The first byte to read.
  uint64_t offset;
  // Bytes to read; UINT64_MAX is to the end of the file.
  uint64_t length;
  // The caller's memory for the result, or null for memory of the engine's. It stays the caller's, and
  // is written to when the result is taken.
  uint8_t *into;
  // Bytes of into; a larger result is SOLIO_LIMIT.
  uint64_t into_bytes;
  // Comes back with the result.
  uint64_t tag;
  // Nanoseconds from now: among requests of one priority the earliest deadline goes first; 0 is none.
  uint64_t deadline_ns;
  // One of SOLIO_PRIORITY_….
  int32_t priority;
  // One of SOLIO_PACKING_….
  uint32_t packing;
} solio_request;

// How a request ended.
typedef struct solio_result {
  // sizeof(solio_result).
  uint64_t size;
  // Its place among the requests, from 0 on.
  uint64_t index;
  // The request's.
  uint64_t tag;
  // The bytes: in the caller's memory, or in that of bytes.
  const uint8_t *data;
  // How many.
  uint64_t length;
  // What holds data, to be freed with solio_bytes_free; null where the caller's memory does.
  solio_bytes *bytes;
  // Nanoseconds from the call to the end.
  uint64_t total_ns;
  // SOLIO_OK, SOLIO_CANCELLED, or why it failed; the text is in the call's error.
  int32_t code;
  // 1 where it ended after its deadline.
  uint32_t is_late;
} solio_result;

// How a call may use the machine. Zeros are the usual values.
typedef struct solio_work {
  // sizeof(solio_work).
  uint64_t size;
  // Threads that compute at once; 0 is one for each core that the process may use. Results never
  // depend on it.
  uint32_t threads;
  // Zero.
  uint32_t reserved;
  // Bytes that may be held beside input and result; 0 is an eighth of the machine's memory.
  uint64_t memory_bytes;
  // Most bytes that a file may unpack or decode to; 0 is 1 TiB. More is SOLIO_LIMIT.
  uint64_t limit_bytes;
  // Most elements of one kind that a file may have; 0 is 2^32 - 2. More is SOLIO_LIMIT.
  uint64_t limit_elements;
  // Cancels the call and counts what it does; may be null. It must outlive the call.
  const solio_job *job;
} solio_work;

// Pixels: both ends belong to it, as in OpenEXR.
typedef struct solio_window {
  // Lowest column.
  int32_t min_x;
  // Lowest row.
  int32_t min_y;
  // Highest column.
  int32_t max_x;
  // Highest row.
  int32_t max_y;
} solio_window;

// A part of an image.
typedef struct solio_part {
  // sizeof(solio_part).
  uint64_t size;
  // The pixels that there are.
  struct solio_window data_window;
  // The pixels of the whole picture.
  struct solio_window display_window;
  // The name, UTF-8 or whatever the file has, without a zero at its end; null where it has none.
  const char *name;
  // Bytes of the name.
  uint64_t name_length;
  // The method of compression, with a zero at its end, such as zip.
  const char *compression;
  // Channels.
  uint32_t channels;
  // 1 where it is stored in tiles, else 0.
  uint32_t is_tiled;
  // 1 where pixels have any number of samples, else 0; solio_image_read reads none of those.
  uint32_t is_deep;
  // Zero.
  uint32_t reserved;
} solio_part;

// A channel of a part.
typedef struct solio_channel {
  // sizeof(solio_channel).
  uint64_t size;
  // The full name, without a zero at its end.
  const char *name;
  // Bytes of the name.
  uint64_t name_length;
  // SOLIO_F16, SOLIO_F32 or SOLIO_U32.
  uint32_t kind;
  // It has samples in every so many columns.
  uint32_t x_sampling;
  // It has samples in every so many rows.
  uint32_t y_sampling;
  // Zero.
  uint32_t reserved;
} solio_channel;

// How an image is read.
typedef struct solio_image_read_options {
  // sizeof(solio_image_read_options).
  uint64_t size;
  // The part, from 0 on.
  uint32_t part;
  // How often the width was halved.
  uint32_t level_x;
  // How often the height was halved.
  uint32_t level_y;
  // 1 where chunks that are missing or damaged leave zeros, 0 where they are an error.
  uint32_t partial;
  // Only these pixels, in the coordinates of the level, all of which the level has; null is all of
  // the level.
  const struct solio_window *window;
  // How the machine is used; may be null.
  const struct solio_work *work;
} solio_image_read_options;

// Where a channel's samples go, or come from: the sample at column x and row y of the window, both
// from 0 on, is at start + x × x_stride + y × y_stride.
typedef struct solio_slice {
  // The channel's full name, UTF-8 with a zero at its end.
  const char *name;
  // The sample at the top left of the window.
  uint8_t *start;
  // Bytes from a sample to the one right of it; 0 is that of samples side by side.
  int64_t x_stride;
  // Bytes from a sample to the one below it, which may be negative; 0 is that of rows one directly
  // after the other.
  int64_t y_stride;
  // SOLIO_F16, SOLIO_F32 or SOLIO_U32; samples of another kind are converted.
  uint32_t kind;
  // 1 where a part that lacks the channel gives fill, 0 where that is an error.
  uint32_t may_lack;
  // See may_lack; one for all slices of a call, the first that has may_lack counts.
  float fill;
  // Zero.
  uint32_t reserved;
} solio_slice;

// What is written.
typedef struct solio_image_write_options {
  // sizeof(solio_image_write_options).
  uint64_t size;
  // The pixels that the slices have.
  struct solio_window data_window;
  // The pixels of the whole picture; where all four are zero, those of data_window.
  struct solio_window display_window;
  // none, rle, zips, zip, piz, pxr24, b44, b44a, dwaa, dwab or zstd, with a zero
  // at its end; null is zip.
  const char *compression;
  // How hard; 0 is the usual way: ZIP 1 to 12, ZSTD -7 to 22, of DWA and LJ2K the quality.
  float level;
  // 1 where the file is on the disk, not only in the system's memory, when writing returns.
  uint32_t durable;
  // How the machine is used; may be null.
  const struct solio_work *work;
} solio_image_write_options;

// What was written.
typedef struct solio_written {
  // sizeof(solio_written).
  uint64_t size;
  // Bytes in all files.
  uint64_t file_bytes;
  // The same before compression.
  uint64_t raw_bytes;
  // Files.
  uint64_t files;
  // Kinds of things that the file cannot hold.
  uint64_t losses;
  // What these are, a line each, UTF-8, cut where it is long.
  char loss_text[SOLIO_LOSS_TEXT];
} solio_written;

// Bytes and files that have gone by.
typedef struct solio_progress {
  // sizeof(solio_progress).
  uint64_t size;
  // Bytes read so far.
  uint64_t read_bytes;
  // Bytes that will be read, as far as that is known.
  uint64_t read_total_bytes;
  // Bytes written so far.
  uint64_t written_bytes;
  // Files done.
  uint64_t files;
} solio_progress;

// How a mesh is read. Zeros are the usual values.
typedef struct solio_mesh_read_options {
  // sizeof(solio_mesh_read_options).
  uint64_t size;
  // One of SOLIO_FORMAT_….
  uint32_t format;
  // Some of SOLIO_MESH_….
  uint32_t flags;
  // How the machine is used; may be null.
  const struct solio_work *work;
} solio_mesh_read_options;

// What a mesh has, and how much of it.
typedef struct solio_mesh_counts {
  // sizeof(solio_mesh_counts).
  uint64_t size;
  // Vertices.
  uint64_t vertices;
  // Faces of any number of corners.
  uint64_t faces;
  // Corners of all faces.
  uint64_t corners;
  // Faces of three corners.
  uint64_t triangles;
  // Faces of four corners.
  uint64_t quads;
  // Values of texture coordinates.
  uint64_t uvs;
  // Values of normals.
  uint64_t normals;
  // Further attributes.
  uint64_t attributes;
  // Materials.
  uint64_t materials;
  // Objects.
  uint64_t objects;
  // Groups.
  uint64_t groups;
  // Warnings.
  uint64_t warnings;
  // One of SOLIO_FORMAT_….
  uint32_t format;
  // Bytes of a coordinate: 4, or 8 where the file says more than single precision holds.
  uint32_t position_bytes;
  // Which element a texture coordinate belongs to: one of SOLIO_OF_….
  uint32_t uvs_of;
  // Which element a normal belongs to: one of SOLIO_OF_….
  uint32_t normals_of;
  // 1 where vertices have colours, else 0.
  uint32_t has_colors;
  // 1 where faces have materials, else 0.
  uint32_t has_face_materials;
  // Pictures that the file brought along.
  uint64_t pictures;
} solio_mesh_counts;

// An array, seen where it lies.
typedef struct solio_array {
  // sizeof(solio_array).
  uint64_t size;
  // Its first number; null where there are none. There as long as the handle that it is of.
  const uint8_t *data;
  // Elements, each of components numbers, one directly after the other.
  uint64_t count;
  // Numbers of an element.
  uint32_t components;
  // One of SOLIO_I8 to SOLIO_F16.
  uint32_t kind;
} solio_array;

// A further attribute.
typedef struct solio_attribute {
  // sizeof(solio_attribute).
  uint64_t size;
  // The element that it belongs to (vertex, face, …): UTF-8 without a zero at its end.
  const char *element;
  // Bytes of element.
  uint64_t element_length;
  // The name: UTF-8 without a zero at its end.
  const char *name;
  // Bytes of name.
  uint64_t name_length;
  // Its numbers.
  const uint8_t *data;
  // How many numbers.
  uint64_t count;
  // Of a list: where the numbers of each element begin, one more than elements; else null.
  const uint32_t *offsets;
  // How many offsets.
  uint64_t offset_count;
  // One of SOLIO_I8 to SOLIO_F64.
  uint32_t kind;
  // Zero.
  uint32_t reserved;
} solio_attribute;

// Rows of numbers of the caller, each at start + i × stride.
typedef struct solio_rows {
  // The first row; null where there are none.
  const uint8_t *start;
  // Rows.
  uint64_t count;
  // Bytes from one row to the next; 0 for rows one directly after the other, which are not copied.
  uint64_t stride;
  // The number of each corner's row: uint32_t, UINT32_MAX where it has none; with
  // SOLIO_OF_INDEX only.
  const uint32_t *indices;
  // Which element a row belongs to: one of SOLIO_OF_…; of positions and colours, nothing.
  uint32_t of;
  // SOLIO_F32 (or 0), or of positions SOLIO_F64.
  uint32_t kind;
} solio_rows;

// A mesh in the caller's memory. Zeros are what is not there.
typedef struct solio_mesh_arrays {
  // sizeof(solio_mesh_arrays).
  uint64_t size;
  // 3 × float or double a vertex.
  struct solio_rows positions;
  // 3 × float each.
  struct solio_rows normals;
  // 2 × float each; v goes up.
  struct solio_rows uvs;
  // 4 × float a vertex, 0 to 1.
  struct solio_rows colors;
  // Where the corners of each face begin: one more than faces. Null where all faces have
  // face_corners corners.
  const uint32_t *face_offsets;
  // Faces.
  uint64_t faces;
  // The vertex of each corner.
  const uint32_t *corner_vertices;
  // Corners of all faces.
  uint64_t corners;
  // The material of each face, UINT32_MAX for none; null where no face has one.
  const uint32_t *face_materials;
  // Names of materials, UTF-8 with a zero at the end of each.
  const char *const *material_names;
  // Materials.
  uint64_t materials;
  // The name of the object, UTF-8; null for none.
  const char *name;
  // Bytes of the name.
  uint64_t name_length;
  // Corners of each face, where there are no offsets: 3, 4, …
  uint32_t face_corners;
  // 1 where colours are linear light, 0 where they are sRGB.
  uint32_t colors_linear;
} solio_mesh_arrays;

// How a mesh is written. Zeros are the usual values.
typedef struct solio_mesh_write_options {
  // sizeof(solio_mesh_write_options).
  uint64_t size;
  // One of SOLIO_FORMAT_…; SOLIO_FORMAT_AUTO takes it from the name.
  uint32_t format;
  // Some of SOLIO_WRITE_….
  uint32_t flags;
  // The level of gzip or zstd, which the name asks for (.gz, .zst); 0 is the usual one.
  int32_t level;
  // Digits after the point, 1 to 17; 0 is what the format usually has.
  uint32_t digits;
  // How the machine is used; may be null.
  const struct solio_work *work;
} solio_mesh_write_options;

// Values of a directive or a parameter.
typedef struct solio_pbrt_values {
  // The first; null for strings.
  const uint8_t *data;
  // How many.
  uint64_t count;
  // One of SOLIO_PBRT_FLOATS to SOLIO_PBRT_STRINGS.
  uint32_t kind;
  // Zero.
  uint32_t reserved;
} solio_pbrt_values;

// A directive. All pointers are there until the next event is asked for.
typedef struct solio_pbrt_event {
  // sizeof(solio_pbrt_event).
  uint64_t size;
  // Its name, such as Shape, without a zero at its end.
  const char *name;
  // Bytes of the name.
  uint64_t name_length;
  // Its numbers (Transform, LookAt) or strings (Shape "trianglemesh", Include "a.pbrt").
  struct solio_pbrt_values values;
  // Parameters; solio_pbrt_parameter_at gives each.
  uint64_t parameters;
  // The byte in the file where it begins.
  uint64_t offset;
  // Its line, from 1 on.
  uint64_t line;
  // Its column, from 1 on, in bytes.
  uint64_t column;
} solio_pbrt_event;

// A parameter. All pointers are there until the next event is asked for.
typedef struct solio_pbrt_parameter {
  // sizeof(solio_pbrt_parameter).
  uint64_t size;
  // The type as version 4 calls it, such as point3, without a zero at its end.
  const char *kind;
  // Bytes of the type.
  uint64_t kind_length;
  // The name, without a zero at its end.
  const char *name;
  // Bytes of the name.
  uint64_t name_length;
  // The values.
  struct solio_pbrt_values values;
  // The byte in the file where it is declared.
  uint64_t offset;
} solio_pbrt_parameter;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as 0.1.0.
const char *solio_version(void);

// Whether the library has the interface of a header: SOLIO_OK, or SOLIO_VERSION. Call it once
// with SOLIO_ABI where a program starts.
int32_t solio_check_abi(uint32_t abi);

// Makes an engine. options may be null.
int32_t solio_engine_new(const struct solio_engine_options *options,
                         solio_engine **engine,
                         struct solio_error *error);

// Frees an engine; null is nothing to do. Batches that were not freed go on.
int32_t solio_engine_free(solio_engine *engine);

// Submits requests, and returns at once. The results are taken from batch.
int32_t solio_engine_submit(const solio_engine *engine,
                            const struct solio_request *requests,
                            uint64_t count,
                            solio_batch **batch,
                            struct solio_error *error);

// Takes the next result of a batch, and waits for it at most wait_ns nanoseconds: 0 does not wait,
// UINT64_MAX waits until there is one. Returns SOLIO_OK with a result, whatever became of the
// request (its code says that); SOLIO_TIMEOUT where none has come; SOLIO_END where all were
// taken.
int32_t solio_batch_wait(const solio_batch *batch,
                         uint64_t wait_ns,
                         struct solio_result *result,
                         struct solio_error *error);

// Cancels a request, or with UINT64_MAX all of them; those that have ended stay as they are. Each
// cancelled one still has a result.
int32_t solio_batch_cancel(const solio_batch *batch, uint64_t index, struct solio_error *error);

// Gives a request another priority, one of SOLIO_PRIORITY_…; one that has ended stays as it is.
int32_t solio_batch_set_priority(const solio_batch *batch,
                                 uint64_t index,
                                 int32_t new_priority,
                                 struct solio_error *error);

// Frees a batch, and cancels what has not ended; null is nothing to do. No other function may be
// using it. Memory to read into is the caller's again.
int32_t solio_batch_free(solio_batch *batch);

// Frees the bytes of a result; null is nothing to do.
int32_t solio_bytes_free(solio_bytes *bytes);

// Opens the OpenEXR at path and reads its header. work may be null.
int32_t solio_image_open(const char *path,
                         uint64_t path_length,
                         const struct solio_work *work,
                         solio_image **image,
                         struct solio_error *error);

// How many parts an image has.
int32_t solio_image_parts(const solio_image *image, uint64_t *parts, struct solio_error *error);

// A part, by its number from 0 on. All pointers are there as long as the image.
int32_t solio_image_part(const solio_image *image,
                         uint32_t number,
                         struct solio_part *part,
                         struct solio_error *error);

// A channel of a part, both by their numbers from 0 on. The name is there as long as the image.
int32_t solio_image_channel(const solio_image *image,
                            uint32_t part,
                            uint32_t number,
                            struct solio_channel *channel,
                            struct solio_error *error);

// Reads pixels into the caller's memory. A subsampled channel has so many fewer columns and rows.
// Slices that lie as rows of whole pixels are filled without a copy, others by way of some rows at a
// time. missing, which may be null, gets how many chunks were missing.
int32_t solio_image_read(const solio_image *image,
                         const struct solio_image_read_options *options,
                         const struct solio_slice *slices,
                         uint64_t slice_count,
                         uint64_t *missing,
                         struct solio_error *error);

// Closes and frees an image; null is nothing to do.
int32_t solio_image_free(solio_image *image);

// Writes an OpenEXR of one part, in scanlines. The file appears whole, or what was there before stays.
// written may be null. A name that promises another kind of file is an error.
int32_t solio_image_write(const char *path,
                          uint64_t path_length,
                          const struct solio_image_write_options *options,
                          const struct solio_slice *slices,
                          uint64_t slice_count,
                          struct solio_written *written,
                          struct solio_error *error);

// Makes a job. Free it with solio_job_free.
int32_t solio_job_new(solio_job **job, struct solio_error *error);

// Cancels all calls that were given this job, those under way and later ones: they end soon, with
// SOLIO_CANCELLED. What was being written is as if it had not been begun.
int32_t solio_job_cancel(const solio_job *job, struct solio_error *error);

// How far the calls are that were given this job.
int32_t solio_job_progress(const solio_job *job,
                           struct solio_progress *progress,
                           struct solio_error *error);

// Frees a job; null is nothing to do. No call that was given it may be under way.
int32_t solio_job_free(solio_job *job);

// Reads the mesh file at path (UTF-8, or bytes as the system has them; path_length bytes).
// gzip and zstd are recognized by content. For OBJ, the MTL files that it names are read too.
int32_t solio_mesh_read(const char *path,
                        uint64_t path_length,
                        const struct solio_mesh_read_options *options,
                        solio_mesh **mesh,
                        struct solio_error *error);

// Reads a mesh from memory: length bytes from bytes on, packed or not. The MTL files of an OBJ
// are not looked for. Without a format among the options, the counts have SOLIO_FORMAT_AUTO.
int32_t solio_mesh_read_bytes(const uint8_t *bytes,
                              uint64_t length,
                              const struct solio_mesh_read_options *options,
                              solio_mesh **mesh,
                              struct solio_error *error);

// What a mesh has. counts has its size set.
int32_t solio_mesh_count(const solio_mesh *mesh,
                         struct solio_mesh_counts *counts,
                         struct solio_error *error);

// A name: kind is one of SOLIO_NAME_…, index counts from 0. The text is UTF-8 of length
// bytes, without a zero at its end; it is there as long as the mesh.
int32_t solio_mesh_name(const solio_mesh *mesh,
                        uint32_t kind,
                        uint64_t index,
                        const char **text,
                        uint64_t *length,
                        struct solio_error *error);

// A picture that the file brought along, as a GLB does: index counts from 0. The bytes are those of a
// PNG, a JPEG or another file of pictures; they are there as long as the mesh.
int32_t solio_mesh_picture(const solio_mesh *mesh,
                           uint64_t index,
                           const uint8_t **bytes,
                           uint64_t *length,
                           struct solio_error *error);

// Frees a mesh, and all that points into it; null is nothing to do.
int32_t solio_mesh_free(solio_mesh *mesh);

// An array of a mesh where it lies, without a copy. array is one of SOLIO_POSITIONS and those that
// follow; what has to be worked out first is SOLIO_UNSUPPORTED here, and solio_mesh_copy does it.
int32_t solio_mesh_view(const solio_mesh *mesh,
                        uint32_t array,
                        struct solio_array *view,
                        struct solio_error *error);

// Copies an array into the caller's memory: element i goes to to + i × stride. stride is in
// bytes, 0 for elements one directly after the other; bytes is how much may be written from to
// on. count gets the number of elements, and may be null; with to null nothing else is done. An
// array that has to be worked out to be counted is kept until the next call of this function.
int32_t solio_mesh_copy(const solio_mesh *mesh,
                        uint32_t array,
                        uint8_t *to,
                        uint64_t bytes,
                        uint64_t stride,
                        uint64_t *count,
                        struct solio_error *error);

// A further attribute of a mesh, such as a property of a PLY: number index, from 0 on. All pointers
// are there as long as the mesh.
int32_t solio_mesh_attribute(const solio_mesh *mesh,
                             uint64_t index,
                             struct solio_attribute *attribute,
                             struct solio_error *error);

// Writes a mesh to path; the ending tells the format (.obj, .ply, .stl, .off, also with
// .gz or .zst behind it). The file appears whole, or what was there before stays. written may
// be null.
int32_t solio_mesh_write(const struct solio_mesh_arrays *arrays,
                         const char *path,
                         uint64_t path_length,
                         const struct solio_mesh_write_options *options,
                         struct solio_written *written,
                         struct solio_error *error);

// A float as text into bytes bytes from text on: digits_after behind the point, 0 to 17, or
// SOLIO_SHORTEST. No zero stands at its end; length gets its bytes.
int32_t solio_f32_text(float value,
                       int32_t digits_after,
                       char *text,
                       uint64_t bytes,
                       uint64_t *length,
                       struct solio_error *error);

// A double as text, as solio_f32_text.
int32_t solio_f64_text(double value,
                       int32_t digits_after,
                       char *text,
                       uint64_t bytes,
                       uint64_t *length,
                       struct solio_error *error);

// The float that a text of length bytes begins with, the nearest one; used, which may be null,
// gets the bytes of its text. White space before it is not passed over.
int32_t solio_f32_value(const char *text,
                        uint64_t length,
                        float *value,
                        uint64_t *used,
                        struct solio_error *error);

// The double that a text begins with, as solio_f32_value.
int32_t solio_f64_value(const char *text,
                        uint64_t length,
                        double *value,
                        uint64_t *used,
                        struct solio_error *error);

// Unpacks length bytes of gzip or zstd, told apart by content, into the caller's memory. made,
// which may be null, gets how many bytes there are. What does not fit into to_bytes is
// SOLIO_LIMIT.
int32_t solio_inflate(const uint8_t *from,
                      uint64_t length,
                      uint8_t *to,
                      uint64_t to_bytes,
                      uint64_t *made,
                      struct solio_error *error);

// Packs length bytes into the caller's memory: one member of gzip, or one frame of zstd. method
// is SOLIO_GZIP (level 0 to 12) or SOLIO_ZSTD (level -7 to 22); level -100 is the usual one.
// made gets the bytes; what does not fit is SOLIO_LIMIT. solio_deflate_bound tells how much is
// enough.
int32_t solio_deflate(uint32_t method,
                      int32_t level,
                      const uint8_t *from,
                      uint64_t length,
                      uint8_t *to,
                      uint64_t to_bytes,
                      uint64_t *made,
                      struct solio_error *error);

// Bytes that length bytes take at most, packed by any method.
uint64_t solio_deflate_bound(uint64_t length);

// Opens a file of pbrt's text, packed or not. What it includes or imports comes as events, and is the
// caller's to open. work may be null.
int32_t solio_pbrt_open(const char *path,
                        uint64_t path_length,
                        const struct solio_work *work,
                        solio_pbrt **pbrt,
                        struct solio_error *error);

// The next directive. Returns SOLIO_END behind the last one. A fault of the text comes as an error
// with its place, and the next call goes on behind it.
int32_t solio_pbrt_next(const solio_pbrt *pbrt,
                        struct solio_pbrt_event *event,
                        struct solio_error *error);

// A parameter of the last event, by its number from 0 on.
int32_t solio_pbrt_parameter_at(const solio_pbrt *pbrt,
                                uint64_t index,
                                struct solio_pbrt_parameter *parameter,
                                struct solio_error *error);

// A string of the last event: of its parameter number parameter, or with UINT64_MAX of the
// directive itself. Without a zero at its end; there until the next event is asked for.
int32_t solio_pbrt_string(const solio_pbrt *pbrt,
                          uint64_t parameter,
                          uint64_t index,
                          const char **text,
                          uint64_t *length,
                          struct solio_error *error);

// Frees the reader, also before the end; null is nothing to do.
int32_t solio_pbrt_free(solio_pbrt *pbrt);

// Nanoseconds of a clock that never goes back.
uint64_t solio_now_ns(void);

// Ticks of the processor's own counter, which runs at a fixed rate on today's machines; where there
// is none that a program may read, nanoseconds.
uint64_t solio_ticks(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SOLIO_H */

// Times what stands between both, and prints a line to standard error: milliseconds, ticks of the
// processor's counter, iterations a second and ticks an iteration.
//
//     SOLIO_TIMER_START("normals")
//     for (int i = 0; i < 1000; i++) { work(i); }
//     SOLIO_TIMER_END(1000)
#define SOLIO_TIMER_START(text) \
    { \
        const char *solio_timer_text = (text); \
        const uint64_t solio_timer_ns = solio_now_ns(); \
        const uint64_t solio_timer_ticks = solio_ticks();

#define SOLIO_TIMER_END(iterations) \
        solio_timer_print(solio_timer_text, solio_now_ns() - solio_timer_ns, \
                          solio_ticks() - solio_timer_ticks, (double)(iterations)); \
    }

static inline void solio_timer_print(const char *text, uint64_t ns, uint64_t ticks, double count) {
    const double ms = (double)ns * 1e-6;
    fprintf(stderr, "%s: %.6f ms, %.0f ticks, %.1f iterations/s, %.2f ticks/iteration\n", text, ms,
            (double)ticks, ms > 0.0 ? count * 1e3 / ms : 0.0, count > 0.0 ? (double)ticks / count : 0.0);
}
