"""`vivavoce doctor`: looks the house over and names, for each fault, the command that mends it.

Works with and without a daemon, and never fails itself: a check that breaks off is a finding.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from vivavoce.cli.checks import CHECKS
from vivavoce.cli.config import working_directory
from vivavoce.cli.findings import Finding, Patient, State
from vivavoce.directories import directories
from vivavoce.errors import CallerError, VivavoceError
from vivavoce.settings import read

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Check = Callable[[Patient], Iterator[Finding]]

_MARKS = {State.OK: "ok", State.NOTE: "note", State.FAULT: "FAULT"}


def main(args: argparse.Namespace) -> int:
    """Print one line a finding; 0 if there is no fault, else 1."""
    findings = examine(os.environ, working_directory(), _chosen(args.checks))
    told = as_json(findings) if args.json else "\n".join(as_line(each) for each in findings)
    # A path may hold bytes that are no text, and the terminal may know less than UTF-8.
    encoding = sys.stdout.encoding or "ascii"
    print(told.encode(encoding, "backslashreplace").decode(encoding))
    return 1 if any(finding.state is State.FAULT for finding in findings) else 0


def _chosen(names: Sequence[str]) -> tuple[Check, ...]:
    """All checks, or those that are named. Raises `CallerError`."""
    known = {check.__name__: check for check in CHECKS}
    for name in names:
        if name not in known:
            raise CallerError(f"There is no check {name!r}; known: {', '.join(known)}.")
    return tuple(check for name, check in known.items() if not names or name in names)


def examine(environ: Mapping[str, str], cwd: str, checks: Iterable[Check]) -> list[Finding]:
    """Run checks, in an order in which a later fault may be the consequence of an earlier."""
    patient = Patient(environ, read(environ, cwd), directories(environ, os.getuid()))
    return [finding for check in checks for finding in _findings(check, patient)]


def _findings(check: Check, patient: Patient) -> list[Finding]:
    name = check.__name__
    try:
        return list(check(patient))
    except VivavoceError as error:
        return [Finding(name, State.FAULT, error.message, error.mend)]
    except Exception as error:  # noqa: BLE001 - one check's end must not be the others'
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return [Finding(name, State.FAULT, f"This check itself broke off: {reason}.")]


def as_line(finding: Finding) -> str:
    """Tell a finding in one line."""
    mend = f"  Mend: {finding.mend}" if finding.mend else ""
    return f"{_MARKS[finding.state]:<5}  {finding.check:<9}  {finding.sentence}{mend}"


def as_json(findings: list[Finding]) -> str:
    """Tell all findings as a JSON list."""
    return json.dumps([asdict(finding) for finding in findings], indent=2)
