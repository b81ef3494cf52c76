"""The sandbox: a whole chat network of virtual phones, in tables of its own.

Any number of 5 to 15 digits is somebody here, with a name and a picture that follow from the
number. Every account knows the people from +1 555 010 0001 on. These numbers misbehave:

    +1 555 010 9001   not on the network
    +1 555 010 9002   takes 3 seconds to accept a message
    +1 555 010 9003   fails twice, accepts the third attempt
    +1 555 010 9004   accepts, but the answer is lost
    +1 555 010 9005   never gets its messages
    +1 555 010 9006   never reports that it has read a message
    +1 555 010 9007   writing to it bans the account
    +1 555 010 9008   switched off at first
    +1 555 010 9009   can't be added to a group
    +1 555 010 9010   hides its picture
    +1 555 010 9011   has no picture
    +1 555 010 9012   refuses the first attempt for 2 seconds
    +1 555 010 9013   has blocked the account
    +1 555 010 9014   accepts, then reports a failure
    +1 555 010 9015   has a script for a picture
    +1 555 010 9016   has a picture of 12 million pixels, a new one each time

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
