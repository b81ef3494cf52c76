"""A clock that a test moves."""


class MovedClock:
    now = 0.0

    def __call__(self) -> float:
        return self.now
