# SPDX-License-Identifier: GPL-3.0-or-later
"""What a classic add-on does with its wheel, and how it refuses where that cannot work."""

from __future__ import annotations

import sys
import sysconfig
import zipfile

import pytest
from solio_io import wheels


@pytest.fixture
def addon(tmp_path, monkeypatch):
    """An add-on's folder with a wheel of a package that only says where it is."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "solio-1.0-cp311-abi3-manylinux_2_28_x86_64.whl", "w") as wheel:
        wheel.writestr("solio/__init__.py", "HERE = __file__\n")
        wheel.writestr("solio_command/__init__.py", "")
    monkeypatch.setattr(wheels, "__file__", str(tmp_path / "wheels.py"))
    monkeypatch.setattr(sysconfig, "get_platform", lambda: "linux-x86_64")
    monkeypatch.delitem(sys.modules, "solio", raising=False)
    return folder


def test_unpacks_once(addon):
    path = list(sys.path)
    for _ in range(2):
        sys.modules.pop("solio", None)
        wheels.import_solio("solio_io")
        assert sys.modules["solio"].HERE.startswith(str(addon))
    assert sys.path == path
    unpacked = addon / "solio-1.0-cp311-abi3-manylinux_2_28_x86_64"
    assert sorted(p.name for p in addon.iterdir()) == [unpacked.name, f"{unpacked.name}.whl"]
    assert [p.name for p in unpacked.iterdir()] == ["solio"]


def test_rest_of_a_kill(addon):
    rest = addon / "solio-1.0-cp311-abi3-manylinux_2_28_x86_64.partly"
    (rest / "solio").mkdir(parents=True)
    (rest / "solio/left.py").write_text("")
    wheels.import_solio("solio_io")
    assert not list(addon.glob("**/left.py"))


def test_leaves_an_extension_to_blender(addon):
    wheels.import_solio("bl_ext.user_default.solio_io")
    assert "solio" not in sys.modules
    assert len(list(addon.iterdir())) == 1


def test_says_why_not(addon, monkeypatch):
    monkeypatch.setattr(sysconfig, "get_platform", lambda: "linux-aarch64")
    with pytest.raises(ImportError, match="no wheel of Solio for linux-aarch64"):
        wheels.import_solio("solio_io")
    monkeypatch.setattr(sys, "version_info", (3, 10, 13))
    with pytest.raises(ImportError, match="Python 3.11 or newer; this one has 3.10"):
        wheels.import_solio("solio_io")


@pytest.mark.parametrize(
    ("platform", "tag"),
    [
        ("win-amd64", "win_amd64"),
        ("win-arm64", "win_arm64"),
        ("macosx-11.0-arm64", "macosx_11_0_arm64"),
        ("macosx-10.9-x86_64", "macosx_10_12_x86_64"),
        ("linux-x86_64", "manylinux_2_28_x86_64"),
    ],
)
def test_takes_the_wheel_of_the_machine(addon, monkeypatch, platform, tag):
    for other in ("win_amd64", "win_arm64", "macosx_11_0_arm64", "macosx_10_12_x86_64"):
        (addon / f"solio-1.0-cp311-abi3-{other}.whl").touch()
    monkeypatch.setattr(sysconfig, "get_platform", lambda: platform)
    found = wheels._for_this_machine(sorted(addon.glob("*.whl")))
    assert found.stem.endswith(f"-{tag}")


def test_older_names_are_of_the_same_place():
    """Each function that takes another's place has the arguments of that one."""
    import inspect

    from solio_io import build_mesh, extract, older

    names = [n for n, f in vars(older).items() if inspect.isfunction(f) and not n.startswith("_")]
    pairs = [(m, n) for n in names for m in (build_mesh, extract) if hasattr(m, n)]
    assert len(pairs) == len(names) - 2  # without socket() and node_tree()
    for module, name in pairs:
        arguments = [
            [p.lstrip("_") for p in inspect.signature(getattr(m, name)).parameters]
            for m in (module, older)
        ]
        assert arguments[0] == arguments[1], name
