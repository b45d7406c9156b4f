"""Where things lie, for environments as they are found."""

import subprocess
import sys

from vivavoce.directories import directories


def test_a_plain_home_holds_all_but_the_sockets() -> None:
    found = directories({"HOME": "/home/ada"}, 1000)
    assert found == (
        "/home/ada/.config/vivavoce",
        "/home/ada/.local/share/vivavoce",
        "/home/ada/.local/state/vivavoce",
        "/tmp/vivavoce-1000",
    )


def test_the_base_directories_of_the_desktop_are_followed() -> None:
    environ = {
        "HOME": "/home/ada",
        "XDG_CONFIG_HOME": "/c",
        "XDG_DATA_HOME": "/d/",
        "XDG_STATE_HOME": "/s",
        "XDG_RUNTIME_DIR": "/run/user/1000",
    }
    assert directories(environ, 1000) == (
        "/c/vivavoce",
        "/d/vivavoce",
        "/s/vivavoce",
        "/run/user/1000/vivavoce",
    )


def test_a_directory_that_is_named_outright_wins() -> None:
    environ = {
        "HOME": "/home/ada",
        "XDG_STATE_HOME": "/s",
        "XDG_RUNTIME_DIR": "/run/user/1000",
        "VIVAVOCE_CONFIG_DIR": "/own/config",
        "VIVAVOCE_DATA_DIR": "/own/data",
        "VIVAVOCE_STATE_DIR": "/own/state",
        "VIVAVOCE_RUNTIME_DIR": "/own/run",
    }
    assert directories(environ, 1000) == ("/own/config", "/own/data", "/own/state", "/own/run")


def test_relative_and_empty_paths_are_ignored() -> None:
    environ = {
        "HOME": "/h",
        "XDG_STATE_HOME": "state",
        "XDG_CONFIG_HOME": "",
        "XDG_RUNTIME_DIR": "r",
    }
    found = directories(environ, 7)
    assert found.state == "/h/.local/state/vivavoce"
    assert found.config == "/h/.config/vivavoce"
    assert found.runtime == "/tmp/vivavoce-7"


def test_without_a_home_all_lies_below_the_runtime_directory_of_that_person() -> None:
    found = directories({}, 7)
    assert found.runtime == "/tmp/vivavoce-7"
    assert found.config_file == "/tmp/vivavoce-7/config/config.toml"
    assert found.state == "/tmp/vivavoce-7/state"


def test_the_sockets_lie_in_the_runtime_directory() -> None:
    found = directories({"XDG_RUNTIME_DIR": "/run/user/1"}, 1)
    assert found.control_socket == "/run/user/1/vivavoce/control.sock"
    assert found.daemon_socket == "/run/user/1/vivavoce/daemon.sock"


def test_importing_it_brings_nothing_heavy_along() -> None:
    heavy = "{'typing', 'pathlib', 'dataclasses', 'asyncio', 'socket', 'tomllib'}"
    script = (
        "import sys; before = set(sys.modules); import vivavoce.directories; "
        f"print(sorted({heavy} & (set(sys.modules) - before)))"
    )
    out = subprocess.run(
        [
            sys.executable,
            "-c",
            script,
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert out.stdout.strip() == "[]"
