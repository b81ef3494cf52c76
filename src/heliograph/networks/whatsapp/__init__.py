"""WhatsApp as a linked device, through the library neonize, which carries whatsmeow.

The parts, from the top:

    driver      the Network: capabilities, form, addresses; importing it needs no library
    library     finds the library and loads it when the first account is connected
    session, group_session
                what the gateway asks of one account's connection
    sending, uploads, recipients
                messages, files and changes on their way out, and to whom they go
    connection  connecting, being dropped, coming back
    pairing     QR codes and codes to type, and what becomes of them
    event_converter
                from a batch of the library's events to what the gateway is told
    conversion  from the library's messages to ours and back: pure functions
    client_run  one run of the library's client: its thread, its callbacks, what is asked of it
    library_client
                the library's client as it is used here
    threads     between the library's threads and the event loop: a bounded queue
    unprocessed_events  what one connection could not hand on, for the next one
    sql         what the driver keeps in the database
    originals   what is needed later of some messages, such as a poll's answers
    directory, sent_ids, files, options, addresses, failures: one subject each
"""

from heliograph.networks.whatsapp.driver import WhatsAppNetwork

network = WhatsAppNetwork
"""WhatsApp as the gateway sees it: one `Network`."""
