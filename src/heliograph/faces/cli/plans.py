"""`heliograph plans`: what organizations may use."""

from inspect import Parameter
from typing import Annotated

import typer

from heliograph.core.tenants.plans import PLAN_LIMITS
from heliograph.errors import InvalidInputError
from heliograph.faces.cli.commands import Commands, set_parameters
from heliograph.faces.cli.options import JsonOption
from heliograph.faces.cli.output import print_fields, print_json, print_table
from heliograph.faces.cli.running import run

app = Commands(help="Plans: what organizations may use.", no_args_is_help=True)

NONE = "none"

PlanName = Annotated[str, typer.Argument(help="The plan's name.")]


@app.command("list")
def list_all(as_json: JsonOption = False) -> None:
    """List all plans."""
    plans = run(lambda services: services.plans.list())
    if as_json:
        print_json(plans)
        return
    rows = [(plan.name, *(_show(getattr(plan, limit)) for limit in PLAN_LIMITS)) for plan in plans]
    print_table(
        ("plan", *(limit.replace("_", " ") for limit in PLAN_LIMITS)),
        rows,
        empty="There is no plan.",
    )


def put(name: str, as_json: bool, **given: str | None) -> None:
    """Create a plan, or change the given limits of one. Takes effect within a second."""
    limits = {limit: _read(limit, text) for limit, text in given.items() if text is not None}
    plan = run(lambda services: services.plans.put(name, limits))
    if as_json:
        print_json(plan)
        return
    print_fields(("plan", name), *((limit, _show(getattr(plan, limit))) for limit in PLAN_LIMITS))


set_parameters(
    put,
    [
        Parameter("name", Parameter.KEYWORD_ONLY, annotation=PlanName),
        *(
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                annotation=Annotated[
                    str | None, typer.Option(metavar="N", help=f"{limit.words}, or `none`.")
                ],
                default=None,
            )
            for name, limit in PLAN_LIMITS.items()
        ),
        Parameter("as_json", Parameter.KEYWORD_ONLY, annotation=JsonOption, default=False),
    ],
)
app.command("set")(put)


@app.command()
def delete(name: PlanName) -> None:
    """Delete a plan that no organization has."""
    run(lambda services: services.plans.delete(name))
    typer.echo(f"The plan '{name}' is deleted.")


def _read(limit: str, text: str) -> int | None:
    if text == NONE:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise InvalidInputError.at((limit,), f"'{text}' is neither a number nor '{NONE}'.")
    return int(text)


def _show(value: int | None) -> str:
    return "—" if value is None else f"{value:,}"
