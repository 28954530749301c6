"""The table of kinds of files and their options."""

from __future__ import annotations

import solio
from solio import _image_io, _io


def test_options_of_formats_are_arguments() -> None:
    arguments = {*_io.WriteOptions.__annotations__, *_image_io.WriteOptions.__annotations__}
    for kind in solio.formats():
        for option in kind.options:
            assert not option.argument or option.argument in arguments, option
    obj = next(kind for kind in solio.formats() if kind.name == "obj")
    assert {"digits", "export-uv", "mtl"} <= {option.flag for option in obj.options}
    assert not any(option.flag == "ascii" for option in obj.options)
