# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender before 4.2: `blender -b --python addon.py -- ZIP FOLDER`.

`.ci/blender-addon` does that. The zip is installed and enabled as a classic add-on; its exporters
and importers are compared with those of this Blender; then it is disabled and removed.
"""

import sys
from pathlib import Path

import addon_utils
import bpy

sys.path.insert(0, str(Path(__file__).parent))
zip_file, folder = (Path(name) for name in sys.argv[sys.argv.index("--") + 1 :])
MODULE = "solio_io"
OPERATORS = [f"{kind}_{way}" for kind in ("obj", "ply", "stl", "gltf") for way in ("export", "import")]


def main():
    install()
    import addon_compare  # it imports the add-on

    failures = addon_compare.run(folder)
    remove()
    print(f"== Blender's add-on: installed, tried and removed in Blender {bpy.app.version_string}")
    for failure in failures:
        print("FAILED", failure)
    sys.exit(1 if failures else 0)


def registered():
    """Which of our operators this Blender has; each is in a menu."""
    found = [name for name in OPERATORS if hasattr(bpy.types, f"SOLIO_OT_{name}")]
    for menu in (bpy.types.TOPBAR_MT_file_export, bpy.types.TOPBAR_MT_file_import):
        entries = [f for f in menu._dyn_ui_initialize() if f.__module__ == MODULE]
        assert len(entries) == (1 if found else 0)
    return found


def install():
    assert registered() == []
    assert bpy.ops.preferences.addon_install(filepath=str(zip_file), overwrite=True) == {"FINISHED"}
    assert bpy.ops.preferences.addon_enable(module=MODULE) == {"FINISHED"}
    assert MODULE in bpy.context.preferences.addons
    assert registered() == OPERATORS
    import solio

    assert Path(solio.__file__).is_relative_to(installed_at()), solio.__file__


def remove():
    where = installed_at()
    assert bpy.ops.preferences.addon_disable(module=MODULE) == {"FINISHED"}
    assert MODULE not in bpy.context.preferences.addons
    assert registered() == []
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window, area=window.screen.areas[0]):
        assert bpy.ops.preferences.addon_remove(module=MODULE) == {"FINISHED"}
    assert not where.exists()
    assert all(module.__name__ != MODULE for module in addon_utils.modules())


def installed_at():
    found = [m for m in addon_utils.modules() if m.__name__ == MODULE]
    assert len(found) == 1
    return Path(found[0].__file__).parent


main()
