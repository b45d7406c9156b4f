"""Playlist, playhead, pause, skip and back, history, heard-so-far. Quiet: no I/O, no clock."""
