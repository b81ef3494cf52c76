"""Chat networks: the driver port, and a folder for each driver.

What a driver of one's own may import, and what changes only with a line in the changelog:

    port       Network, Session and their parts, and the events that a session reports
    content    what a message says
    errors     what a network can answer
    connection a session that keeps one connection, and the loop that reconnects it
    reporting  reports that are made until they are taken
    testing    the conformance suite, with the extra heliograph[testing]
"""
