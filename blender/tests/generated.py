# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that nobody tuned on: `fill(seed)` makes one of random objects, modifiers, instances,
attributes, materials and states. The same seed makes the same scene.

    python blender/tests/generated.py [FIRST [LAST]]

exports the scenes of these seeds (0 to 99) to every format with options of their own, by Blender
and by Solio, each in a process of its own, as Blender's exporter of OBJ crashes at some; it prints
what differs. `test_generated.py` has a sample of them.
"""

from __future__ import annotations

import math
import os
import random
import sys
import tempfile
from pathlib import Path

import bpy

NAMES = ("Thing", "two words", "Größe 乳酪", "a.b", "tab\tname", "#hash", "x/y\\z", "ends ")
MODIFIERS = (
    ("ARRAY", {"count": 2}),
    ("BEVEL", {"segments": 2}),
    ("BUILD", {"frame_duration": 2}),
    ("DECIMATE", {"ratio": 0.5}),
    ("DISPLACE", {"strength": 0.3}),
    ("EDGE_SPLIT", {}),
    ("MASK", {}),
    ("MIRROR", {"use_axis": (True, True, False)}),
    ("REMESH", {"mode": "VOXEL", "voxel_size": 0.4}),
    ("SCREW", {"steps": 5, "render_steps": 4}),
    ("SIMPLE_DEFORM", {"deform_method": "TWIST"}),
    ("SKIN", {}),
    ("SOLIDIFY", {"thickness": 0.2}),
    ("SUBSURF", {"levels": 1, "render_levels": 2}),
    ("TRIANGULATE", {}),
    ("WEIGHTED_NORMAL", {}),
    ("WELD", {"merge_threshold": 0.3}),
    ("WIREFRAME", {}),
)
OF_CURVES = ("ARRAY", "BUILD", "SIMPLE_DEFORM", "SOLIDIFY", "SUBSURF", "WELD", "MIRROR", "SCREW")
ATTRIBUTES = (
    ("FLOAT", "value", 1),
    ("INT", "value", 0),
    ("INT8", "value", 0),
    ("BOOLEAN", "value", 0),
    ("FLOAT2", "vector", 2),
    ("FLOAT_VECTOR", "vector", 3),
    ("FLOAT_COLOR", "color", 4),
    ("BYTE_COLOR", "color", 4),
    ("QUATERNION", "value", 4),
    ("INT32_2D", "value", -2),
)


class Maker:
    """Fills the scene by chance."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.materials = []
        self.number = 0

    def fill(self):
        kinds = [getattr(self, name) for name in dir(self) if name.startswith("add_")]
        for _ in range(self.chance.randint(2, 6)):
            made = self.chance.choice(kinds)()
            if made is not None:
                self.place(made)
        if self.chance.random() < 0.3:
            self.parents()
        bpy.context.view_layer.update()
        for thing in bpy.context.scene.objects:
            thing.select_set(self.chance.random() < 0.5)
        if self.chance.random() < 0.3:
            self.edit_mode()

    def likely(self, part):
        return self.chance.random() < part

    def floats(self, count, size=2.0):
        return [self.chance.uniform(-size, size) for _ in range(count)]

    def link(self, data):
        self.number += 1
        thing = bpy.data.objects.new(f"{self.chance.choice(NAMES)}{self.number}", data)
        bpy.context.scene.collection.objects.link(thing)
        return thing

    def place(self, thing):
        thing.location = self.floats(3, 5)
        if self.likely(0.5):
            thing.rotation_euler = self.floats(3, 3)
        if self.likely(0.5):
            thing.scale = self.chance.choice([(1, 2, 0.5), (-1, 1, 1), (1, 1, 0), (-2, -3, -1)])
        thing.hide_render = self.likely(0.05)
        thing.hide_viewport = self.likely(0.05)

    def parents(self):
        things = list(bpy.context.scene.objects)
        child, parent = self.chance.choice(things), self.chance.choice(things)
        if child is not parent and parent.parent is None:
            child.parent = parent

    def edit_mode(self):
        able = ("MESH", "CURVE", "SURFACE", "FONT", "META", "ARMATURE")
        things = [o for o in bpy.context.view_layer.objects if o.type in able and o.visible_get()]
        if things:
            bpy.context.view_layer.objects.active = self.chance.choice(things)
            bpy.ops.object.mode_set(mode="EDIT")

    # Meshes.

    def add_primitive(self):
        add = bpy.ops.mesh
        self.chance.choice(
            [
                add.primitive_cube_add,
                add.primitive_plane_add,
                add.primitive_monkey_add,
                lambda: add.primitive_uv_sphere_add(segments=7, ring_count=5),
                lambda: add.primitive_ico_sphere_add(subdivisions=1),
                lambda: add.primitive_cylinder_add(vertices=9),
                lambda: add.primitive_cone_add(vertices=5, calc_uvs=False),
                lambda: add.primitive_grid_add(x_subdivisions=4, y_subdivisions=3),
                lambda: add.primitive_torus_add(major_segments=6, minor_segments=4),
            ]
        )()
        return self.dressed(bpy.context.object)

    def add_polygons(self):
        points = [tuple(self.floats(3)) for _ in range(self.chance.randint(3, 30))]
        if self.likely(0.15):
            bad = self.chance.choice([math.nan, math.inf, -math.inf, 3e38, 1e-42])
            points[0] = (bad, points[0][1], points[0][2])
        every = range(len(points))
        faces = [
            self.chance.sample(every, self.chance.randint(3, min(7, len(points))))
            for _ in range(self.chance.randint(0, 12))
        ]
        edges = [self.chance.sample(every, 2) for _ in range(self.chance.randint(0, 5))]
        mesh = bpy.data.meshes.new(self.chance.choice(NAMES))
        mesh.from_pydata(points, edges, faces)
        if self.likely(0.8):
            mesh.validate()
        return self.dressed(self.link(mesh))

    def add_empty_mesh(self):
        return self.link(bpy.data.meshes.new("nothing"))

    def add_users_of_one_mesh(self):
        meshes = [m for m in bpy.data.meshes if m.users]
        if meshes:
            return self.link(self.chance.choice(meshes))
        return None

    def dressed(self, thing):
        mesh = thing.data
        for part, change in (
            (0.5, self.shading),
            (0.3, self.custom_normals),
            (0.5, self.uv_maps),
            (0.5, self.attributes),
            (0.3, self.colors),
            (0.4, self.groups),
            (0.5, self.slots),
        ):
            if self.likely(part):
                change(thing, mesh)
        if self.likely(0.25) and len(mesh.vertices):
            self.shape_keys(thing)
        for _ in range(self.chance.choice((0, 0, 1, 1, 2))):
            self.modifier(thing, [kind for kind, _ in MODIFIERS])
        if self.likely(0.2):
            self.nodes(thing)
        if self.likely(0.1):
            self.particles(thing)
        return thing

    def shading(self, _thing, mesh):
        for face in mesh.polygons:
            face.use_smooth = self.likely(0.7)
        for edge in mesh.edges:
            edge.use_edge_sharp = self.likely(0.2)

    def custom_normals(self, _thing, mesh):
        if len(mesh.loops) and mesh.validate() is False:
            mesh.normals_split_custom_set([self.floats(3) for _ in mesh.loops])

    def uv_maps(self, _thing, mesh):
        if len(mesh.polygons):
            for name in ("UVMap two", "third"):
                layer = mesh.uv_layers.new(name=name)
                if layer is None:
                    return
                for element in layer.uv:
                    element.vector = self.chance.choice([(0, 0), (-0.0, 1), (1 / 3, 2 / 3)])
            mesh.uv_layers.active_index = self.chance.randrange(len(mesh.uv_layers))

    def attributes(self, _thing, mesh):
        for kind, key, width in self.chance.sample(ATTRIBUTES, 3):
            domain = self.chance.choice(("POINT", "POINT", "POINT", "FACE", "EDGE", "CORNER"))
            made = mesh.attributes.new(f"{self.chance.choice(NAMES)} {kind}", kind, domain)
            for element in made.data:
                setattr(element, key, self.value(width))

    def value(self, width):
        if width == 0:
            return self.chance.randint(0, 1)
        if width < 0:
            return [self.chance.randint(-9, 9) for _ in range(-width)]
        special = [0.0, 1.0, math.nan, math.inf, 1e-30, 123456.789]
        values = [self.chance.choice([*special, self.chance.random()]) for _ in range(width)]
        return values[0] if width == 1 else values

    def colors(self, _thing, mesh):
        kind = self.chance.choice(("FLOAT_COLOR", "BYTE_COLOR"))
        layer = mesh.color_attributes.new("paint", kind, self.chance.choice(("POINT", "CORNER")))
        for element in layer.data:
            element.color = [self.chance.random() for _ in range(4)]
        mesh.color_attributes.active_color = layer

    def groups(self, thing, mesh):
        for i in range(self.chance.randint(1, 3)):
            group = thing.vertex_groups.new(name=f"{self.chance.choice(NAMES)} group {i}")
            for vertex in mesh.vertices:
                if self.likely(0.4):
                    group.add([vertex.index], self.chance.random(), "REPLACE")

    def shape_keys(self, thing):
        thing.shape_key_add(name="Basis")
        key = thing.shape_key_add(name="moved")
        for point in key.data:
            point.co.z += self.chance.random()
        key.value = self.chance.random()
        if self.likely(0.2):
            thing.show_only_shape_key, thing.active_shape_key_index = True, 1

    def modifier(self, thing, kinds):
        kind = self.chance.choice(kinds)
        made = thing.modifiers.new(kind.lower(), kind)
        if made is None:
            return
        for name, value in dict(MODIFIERS)[kind].items():
            setattr(made, name, value)
        made.show_viewport = not self.likely(0.15)
        made.show_render = not self.likely(0.15)

    def particles(self, thing):
        if not len(thing.data.polygons):
            return
        settings = thing.modifiers.new("particles", "PARTICLE_SYSTEM").particle_system.settings
        settings.type, settings.count, settings.render_type = "HAIR", 4, "OBJECT"
        settings.use_advanced_hair = True
        bpy.ops.mesh.primitive_cone_add(vertices=3)
        settings.instance_object = bpy.context.object

    # Geometry nodes.

    def nodes(self, thing):
        group = bpy.data.node_groups.new("made", "GeometryNodeTree")
        for way in ("INPUT", "OUTPUT"):
            group.interface.new_socket(
                "Geometry", in_out=way, socket_type="NodeSocketGeometry"
            )
        start = group.nodes.new("NodeGroupInput").outputs[0]
        end = group.nodes.new("NodeGroupOutput").inputs[0]
        for step in self.chance.sample((self._join, self._instances, self._store), 2):
            start = step(group, start)
        group.links.new(start, end)
        thing.modifiers.new("nodes", "NODES").node_group = group

    def _join(self, group, start):
        kind = self.chance.choice(("MeshCube", "MeshUVSphere", "MeshLine", "CurvePrimitiveCircle"))
        other = group.nodes.new(f"GeometryNode{kind}")
        join = group.nodes.new("GeometryNodeJoinGeometry")
        group.links.new(start, join.inputs[0])
        group.links.new(other.outputs[0], join.inputs[0])
        return join.outputs[0]

    def _instances(self, group, start):
        points = group.nodes.new("GeometryNodeMeshGrid")
        points.inputs["Vertices X"].default_value = points.inputs["Vertices Y"].default_value = 2
        on_points = group.nodes.new("GeometryNodeInstanceOnPoints")
        group.links.new(points.outputs[0], on_points.inputs["Points"])
        group.links.new(start, on_points.inputs["Instance"])
        if self.likely(0.5):
            return on_points.outputs[0]
        real = group.nodes.new("GeometryNodeRealizeInstances")
        group.links.new(on_points.outputs[0], real.inputs[0])
        return real.outputs[0]

    def _store(self, group, start):
        node = group.nodes.new("GeometryNodeStoreNamedAttribute")
        node.data_type = self.chance.choice(("FLOAT", "INT", "FLOAT_VECTOR", "FLOAT_COLOR"))
        node.domain = self.chance.choice(("POINT", "CORNER", "FACE"))
        node.inputs["Name"].default_value = "stored"
        group.links.new(start, node.inputs["Geometry"])
        return node.outputs[0]

    # Materials.

    def material(self):
        if self.materials and self.likely(0.5):
            return self.chance.choice(self.materials)
        material = bpy.data.materials.new(f"{self.chance.choice(NAMES)} material")
        bsdf = material.node_tree.nodes["Principled BSDF"]
        for name in ("Roughness", "Metallic", "Alpha", "Coat Weight", "Emission Strength"):
            if self.likely(0.4):
                bsdf.inputs[name].default_value = self.chance.random()
        bsdf.inputs["Base Color"].default_value = [self.chance.random() for _ in range(4)]
        for name in ("Base Color", "Roughness", "Emission Color"):
            if self.likely(0.25):
                image = bpy.data.images.new("picture", 2, 2)
                image.source = "FILE"
                image.filepath = self.chance.choice(
                    ("//tex/a.png", "/no/such/b c.png", "plain.png", "//../up.png", "C:\\t\\x.png")
                )
                node = material.node_tree.nodes.new("ShaderNodeTexImage")
                node.image = image
                material.node_tree.links.new(node.outputs[0], bsdf.inputs[name])
        self.materials.append(material)
        return material

    def slots(self, thing, mesh):
        for _ in range(self.chance.randint(1, 3)):
            mesh.materials.append(None if self.likely(0.2) else self.material())
        for face in mesh.polygons:
            face.material_index = self.chance.randint(0, 3)
        if self.likely(0.2):
            thing.material_slots[0].link = "OBJECT"
            thing.material_slots[0].material = self.material()

    # What has a mesh though it is none.

    def of_curve(self, thing):
        if self.likely(0.3):
            thing.data.materials.append(self.material())
        if self.likely(0.5):
            self.modifier(thing, OF_CURVES)
        elif self.likely(0.3) and thing.type != "SURFACE":
            self.nodes(thing)
        return thing

    def add_curve(self):
        add = bpy.ops.curve
        self.chance.choice(
            (
                add.primitive_bezier_curve_add,
                add.primitive_bezier_circle_add,
                add.primitive_nurbs_curve_add,
                add.primitive_nurbs_circle_add,
                add.primitive_nurbs_path_add,
            )
        )()
        curve = bpy.context.object.data
        curve.resolution_u = self.chance.randint(1, 8)
        curve.render_resolution_u = self.chance.choice((0, 0, 3))
        curve.dimensions = self.chance.choice(("2D", "3D"))
        curve.bevel_depth = self.chance.choice((0, 0, 0.1))
        curve.extrude = self.chance.choice((0, 0, 0.2))
        if self.likely(0.2):
            curve.splines[0].use_cyclic_u = True
        return self.of_curve(bpy.context.object)

    def add_text(self):
        bpy.ops.object.text_add()
        text = bpy.context.object.data
        text.body = self.chance.choice(("Solio", "a b\nc", "", "&"))
        text.extrude = self.chance.choice((0, 0.1))
        text.resolution_u = 2
        return self.of_curve(bpy.context.object)

    def add_surface(self):
        bpy.ops.surface.primitive_nurbs_surface_surface_add()
        return self.of_curve(bpy.context.object)

    def add_metaball(self):
        bpy.ops.object.metaball_add(type=self.chance.choice(("BALL", "CUBE", "PLANE")))
        bpy.context.object.data.resolution = 0.6
        bpy.context.object.data.render_resolution = 0.5
        return bpy.context.object

    # What has none.

    def add_other(self):
        make = bpy.data
        kinds = (
            lambda: make.cameras.new("camera"),
            lambda: make.lights.new("light", "POINT"),
            lambda: make.lattices.new("lattice"),
            lambda: make.pointclouds.new("points"),
            lambda: make.hair_curves.new("hair"),
            lambda: make.volumes.new("volume"),
            lambda: None,
        )
        return self.link(self.chance.choice(kinds)())

    # Instances and armatures.

    def add_instances(self):
        inner = bpy.data.collections.new("inner")
        mesh = bpy.data.meshes.new("part")
        mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [], [(0, 1, 2), (0, 2, 3)])
        inner.objects.link(bpy.data.objects.new("part", mesh))
        if self.likely(0.4):
            curve = bpy.data.curves.new("inner curve", "CURVE")
            curve.splines.new("POLY").points.add(3)
            inner.objects.link(bpy.data.objects.new("inner curve", curve))
        holder = self.link(None)
        holder.instance_type, holder.instance_collection = "COLLECTION", inner
        return holder

    def add_instancer(self):
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=2, y_subdivisions=2)
        parent = bpy.context.object
        parent.instance_type = self.chance.choice(("VERTS", "FACES"))
        parent.show_instancer_for_render = self.likely(0.5)
        bpy.ops.mesh.primitive_cone_add(vertices=3)
        bpy.context.object.parent = parent
        return parent

    def add_armature(self):
        bpy.ops.object.armature_add()
        armature = bpy.context.object
        armature.pose.bones[0].rotation_mode = "XYZ"
        armature.pose.bones[0].rotation_euler = self.floats(3, 1)
        bpy.ops.mesh.primitive_cube_add()
        thing = bpy.context.object
        group = thing.vertex_groups.new(name=armature.data.bones[0].name)
        group.add([0, 1, 2, 3], 0.7, "REPLACE")
        thing.modifiers.new("armature", "ARMATURE").object = armature
        return thing


def fill(seed):
    """Fills an empty scene."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    Maker(seed).fill()


def options(kind, seed):
    """Options of an exporter, by chance."""
    chance = random.Random(f"{kind} {seed}")
    properties = getattr(bpy.ops.wm, f"{kind}_export").get_rna_type().properties
    wanted = ("apply_", "export_", "smooth_", "use_", "ascii_")
    found = {
        p.identifier: chance.random() < 0.5
        for p in properties
        if p.type == "BOOLEAN" and p.identifier.startswith(wanted)
    }
    found["export_selected_objects"] = chance.random() < 0.1
    found.pop("export_animation", None)
    if chance.random() < 0.6:
        up = chance.choice("XYZ")
        found["up_axis"] = chance.choice(("", "NEGATIVE_")) + up
        forward = chance.choice([axis for axis in "XYZ" if axis != up])
        found["forward_axis"] = chance.choice(("", "NEGATIVE_")) + forward
        found["global_scale"] = chance.choice((1.0, 0.37, 100.0))
    if kind == "obj":
        found["path_mode"] = chance.choice(
            ("AUTO", "ABSOLUTE", "RELATIVE", "MATCH", "STRIP", "COPY")
        )
        found["export_eval_mode"] = chance.choice(("DAG_EVAL_RENDER", "DAG_EVAL_VIEWPORT"))
    elif kind == "ply":
        found["export_colors"] = chance.choice(("NONE", "SRGB", "LINEAR"))
    else:
        found["evaluation_mode"] = chance.choice(("DAG_EVAL_RENDER", "DAG_EVAL_VIEWPORT"))
    return found


def compare(kind, seed, folder):
    """What differs between both exporters; nothing where all bytes are equal."""
    import compare as exports

    fill(seed)
    given = options(kind, seed)
    return exports.difference_of(folder, kind, given)


def _in_a_process(kind, seed):
    """Whether the exports are equal; says so otherwise."""
    child = os.fork()
    if child == 0:
        text = "error"
        try:
            with tempfile.TemporaryDirectory() as folder:
                text = compare(kind, seed, Path(folder))
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        if text:
            print(f"DIFFERS {kind} {seed}: {text}\n  {options(kind, seed)}", flush=True)
        os._exit(bool(text))
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        print(f"CRASHES {kind} {seed}: by signal {os.WTERMSIG(status)}", flush=True)
    return status == 0


def main():
    first, last = (int(a) for a in (sys.argv[1:] + ["0", "99"][len(sys.argv) - 1 :])[:2])
    here = Path(__file__).parent
    sys.path[:0] = [str(here.parent), str(here)]
    import solio_io

    solio_io.register()
    jobs = [(kind, seed) for seed in range(first, last + 1) for kind in ("obj", "ply", "stl")]
    equal = sum(_in_a_process(*job) for job in jobs)
    print(f"{equal} of {len(jobs)} exports are equal")
    return int(equal != len(jobs))


if __name__ == "__main__":
    sys.exit(main())
