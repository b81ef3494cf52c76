"""What is sent and answered: the classes that are made from the description of the API."""

from .generated.models import *  # noqa: F403  # all of them, by the names of the description
from .generated.types import UNSET as UNSET  # what their fields may be
from .generated.types import File as File
from .generated.types import Unset as Unset
