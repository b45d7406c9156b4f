"""`PYTHON recognition.py MODEL WAV...`: words and when each begins, one JSON line a file.

It runs in an environment of its own, which holds faster-whisper and nothing of the project.
"""

import json
import sys
from importlib import import_module


def main() -> None:
    """Transcribe every file and print `[[WORD, BEGIN, END], ...]`, in seconds."""
    whisper = import_module("faster_whisper")
    model = whisper.WhisperModel(
        sys.argv[1], device="cpu", compute_type="float32", local_files_only=True
    )
    for path in sys.argv[2:]:
        segments, _ = model.transcribe(path, language="en", word_timestamps=True, beam_size=5)
        words = [[w.word, w.start, w.end] for segment in segments for w in segment.words]
        print(json.dumps(words), flush=True)


if __name__ == "__main__":
    main()
