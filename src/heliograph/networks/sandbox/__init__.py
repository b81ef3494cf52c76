"""The sandbox: a whole chat network of virtual phones, in tables of its own.

Any number of 5 to 15 digits is somebody here, with a name and a picture that follow from the
number. Every account knows the people from +1 555 010 0001 on. Some numbers misbehave, each in its
own way: `test_numbers` has them.

The parts, from the top:

    driver     the Network: capabilities, form, addresses
    session    what the gateway asks of one account's connection
    connection pairing, connecting, being dropped, coming back
    simulator  what the people with the phones do
    outbox     sending, in batches
    mailbox    what waits for the accounts, handed over in order, deleted once it is on disk
    recipients who can be written to
    group_management
               what an account does with its groups
    choices    what a person means: a button, a row, a poll, a message
    devices, phones, groups, chats, changes, files, pictures, addresses, test_numbers, options,
               removal: one table or subject each
"""

from heliograph.networks.sandbox.driver import SandboxNetwork

network = SandboxNetwork
