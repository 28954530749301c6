# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import and File > Export of OBJ, PLY, STL and glTF, and File > Import of pbrt scenes, through Solio."""

from __future__ import annotations

import bpy

from . import wheels

wheels.import_solio(__package__)

from . import operators  # noqa: E402  (it imports solio)

# For Blender before 4.2, which reads this text; later ones read the manifest.
bl_info = {
    "name": "Solio: fast OBJ, PLY, STL and glTF",
    "description": "The same files as Blender's exporters, many times faster",
    "author": "Solio maintainers",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "File > Import, File > Export",
    "category": "Import-Export",
}


def _export_menu(self, _context):
    for operator in operators.EXPORTERS:
        self.layout.operator(operator.bl_idname, text=operator.bl_label)


def _import_menu(self, _context):
    for operator in operators.IMPORTERS:
        self.layout.operator(operator.bl_idname, text=operator.bl_label)


def register():
    for cls in (*operators.EXPORTERS, *operators.IMPORTERS, *operators.HELPERS):
        bpy.utils.register_class(cls)
    bpy.types.TOPBAR_MT_file_export.append(_export_menu)
    bpy.types.TOPBAR_MT_file_import.append(_import_menu)


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(_import_menu)
    bpy.types.TOPBAR_MT_file_export.remove(_export_menu)
    for cls in (*operators.HELPERS, *operators.IMPORTERS, *operators.EXPORTERS):
        bpy.utils.unregister_class(cls)
