"""What a picture's process is asked, and what it answers, over its standard input and output.

It says `READY` once. Then each request is a `REQUEST` head and the picture's bytes, each answer an
`ANSWER` head and the JPEG's bytes, or a sentence in UTF-8 that says what is wrong with the picture.
"""

import struct

READY = b"\x01"
REQUEST = struct.Struct(">HI")
"""The longest side asked for, in pixels; how many bytes follow."""
ANSWER = struct.Struct(">?I")
"""Whether it is a picture; how many bytes follow."""
