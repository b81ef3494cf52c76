"""A browser's name, in words that its owner knows."""

_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
)
_SHOWN = 60  # characters of an unknown browser's name


def name_browser(agent: str | None) -> str:
    """Return a name such as `Firefox on Windows`, from the header User-Agent. Many browsers also
    claim to be another, so rarer ones are looked for first."""
    if not agent:
        return "Unknown browser"
    browser = next((name for mark, name in _BROWSERS if mark in agent), None)
    system = next((name for mark, name in _SYSTEMS if mark in agent), None)
    if browser is None:
        return agent[:_SHOWN]
    return browser if system is None else f"{browser} on {system}"
