"""From the library's messages to ours and back: pure functions, no I/O, no clock.

    jids         addresses, and which hidden id is which phone number
    contents     what a message says
    arrivals     what came: messages, changes of earlier ones, receipts
    polls        polls and votes
    mentions     people whom a text names
    outgoing     what we send
    outgoing_changes
                 what we do to messages that were sent
    people       contacts and groups
    disconnects  why a connection ended, and when it may come back

These modules import the library, which takes a second and much memory: whoever uses them is
itself imported when the first account of this network is connected, not before.
"""
