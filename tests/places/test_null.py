"""Playing nowhere, in real time."""

from collections.abc import AsyncIterator

import pytest

from tests.contract.speaker import Rig, SpeakerContract, opened
from vivavoce.places.null import NullPlace


class TestNullPlace(SpeakerContract):
    @pytest.fixture
    async def rig(self) -> AsyncIterator[Rig]:
        async with opened(Rig(NullPlace())) as rig:
            yield rig
