# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances: collections under empties, or, of many, points whose geometry nodes place an object."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

# Above so many instances points take their places: an object each takes Blender a tenth of a millisecond,
# and its dependency graph as much again at every change.
MOST_OBJECTS = 1000
ATTRIBUTE = "pbrt_matrix"
GROUP = "pbrt Instances"
# Since 4.2 nodes can set whole matrices.
HAS_MATRICES = bpy.app.version >= (4, 2)


def place(job, definitions, matrices):
    """Places the instances: for each the number of its definition, and its matrix in Blender's space."""
    wanted = job.options.instances
    order = np.argsort(definitions, kind="stable")
    cuts = np.flatnonzero(np.diff(definitions[order])) + 1
    as_points = wanted == "POINTS" or (wanted == "AUTO" and len(definitions) > MOST_OBJECTS)
    for some in np.split(order, cuts) if len(order) else ():
        found = job.objects.get(int(definitions[some[0]]))
        if found is None:
            continue
        own = matrices[some]
        finite = np.isfinite(own).all(axis=(1, 2))
        if not finite.all():
            job.told.add("Instance without a finite matrix: left out", int((~finite).sum()), found.name)
            own = own[finite]
        if not len(own):
            continue
        if HAS_MATRICES:
            sheared = np.ones(len(own), np.bool_) if as_points else _shear(own)
        else:
            sheared = np.zeros(len(own), np.bool_)
            if (lost := int(_shear(own).sum())) > 0:
                job.told.add("Instance that shears: it is turned and scaled alone", lost, found.name)
        if len(own) == 1 and not _shear(own).any():
            found.matrix_world = Matrix(own[0].tolist())
            job.root.objects.link(found)
            continue
        home = _home(job, found, not sheared.all())
        if sheared.any():
            _points(job, found, own[sheared])
        for matrix in own[~sheared]:
            empty = job._new(bpy.data.objects.new(found.name, None))
            empty.instance_type, empty.instance_collection = "COLLECTION", home
            empty.matrix_world = Matrix(matrix.tolist())
            job.root.objects.link(empty)


def _home(job, found, is_collection):
    """Where a definition is: in a collection of its own where instances name it."""
    home = job.hidden
    if is_collection:
        home = job._new(bpy.data.collections.new(found.name))
        job.hidden.children.link(home)
    home.objects.link(found)
    return home


def _shear(matrices):
    """Which are more than place, rotation and scale."""
    columns = matrices[:, :3, :3].astype(np.float64)
    lengths = np.linalg.norm(columns, axis=1)
    product = np.einsum("nij,nik->njk", columns, columns)
    scale = np.maximum(lengths[:, :, None] * lengths[:, None, :], 1e-30)
    cosines = np.abs(product / scale)
    return np.max(cosines[:, (0, 0, 1), (1, 2, 2)], axis=1) > 1e-5


def _points(job, found, matrices):
    """One object for all of them."""
    data = job._new(bpy.data.meshes.new(f"{found.name} instances"))
    data.vertices.add(len(matrices))
    data.attributes["position"].data.foreach_set(
        "vector", np.ascontiguousarray(matrices[:, :3, 3]).reshape(-1)
    )
    columns = np.ascontiguousarray(matrices.transpose(0, 2, 1), np.float32)
    data.attributes.new(ATTRIBUTE, "FLOAT4X4", "POINT").data.foreach_set("value", columns.reshape(-1))
    points = job._new(bpy.data.objects.new(data.name, data))
    modifier = points.modifiers.new("Instances", "NODES")
    modifier.node_group = _group(job)
    identifier = modifier.node_group.interface.items_tree["Object"].identifier
    if hasattr(modifier, "properties"):
        getattr(modifier.properties.inputs, identifier).value = found
    else:  # before Blender 5.2
        modifier[identifier] = found
    job.root.objects.link(points)


def _group(job):
    """The nodes that put an object at each point, under the point's matrix."""
    known = bpy.data.node_groups.get(GROUP)
    if known is not None and known.bl_idname == "GeometryNodeTree":
        return known
    group = job._new(bpy.data.node_groups.new(GROUP, "GeometryNodeTree"))
    sockets, geometry = group.interface, "NodeSocketGeometry"
    sockets.new_socket("Geometry", in_out="INPUT", socket_type=geometry)
    sockets.new_socket("Object", in_out="INPUT", socket_type="NodeSocketObject")
    sockets.new_socket("Geometry", in_out="OUTPUT", socket_type=geometry)
    kinds = (
        "NodeGroupInput",
        "GeometryNodeObjectInfo",
        "GeometryNodeInstanceOnPoints",
        "GeometryNodeInputNamedAttribute",
        "GeometryNodeSetInstanceTransform",
        "NodeGroupOutput",
    )
    nodes = []
    for column, kind in enumerate(kinds):
        nodes.append(group.nodes.new(kind))
        nodes[-1].location = (200 * column, 0)
    given, info, put, named, move, out = nodes
    info.inputs["As Instance"].default_value = True
    named.data_type = "FLOAT4X4"
    named.inputs["Name"].default_value = ATTRIBUTE
    matrix = next(socket for socket in named.outputs if socket.enabled)
    link = group.links.new
    link(given.outputs["Object"], info.inputs["Object"])
    link(given.outputs["Geometry"], put.inputs["Points"])
    link(info.outputs["Geometry"], put.inputs["Instance"])
    link(put.outputs["Instances"], move.inputs["Instances"])
    link(matrix, move.inputs["Transform"])
    link(move.outputs["Instances"], out.inputs["Geometry"])
    return group
