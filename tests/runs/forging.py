"""Forged files: containers whose checksums are right and whose contents are wrong.

Each forgery is tried in a child process, many in one child. A child that dies or hangs is noticed
and named by the number of the forgery, which with its seed makes it again.
"""

import json
import os
import random
import resource
import select
import signal
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from untilt.errors import UntiltError
from untilt.formats.base.checked_array import block_checksums
from untilt.formats.base.container import Container, container_chunks

Arrays = dict[str, np.ndarray[Any, Any]]

_HANG_SECONDS = 60.0
_MEMORY_BYTES = 1 << 30
"""What a forgery of some kilobytes may make its reader allocate."""
_PER_CHILD = 200

_ODD_FLOATS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e308, -1e308, 1e200, 5e-324),
    *(float("nan"), float("inf"), float("-inf")),
)
_LARGEST = 1e308
_ODD_INTEGERS = (0, 1, -1, 2, 3, 4, 5, 2**31 - 1, 2**31, 2**32 - 1, 2**61, 2**62)

SOUND, REFUSED, FAILED = b"S", b"R", b"F"


def try_forgeries(count: int, attempt: Callable[[random.Random], None]) -> Counter[str]:
    """Call `attempt` with generators seeded 0, 1, … and count how it ended.

    An `attempt` may end well or with an UntiltError. Whatever else happens is in the count as
    "failed …", "died …" or "hung …" with the seed.
    """
    counts: Counter[str] = Counter()
    seed = 0
    while seed < count:
        seed = _run_child(seed, min(count, seed + _PER_CHILD), attempt, counts)
    return counts


def _run_child(
    begin: int, end: int, attempt: Callable[[random.Random], None], counts: Counter[str]
) -> int:
    """Try the seeds from `begin` to `end` in a child; return the first that was not tried."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        os.close(reading)
        try:
            _try_all(begin, end, attempt, writing)
        finally:
            os._exit(0)
    os.close(writing)
    seed = begin
    try:
        while seed < end:
            ready, _, _ = select.select([reading], [], [], _HANG_SECONDS)
            said = os.read(reading, 1) if ready else None
            if said == SOUND:
                counts["sound"] += 1
            elif said == REFUSED:
                counts["refused"] += 1
            elif said == FAILED:
                counts[f"failed {seed}"] += 1
            else:
                counts[f"{'hung' if said is None else 'died'} {seed}"] += 1
                return seed + 1
            seed += 1
        return end
    finally:
        os.close(reading)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def _try_all(begin: int, end: int, attempt: Callable[[random.Random], None], writing: int) -> None:
    warnings.simplefilter("error")
    _limit_memory()
    for seed in range(begin, end):
        try:
            attempt(random.Random(seed))
        except UntiltError as error:
            said = REFUSED if str(error) and "\n" not in str(error) else FAILED
            if said == FAILED:
                traceback.print_exc()
        except BaseException:
            traceback.print_exc()
            said = FAILED
        else:
            said = SOUND
        os.write(writing, said)


def _limit_memory() -> None:
    """Let an allocation fail that no small file is worth."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + _MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))


def assert_harmless(what: str, counts: Counter[str]) -> None:
    """Print how forgeries ended; nothing but a sound end and a refusal may be among it."""
    total = sum(counts.values())
    print(f"{what}: {total:,} forgeries, {counts['refused']:,} refused, {counts['sound']:,} sound")
    others = {name for name in counts if name not in ("sound", "refused")}
    assert not others


def forge(arrays: Arrays, rng: random.Random) -> Arrays:
    """Return the arrays with one to three of them changed."""
    forged = {name: array.copy() for name, array in arrays.items()}
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        name = rng.choice(sorted(forged))
        change = rng.choice(_TEXT_CHANGES if name == "names" else _CHANGES)
        forged[name] = change(forged[name], rng)
    if rng.random() < 0.02:
        del forged[rng.choice(sorted(forged))]
    if rng.random() < 0.02 and forged:
        one, other = rng.choice(sorted(forged)), rng.choice([*sorted(forged), "x", "é" * 300])
        forged[one], forged[other] = forged.get(other, forged[one]), forged[one]
    return forged


def forged_container(
    container: Container, rng: random.Random, sign: Callable[[dict[str, Any]], None]
) -> bytes:
    """Return the bytes of a container with other arrays or another header.

    All checksums are right, also those of the blocks of large arrays. `sign` may change a header
    so that what it says of itself is true.
    """
    meta, arrays = container.meta, container.arrays
    if rng.random() < 0.4:
        meta = forge_json(meta, rng)
        if rng.random() < 0.8:
            sign(meta)
    if meta is container.meta or rng.random() < 0.2:
        arrays = forge(arrays, rng)
    for name in arrays:
        if f"{name}.crc32" in arrays and rng.random() < 0.98:
            arrays = {**arrays, f"{name}.crc32": block_checksums(arrays[name].reshape(-1))}
    return b"".join(container_chunks(container.kind, meta, arrays))


def forge_json(value: Any, rng: random.Random) -> Any:
    """Return JSON with one to three places changed; the whole stays an object if it is one."""
    forged = deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(forged))
        if places:
            inside, key = rng.choice(places)
            _change_place(inside, key, rng)
    return forged


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every list or object inside a value, with every key or index."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, below in inner:
        yield value, key
        if isinstance(below, dict | list):
            yield from _places(below)


def _change_place(inside: Any, key: Any, rng: random.Random) -> None:
    found = inside[key]
    change = rng.randrange(10)
    if change == 0:
        del inside[key]
    elif change == 1 and isinstance(inside, dict):
        inside[rng.choice(("x", "", "threads", "é\n", key.upper()))] = inside.pop(key)
    elif change == 2 and isinstance(inside, list):
        inside.append(found)
    elif change == 3 and isinstance(inside, dict):
        inside[key] = inside[rng.choice(sorted(inside))]
    elif change in (4, 5) and type(found) in (int, float):
        changed = rng.choice((-found, found + 1, found - 1, found * 2, found * 1000, found // 3))
        inside[key] = min(max(changed, -_LARGEST), _LARGEST)
    elif change in (4, 5) and isinstance(found, str):
        cut = rng.randrange(len(found) + 1)
        inside[key] = found[:cut] + rng.choice(("", "0", ",", "(", "é", "9" * 20)) + found[cut:]
    else:
        inside[key] = _odd_json(rng)


def _odd_json(rng: random.Random) -> Any:
    """Return a value that nobody expects."""
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    return rng.choice(
        (
            *(None, True, False, 0, 1, -1, 2, 0.5, -0.5, 1e308, -1e308, 5e-324),
            *(2**31, 2**63, -(2**63), 2**64, 10**400, "nan", "inf", "-1", "", "x" * 5_000),
            *([], {}, [None], [[]], {"x": []}, [1, 2], [0] * 1_000, {"": 1}, deep),
        )
    )


def _odd_value(array: np.ndarray[Any, Any], rng: random.Random) -> Any:
    """Return a number that the array's type can hold, near a limit or near what is there."""
    if array.dtype.kind == "f":
        near = float(array.flat[rng.randrange(array.size)]) if array.size else 0.0
        return rng.choice((near * 2, near + 1e-3, -near, *_ODD_FLOATS))
    if array.dtype.kind == "b":
        return rng.random() < 0.5
    limits = np.iinfo(array.dtype)
    near = int(array.flat[rng.randrange(array.size)]) if array.size else 0
    places = (near + 1, near - 1, len(array) - 1, len(array), len(array) + 1, rng.randrange(2000))
    value = rng.choice((*places, limits.min, limits.max, *_ODD_INTEGERS))
    return min(max(value, limits.min), limits.max)


def _set_one(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    if array.size:
        with np.errstate(all="ignore"):
            array.flat[rng.randrange(array.size)] = _odd_value(array, rng)
    return array


def _set_some(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    for _ in range(rng.randrange(2, 9)):
        _set_one(array, rng)
    return array


def _fill(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    with np.errstate(all="ignore"):
        array.fill(_odd_value(array, rng))
    return array


def _swap(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    if array.size:
        here, there = rng.randrange(array.size), rng.randrange(array.size)
        array.flat[here], array.flat[there] = array.flat[there], array.flat[here]
    return array


def _copy_one(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    if array.size:
        array.flat[rng.randrange(array.size)] = array.flat[rng.randrange(array.size)]
    return array


def _roll(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    return np.roll(array, rng.randrange(1, 5), axis=0)


def _cut(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    return array[: rng.randrange(len(array) + 1)].copy() if array.ndim else array


def _lengthen(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    return np.concatenate((array, array[: rng.randrange(1, 4)]))


def _other_type(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    kind = rng.choice((np.int64, np.uint32, np.int32, np.float64, np.float32, np.uint8))
    with np.errstate(all="ignore"):
        return array.astype(kind)


def _stretch(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            array *= rng.choice((-1.0, 0.5, 2.0, 1e-300, 1e150, 1e300))
    return array


_CHANGES = (
    *(_set_one,) * 6,
    *(_set_some,) * 3,
    *(_swap, _copy_one, _fill, _roll, _cut, _lengthen, _other_type, _stretch),
)


def _other_byte(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    array[rng.randrange(len(array))] = rng.choice(b'[]{}",:0129-eP\\ux\xff')
    return array


def _other_name(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    """Change what the JSON text says, which stays one."""
    try:
        said = json.loads(array.tobytes())
    except (ValueError, RecursionError):  # it is none any more
        return array
    place = rng.choice(said)
    odd: Any = rng.choice(
        ([], "", 0, 1, 2, -1, None, "P0:J:", ["bet"], ["bet", "bet"], [[[]]], 1e300)
    )
    if place and rng.random() < 0.8:
        where = rng.randrange(len(place))
        place[where] = rng.choice((odd, place[rng.randrange(len(place))]))
    else:
        place.append(odd)
    return np.frombuffer(json.dumps(said).encode(), np.uint8).copy()


def _deep(array: np.ndarray[Any, Any], rng: random.Random) -> np.ndarray[Any, Any]:
    del array, rng
    return np.frombuffer(b"[" * 100_000, np.uint8).copy()


_TEXT_CHANGES = (_other_byte, _other_byte, _other_name, _other_name, _other_name, _cut, _deep)
