"""Commands that back up the whole installation into an archive, and restore it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from heliograph.app.backup import back_up
from heliograph.core.backups.model import Manifest
from heliograph.errors import ConfigurationError
from heliograph.faces.cli.options import JsonOption
from heliograph.faces.cli.output import print_fields, print_json, show_parts, show_time
from heliograph.platform.files.age import SUFFIX, AgeRecipients, decrypted
from heliograph.platform.files.data_dir import find_secret_key
from heliograph.settings import DataSettings, Settings, load_settings


def backup(
    target: Annotated[
        str, typer.Argument(help="The archive to write, or a folder for one named by the time.")
    ],
    without_keys: Annotated[
        bool,
        typer.Option("--without-keys", help="Leave out the secret keys. Keep them elsewhere."),
    ] = False,
    encrypt_to: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY",
            help="Encrypt the archive with age to this public key, of age or SSH; may be repeated.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the database, objects and secret keys to one archive. The gateway may be running."""
    recipients = AgeRecipients(encrypt_to) if encrypt_to else None
    path = _find_target(target, SUFFIX if recipients else "")
    with show_parts() as show:
        manifest = back_up(
            load_settings(), path, with_keys=not without_keys, show=show, recipients=recipients
        )
    _print(manifest, ("archive", str(path)), as_json=as_json)
    if problem := _lacks(manifest):
        raise ConfigurationError(
            f"The archive is written, but {problem}.",
            remedy="Keep the last backup that had them.",
        )


def _lacks(manifest: Manifest) -> str:
    """Say how the objects differ from what the database says; "" if they don't."""
    lost, damaged = manifest.lost, manifest.damaged
    parts = []
    if lost:
        parts.append(f"objects are lost ({len(lost):,}, such as {lost[0]})")
    if damaged:
        parts.append(
            f"objects are not the bytes that were stored ({len(damaged):,}, such as {damaged[0]})"
        )
    return ", and ".join(parts)


def _find_target(text: str, suffix: str) -> Path:
    path = Path(text)
    if text.strip() in ("", "-"):
        raise ConfigurationError(
            "An archive has to be a file, as it is read back.",
            remedy="Name it, or a folder for it.",
        )
    if path.is_dir():
        return path / f"heliograph-{datetime.now(UTC):%Y-%m-%dT%H-%M-%SZ}.tar{suffix}"
    if text.endswith("/"):
        raise ConfigurationError(f"There is no folder {text}.", remedy="Make it.")
    return path


def restore(
    archive: Annotated[Path, typer.Argument(help="The archive that `heliograph backup` wrote.")],
    into: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="The data directory to make. Overrides HELIOGRAPH_DATA_DIR."
        ),
    ] = None,
    from_elsewhere: Annotated[
        bool,
        typer.Option(
            "--from-elsewhere",
            help="Restore an archive that none of this installation's keys has signed.",
        ),
    ] = False,
    identity: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The private key, of age or SSH, for an encrypted archive."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Restore an archive into an empty data directory or database that no gateway uses."""
    from heliograph.app.restore import restore as restore_archive  # no other command needs it
    from heliograph.platform.database.failover import without_password

    installed = load_settings()
    settings = _into(installed, into)
    own = find_secret_key(installed.data_dir)
    with decrypted(archive, identity) as path, show_parts() as show:
        manifest = restore_archive(
            settings, path, show, keys=[own] if own else [], from_elsewhere=from_elsewhere
        )
    where = settings.data_dir if settings.is_embedded else without_password(settings.database_url)
    _print(manifest, ("restored to", str(where)), as_json=as_json)


def _into(settings: Settings, folder: str | None) -> Settings:
    if folder is None:
        return settings
    if not folder.strip():
        raise ConfigurationError("--into names no folder.", remedy="Is a variable in it unset?")
    if not settings.is_embedded:
        raise ConfigurationError(
            "--into names a data directory, and HELIOGRAPH_DATABASE_URL is set.",
            remedy="Leave out one of the two.",
        )
    return settings.model_copy(update={"data": DataSettings(dir=Path(folder))})


def _print(manifest: Manifest, where: tuple[str, str], *, as_json: bool) -> None:
    if as_json:
        print_json(manifest)
        return
    print_fields(
        where,
        ("taken at", show_time(manifest.taken_at)),
        ("gateway", manifest.gateway),
        ("schema", ", ".join(manifest.revisions)),
        ("rows", f"{sum(manifest.rows.values()):,} in {len(manifest.rows)} tables"),
        ("objects", f"{manifest.objects:,}, {manifest.object_bytes:,} bytes"),
        *([("lacking", problem)] if (problem := _lacks(manifest)) else []),
        ("secret keys", "in the archive" if manifest.has_keys else "not in the archive"),
    )
