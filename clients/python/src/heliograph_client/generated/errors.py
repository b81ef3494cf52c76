class UnexpectedStatus(Exception):
    """An answer of success that the description does not have."""

    def __init__(self, status_code: int, content: bytes) -> None:
        self.status_code = status_code
        self.content = content
        super().__init__(
            f"unexpected status {status_code}: {content[:1000].decode(errors='replace')}"
        )
