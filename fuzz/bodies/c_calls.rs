//! Rows of calls of the C interface: whatever is asked for, in whatever order, a code comes back and no
//! memory but the caller's is touched.

use solio_c::*;
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

/// Numbers out of an input; zeros behind its end.
struct Script<'a>(&'a [u8]);

impl Script<'_> {
    fn byte(&mut self) -> u8 {
        let (&first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        first
    }
    /// Small mostly, at times as large as can be.
    fn number(&mut self) -> u64 {
        match self.byte() {
            255 => u64::MAX,
            254 => i64::MAX as u64,
            253 => u64::from(u32::MAX),
            small => u64::from(small),
        }
    }
    fn stride(&mut self) -> i64 {
        i64::from(self.byte() as i8)
    }
    /// A structure's size: right, of a later version, or wrong.
    fn size<T>(&mut self) -> u64 {
        let right = size_of::<T>() as u64;
        match self.byte() {
            0..200 => right,
            200..210 => 0,
            210..220 => right - 8,
            _ => u64::from(self.byte()).min(right),
        }
    }
}

fn sized<T>(set: impl FnOnce(&mut T)) -> T {
    // SAFETY: numbers and pointers, for which zeros are a value.
    let mut value: T = unsafe { std::mem::zeroed() };
    set(&mut value);
    value
}

/// Files that are there: a mesh, an image, a scene.
fn files() -> &'static [PathBuf; 3] {
    static FILES: OnceLock<[PathBuf; 3]> = OnceLock::new();
    FILES.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("solio-c-calls-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for files");
        let [mesh, image, scene] = ["a.ply", "a.exr", "a.pbrt"].map(|name| folder.join(name));
        std::fs::write(&mesh, MESH).expect("a mesh");
        let text = "WorldBegin\nShape \"sphere\" \"float radius\" [1] \"string what\" [\"a\" \"b\"]\nWhat\n\
                    Rotate 1 2 3 4\n";
        std::fs::write(&scene, text).expect("a scene");
        let mut pixels = [0.5f32; 12 * 9];
        let slice = slice(c"Y", &mut pixels, 0, 0);
        let options = sized(|o: &mut solio_image_write_options| {
            o.size = size_of::<solio_image_write_options>() as u64;
            o.data_window = solio_window { min_x: -2, min_y: 3, max_x: 9, max_y: 11 };
        });
        let name = image.to_str().expect("UTF-8").as_bytes();
        // SAFETY: all that is pointed to is there.
        let code = unsafe {
            let path = name.as_ptr().cast();
            solio_image_write(path, name.len() as u64, &options, &slice, 1, null_mut(), null_mut())
        };
        assert_eq!(code, SOLIO_OK);
        [mesh, image, scene]
    })
}

fn slice(name: &'static std::ffi::CStr, to: &mut [f32], x: i64, y: i64) -> solio_slice {
    sized(|s: &mut solio_slice| {
        (s.name, s.start) = (name.as_ptr(), to.as_mut_ptr().cast());
        (s.x_stride, s.y_stride, s.kind) = (x, y, SOLIO_F32);
    })
}

const MESH: &[u8] = b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
    property float z\nproperty float nx\nproperty float ny\nproperty float nz\nproperty uchar tag\n\
    element face 2\nproperty list uchar int vertex_indices\nend_header\n0 0 0 0 0 1 1\n1 0 0 0 0 1 2\n\
    1 1 0 0 0 1 3\n0 1 0 0 0 1 4\n4 0 1 2 3\n3 0 1 2\n";

/// Reads all bytes of what was handed out.
///
/// # Safety
/// They are there.
unsafe fn touch(data: *const u8, bytes: u64) {
    if bytes > 0 {
        // SAFETY: as the caller promises.
        let all = unsafe { std::slice::from_raw_parts(data, bytes as usize) };
        std::hint::black_box(all.iter().fold(0u8, |sum, byte| sum ^ byte));
    }
}

/// Bytes of a number of this kind.
fn width(kind: u32) -> u64 {
    match kind {
        SOLIO_I8 | SOLIO_U8 => 1,
        SOLIO_I16 | SOLIO_U16 | SOLIO_F16 => 2,
        SOLIO_F64 => 8,
        _ => 4,
    }
}

pub(crate) fn c_calls(bytes: &[u8]) {
    let mut script = Script(bytes);
    let (mut mesh, mut image) = (null_mut::<solio_mesh>(), null_mut::<solio_image>());
    let (mut job, mut pbrt) = (null_mut::<solio_job>(), null_mut::<solio_pbrt>());
    let mut error: solio_error =
        sized(|e: &mut solio_error| e.size = size_of::<solio_error>() as u64);
    let e = &raw mut error;
    // SAFETY: all pointers lead to memory of the size that is said, or are null; handles are those that
    // were handed out, or of another kind.
    unsafe {
        solio_job_new(&mut job, e);
        for _ in 0..48 {
            if script.0.is_empty() {
                break;
            }
            let code = match script.byte() % 16 {
                0 => {
                    solio_mesh_free(mesh);
                    mesh = null_mut();
                    let work = sized(|w: &mut solio_work| {
                        w.size = script.size::<solio_work>();
                        (w.threads, w.limit_elements) = (1, script.number());
                        w.job = if script.byte() > 250 { mesh.cast() } else { null() };
                    });
                    let options = sized(|o: &mut solio_mesh_read_options| {
                        o.size = script.size::<solio_mesh_read_options>();
                        o.format = u32::from(script.byte() % 6);
                        o.flags = u32::from(script.byte() % 9);
                        o.work = &work;
                    });
                    let given = if script.byte() < 128 { MESH } else { script.0 };
                    solio_mesh_read_bytes(
                        given.as_ptr(),
                        given.len() as u64,
                        &options,
                        &mut mesh,
                        e,
                    )
                }
                1 => {
                    let mut counts = sized(|c: &mut solio_mesh_counts| {
                        c.size = script.size::<solio_mesh_counts>()
                    });
                    solio_mesh_count(mesh, &mut counts, e)
                }
                2 | 3 => {
                    let mut to = vec![0u8; 4 * script.byte() as usize];
                    let (array, stride) = (u32::from(script.byte() % 22), script.number());
                    solio_mesh_copy(
                        mesh,
                        array,
                        to.as_mut_ptr(),
                        to.len() as u64,
                        stride,
                        null_mut(),
                        e,
                    )
                }
                4 => {
                    let mut view =
                        sized(|v: &mut solio_array| v.size = size_of::<solio_array>() as u64);
                    let code = solio_mesh_view(mesh, u32::from(script.byte() % 22), &mut view, e);
                    if code == SOLIO_OK {
                        touch(
                            view.data,
                            view.count * u64::from(view.components) * width(view.kind),
                        );
                    }
                    code
                }
                5 => {
                    let mut found = sized(|a: &mut solio_attribute| {
                        a.size = size_of::<solio_attribute>() as u64
                    });
                    let code = solio_mesh_attribute(mesh, script.number(), &mut found, e);
                    if code == SOLIO_OK {
                        touch(found.data, found.count * width(found.kind));
                        touch(found.offsets.cast(), found.offset_count * 4);
                        touch(found.name.cast(), found.name_length);
                    }
                    code
                }
                6 => {
                    let (mut text, mut length) = (null(), 0);
                    let kind = u32::from(script.byte() % 6);
                    let code =
                        solio_mesh_name(mesh, kind, script.number(), &mut text, &mut length, e);
                    if code == SOLIO_OK {
                        touch(text.cast(), length);
                    }
                    code
                }
                7 => match script.byte() % 4 {
                    0 => solio_mesh_count(job.cast(), null_mut(), e),
                    1 => solio_image_parts(mesh.cast(), null_mut(), e),
                    2 => solio_pbrt_next(job.cast(), null_mut(), e),
                    _ => solio_job_cancel(image.cast(), e),
                },
                8 => {
                    solio_image_free(image);
                    image = null_mut();
                    let name = files()[1].to_str().expect("UTF-8").as_bytes();
                    solio_image_open(name.as_ptr().cast(), name.len() as u64, null(), &mut image, e)
                }
                9 => {
                    let mut part = sized(|p: &mut solio_part| p.size = script.size::<solio_part>());
                    solio_image_part(image, u32::from(script.byte() % 3), &mut part, e)
                }
                10 | 11 => {
                    // Room for any window of the image and any of these strides.
                    let mut room = vec![0f32; 2 * 40 * 400];
                    let middle = room.len() / 2;
                    let (x, y) = (script.stride() / 16 * 4, script.stride() / 2 * 4);
                    let window = solio_window {
                        min_x: script.stride() as i32 / 8,
                        min_y: script.stride() as i32 / 8,
                        max_x: script.stride() as i32 / 8,
                        max_y: script.stride() as i32 / 8,
                    };
                    let options = sized(|o: &mut solio_image_read_options| {
                        o.size = size_of::<solio_image_read_options>() as u64;
                        o.part = u32::from(script.byte() > 250);
                        o.window = if script.byte() < 200 { &window } else { null() };
                    });
                    let name = if script.byte() < 200 { c"Y" } else { c"Z" };
                    let mut one = slice(name, &mut room[middle..], x, y);
                    one.may_lack = u32::from(script.byte() > 128);
                    solio_image_read(image, &options, &one, 1, null_mut(), e)
                }
                12 => {
                    let mut to = vec![0u8; script.byte() as usize];
                    let mut made = 0;
                    let from = script.0;
                    let length = from.len() as u64;
                    let method = u32::from(script.byte() % 3);
                    let level = i32::from(script.byte() as i8);
                    let packed = solio_deflate(
                        method,
                        level,
                        from.as_ptr(),
                        length,
                        to.as_mut_ptr(),
                        to.len() as u64,
                        &mut made,
                        e,
                    );
                    let mut back = vec![0u8; script.byte() as usize];
                    let from = if packed == SOLIO_OK { &to[..made as usize] } else { from };
                    solio_inflate(
                        from.as_ptr(),
                        from.len() as u64,
                        back.as_mut_ptr(),
                        back.len() as u64,
                        null_mut(),
                        e,
                    )
                }
                13 => {
                    let mut text = vec![0u8; script.byte() as usize];
                    let value = f32::from_bits(u32::from_le_bytes([(); 4].map(|()| script.byte())));
                    let (digits, mut length, mut back) = (i32::from(script.byte() as i8), 0, 0f32);
                    let place = text.as_mut_ptr().cast();
                    let code =
                        solio_f32_text(value, digits, place, text.len() as u64, &mut length, e);
                    if code == SOLIO_OK && digits == SOLIO_SHORTEST && value.is_finite() {
                        assert_eq!(
                            solio_f32_value(place, length, &mut back, null_mut(), e),
                            SOLIO_OK
                        );
                        assert_eq!(back.to_bits(), value.to_bits());
                    }
                    code
                }
                14 => {
                    if pbrt.is_null() || script.byte() > 200 {
                        solio_pbrt_free(pbrt);
                        pbrt = null_mut();
                        let name = files()[2].to_str().expect("UTF-8").as_bytes();
                        solio_pbrt_open(
                            name.as_ptr().cast(),
                            name.len() as u64,
                            null(),
                            &mut pbrt,
                            e,
                        );
                    }
                    let mut event = sized(|v: &mut solio_pbrt_event| {
                        v.size = script.size::<solio_pbrt_event>()
                    });
                    solio_pbrt_next(pbrt, &mut event, e)
                }
                _ => {
                    let mut parameter = sized(|p: &mut solio_pbrt_parameter| {
                        p.size = size_of::<solio_pbrt_parameter>() as u64
                    });
                    let code = solio_pbrt_parameter_at(pbrt, script.number(), &mut parameter, e);
                    if code == SOLIO_OK && parameter.values.kind != SOLIO_PBRT_STRINGS {
                        touch(parameter.values.data, parameter.values.count * 4);
                    }
                    let (mut text, mut length) = (null(), 0);
                    let which = script.number();
                    if solio_pbrt_string(pbrt, which, script.number(), &mut text, &mut length, e)
                        == SOLIO_OK
                    {
                        touch(text.cast(), length);
                    }
                    code
                }
            };
            assert_ne!(code, SOLIO_PANIC, "{:?}", error.text.map(|c| c as u8 as char));
        }
        solio_mesh_free(mesh);
        solio_image_free(image);
        solio_pbrt_free(pbrt);
        solio_job_free(job);
    }
}
