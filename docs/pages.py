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
COMMANDS: dict[str, str] = {}
MODULES = {
    "python": "solio",
    "color": "solio.color",
    "io": "solio.io",
    "image": "solio.image",
    "aio": "solio.aio",
}


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
    COMMANDS.update(commands())
    for section in config.nav:
        for title, entries in section.items():
            if title == "Reference":
                entries[entries.index("reference/commands.md")] = {"Commands": list(COMMANDS)}
    return config


def on_files(files: Files, config: Any) -> Files:
    pages = dict(COMMANDS)
    for name, module in MODULES.items():
        pages[f"reference/{name}.md"] = f"# `{module}`\n\n::: {module}\n"
    for source, page in HOUSE.items():
        pages[page] = of_house((ROOT / source).read_text(encoding="utf-8"))
    for page, text in pages.items():
        files.append(File.generated(config, page, content=text))
    return files


def commands() -> dict[str, str]:
    """A page for each command, from its man page: there the command tells of its own options."""
    command = os.environ.get("SOLIO_COMMAND", "solio")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([command, "man", folder], check=True)
        found = {page.stem: page.read_text(encoding="utf-8") for page in sorted(Path(folder).glob("*.1"))}
    index = ["# Commands", "", "| command | |", "|---|---|"]
    pages = {}
    for name, text in found.items():
        if name == "solio":
            continue
        words = " ".join(["solio", *name.split("-")[1:]])
        about, page = of_man(words, text)
        call = [command, *words.split()[1:], "--help"]
        told = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | {"NO_COLOR": "1"})
        usage = re.search(r"^Usage: (.*)", told.stdout, re.M)
        if usage:
            page = page.replace(".\n\n", f".\n\n```text\n{usage[1]}\n```\n\n", 1)
        pages[f"reference/commands/{name}.md"] = page
        index.append(f"| [`{words}`]({name}.md) | {about} |")
    index += ["", "Exit codes: 0 success; 1 some inputs failed, each is named; 2 usage; 3 nothing matched; 130 interrupted."]
    return {"reference/commands/index.md": "\n".join(index) + "\n", **pages}


def of_man(words: str, text: str) -> tuple[str, str]:
    """What a command does in a line, and its man page as Markdown: options with anchors, examples as code."""
    about, lines, section, code = "", [f"# `{words}`", ""], "", False
    option: list[str] = []

    def plain(line: str) -> str:
        line = re.sub(r"\\f[BIPR]", "", line).replace("\\*(Aq", "'").replace("\\(aq", "'")
        return line.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")

    def prose(line: str) -> str:
        return re.sub(r"([<>*_`|#])", r"\\\1", plain(line))

    def end() -> None:
        if option:
            lines.extend(["", *option, ""])
            option.clear()

    for line in text.split("\n"):
        if match := re.match(r"\.SH (.*)", line):
            end()
            section = match[1].strip('"')
            if section not in ("NAME", "SYNOPSIS", "DESCRIPTION", "VERSION"):
                lines.extend(["", f"## {section.capitalize()}", ""])
        elif line == ".nf" or line == ".fi":
            code = line == ".nf"
            lines.append("```sh" if code else "```")
        elif code:
            # What stands beside an example is a comment above it: the block can be copied, and fits a phone.
            example = re.match(r"(.*?\S)\s{2,}(\S.*)$", plain(line).removeprefix("  "))
            lines.extend([f"# {example[2]}", example[1]] if example else [plain(line).removeprefix("  ")])
        elif section == "NAME":
            about = prose(line.split(" \\- ", 1)[-1]) if " \\- " in line else about
        elif section == "SYNOPSIS":
            lines.extend([f"{about}.", ""])
            section = ""
        elif line == ".TP":
            end()
            option.append("")
        elif line.startswith((".IP", ".RS", ".RE", ".br", ".ie", ".el", ".TH", "'")) or section in ("", "DESCRIPTION"):
            if line.startswith(".IP") and option:
                option.extend(["- "] if option[-1].startswith("- ") else ["", "- "])
        elif line == ".PP":
            end()
            lines.append("")
        elif option == [""]:
            flag = plain(line)
            long = re.search(r"--([a-z0-9-]+)", flag)
            anchor = long[1] if long else re.sub(r"[^a-z0-9]+", "-", flag.lower()).strip("-")
            option[0] = f"### `{flag.strip()}` {{ #{anchor} }}"
            option.append("")
        elif option and option[-1] == "- ":
            option[-1] += prose(line)
        elif option:
            option.append(prose(line))
        elif line:
            lines.append(prose(line))
    end()
    head, *sections = re.split(r"^(?=## )", "\n".join(lines), flags=re.M)
    # People look at the examples first.
    sections.sort(key=lambda section: not section.startswith("## Examples"))
    return about, re.sub(r"\n{3,}", "\n\n", head + "\n".join(sections)).rstrip() + "\n"


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


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Why a block is run by no test is for whoever writes it, not for readers. The home page has the table of README."""
    if page.file.src_uri == "index.md":
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        table = readme.split("<!-- measured: start -->")[1].split("<!-- measured: end -->")[0]
        markdown = markdown.replace("<!-- measured -->", table.strip())
    return re.sub(r'^```(\w+) notest="[^"]+"$', r"```\1", markdown, flags=re.M)
