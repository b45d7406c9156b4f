"""What all tests share: how far Hypothesis looks, which in CI is the same each time."""

import os

from hypothesis import settings

settings.register_profile("here", deadline=None, max_examples=100)
settings.register_profile("ci", deadline=None, max_examples=100, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "here")
