"""Write the secrets that the Compose files ask for into `.env`, which must not exist yet.

python3 make_env.py
"""

import base64
import os
import secrets
import sys
from pathlib import Path

FILE = Path(sys.argv[1] if len(sys.argv) > 1 else ".env")


def make() -> str:
    values = {
        # of PostgreSQL's superuser, of who owns the tables, and of the nodes
        "POSTGRES_PASSWORD": secrets.token_hex(24),
        "OWNER_PASSWORD": secrets.token_hex(24),
        "NODE_PASSWORD": secrets.token_hex(24),
        "REDIS_PASSWORD": secrets.token_hex(24),
        "SECRET_KEYS": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
        # of Garage, which says how long they are; compose.yaml alone does not read them
        "S3_ACCESS_KEY": "GK" + secrets.token_hex(12),
        "S3_SECRET_KEY": secrets.token_hex(32),
        "S3_RPC_SECRET": secrets.token_hex(32),
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


try:
    written = os.open(FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
except FileExistsError:
    sys.exit(f"{FILE} is there already. What was encrypted with its keys needs them: keep it.")
with open(written, "w") as stream:
    stream.write(make())
