"""The body of answers that are neither success nor 422 (that one is FastAPI's own)."""

from pydantic import BaseModel, ConfigDict, Field

from heliograph.faces.api.schemas.extensible_enums import ErrorCode


class ErrorBody(BaseModel):
    """A sentence for a person and a word for a program.

    More members may follow, such as `required_scope` or `retry_after`.
    """

    model_config = ConfigDict(extra="allow")

    detail: str = Field(description="One sentence for a person.")
    code: ErrorCode
