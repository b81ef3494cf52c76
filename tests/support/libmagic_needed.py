"""Imported before anything of WhatsApp's library, which loads libmagic at once."""

from debian_programs import need_library

need_library("magic", "libmagic1")
