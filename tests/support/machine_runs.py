"""How long the state machines run: short in every test run, ten times as long with `--long`."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

T = TypeVar("T")

STEP_DEADLINE = 30.0
LONGEST_RUN = 1800
"""Seconds that a machine may take with the long profile."""
_USUAL_EXAMPLES = 100


def run_machine(machine: type[RuleBasedStateMachine], *, examples: int, steps: int) -> None:
    """Try that many sequences of at most so many steps, or the profile's multiple of them."""
    times = max(1, settings().max_examples // _USUAL_EXAMPLES)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples * times,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
            report_multiple_bugs=False,
        ),
    )


class Machine(RuleBasedStateMachine):
    """A state machine whose steps are asynchronous and share one event loop."""

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)

    def do(self, step: Coroutine[Any, Any, T]) -> T:
        """Run a step to its end. Raises `TimeoutError` when it hangs."""
        return self._runner.run(_bounded(step))

    def teardown(self) -> None:
        try:
            self.do(self.close())
        finally:
            self._runner.close()

    async def close(self) -> None: ...


async def _bounded(step: Coroutine[Any, Any, T]) -> T:
    async with asyncio.timeout(STEP_DEADLINE):
        return await step
