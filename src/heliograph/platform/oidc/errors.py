"""What goes wrong with a provider. Each error is a sentence for a person, and a reason for the
operator's log."""


class SignInError(Exception):
    """The provider said no, did not answer, or what it said can't be believed."""

    def __init__(self, sentence: str, reason: str) -> None:
        super().__init__(sentence)
        self.reason = reason[:500]


class UnusableAnswerError(SignInError):
    """The provider's answer can't be used; somebody has to change how it is set up."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            "The sign-in provider's answer can't be used. The log of the gateway says why.", reason
        )


class RefusedClientError(SignInError):
    """The provider does not accept the gateway as a client: some say so with `invalid_client`, and
    Keycloak with `unauthorized_client`."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            "The sign-in provider does not accept the gateway: its client id or secret may be "
            "wrong. The log of the gateway says more.",
            f"HELIOGRAPH_OIDC_CLIENT_ID or HELIOGRAPH_OIDC_CLIENT_SECRET may be wrong: {reason}",
        )


class OtherProviderError(SignInError):
    """The provider's issuer differs from HELIOGRAPH_OIDC_ISSUER, if only by a character."""

    def __init__(self, issuer: str) -> None:
        super().__init__(
            "The sign-in provider is not the one that is set up.",
            f"HELIOGRAPH_OIDC_ISSUER is not the issuer that the provider names: {issuer!r}",
        )


class ProviderUnavailableError(SignInError):
    """The provider can't be reached now, or too many sign-ins wait for it already."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            "The sign-in provider does not answer at the moment. Try again in a minute.", reason
        )
