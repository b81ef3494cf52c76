"""The body of answers that are neither success nor 422 (that one is FastAPI's own)."""

from pydantic import BaseModel, ConfigDict, Field


class Error(BaseModel):
    """A sentence for a person and a word for a program; more members may follow."""

    model_config = ConfigDict(extra="allow")

    detail: str = Field(description="One sentence for a person.")
    code: str = Field(description="What went wrong, as a word for a program.")
