"""Strangers' pictures, decoded where they can do no harm.

    encoder     PictureEncoder: hands pictures to a process of their own, which it ends
    worker      that process: decodes one picture after the other, within limits
    protocol    what the two say to each other

A small file can be a huge picture, and a decoder can have faults. So decoding happens in a process
with limits on memory and time, without secrets, which can't open files.
"""
