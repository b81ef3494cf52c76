"""Options that commands of many subjects take."""

from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OrganizationOption = Annotated[
    str | None,
    typer.Option(
        "--organization", "-o", help="Id or name. Without it: the demo's, or the only one."
    ),
]
