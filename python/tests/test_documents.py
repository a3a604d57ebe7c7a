# SPDX-License-Identifier: BSD-3-Clause
"""What the documents show runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "python/README.md"])
def test_programs_of(page, capsys):
    programs = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    assert programs
    names = {}
    for program in programs:
        exec(program, names)
    assert names["gradient"].shape == names["x"].shape
    assert "BEYOND" not in capsys.readouterr().out
