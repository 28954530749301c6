# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that show one difficulty each. Every function fills an empty scene."""

from __future__ import annotations

import math

import bpy
from solio_io.older import BEFORE_4_1, socket


def _new(name, data):
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def _mesh(name, vertices, edges, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, edges, faces)
    return mesh


def _material(name, **values):
    material = bpy.data.materials.new(name)
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    bsdf = material.node_tree.nodes["Principled BSDF"]
    for key, value in values.items():
        socket(bsdf, key.replace("_", " ")).default_value = value
    return material


def triangle(name):
    """The mesh of a new object."""
    mesh = _mesh(name, [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    _new(name, mesh)
    return mesh


def material_of_image(name, path):
    """A material whose colour is an image that lies at a path."""
    material = _material(name)
    image = bpy.data.images.new(name, 2, 2)
    image.source, image.filepath = "FILE", path
    node = material.node_tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    bsdf = material.node_tree.nodes["Principled BSDF"]
    material.node_tree.links.new(node.outputs[0], bsdf.inputs["Base Color"])
    return material


def _shade_smooth(mesh):
    if BEFORE_4_1:
        mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
        mesh.update()
    else:
        mesh.shade_smooth()


def _sharp_from_angle(mesh, angle):
    if BEFORE_4_1:
        mesh.use_auto_smooth, mesh.auto_smooth_angle = True, angle
        _shade_smooth(mesh)
    else:
        mesh.set_sharp_from_angle(angle=angle)


def cube():
    bpy.ops.mesh.primitive_cube_add()


def monkey():
    bpy.ops.mesh.primitive_monkey_add(location=(1, 2, 3), rotation=(0.3, 0.2, 0.1))
    bpy.context.object.scale = (1, 2, 0.5)


def modifiers():
    bpy.ops.mesh.primitive_monkey_add()
    surface = bpy.context.object.modifiers.new("subdivide", "SUBSURF")
    surface.levels, surface.render_levels = 1, 2
    bpy.ops.mesh.primitive_cube_add(location=(3, 0, 0))
    bpy.context.object.modifiers.new("row", "ARRAY").count = 3
    bevel = bpy.context.object.modifiers.new("bevel", "BEVEL")
    bevel.segments, bevel.show_render = 2, False
    bpy.ops.mesh.primitive_cylinder_add(vertices=12, location=(0, 4, 0))
    bpy.context.object.modifiers.new("hidden", "WIREFRAME").show_viewport = False


def transforms():
    bpy.ops.mesh.primitive_cube_add(location=(1, 2, 3), rotation=(1, 2, 3))
    parent = bpy.context.object
    bpy.ops.mesh.primitive_cone_add(vertices=7, location=(-1, 0.5, 2))
    child = bpy.context.object
    child.parent, child.scale = parent, (1, -2, 0.25)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=8, ring_count=5)
    bpy.context.object.scale = (-1, -1, -1.5)
    bpy.ops.object.shade_smooth()
    bpy.ops.mesh.primitive_torus_add(major_segments=9, minor_segments=5)
    bpy.context.object.scale = (-3, 0.001, 1000)
    bpy.ops.object.shade_smooth()
    bpy.ops.mesh.primitive_plane_add()
    bpy.context.object.scale = (1, 1, 0)


def materials():
    plain = _material("plain")
    glass = _material(
        "my glass", Alpha=0.5, Base_Color=(0.1, 0.25, 1 / 3, 1), Roughness=0.1, IOR=1.45
    )
    metal = _material("Ünïcödé 金属", Metallic=0.75, Roughness=0.333, Coat_Weight=0.5)
    glow = _material("a glow", Emission_Color=(1, 0.5, 0.1, 1), Emission_Strength=2.5)
    full = _material(
        "full",
        Sheen_Weight=0.3,
        Coat_Roughness=0.7,
        Anisotropic=0.2,
        Anisotropic_Rotation=0.6,
        Transmission_Weight=0.9,
        Specular_IOR_Level=0,
    )
    bare = bpy.data.materials.new("bare")
    if bpy.app.version < (5, 0):
        bare.use_nodes = True
    bare.node_tree.nodes.clear()
    bare.diffuse_color, bare.roughness, bare.metallic = (0.9, 0.1, 0.2, 0.4), 0.9, 0.3
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=7)
    first = bpy.context.object
    for material in (metal, plain, None, glass, plain):
        first.data.materials.append(material)
    for i, face in enumerate(first.data.polygons):
        face.material_index = (7 * i) % 7
    bpy.ops.mesh.primitive_cube_add(location=(3, 0, 0))
    second = bpy.context.object
    second.data.materials.append(glow)
    second.data.materials.append(full)
    second.material_slots[0].link = "OBJECT"
    second.material_slots[0].material = glass
    second.data.polygons[2].material_index = 1
    bpy.ops.mesh.primitive_cone_add(vertices=5)
    bpy.context.object.data.materials.append(bare)
    bpy.ops.mesh.primitive_plane_add()
    bpy.context.object.data.polygons[0].material_index = 3


def some_materials():
    """Objects without materials after and between such with materials."""
    for i, slots in enumerate((0, 2, 0, 1, 0)):
        bpy.ops.mesh.primitive_cube_add(location=(3 * i, 0, 0))
        mesh = bpy.context.object.data
        for k in range(slots):
            mesh.materials.append(_material(f"{i} {k}"))
        if i % 2 == 0:
            mesh.polygons[i].material_index = i // 2


def textures():
    material = _material("textured", Emission_Strength=1.0)
    tree = material.node_tree
    bsdf = tree.nodes["Principled BSDF"]
    rows = ("Base Color", "Metallic", "Roughness", "Specular IOR Level", "Sheen Weight", "Alpha")
    for i, name in enumerate((*rows, "Emission Color")):
        image = bpy.data.images.new(f"picture {i}", 4, 4)
        image.filepath = f"/tmp/no such folder/picture {i}.png"
        image.source = "FILE"
        node = tree.nodes.new("ShaderNodeTexImage")
        node.image = image
        tree.links.new(node.outputs["Color"], socket(bsdf, name))
        if i % 2:
            mapping = tree.nodes.new("ShaderNodeMapping")
            mapping.inputs["Location"].default_value = (0.1, 2, -1e-7)
            mapping.inputs["Scale"].default_value = (1, 1 / 3, 100000)
            tree.links.new(mapping.outputs["Vector"], node.inputs["Vector"])
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = bpy.data.images["picture 0"]
    bump = tree.nodes.new("ShaderNodeNormalMap")
    bump.inputs["Strength"].default_value = 0.7
    tree.links.new(node.outputs["Color"], bump.inputs["Color"])
    tree.links.new(bump.outputs["Normal"], bsdf.inputs["Normal"])
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.object.data.materials.append(material)


def custom_normals():
    bpy.ops.mesh.primitive_uv_sphere_add(segments=9, ring_count=6)
    mesh = bpy.context.object.data
    bpy.ops.object.shade_smooth()
    count = len(mesh.loops)
    normals = [(math.sin(i), math.cos(2 * i), math.sin(3 * i + 1)) for i in range(count)]
    if BEFORE_4_1:
        mesh.use_auto_smooth = True
    mesh.normals_split_custom_set(normals)
    bpy.context.object.scale = (1, 2, 3)


def ngons():
    points = [
        (math.cos(i) * (2 + i % 3), math.sin(i) * (2 + i % 2), 0.1 * i) for i in range(0, 6)
    ]
    concave = [(4, 0, 0), (8, 0, 0), (8, 4, 0), (6, 1, 0), (4, 4, 0)]
    mesh = _mesh("shapes", points + concave, [], [range(6), range(6, 11), (0, 6, 10)])
    _new("ngons", mesh)
    bpy.ops.mesh.primitive_cylinder_add(vertices=40)


def curves():
    bpy.ops.curve.primitive_bezier_curve_add(location=(1, 0, 0))
    bpy.ops.curve.primitive_bezier_circle_add()
    bpy.context.object.data.bevel_depth = 0.125
    bpy.ops.curve.primitive_nurbs_curve_add(rotation=(0.1, 0.2, 0.3))
    bpy.ops.curve.primitive_nurbs_circle_add()
    bpy.context.object.scale = (1, 2, -3)
    bpy.ops.curve.primitive_nurbs_path_add()
    bpy.context.object.name = "a path"
    bpy.context.object.data.splines[0].use_endpoint_u = False
    bpy.ops.surface.primitive_nurbs_surface_curve_add()
    bpy.ops.surface.primitive_nurbs_surface_surface_add()
    bpy.ops.object.metaball_add()
    bpy.ops.object.text_add()
    curve = bpy.data.curves.new("line", "CURVE")
    curve.dimensions = "3D"
    for cyclic in (False, True):
        spline = curve.splines.new("POLY")
        spline.points.add(3)
        spline.use_cyclic_u = cyclic
        for i, point in enumerate(spline.points):
            point.co = (i, i * i, cyclic, 1)
    _new("poly", curve)
    _new("empty curve", bpy.data.curves.new("empty", "CURVE"))
    bpy.ops.mesh.primitive_cube_add()


def loose():
    vertices = [(i, i * 0.5, -i) for i in range(9)]
    mesh = _mesh("loose", vertices, [(0, 1), (1, 5), (7, 8)], [(2, 3, 4), (3, 4, 6)])
    _new("loose", mesh)
    _new("wire", _mesh("wire", vertices, [(0, 1), (1, 2)], []))
    _new("points", _mesh("points", vertices, [], []))
    _new("nothing", bpy.data.meshes.new("nothing"))
    bpy.ops.mesh.primitive_cube_add()
    _shade_smooth(bpy.context.object.data)
    smooth = _mesh("smooth", vertices, [(7, 8)], [(2, 3, 4), (3, 4, 6)])
    _shade_smooth(smooth)
    _new("smooth loose", smooth)


def names():
    for name in ("spaced out name", "Käse 乳酪 🧀", "tab\tname", "a/b\\c", "#hash", "trailing "):
        bpy.ops.mesh.primitive_plane_add()
        bpy.context.object.name = name
        bpy.context.object.data.name = name + " data"


def groups():
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=5, y_subdivisions=4)
    thing = bpy.context.object
    first = thing.vertex_groups.new(name="first group")
    second = thing.vertex_groups.new(name="Zweite")
    thing.vertex_groups.new(name="empty")
    for vertex in thing.data.vertices:
        if vertex.index % 3 == 0:
            first.add([vertex.index], 0.3 + vertex.index / 100, "REPLACE")
        if vertex.co.x > 0:
            second.add([vertex.index], 0.5, "REPLACE")
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.object.vertex_groups.new(name="unused")
    bpy.ops.mesh.primitive_cone_add(vertices=4)


def smoothing():
    bpy.ops.mesh.primitive_cylinder_add(vertices=12)
    mesh = bpy.context.object.data
    _shade_smooth(mesh)
    for edge in mesh.edges:
        edge.use_edge_sharp = edge.index % 5 == 0
    for face in mesh.polygons:
        face.use_smooth = face.index % 7 != 0
    bpy.ops.mesh.primitive_uv_sphere_add(segments=10, ring_count=6)
    bpy.ops.object.shade_smooth()
    bpy.ops.mesh.primitive_cube_add()
    _sharp_from_angle(bpy.context.object.data, 0.5)


def colors():
    kinds = (("FLOAT_COLOR", "POINT"), ("BYTE_COLOR", "POINT"), ("FLOAT_COLOR", "CORNER"))
    for kind, domain in (*kinds, ("BYTE_COLOR", "CORNER")):
        bpy.ops.mesh.primitive_uv_sphere_add(segments=7, ring_count=5)
        mesh = bpy.context.object.data
        layer = mesh.color_attributes.new("paint", kind, domain)
        for i, value in enumerate(layer.data):
            value.color = (i % 11 / 10, i % 7 / 6, (i % 5) ** 2 / 17, i % 3 / 2)
        if kind == "FLOAT_COLOR":  # light that no byte holds
            for value, light in zip(layer.data, (1.004, 1.5, 17, -0.5), strict=False):
                value.color = (light, light / 2, light * 2, light)
        mesh.color_attributes.active_color = layer
    # Corners have colours, but not all vertices have corners.
    for kind in ("FLOAT_COLOR", "BYTE_COLOR"):
        points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (5, 5, 5), (6, 5, 5)]
        mesh = _mesh("partly loose", points, [(3, 4)], [(0, 1, 2)])
        layer = mesh.color_attributes.new("paint", kind, "CORNER")
        for i, value in enumerate(layer.data):
            value.color = (0.2 * i, 0.5, 0.7, 0.8)
        mesh.color_attributes.active_color = layer
        _new("partly loose", mesh)
    bpy.ops.mesh.primitive_cube_add()
    _new("loose", _mesh("loose", [(0, 0, 0), (1, 0, 0)], [(0, 1)], []))


def attributes():
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=3, y_subdivisions=2)
    mesh = bpy.context.object.data
    values = {
        "FLOAT": ("value", lambda i: i / 3),
        "INT": ("value", lambda i: i * 1000003),
        "INT8": ("value", lambda i: i - 5),
        "BOOLEAN": ("value", lambda i: i % 2 == 0),
        "FLOAT2": ("vector", lambda i: (i, -i)),
        "FLOAT_VECTOR": ("vector", lambda i: (i, i / 7, -1)),
        "FLOAT_COLOR": ("color", lambda i: (i / 20, 1, 0.5, 0.25)),
        "BYTE_COLOR": ("color", lambda i: (i / 20, 1, 0.5, 0.25)),
        "QUATERNION": ("value", lambda i: (1, 0.5, i, 0.25)),
        "INT32_2D": ("value", lambda i: (i, -i)),
    }
    known = bpy.types.Attribute.bl_rna.properties["data_type"].enum_items
    for kind, (name, make) in values.items():
        if kind not in known:  # Blender 3.4 has no quaternions and no pairs of integers
            continue
        data = mesh.attributes.new(f"my_{kind.lower()}", kind, "POINT").data
        for i, element in enumerate(data):
            setattr(element, name, make(i))
    mesh.attributes.new("of_faces", "FLOAT", "FACE")
    bpy.ops.mesh.primitive_cube_add()
    other = bpy.context.object.data.attributes.new("my_float", "FLOAT", "POINT")
    other.data[3].value = 42
    bpy.context.object.data.attributes.new("late", "FLOAT", "POINT").data[0].value = 7
    bpy.ops.mesh.primitive_plane_add()


def no_uv():
    bpy.ops.mesh.primitive_cube_add(calc_uvs=False)
    bpy.ops.mesh.primitive_plane_add()
    bpy.ops.mesh.primitive_cone_add(vertices=5, calc_uvs=False)
    bpy.ops.mesh.primitive_monkey_add()
    extra = bpy.context.object.data.uv_layers.new(name="second")
    values, key = (extra.data, "uv") if BEFORE_4_1 else (extra.uv, "vector")
    for i, value in enumerate(values):
        setattr(value, key, (i % 13 / 13, -0.0 if i % 2 else 0.0))
    bpy.context.object.data.uv_layers.active = extra


def shared():
    bpy.ops.mesh.primitive_monkey_add()
    source = bpy.context.object
    for i in range(4):
        copy = _new(f"copy {i}", source.data)
        copy.location, copy.scale = (i, 0, 0), (1, 1, (-1) ** i)
    _new("changed", source.data).modifiers.new("wire", "WIREFRAME")


def instances():
    inner = bpy.data.collections.new("inner")
    for i in range(2):
        thing = bpy.data.objects.new(f"part {i}", _mesh(f"m{i}", *_tetrahedron(i)))
        thing.location = (0, 0, i)
        inner.objects.link(thing)
    for i in range(2):
        empty = _new(f"holder {i}", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", inner
        empty.location, empty.scale = (5 * i, 0, 0), (1, 1, 1 - 2 * i)
    bpy.ops.mesh.primitive_plane_add()
    parent = bpy.context.object
    parent.instance_type = "VERTS"
    bpy.ops.mesh.primitive_cone_add(vertices=3)
    bpy.context.object.parent = parent


def _tetrahedron(i):
    vertices = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1 + i)]
    return vertices, [], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def collections():
    outer = bpy.data.collections.new("Outer")
    nested = bpy.data.collections.new("Nested")
    bpy.context.scene.collection.children.link(outer)
    outer.children.link(nested)
    for i, collection in enumerate((outer, nested, outer, bpy.context.scene.collection)):
        thing = bpy.data.objects.new(f"c{i}", _mesh(f"m{i}", *_tetrahedron(i)))
        collection.objects.link(thing)
        thing.select_set(i % 2 == 0)
    for name, attribute in (("no viewport", "hide_viewport"), ("no render", "hide_render")):
        thing = bpy.data.objects.new(name, _mesh(name, *_tetrahedron(3)))
        nested.objects.link(thing)
        setattr(thing, attribute, True)
    hidden = bpy.data.objects.new("closed eye", _mesh("eye", *_tetrahedron(4)))
    nested.objects.link(hidden)
    hidden.hide_set(True)


def animated():
    bpy.ops.mesh.primitive_cube_add()
    thing = bpy.context.object
    for frame, x in ((1, 0.0), (3, 2.0)):
        thing.location.x = x
        thing.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 3
    bpy.context.scene.frame_set(2)


def shape_keys():
    bpy.ops.mesh.primitive_cube_add()
    thing = bpy.context.object
    thing.shape_key_add(name="Basis")
    key = thing.shape_key_add(name="up")
    for point in key.data:
        point.co.z += 1
    key.value = 0.5


def large():
    """More elements than one chunk of either exporter has."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=220, y_subdivisions=190)
    mesh = bpy.context.object.data
    for i in range(3):
        mesh.materials.append(_material(f"m{i}"))
    for vertex in mesh.vertices:
        vertex.co.z = math.sin(vertex.co.x * 5) * math.cos(vertex.co.y * 9)
    for face in mesh.polygons:
        face.material_index = face.index // 9 % 3
        face.use_smooth = face.index % 13 != 0


ALL = {
    function.__name__: function
    for function in (
        cube,
        monkey,
        modifiers,
        transforms,
        materials,
        some_materials,
        textures,
        custom_normals,
        ngons,
        curves,
        loose,
        names,
        groups,
        smoothing,
        colors,
        attributes,
        no_uv,
        shared,
        instances,
        collections,
        animated,
        shape_keys,
        large,
    )
}
