"""The check of the object storage: by a running node every half minute at most, and by `doctor`."""

from heliograph.core.health.model import Check, failed, ok, warning
from heliograph.errors import ConfigurationError, UnavailableError
from heliograph.platform.aio.cache import CachedValue
from heliograph.platform.objects import ObjectNotFoundError, Objects, ObjectStorageError
from heliograph.settings import Settings

NAME = "object storage"
TTL = 30.0
"""Seconds between tries: each stores, reads and deletes an object, for which a storage may
charge."""
CHECK_TIMEOUT = 2.0

_REMEDY = (
    "Check HELIOGRAPH_OBJECTS_URL, the credentials (for S3, AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY), what they are allowed to do, and that the bucket exists."
)


async def check_objects(settings: Settings) -> Check:
    """Try out the storage that the settings name."""
    if settings.objects.url is None:
        return _in_data_dir()
    try:
        problem = await find_problem(Objects(settings.objects_url))
    except ConfigurationError as error:
        return failed(NAME, error.problem, error.remedy)
    if problem is not None:
        return failed(NAME, problem, _REMEDY)
    return ok(NAME, f"{settings.objects_url} stores, reads and deletes.")


class ObjectStorageProbe:
    """Tells whether a node's object storage works. A failure is only a warning: everything but
    files goes on, and no other node would do better."""

    def __init__(self, settings: Settings, objects: Objects) -> None:
        self._settings = settings
        self._objects = objects
        self._problem = CachedValue(self._try_out, ttl=TTL, timeout=CHECK_TIMEOUT)

    async def check(self) -> Check:
        if self._settings.objects.url is None:
            return _in_data_dir()
        try:
            problem = await self._problem.get()
        except UnavailableError:
            problem = f"It did not answer within {CHECK_TIMEOUT:g} seconds."
        if problem is None:
            return ok(NAME, f"{self._settings.objects_url} stores, reads and deletes.")
        return warning(
            NAME,
            f"Files can't be stored or read, and messages with files wait: {problem}",
            _REMEDY,
        )

    async def _try_out(self) -> str | None:
        return await find_problem(self._objects)


async def find_problem(objects: Objects) -> str | None:
    """Return what the storage says when it does not work, None when it does."""
    try:
        await objects.try_out()
    except (ObjectStorageError, ObjectNotFoundError) as error:
        return f"{error}"
    return None


def _in_data_dir() -> Check:
    return ok(NAME, "Objects are kept in the data directory.")
