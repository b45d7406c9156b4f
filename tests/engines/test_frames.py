import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.engines import frames
from vivavoce.engines.frames import Decoder, Frame
from vivavoce.errors import EngineFailed, NoVoice, ProtocolError, SettingError, WeightsMissing
from vivavoce.vocabulary.audio import SpeechChunk, Synthesize, Voice, WordTime
from vivavoce.vocabulary.speech import Span

HEADERS = st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=8), max_size=4)


@given(st.lists(st.tuples(HEADERS, st.binary(max_size=64)), max_size=5), st.integers(1, 40))
def test_frames_come_back_whole_however_the_bytes_are_cut(messages, size):
    stream = b"".join(frames.encode(header, payload) for header, payload in messages)
    decoder = Decoder()
    back = [
        frame
        for at in range(0, len(stream), size)
        for frame in decoder.feed(stream[at : at + size])
    ]
    assert back == [Frame(header, payload) for header, payload in messages]


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff\xff\x00\x00\x00\x00",
        b"\x00\x00\x00\x02\xff\xff\xff\xff{}",
        b"\x00\x00\x00\x02\x00\x00\x00\x00[]",
        b"\x00\x00\x00\x02\x00\x00\x00\x00\xff\xff",
    ],
    ids=["a huge header", "a huge payload", "no object", "no text"],
)
def test_refuses_what_is_no_frame(data):
    with pytest.raises(ProtocolError):
        list(Decoder().feed(data))


def test_refuses_to_send_what_the_other_end_would_refuse():
    with pytest.raises(ProtocolError):
        frames.encode({}, bytes(frames.MAX_PAYLOAD_BYTES + 1))


def test_a_long_chunk_travels_in_pieces_and_its_words_with_the_first():
    words = (WordTime(Span(0, 3), 5, 9), WordTime(Span(4, 8), 9, 12))
    chunk = SpeechChunk(bytes(range(256)) * 600, words, exact=False)
    pieces = [frames.chunk_of(sent(frame)) for frame in frames.chunk_frames(7, chunk)]
    assert b"".join(piece.pcm for piece in pieces) == chunk.pcm
    assert [piece.words for piece in pieces] == [words, (), ()]
    assert not any(piece.exact for piece in pieces)


def test_words_without_sound_are_told():
    (frame,) = frames.chunk_frames(7, SpeechChunk(b"", (WordTime(Span(0, 1), 0, 0),)))
    assert frames.chunk_of(sent(frame)).words == (WordTime(Span(0, 1), 0, 0),)


def test_requests_and_voices_come_back_as_they_were():
    request = Synthesize("héllo 你好", "en", voice="heart", engine="hibari", speed=1.5)
    assert frames.request_of(sent(Frame(frames.synthesize_header(request))).header) == request
    voices = (Voice("cmn", "espeak", ("zh", "cmn"), "Chinese", ready=False, why="so", local=True),)
    assert frames.voices_of(sent(Frame(frames.voices_header(1, voices))).header) == voices


@pytest.mark.parametrize("kind", [NoVoice, WeightsMissing, EngineFailed])
def test_errors_keep_their_type_their_code_and_their_mend(kind):
    told = frames.failed_header(1, kind("It is so.", mend="vivavoce models fetch"))
    error = frames.error_of(sent(Frame(told)).header)
    assert type(error) is kind
    assert (str(error), error.code, error.mend) == (
        "It is so.",
        kind.code,
        "vivavoce models fetch",
    )


def test_any_other_error_is_a_failure_of_the_engine():
    error = frames.error_of(frames.failed_header(1, SettingError("No such engine.")))
    assert type(error) is EngineFailed
    assert error.code == "bad-setting"


def sent(frame: Frame) -> Frame:
    (back,) = Decoder().feed(frames.encode(frame.header, frame.payload))
    return back
