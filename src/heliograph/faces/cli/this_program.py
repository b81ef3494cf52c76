"""How this very program is called, for commands that are printed to be pasted."""

import shlex
import shutil
import sys
from pathlib import Path

from heliograph.settings import DataSettings, Settings


def call_of(settings: Settings) -> str:
    """How it is called from a shell in the present folder, so that it finds this gateway."""
    default = DataSettings.model_fields["dir"].get_default()
    if settings.data_dir == Path.cwd() / default:
        return _program()
    return f"HELIOGRAPH_DATA_DIR={shlex.quote(str(settings.data_dir))} {_program()}"


def _program() -> str:
    program = Path(sys.executable).with_name("heliograph")
    found = shutil.which(program.name)
    if found is not None and Path(found).samefile(program):
        return program.name
    here = Path.cwd()
    return shlex.quote(str(program.relative_to(here) if program.is_relative_to(here) else program))
