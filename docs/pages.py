"""What the site has beside the files of this folder: pages that are made when it is built.

mkdocs calls `on_files` and `on_page_markdown`. The command, which SOLIO_COMMAND names, tells of its own
flags; the documents of the repository's root become pages; mkdocstrings writes the pages of Python.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
HOUSE = {
    "ARCHITECTURE.md": "house/architecture.md",
    "CONTRIBUTING.md": "house/contributing.md",
    "SECURITY.md": "house/security.md",
    "CHANGELOG.md": "house/changes.md",
}
MODULES = {"python": "solio", "color": "solio.color", "io": "solio.io", "image": "solio.image"}


class Sessions(Preprocessor):
    """Sessions of Python in docstrings are code; without a word on it they would be quotations."""

    def run(self, lines: list[str]) -> list[str]:
        text = "\n".join(lines)
        return re.sub(r"(?:^>>>.*\n(?:.+\n?)*)+", self.fenced, text + "\n", flags=re.M).split("\n")

    def fenced(self, session: re.Match[str]) -> str:
        code = session[0].replace("  # doctest: +SKIP", "").rstrip("\n")
        return f"```pycon\n{code}\n```\n"


class SessionsExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.preprocessors.register(Sessions(md), "sessions", 60)


def on_config(config: Any) -> Any:
    config.markdown_extensions.append(SessionsExtension())
    return config


def on_files(files: Files, config: Any) -> Files:
    pages = {"reference/commands.md": commands()}
    for name, module in MODULES.items():
        pages[f"reference/{name}.md"] = f"# `{module}`\n\n::: {module}\n"
    for source, page in HOUSE.items():
        pages[page] = of_house((ROOT / source).read_text(encoding="utf-8"))
    for page, text in pages.items():
        files.append(File.generated(config, page, content=text))
    return files


def commands() -> str:
    """The reference of the command, as it tells it itself; its man pages name what there is."""
    command = os.environ.get("SOLIO_COMMAND", "solio")
    environment = os.environ | {"COLUMNS": "100", "NO_COLOR": "1"}
    text = "# Commands\n"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([command, "man", folder], check=True)
        names = sorted(page.stem for page in Path(folder).glob("*.1"))
    for name in names:
        words = name.split("-")[1:]
        call = [command, *words, "--help"]
        done = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True, env=environment)
        text += f"\n## `{' '.join(['solio', *words])}`\n\n```text\n{done.stdout.rstrip()}\n```\n"
    return text


def of_house(text: str) -> str:
    """A document of the root as a page: links to other documents lead to their pages."""

    def link(match: re.Match[str]) -> str:
        target = match[2]
        if target.startswith(("http", "#")):
            return match[0]
        if target in HOUSE:
            return f"[{match[1]}]({Path(HOUSE[target]).name})"
        if target.startswith("docs/"):
            return f"[{match[1]}](../{target.removeprefix('docs/')})"
        return f"{match[1]} (`{target}`)"

    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", link, text)


def without_other_machines(output: str, **_: Any) -> str:
    """No page asks another machine: the theme would load a help for searching without a server."""
    return re.sub(r'<script src="https://[^"]*"></script>', "", output)


on_post_page = on_post_template = without_other_machines


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Blocks that no test runs say so."""
    return re.sub(r'^```(\w+) notest="([^"]+)"$', r'*Not run by the tests: \2.*\n\n```\1', markdown, flags=re.M)
