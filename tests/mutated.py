"""Damaged files of every kind that is read: sound ones, how they are damaged, and what a reader may do.

A reader ends with an answer that is sound or with an error of ours, within the bounds of time and memory
of `bounded.py`, and without a warning of NumPy.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import linkwork as lw
from linkwork.certification.certificate import read_certificate
from linkwork.certification.region import region_of
from linkwork.identification.logs import LIBRARY
from linkwork.model.drive_catalog import read_drive_parts
from linkwork.motion.bundled import motion_for
from linkwork.motion.plausibility import motion_findings
from linkwork.studio.guard import Guard, GuardedServer
from linkwork.studio.links import view_of
from tests.bounded import bounded

DATA = Path(__file__).parent / "data" / "mistakes"
EXAMPLES = Path(__file__).parents[1] / "examples"
WORDS = [
    *b"- e9 e300 e-300 nan inf deg [mm] , \0 \xff 1e308 q1 home : [ ] kind 0 x t leg1 ' _ sine".split(),
    *b'{ } # " & * ! | > ; \r\n <a> </link> name= %00 ../ -1 1_0 true null =SUM(A1) \xf0\x9f'.split(),
    *(b"9" * 30, b"\n", b" ", b"\t", b""),
]
MOTIONS = [
    b"kind: sine\namplitude: [0.1, 0.2, 0.1, 0.01]\nfrequency: 0.5\nduration: 4\nfade: 1\n",
    b"kind: circle\ncenter: [0,0,0,0.1]\namplitude: [1,0,0,0]\nacross: [0,1,0,0]\nduration: 4\n",
    b"kind: step\nrelative: home\namplitude: [0.1, 0.2, 0.1, 0.01]\nrise: 1\nduration: 2\n",
    b"kind: pick-and-place\npick: [0,0,0,0]\nplace: [1,1,1,0]\nlift: [0,0,1,0.1]\nduration: 2\n",
    b"kind: waypoints\npoints: [[0,0,0,0],[1,1,1,0.1],[0,0,1,0]]\ntimes: [0, 1, 2]\nends: natural\n",
    b"kind: trapezoid\nstart: [0,0,0,0]\nend: [1,1,1,0.1]\nvelocity: 1\nacceleration: 2\n",
    b"kind: excitation\ncenter: [0,0,0,0]\namplitude: 0.1\nbase_frequency: 0.2\nharmonics: 4\nseed: 1\n",
    b"kind: psd\nof: velocity\ndensity: {q1: [[1, 0.1], [9, 0.2]]}\nduration: 4\nseed: 1\nfade: 1\n",
    b"kind: recorded\nfile: q.npz\nresample: 0.1\nrelative: home\n",
]
STUDY = b"""robot: planar-2r
variables: {"links[0].mass": [1, 2], "links[1].mass": {low: 0.5, high: 2}}
motions: [home-quintic]
metrics: [peak_effort, stroke]
sampling: {method: sobol, count: 16, seed: 1}
objectives: [peak_effort]
constraints: {peak_effort: {most: 100}}
search: {population: 8, generations: 2}
period: 0.1
"""
CATALOG = b"""name,stroke [mm],peak_force [N],rms_force,speed [m/s],power
A-1,200,1500,800,0.5,400
"B, long",400,3000,1500,0.4,
C,,9000,,0.2,900
"""
REGION = b"x: [-0.1, 0.1]\nz: [2.3, 2.45]\nroll: [-3 deg, 3 deg]\npitch: [0, 0.05]\n"
DRIVES = b"""part,name,inertia [g cm^2],friction.viscous,friction.coulomb,ratio,efficiency [%],lead [mm]
motor,M60,120,1e-4,0.02,,,
motor,"M80, long",410,2e-4,0.05,,,
gear,G5,30,,0.1,5,94,
screw,S12,200,,,,85,12
"""
REQUEST = (
    b"GET /token/view/robot=ur5&position=0.1,-1,1.5,0,0.2,0&time=0.5&camera=1,2,3,0,0,0&dark=1 "
    b"HTTP/1.1\r\n"
    b"Host: 127.0.0.1:8080\r\nOrigin: http://127.0.0.1:8080\r\nAccept-Encoding: gzip\r\n\r\n"
)


class Kind(NamedTuple):
    """Files that are read in one way: the name says the ending."""

    name: str
    content: bytes
    read: Callable[[Path], object]


def kinds(folder: Path) -> list[Kind]:
    """Sound files of every kind, with what reads them."""
    arm, platform = lw.load(DATA / "arm.yaml"), lw.load(DATA / "platform.yaml")
    planar, simulator = lw.load("planar-2r"), lw.load("simona")
    server = GuardedServer(Guard("127.0.0.1", token="token"))
    time = np.linspace(0, 1, 12)
    np.savez(folder / "q.npz", time=time, q=np.outer(time**2, [0.1, 0.2, 0.3, 0.1]))
    np.savez_compressed(folder / "p.npz", time=time, pose=np.outer(np.ones(12), [0, 0, 1.2, 0, 0, 0]))
    rows = (LIBRARY / "planar-2r-log.csv").read_bytes().splitlines(keepends=True)[:260]
    np.savez(folder / "log.npz", **logged(rows))
    write_recordings(folder, logged(rows))
    lw.certify(planar, {"elbow": [1.0, 1.2]}, boxes=99).save(folder / "certificate.json")

    def motion(robot: lw.Robot) -> Callable[[Path], object]:
        return lambda file: moved(robot, str(file))

    def log(file: Path) -> object:
        return lw.read_log(planar, file)

    return [
        *(Kind(f"robot-{name}", (DATA / name).read_bytes(), judged) for name in ROBOTS),
        Kind("joints.csv", (DATA / "motion.csv").read_bytes(), motion(arm)),
        Kind("poses.csv", (DATA / "poses.csv").read_bytes(), motion(platform)),
        Kind("joints.npz", (folder / "q.npz").read_bytes(), motion(arm)),
        Kind("poses.npz", (folder / "p.npz").read_bytes(), motion(platform)),
        *(Kind(f"motion-{k}.yaml", text, motion(arm)) for k, text in enumerate(MOTIONS)),
        Kind("study.yaml", STUDY, lw.read_study),
        Kind("catalog.csv", CATALOG, lw.read_catalog),
        Kind("region.yaml", REGION, lambda file: region_of(simulator, file)),
        Kind("certificate.json", (folder / "certificate.json").read_bytes(), read_certificate),
        Kind("drives.csv", DRIVES, read_drive_parts),
        Kind("drives.yaml", (EXAMPLES / "drives.yaml").read_bytes(), read_drive_parts),
        Kind("log.csv", b"".join(rows), log),
        *(Kind(name, (folder / name).read_bytes(), log) for name in ("log.npz", *RECORDINGS)),
        Kind("request.http", REQUEST, lambda file: answered(server, file.read_bytes())),
    ]


RECORDINGS = ("log.parquet", "log.mcap")
ROBOTS = ("arm.yaml", "platform.yaml", "arm.urdf", "parallel.yaml", "family.yaml", "mechanism.yaml")


def logged(rows: list[bytes]) -> dict[str, np.ndarray]:
    table = np.array([[float(cell) for cell in row.split(b",")] for row in rows[1:]])
    names = rows[0].decode().strip().split(",")
    effort = [k for k, name in enumerate(names) if "effort" in name or "torque" in name or "tau" in name]
    return {"time": table[:, 0], "q": table[:, 1:3], "effort": table[:, effort]}


def write_recordings(folder: Path, log: dict[str, np.ndarray]) -> None:
    """The log as Parquet and as a bag of ROS."""
    import pyarrow
    import pyarrow.parquet
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    columns = {f"{stem}{k + 1}": log[name][:, k] for stem, name in LOGGED for k in range(2)}
    table = pyarrow.table({"t": log["time"], **columns})
    pyarrow.parquet.write_table(table, folder / "log.parquet")
    store = get_typestore(Stores.ROS2_HUMBLE)
    header, stamp, state = (store.types[name] for name in MESSAGES)
    with Writer(folder / "bag", version=8, storage_plugin=StoragePlugin.MCAP) as writer:
        topic = writer.add_connection("/joint_states", state.__msgtype__, typestore=store)
        for time, q, effort in zip(log["time"], log["q"], log["effort"], strict=True):
            at = stamp(sec=1, nanosec=round(1e9 * time))
            names = ["shoulder", "elbow"]
            values = q.copy(), np.zeros(0), effort.copy()
            message = state(header(stamp=at, frame_id=""), names, *values)
            writer.write(topic, at.nanosec, store.serialize_cdr(message, state.__msgtype__))
    (bag,) = (folder / "bag").glob("*.mcap")
    bag.rename(folder / "log.mcap")


LOGGED = (("q", "q"), ("tau", "effort"))
MESSAGES = ("std_msgs/msg/Header", "builtin_interfaces/msg/Time", "sensor_msgs/msg/JointState")


def judged(file: Path) -> list[Any]:
    found = lw.lint(file)
    assert all(str(file) in str(finding) for finding in found)
    return list(found)


def moved(robot: lw.Robot, file: str) -> object:
    motion = motion_for(robot, file)
    motion_findings(robot, motion, file)
    found = motion.at(np.linspace(0, motion.duration, 20))
    assert all(np.isfinite(part).all() for part in found)
    return motion


def answered(server: GuardedServer, content: bytes) -> object:
    """A request as the studio gets it, and the view that it asks for."""
    from websockets.http11 import Request
    from websockets.server import ServerProtocol

    protocol = ServerProtocol()
    protocol.receive_data(content)
    protocol.receive_eof()
    for event in protocol.events_received():
        if isinstance(event, Request):
            response = server.answer(None, event)
            if response is not None and response.status_code >= 400:
                raise lw.InputError("refused")
            return view_of(event.path)
    raise lw.InputError("no request")


def mutated(sound: bytes, random: np.random.Generator) -> bytes:
    """Bytes changed, put in, taken out or repeated, once to three times; digits most often."""
    data = bytearray(sound)
    for _ in range(random.integers(1, 4) if random.random() < 0.5 else 1):
        at = int(random.integers(len(data) + 1))
        size = int(random.integers(1, 9))
        match random.integers(10):
            case 0:
                data[at : at + 1] = bytes([random.integers(256)])
            case 1:
                data[at:at] = WORDS[random.integers(len(WORDS))]
            case 2:
                del data[at : at + size]
            case 3:
                data[at : at + 4] = WORDS[random.integers(len(WORDS))]
            case 4:
                data[at : at + 1] = (
                    bytes([data[at] ^ (1 << random.integers(8))]) if at < len(data) else b""
                )
            case 5:
                lines = bytes(data).splitlines(keepends=True)
                k = int(random.integers(len(lines))) if lines else 0
                data = bytearray(b"".join([*lines[:k], *lines[k : k + 1] * size, *lines[k + 1 :]]))
            case 6:
                del data[at : at + int(random.integers(1, 200))]
            case _:
                digits = [k for k, byte in enumerate(data) if 48 <= byte < 58]
                if digits:
                    data[digits[random.integers(len(digits))]] = 48 + random.integers(10)
    return bytes(data)


def attack(
    several: list[Kind], folder: Path, count: int, seed: int
) -> tuple[Counter[str], Counter[str]]:
    """How many damaged files of each kind were read, and how many refused; they take turns."""
    random = np.random.default_rng(seed)
    read, refused = Counter[str](), Counter[str]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", lw.RobotWarning)
        for k in range(count):
            kind = several[k % len(several)]
            file = folder / kind.name
            content = mutated(kind.content, random)
            file.write_bytes(content)
            try:
                with bounded():
                    kind.read(file)
            except lw.LinkworkError:
                refused[kind.name] += 1
            except BaseException:
                print(f"{kind.name}, case {k} of seed {seed}: {content!r}")
                raise
            else:
                read[kind.name] += 1
    return read, refused
