"""What was measured in rounds, in turns without and with a fault: a machine that others share is
not as fast all the time, but two rounds beside each other tell."""

from dataclasses import dataclass, field
from statistics import median, quantiles

from chaos.results import Count


@dataclass(slots=True)
class Rounds:
    """The 99th percentiles of the rounds, in seconds."""

    without: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)

    def counts(self) -> dict[str, Count]:
        """The medians, in milliseconds, and the ratio of neighbours: its median and quartiles."""
        ratios = [with_it / alone for alone, with_it in zip(self.without, self.beside, strict=True)]
        quarters = quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        return {
            "rounds": len(ratios),
            "p99_without_ms": round(median(self.without) * 1000, 1),
            "p99_beside_ms": round(median(self.beside) * 1000, 1),
            "ratio": round(median(ratios), 3),
            "ratio_quartiles": f"{quarters[0]:.2f} to {quarters[2]:.2f}",
        }
