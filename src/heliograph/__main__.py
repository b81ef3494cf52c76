"""`python -m heliograph` is the command `heliograph`."""

from heliograph.faces.cli import main

if __name__ == "__main__":
    main()
