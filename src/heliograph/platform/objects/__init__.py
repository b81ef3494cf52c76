"""Object storage, and files that are gathered beside it until they are whole."""

from heliograph.platform.objects.staging import ObjectStorageError, StagedFile, Staging
from heliograph.platform.objects.store import ObjectNotFoundError, Objects, is_key
