"""One daemon a directory, a private one, and nothing foreign is replaced."""

import os
import socket
import stat

import pytest

from vivavoce.errors import HouseError, SocketTaken
from vivavoce.sockets.listening import Household, listen, private_directory
from vivavoce.sockets.peer import peer_uid


def test_the_directory_is_made_for_the_person_alone(tmp_path):
    private_directory(tmp_path / "run")
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700


def test_a_directory_that_others_reach_into_is_refused_and_the_mend_mends_it(tmp_path):
    open_to_all = tmp_path / "it's open"
    open_to_all.mkdir(mode=0o755)
    with pytest.raises(HouseError) as caught:
        private_directory(open_to_all)
    assert os.system(caught.value.mend) == 0
    private_directory(open_to_all)


def test_a_link_to_a_directory_is_refused(tmp_path):
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(HouseError):
        private_directory(tmp_path / "link")


def test_a_second_daemon_is_told_that_one_is_running(tmp_path):
    first, second = Household(tmp_path), Household(tmp_path)
    first.claim()
    with pytest.raises(SocketTaken) as caught:
        second.claim()
    assert caught.value.code == "running"
    first.leave()
    second.claim()
    second.leave()


def test_the_socket_is_for_the_person_alone(tmp_path):
    with listen(tmp_path / "s"):
        assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600


def test_a_socket_that_a_dead_daemon_left_is_replaced(tmp_path):
    listen(tmp_path / "s").close()
    with listen(tmp_path / "s"):
        pass


def test_a_file_in_the_way_is_kept_and_the_mend_removes_it(tmp_path):
    (tmp_path / "s").write_text("somebody's")
    with pytest.raises(SocketTaken) as caught:
        listen(tmp_path / "s")
    assert (tmp_path / "s").read_text() == "somebody's"
    assert os.system(caught.value.mend) == 0
    listen(tmp_path / "s").close()


def test_a_living_program_in_the_way_is_left_alone(tmp_path):
    with listen(tmp_path / "s"), pytest.raises(SocketTaken):
        listen(tmp_path / "s")


def test_the_peer_of_a_local_socket_is_known():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert peer_uid(ours) == os.getuid()


def test_the_peer_of_any_other_socket_is_not_known_and_so_refused():
    with socket.socket(socket.AF_INET) as other:
        assert peer_uid(other) in (None, 2**32 - 1, -1)
