"""The error tree is as it is drawn, and each error can be told."""

import inspect
import re

import pytest

from vivavoce import errors
from vivavoce.errors import ProtocolError, StoreError, VivavoceError

TREE = [
    value
    for value in vars(errors).values()
    if inspect.isclass(value) and issubclass(value, VivavoceError)
]


def drawn() -> list[tuple[int, str]]:
    """Depth and name of each error in the docstring."""
    lines = (re.match(r"([ │├└─]*)(\w+)", line) for line in (errors.__doc__ or "").splitlines()[2:])
    found = [(len(match[1]) // 4, match[2]) for match in lines if match]
    shallowest = min(depth for depth, _ in found)
    return [(depth - shallowest, name) for depth, name in found]


def test_the_tree_is_as_it_is_drawn():
    path: list[str] = []
    parents = {}
    for depth, name in drawn():
        path[depth:] = [name]
        parents[name] = path[depth - 1] if depth else "Exception"
    assert parents == {error.__name__: error.__bases__[0].__name__ for error in TREE}


def test_every_error_has_a_code_of_its_own():
    codes = [error.code for error in TREE]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in codes)


@pytest.mark.parametrize("error", TREE)
def test_every_error_says_what_it_means(error: type[VivavoceError]):
    assert error.__doc__
    raised = error("The disk is full.")
    assert str(raised) == raised.message == "The disk is full."
    assert (raised.code, raised.mend) == (error.code, "")


def test_a_more_exact_code_and_a_mend_stay_with_the_one_that_was_raised():
    exact = StoreError("The disk is full.", code="disk-full", mend="vivavoce logs --clear")
    assert (exact.code, exact.mend) == ("disk-full", "vivavoce logs --clear")
    assert StoreError.code == "store"


def test_a_broken_protocol_is_the_callers_fault():
    assert issubclass(ProtocolError, errors.CallerError)
