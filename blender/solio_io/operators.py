# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators: options and the passage of errors; the work is in the other files."""

import os
import time
from types import SimpleNamespace

import bpy
import solio
from bpy.props import CollectionProperty, EnumProperty, FloatProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper, axis_conversion_ensure

from . import (
    export_gltf,
    export_obj,
    export_ply,
    export_stl,
    import_gltf,
    import_obj,
    import_pbrt,
    import_ply_stl,
    wrong_kind,
)
from . import properties as p
from .scene import EvaluationError


class _Axes:
    """Forward and up are two axes: in the dialog up gives way, a script is told."""

    def check(self, context):
        changed = super().check(context)
        return axis_conversion_ensure(self, "forward_axis", "up_axis") or changed

    def fits(self):
        if self.forward_axis[-1] != self.up_axis[-1]:
            return True
        self.report({"ERROR"}, f"Forward and up cannot both be along {self.up_axis[-1]}")
        return False


class _AnyExport(ExportHelper):
    """What the exporters share: the file name, and errors that become reports."""

    bl_options = {"PRESET"}
    check_extension = None  # names such as a.obj.gz keep their end
    other_ext = ()

    def fits(self):
        return True

    def invoke(self, context, event):
        if not self.filepath:
            stem = os.path.splitext(bpy.data.filepath)[0] or "untitled"
            self.filepath = stem + self.filename_ext
        return super().invoke(context, event)

    def execute(self, context):
        if not self.fits():
            return {"CANCELLED"}
        path = bpy.path.abspath(self.filepath)
        lower = path.lower()
        known = (self.filename_ext, *self.other_ext)
        if not any(lower.endswith(own + end) for own in known for end in ("", *p.COMPRESSED)):
            path += self.filename_ext
        ends = dict(zip(("GZIP", "ZSTD"), p.COMPRESSED, strict=True))
        end = ends.get(self.compression, "")
        if not lower.endswith(end):
            path += end
        self.filepath = path
        try:
            # Asking the operator itself for an option takes 5 µs.
            options = SimpleNamespace(**self.as_keywords())
            self.export(context, options, self.report)
        except (solio.Error, EvaluationError, LookupError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class _Export(_Axes, _AnyExport):
    """Exporters of formats in which axes are anybody's choice."""


class SOLIO_OT_obj_export(_Export, bpy.types.Operator):
    """Save the scene to a Wavefront OBJ file"""

    bl_idname = "solio.obj_export"
    bl_label = "Wavefront (.obj) – Solio"
    filename_ext = p.extension("obj")
    export = staticmethod(export_obj.export)

    filter_glob: p.file_filter("obj", "mtl")
    export_animation: p.switch("Export Animation", False, "Export multiple frames")
    start_frame: p.frame("Start Frame", -(2**31))
    end_frame: p.frame("End Frame", 2**31 - 1)
    forward_axis: p.forward("NEGATIVE_Z")
    up_axis: p.up("Y")
    global_scale: p.scale()
    apply_modifiers: p.switch("Apply Modifiers", True)
    apply_transform: p.switch("Apply Transform", True, "Apply object transforms to vertices")
    export_eval_mode: p.evaluation("DAG_EVAL_VIEWPORT")
    export_selected_objects: p.switch("Export Selected Objects", False)
    export_uv: p.option("export_uv", "Export UVs", True)
    export_normals: p.option("export_normals", "Export Normals", True)
    export_colors: p.switch("Export Colors", False, "Export per-vertex colours")
    export_materials: p.option("export_materials", "Export Materials", True)
    export_pbr_extensions: p.switch("Export Materials with PBR Extensions", False)
    path_mode: EnumProperty(name="Path Mode", items=p.PATH_MODES, default="AUTO")
    export_triangulated_mesh: p.option("export_triangulated_mesh", "Export Triangulated Mesh", False)
    export_curves_as_nurbs: p.switch("Export Curves as NURBS", False)
    export_object_groups: p.option("export_object_groups", "Export Object Groups", False)
    export_material_groups: p.option("export_material_groups", "Export Material Groups", False)
    export_vertex_groups: p.option("export_vertex_groups", "Export Vertex Groups", False)
    export_smooth_groups: p.option("export_smooth_groups", "Export Smooth Groups", False)
    smooth_group_bitflags: p.switch("Bitflags Smooth Groups", False)
    collection: p.collection()
    position_digits: p.digits("Position Digits", 6)
    uv_digits: p.digits("UV Digits", 6)
    normal_digits: p.digits("Normal Digits", 4)
    batch_mode: p.batch()
    compression: p.compression()


class SOLIO_OT_ply_export(_Export, bpy.types.Operator):
    """Save the scene to a PLY file"""

    bl_idname = "solio.ply_export"
    bl_label = "Stanford PLY (.ply) – Solio"
    filename_ext = p.extension("ply")
    export = staticmethod(export_ply.export)

    filter_glob: p.file_filter("ply")
    forward_axis: p.forward("Y")
    up_axis: p.up("Z")
    global_scale: p.scale()
    apply_modifiers: p.switch("Apply Modifiers", True)
    export_selected_objects: p.switch("Export Selected Objects", False)
    collection: p.collection()
    export_uv: p.option("export_uv", "Export UVs", True)
    export_normals: p.option("export_normals", "Export Vertex Normals", False)
    export_colors: EnumProperty(name="Export Vertex Colors", items=p.COLORS, default="SRGB")
    export_attributes: p.option("export_attributes", "Export Vertex Attributes", True)
    export_triangulated_mesh: p.option("export_triangulated_mesh", "Export Triangulated Mesh", False)
    ascii_format: p.option("ascii_format", "ASCII Format", False)
    digits: p.digits("Digits", -1)
    batch_mode: p.batch()
    compression: p.compression()


class SOLIO_OT_stl_export(_Export, bpy.types.Operator):
    """Save the scene to an STL file"""

    bl_idname = "solio.stl_export"
    bl_label = "STL (.stl) – Solio"
    filename_ext = p.extension("stl")
    export = staticmethod(export_stl.export)

    filter_glob: p.file_filter("stl")
    ascii_format: p.option("ascii_format", "ASCII Format", False)
    use_batch: p.option("stl_batch", "Batch Export", False)
    export_selected_objects: p.switch("Export Selected Objects", False)
    collection: p.collection()
    global_scale: p.scale(1e-6, 1e6)
    use_scene_unit: p.switch("Scene Unit", False, "Apply the scene's unit scale")
    forward_axis: p.forward("Y")
    up_axis: p.up("Z")
    apply_modifiers: p.switch("Apply Modifiers", True)
    evaluation_mode: p.evaluation("DAG_EVAL_RENDER")
    digits: p.digits("Digits", -1)
    batch_mode: p.batch()
    compression: p.compression()


class SOLIO_OT_gltf_export(_AnyExport, bpy.types.Operator):
    """Save the scene's meshes and materials to a glTF 2.0 file"""

    bl_idname = "solio.gltf_export"
    bl_label = "glTF 2.0 (.glb/.gltf) – Solio"
    filename_ext = p.extension("glb")
    other_ext = (p.extension("gltf"),)
    export = staticmethod(export_gltf.export)
    compression = "NAME"

    filter_glob: p.file_filter("glb", "gltf")
    apply_modifiers: p.switch("Apply Modifiers", True)
    export_eval_mode: p.evaluation("DAG_EVAL_VIEWPORT")
    export_selected_objects: p.switch("Export Selected Objects", False)
    collection: p.collection()
    export_uv: p.switch("Export UVs", True, "All UV maps")
    export_normals: p.switch("Export Normals", True)
    export_colors: p.switch("Export Colors", True, "The active colour attribute, a colour a vertex")
    export_materials: p.switch("Export Materials", True)
    export_attributes: p.switch("Export Attributes", True, "Attributes of vertices that are named _…")
    gpu_instances: p.switch(
        "GPU Instances", False, "Objects that share a mesh as arrays of transforms, without names"
    )
    batch_mode: p.batch()


class _AnyImport(ImportHelper):
    """What the importers share: several files, of which a bad one stops no other, and errors that
    become reports."""

    bl_options = {"UNDO", "PRESET"}
    check_extension = None

    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN"})
    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN"})

    def fits(self):
        return True

    def execute(self, context):
        if not self.fits():
            return {"CANCELLED"}
        paths = [os.path.join(self.directory, file.name) for file in self.files if file.name]
        before, imported = context.selected_objects, 0
        for path in paths or [self.filepath]:
            path = bpy.path.abspath(path)
            try:
                self.load(context, self, path, self.report)
                imported += 1
            except solio.Error as error:
                text = wrong_kind.told(error, path, self.filename_ext[1:])
                self.report({"ERROR"}, text)
        if not imported:
            return {"CANCELLED"}
        for other in before:
            other.select_set(False)
        return {"FINISHED"}


class _Import(_Axes, _AnyImport):
    """Importers of formats in which axes are anybody's choice."""


class SOLIO_OT_obj_import(_Import, bpy.types.Operator):
    """Load a Wavefront OBJ scene"""

    bl_idname = "solio.obj_import"
    bl_label = "Wavefront (.obj) – Solio"
    filename_ext = p.extension("obj")
    load = staticmethod(import_obj.load)

    filter_glob: p.file_filter("obj", "mtl")
    global_scale: p.scale()
    clamp_size: FloatProperty(
        name="Clamp Bounding Box",
        description="Resize the objects to keep bounding box under this value. Value 0 disables "
        "clamping",
        default=0.0,
        min=0.0,
        max=1000.0,
    )
    forward_axis: p.forward("NEGATIVE_Z")
    up_axis: p.up("Y")
    use_split_objects: p.switch("Split By Object", True)
    use_split_groups: p.switch("Split By Group", False)
    import_vertex_groups: p.switch("Vertex Groups", False, "Import OBJ groups as vertex groups")
    validate_meshes: p.switch("Validate Meshes", True)
    close_spline_loops: p.switch("Detect Cyclic Curves", True)
    collection_separator: StringProperty(
        name="Path Separator",
        description="Character used to separate objects name into hierarchical structure",
        maxlen=1,
    )
    mtl_name_collision_mode: EnumProperty(
        name="Material Name Collision",
        items=[
            ("MAKE_UNIQUE", "Make Unique", "Create new materials with unique names"),
            ("REFERENCE_EXISTING", "Reference Existing", "Use existing materials of that name"),
        ],
        default="MAKE_UNIQUE",
    )


class SOLIO_OT_ply_import(_Import, bpy.types.Operator):
    """Load a PLY file"""

    bl_idname = "solio.ply_import"
    bl_label = "Stanford PLY (.ply) – Solio"
    filename_ext = p.extension("ply")
    load = staticmethod(import_ply_stl.load_ply)

    filter_glob: p.file_filter("ply")
    global_scale: p.scale(1e-6, 1e6)
    use_scene_unit: p.switch("Scene Unit", False)
    forward_axis: p.forward("Y")
    up_axis: p.up("Z")
    merge_verts: p.switch("Merge Vertices", False, "Merges vertices by distance")
    import_colors: EnumProperty(name="Vertex Colors", items=p.COLORS, default="SRGB")
    import_attributes: p.switch("Vertex Attributes", True)


class SOLIO_OT_stl_import(_Import, bpy.types.Operator):
    """Load an STL file"""

    bl_idname = "solio.stl_import"
    bl_label = "STL (.stl) – Solio"
    filename_ext = p.extension("stl")
    load = staticmethod(import_ply_stl.load_stl)

    filter_glob: p.file_filter("stl")
    global_scale: p.scale(1e-6, 1e6)
    use_scene_unit: p.switch("Scene Unit", False)
    use_facet_normal: p.switch("Facet Normals", False, "Use the file's facet normals")
    forward_axis: p.forward("Y")
    up_axis: p.up("Z")
    use_mesh_validate: p.switch("Validate Mesh", True)


class SOLIO_OT_gltf_import(_AnyImport, bpy.types.Operator):
    """Load the meshes and materials of a glTF 2.0 file"""

    bl_idname = "solio.gltf_import"
    bl_label = "glTF 2.0 (.glb/.gltf) – Solio"
    filename_ext = p.extension("glb")
    load = staticmethod(import_gltf.load)

    filter_glob: p.file_filter("glb", "gltf")
    validate_meshes: p.switch("Validate Meshes", True)


class SOLIO_OT_pbrt_import(_AnyImport, bpy.types.Operator):
    """Load a pbrt scene, as text or packed"""

    bl_idname = "solio.pbrt_import"
    bl_label = "pbrt Scene (.pbrt) – Solio"
    filename_ext = p.extension("pbrt")
    load = staticmethod(import_pbrt.load)

    filter_glob: p.file_filter("pbrt", "solio")
    instances: EnumProperty(name="Instances", items=p.INSTANCES, default="AUTO")
    import_lights: p.switch("Lights", True)
    import_world: p.switch("World", True, "The scene's skies as the world of this scene")
    import_camera: p.switch("Camera", True, "The camera, and the size of its picture")

    def execute(self, context):
        if bpy.app.background or context.window is None:
            return super().execute(context)
        # In a window: another operator does the work step by step.
        options = self.as_keywords(ignore=("directory", "files", "filter_glob", "filepath"))
        names = [file.name for file in self.files if file.name]
        paths = [os.path.join(self.directory, name) for name in names] or [self.filepath]
        SOLIO_OT_pbrt_import_steps.waiting = [(path, SimpleNamespace(**options)) for path in paths]
        return bpy.ops.solio.pbrt_import_steps("INVOKE_DEFAULT")


class SOLIO_OT_pbrt_import_steps(bpy.types.Operator):
    """Load pbrt scenes in steps; Esc ends it and leaves nothing"""

    bl_idname = "solio.pbrt_import_steps"
    bl_label = "Load pbrt Scenes"
    bl_options = {"UNDO", "INTERNAL"}
    # Seconds of work between two looks at the keyboard.
    STEP = 0.1
    waiting = ()

    def invoke(self, context, _event):
        self.rest = list(self.waiting)
        self.steps = None
        self.imported = 0
        manager = context.window_manager
        manager.progress_begin(0, 1)
        self.timer = manager.event_timer_add(0.02, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            if self.steps is not None:
                self.steps.close()
            self.report({"WARNING"}, "The import was ended; nothing of it is left")
            return self.end(context, "CANCELLED")
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        until = time.perf_counter() + self.STEP
        while time.perf_counter() < until:
            if self.steps is None:
                if not self.rest:
                    return self.end(context, "FINISHED" if self.imported else "CANCELLED")
                self.path, options = self.rest.pop(0)
                self.path = bpy.path.abspath(self.path)
                work = import_pbrt.Import(context, options, self.path, self.report, in_window=True)
                self.steps = work.steps()
            try:
                done = next(self.steps)
            except StopIteration:
                self.steps = None
                self.imported += 1
                continue
            except solio.Error as error:
                self.steps = None
                self.report({"ERROR"}, wrong_kind.told(error, self.path, "pbrt"))
                continue
            context.window_manager.progress_update(done)
            name = os.path.basename(self.path)
            context.workspace.status_text_set(f"{name}: {done:.0%}   Esc ends it")
        return {"RUNNING_MODAL"}

    def end(self, context, result):
        manager = context.window_manager
        manager.event_timer_remove(self.timer)
        manager.progress_end()
        context.workspace.status_text_set(None)
        return {result}


EXPORTERS = (
    SOLIO_OT_obj_export,
    SOLIO_OT_ply_export,
    SOLIO_OT_stl_export,
    SOLIO_OT_gltf_export,
)
IMPORTERS = (
    SOLIO_OT_obj_import,
    SOLIO_OT_ply_import,
    SOLIO_OT_stl_import,
    SOLIO_OT_gltf_import,
    SOLIO_OT_pbrt_import,
)
# Those that others call.
HELPERS = (SOLIO_OT_pbrt_import_steps,)
