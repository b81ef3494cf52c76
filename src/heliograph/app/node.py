"""One node, as the supervisor starts it: `python -m heliograph.app.node`."""

import gc

if __name__ == "__main__":
    gc.disable()  # what is loaded is no garbage, and to look for it takes a seventh of the time
    from heliograph.app.node_process import main  # which is what takes long

    gc.freeze()
    gc.enable()
    main()
