"""What tests of running programs share: a port nobody has, and patience."""
import socket
import time


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(what, condition, seconds=60):
    """The first true value of condition(), or a failure that says what was waited for; what cannot be reached yet is not true."""
    end, last = time.monotonic() + seconds, None
    while time.monotonic() < end:
        try:
            last = condition()
            if last:
                return last
        except OSError as e:
            last = e
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds} s for {what}; last: {last!r}")
