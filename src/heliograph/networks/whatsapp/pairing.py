"""The pairing of one connection: the steps to show to a person, and its outcome."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal

from heliograph.networks.errors import NetworkError
from heliograph.networks.port import AccountStatus, PairingStep, SessionState
from heliograph.networks.reporting import Reporter
from heliograph.networks.whatsapp.client_run import ClientRun
from heliograph.networks.whatsapp.conversion.disconnects import End, end_of_pairing

FIRST_QR_LIFETIME = 60.0
QR_LIFETIME = 20.0
CODE_LIFETIME = 160.0
CODE_TIMEOUT = 150.0


class Pairing:
    """With a `number` (digits), the person types a code; without one they scan QR codes."""

    def __init__(self, reporter: Reporter, now: Callable[[], datetime], number: str | None) -> None:
        self._reporter = reporter
        self._now = now
        self._number = number
        self._offers = 0

    async def offer(self, qr: str, run: ClientRun) -> End | None:
        """Show a QR code that the library offers, or the code to type instead of the first."""
        self._offers += 1
        number = self._number
        if number is None:
            await self._show("qr", qr, FIRST_QR_LIFETIME if self._offers == 1 else QR_LIFETIME)
        elif self._offers == 1:
            try:
                async with asyncio.timeout(CODE_TIMEOUT):
                    code = await run.ask(lambda client: client.pair_phone(number))
            except TimeoutError:
                return End("WhatsApp gave no pairing code in time.", is_final=True)
            except NetworkError as error:
                return End(f"WhatsApp gave no pairing code: {error.reason}", is_final=True)
            await self._show("code", code, CODE_LIFETIME)
        return None

    async def handle(self, status: str) -> End | None:
        """Report the progress of the pairing, given the library's status. Returns the end, if it
        has ended."""
        end = end_of_pairing(status)
        if end is None or end.is_final:
            return end
        await self._reporter.report(SessionState(AccountStatus.PAIRING, end.reason))
        return None

    async def _show(self, kind: Literal["qr", "code"], payload: str, seconds: float) -> None:
        step = PairingStep(kind, payload, self._now() + timedelta(seconds=seconds))
        await self._reporter.report(SessionState(AccountStatus.PAIRING, pairing=step))
