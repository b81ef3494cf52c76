"""A self-hosted, multi-tenant messaging gateway."""

__version__ = "0.1.0"
