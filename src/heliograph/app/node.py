"""One node, as the supervisor starts it: `python -m heliograph.app.node`."""

import gc

if __name__ == "__main__":
    gc.disable()  # modules are not garbage, and looking takes a seventh of the time
    from heliograph.app.node_process import main  # this is what takes long

    gc.freeze()
    gc.enable()
    main()
