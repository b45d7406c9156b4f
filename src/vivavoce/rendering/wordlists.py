"""Lists of words are written as text, which is easier to read and to extend than a set."""


def words(*lines: str) -> frozenset[str]:
    """The words of some lines."""
    return frozenset(word for line in lines for word in line.split())
