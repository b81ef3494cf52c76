"""What goes wrong with a provider. Each error is a sentence for a person, and a reason for the
operator's log."""


class SignInError(Exception):
    """The provider said no, did not answer, or what it said can't be believed."""

    def __init__(self, sentence: str, reason: str) -> None:
        super().__init__(sentence)
        self.reason = reason[:500]


class UnusableAnswerError(SignInError):
    """What the provider says can't be used; somebody has to set it up otherwise."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            "The sign-in provider's answer can't be used. The log of the gateway says why.", reason
        )


class RefusedClientError(SignInError):
    """It does not take the gateway for a client of its own: some say so with `invalid_client`, and
    Keycloak with `unauthorized_client`."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            "The sign-in provider does not accept the gateway: its client id or secret may be "
            "wrong. The log of the gateway says more.",
            f"HELIOGRAPH_OIDC_CLIENT_ID or HELIOGRAPH_OIDC_CLIENT_SECRET may be wrong: {reason}",
        )


class OtherProviderError(SignInError):
    """It calls itself otherwise than HELIOGRAPH_OIDC_ISSUER, character by character."""

    def __init__(self, issuer: str) -> None:
        super().__init__(
            "The sign-in provider is not the one that is set up.",
            f"HELIOGRAPH_OIDC_ISSUER names another issuer than the provider, which is {issuer!r}",
        )


class ProviderUnavailableError(SignInError):
    """The provider can't be reached now, or too many wait for it already."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            "The sign-in provider does not answer at the moment. Try again in a minute.", reason
        )
