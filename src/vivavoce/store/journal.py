"""Remembers each accepted utterance until it has ended, also when the daemon is killed.

Of what was heard the text is emptied at once; the id and its end stay for a while, so that a retry
of the same utterance is not spoken twice.
"""

import asyncio
import json
import os
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Float,
    MetaData,
    Row,
    String,
    Table,
    create_engine,
    event,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from vivavoce.errors import StoreError
from vivavoce.vocabulary.utterance import End, Ending, Manner, Utterance

SCHEMA_VERSION = 1
KEPT_ENDS = 10_000
"""Ends of so many utterances are remembered, those that are parked not counted."""

_T = TypeVar("_T")
_METADATA = MetaData()
_UTTERANCES = Table(
    "utterance",
    _METADATA,
    Column("id", String, primary_key=True),
    Column("accepted", Float, nullable=False),
    Column("text", String, nullable=False),
    Column("session", String, nullable=False),
    Column("agent", String, nullable=False),
    Column("listener", String, nullable=False),
    Column("manner", String, nullable=False),
    Column("end", String, index=True),
    Column("ending", String),
)


class Journal:
    """The journal of one daemon. All its work is done on one thread of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._engine: Engine | None = None

    async def open(self) -> int:
        """Open or make the file, and park what an ended daemon left unheard; returns how much.

        Raises `StoreError`.
        """
        return await self._do(self._recover)

    async def close(self) -> None:
        """Give the file back."""
        if self._engine is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._engine.dispose)
        self._thread.shutdown()

    async def accept(self, utterance: Utterance) -> None:
        """Keep it; on return it survives the death of this process. Raises `StoreError`."""
        if utterance.fleeting:
            return
        row = {
            "id": utterance.id,
            "accepted": time.time(),
            "text": utterance.text,
            "session": utterance.session,
            "agent": utterance.agent,
            "listener": utterance.listener,
            "manner": json.dumps(asdict(utterance.manner)),
            "end": None,
            "ending": None,
        }
        statement = insert(_UTTERANCES).values(row)
        again = statement.on_conflict_do_update(index_elements=["id"], set_=row)
        await self._do(lambda connection: connection.execute(again))

    async def finish(self, utterance_id: str, ending: Ending) -> None:
        """Record its one end; the text of what was heard is forgotten. Raises `StoreError`."""
        kept = replace(ending, heard="", rest="")
        changed: dict[str, object] = {
            "end": ending.end.value,
            "ending": json.dumps(kept.as_fields()),
        }
        if ending.end is not End.PARKED:
            changed["text"] = ""
        statement = update(_UTTERANCES).where(_UTTERANCES.c.id == utterance_id).values(changed)
        await self._do(lambda connection: connection.execute(statement))

    async def ending(self, utterance_id: str) -> Ending | None:
        """How it ended; None for one that has not ended or is not known. Raises `StoreError`."""
        statement = select(_UTTERANCES.c.ending).where(_UTTERANCES.c.id == utterance_id)
        told = await self._do(lambda connection: connection.execute(statement).scalar())
        return Ending.from_fields(json.loads(told)) if told else None

    async def parked(self) -> tuple[Utterance, ...]:
        """What is unheard and kept, oldest first. Raises `StoreError`."""
        statement = select(_UTTERANCES).where(_parked()).order_by(_UTTERANCES.c.accepted)
        rows = await self._do(lambda connection: connection.execute(statement).all())
        return tuple(_utterance(row) for row in rows)

    async def forget_parked(self) -> int:
        """Let go of the text of all that is parked; returns how many. Raises `StoreError`."""
        statement = update(_UTTERANCES).where(_parked()).values(text="")
        return await self._do(lambda connection: connection.execute(statement).rowcount)

    # -- on the journal's thread -----------------------------------------------------------------

    async def _do(self, work: Callable[[Connection], _T]) -> _T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._transact, work)

    def _transact(self, work: Callable[[Connection], _T]) -> _T:
        try:
            with self._opened().begin() as connection:
                return work(connection)
        except (SQLAlchemyError, OSError) as error:
            raise _store_error(self._path, error) from error

    def _opened(self) -> Engine:
        if self._engine is None:
            self._engine = _open(self._path)
        return self._engine

    def _recover(self, connection: Connection) -> int:
        ending = Ending(
            End.PARKED,
            "daemon-died",
            "The daemon ended before it was heard; hear it with: vivavoce catch-up",
        )
        left = update(_UTTERANCES).where(_UTTERANCES.c.end.is_(None))
        values = {"end": End.PARKED.value, "ending": json.dumps(ending.as_fields())}
        count = connection.execute(left.values(values)).rowcount
        newest = (
            select(_UTTERANCES.c.id)
            .where(~_parked())
            .order_by(_UTTERANCES.c.accepted.desc())
            .limit(KEPT_ENDS)
        )
        old = ~_parked() & _UTTERANCES.c.id.not_in(newest)
        connection.execute(_UTTERANCES.delete().where(old))
        return count


def _parked() -> ColumnElement[bool]:
    return (_UTTERANCES.c.end == End.PARKED.value) & (_UTTERANCES.c.text != "")


def _utterance(row: Row[Any]) -> Utterance:
    told = row._mapping
    return Utterance(
        id=told["id"],
        text=told["text"],
        session=told["session"],
        agent=told["agent"],
        listener=told["listener"],
        manner=Manner(**json.loads(told["manner"])),
    )


def _open(path: Path) -> Engine:
    """Open the file with mode 0600; a file of another schema is set aside, never changed."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    engine = _engine(path)
    with engine.connect() as connection:
        version = connection.exec_driver_sql("PRAGMA user_version").scalar()
    if version not in (0, SCHEMA_VERSION):
        engine.dispose()
        shutil.move(path, path.with_suffix(f".v{version}"))
        return _open(path)
    with engine.begin() as connection:
        _METADATA.create_all(connection)
        connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")
    return engine


def _engine(path: Path) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}", poolclass=StaticPool, connect_args={"check_same_thread": False}
    )
    event.listen(engine, "connect", _configure)
    return engine


def _configure(connection: DBAPIConnection, record: object) -> None:
    # With a write-ahead log a commit survives the death of the process without waiting for the
    # disk; what a power cut may take with it is the last moment.
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _store_error(path: Path, error: Exception) -> StoreError:
    cause = getattr(error, "orig", None) or error
    return StoreError(f"The journal {path} cannot be used ({cause}).", mend="vivavoce doctor")
