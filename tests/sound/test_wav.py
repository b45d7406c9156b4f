"""The header of a WAV file, as the standard library reads it."""

import io
import wave

import pytest

from vivavoce.sound.wav import HEADER_BYTES, MAX_DATA_BYTES, wav_header
from vivavoce.vocabulary.audio import HOUSE_FORMAT, PcmFormat


@pytest.mark.parametrize("form", [HOUSE_FORMAT, PcmFormat(rate=44_100, channels=2)])
def test_others_read_what_we_write(form: PcmFormat) -> None:
    pcm = bytes(range(240))
    header = wav_header(len(pcm), form)
    assert len(header) == HEADER_BYTES
    with wave.open(io.BytesIO(header + pcm)) as file:
        assert (file.getframerate(), file.getnchannels()) == (form.rate, form.channels)
        assert file.getsampwidth() == 2
        assert file.readframes(1000) == pcm


@pytest.mark.parametrize("size", [-1, MAX_DATA_BYTES + 1])
def test_what_a_wav_file_cannot_hold_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="cannot hold"):
        wav_header(size)


def test_the_largest_file_is_counted_in_32_bits() -> None:
    assert len(wav_header(MAX_DATA_BYTES)) == HEADER_BYTES
