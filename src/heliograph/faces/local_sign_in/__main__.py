"""`python -m heliograph.faces.local_sign_in`, as the supervisor starts it."""

import argparse
import gc
import socket
from pathlib import Path

import uvicorn

from heliograph.faces.local_sign_in.app import ProviderAddresses, create_local_sign_in

_MAX_CONNECTIONS = 64


def main() -> None:
    """Serve on the socket that was handed over, until a signal ends the process."""
    parser = argparse.ArgumentParser(prog="heliograph.faces.local_sign_in")
    parser.add_argument("--public-url", required=True, help="the gateway's address")
    parser.add_argument("--client-id", required=True)
    parser.add_argument("--redirect-uri", required=True, help="where it takes people back to")
    parser.add_argument("--codes", required=True, type=Path, help="the file of the sign-in code")
    parser.add_argument("listen_fd", type=int, help="the descriptor of a listening socket")
    options = parser.parse_args()
    with socket.socket(fileno=options.listen_fd) as listener:
        host, port = listener.getsockname()[:2]
        place = ProviderAddresses(
            issuer=f"http://{host}:{port}",
            public_url=options.public_url,
            client_id=options.client_id,
            redirect_uri=options.redirect_uri,
            codes=options.codes,
        )
        config = uvicorn.Config(
            create_local_sign_in(place),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="error",  # any user of the machine can cause lines below this level
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_MAX_CONNECTIONS,
            timeout_graceful_shutdown=1,
        )
        gc.collect()
        gc.freeze()
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
