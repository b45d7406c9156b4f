from tests.soundserver import own_sound_server, shared_sound_server, sound_server

__all__ = ["own_sound_server", "shared_sound_server", "sound_server"]
