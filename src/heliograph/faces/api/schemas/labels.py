"""The Label record and its list."""

from pydantic import BaseModel, Field

from heliograph.core.labels import model
from heliograph.core.labels.serializers import LabelListRecord
from heliograph.core.labels.service import MAX_NAME
from heliograph.faces.api.schemas.fields import NO_NUL, UNCHANGED, StrictBody, with_example
from heliograph.faces.api.schemas.records import describes

_LABEL = {
    "id": "01939b1d-1111-7222-8333-444455556666",
    "organization_id": "01939b1a-0000-7000-8000-000000000001",
    "name": "VIP",
    "color": "#2f7a3c",
    "created_at": "2025-12-06T09:30:00.000000Z",
}
_COLOR = r"^#[0-9a-fA-F]{6}$"


@describes(model.Label)
class Label(BaseModel):
    model_config = with_example(_LABEL)


@describes(LabelListRecord)
class LabelList(BaseModel):
    model_config = with_example({"labels": [_LABEL], "total": 1, "limit": 50, "offset": 0})


class CreateLabel(StrictBody):
    """A label for conversations and contacts."""

    model_config = StrictBody.model_config | with_example({"name": "VIP", "color": "#2f7a3c"})

    name: str = Field(
        min_length=1,
        max_length=MAX_NAME,
        description="A name that no other label has, regardless of case and accents.",
        json_schema_extra=NO_NUL,
    )
    color: str = Field(default="#6b7280", pattern=_COLOR, description="Its color, as `#rrggbb`.")


class ChangeLabel(StrictBody):
    """The fields to change; those not given stay as they are."""

    model_config = StrictBody.model_config | with_example({"color": "#b3261e"})

    name: str = Field(
        default=UNCHANGED,
        min_length=1,
        max_length=MAX_NAME,
        description="The new name.",
        json_schema_extra=NO_NUL,
    )
    color: str = Field(
        default=UNCHANGED, pattern=_COLOR, description="The new color, as `#rrggbb`."
    )
