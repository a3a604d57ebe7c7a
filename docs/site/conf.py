# SPDX-License-Identifier: BSD-3-Clause
"""The site of these documents: `./bootstrap site` builds it, in build/site/."""

import re
import subprocess
from pathlib import Path

docs = Path(__file__).parents[1]
build = docs.parent / "build"

project = "starfmm"
version = re.search(r"^  VERSION ([\d.]+)$", (docs.parent / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
root_doc = "site/index"
exclude_patterns = ["lab", "data"]

extensions = ["breathe", "myst_nb", "sphinx.ext.autodoc"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4  # such that library.md#one-sum is a link
nb_execution_mode = "off"  # they keep what they showed; the package's tests run them

autodoc_default_options = {"members": True, "member-order": "bysource", "special-members": "__call__"}
autodoc_mock_imports = ["jax", "torch"]
aliases = ("ArrayLike", "Kernel", "PotentialKernel", "Tolerance", "Values")
autodoc_type_aliases = {name: name for name in aliases}
default_role = "code"

breathe_projects = {"starfmm": str(build / "doxygen/xml")}
breathe_default_project = "starfmm"
breathe_default_members = ("members",)

html_theme = "furo"
html_title = f"starfmm {version}"


def without_others(_app, name, source):
    """Links to what is not on the site, such as the lab's pages, become their text."""

    def link(found):
        target = (docs / f"{name}.md").parent / found[2]
        is_here = target.is_file() and docs in target.resolve().parents and "/lab/" not in str(target)
        return found[0] if is_here or not target.exists() else found[1]

    source[0] = re.sub(r"(?<!!)\[([^]]*)\]\((?!https?:|#)([^)#]*)[^)]*\)", link, source[0])


def as_rst(_app, _what, _name, _object, _options, lines):
    """Docstrings are plain text: `name: what it is` names an argument, and nothing is markup but `code`."""
    result, in_arguments = [], False
    for line in lines:
        line = re.sub(r"([|*\\])", r"\\\1", line)
        line = re.sub(r"^\(self\) -> (.+)", r"`\1`", line)  # nanobind's own
        argument = re.match(r"([a-z]\w*(?:, [a-z]\w*)*): (.+)", line)
        if argument:
            result += [*([] if in_arguments else [""]), f"* `{argument[1]}`: {argument[2]}"]
        elif in_arguments and line.startswith("    "):
            result.append(line[2:])
        else:
            result += [*([""] if in_arguments else []), line]
        in_arguments = bool(argument) or (in_arguments and line.startswith("    "))
    lines[:] = result


def short(_app, _what, _name, _object, _options, signature, returned):
    return signature and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", signature), returned


def setup(app):
    (build / "doxygen").mkdir(parents=True, exist_ok=True)
    subprocess.run(["doxygen", docs / "site/Doxyfile"], cwd=docs.parent, check=True)
    app.connect("source-read", without_others)
    app.connect("autodoc-process-docstring", as_rst)
    app.connect("autodoc-process-signature", short)
