# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import and File > Export of OBJ, PLY and STL through Solio."""

from __future__ import annotations

import bpy

from . import operators


def _export_menu(self, _context):
    for operator in operators.EXPORTERS:
        self.layout.operator(operator.bl_idname, text=operator.bl_label)


def _import_menu(self, _context):
    for operator in operators.IMPORTERS:
        self.layout.operator(operator.bl_idname, text=operator.bl_label)


def register():
    for cls in (*operators.EXPORTERS, *operators.IMPORTERS):
        bpy.utils.register_class(cls)
    bpy.types.TOPBAR_MT_file_export.append(_export_menu)
    bpy.types.TOPBAR_MT_file_import.append(_import_menu)


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(_import_menu)
    bpy.types.TOPBAR_MT_file_export.remove(_export_menu)
    for cls in (*operators.IMPORTERS, *operators.EXPORTERS):
        bpy.utils.unregister_class(cls)
